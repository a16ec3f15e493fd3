/* Ids near one another and far apart: what is read is what was packed, in as few bytes as is said.
 */
#include "base/mem.h"
#include "base/packed_ids.h"
#include "groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 11) % below;
}

static size_t blocks_of(size_t count)
{
	return (count + PACKED_BLOCK - 1) / PACKED_BLOCK;
}

/* All at once, one by one and in parts that begin and end anywhere. */
static void check_read(const struct packed_ids *p, const uint32_t *ids, size_t count)
{
	uint32_t *read = mem_alloc(count, sizeof(*read));

	packed_ids_read(p, 0, count, read);
	assert_memory_equal(read, ids, count * sizeof(*ids));
	for (size_t i = 0; i < count; i++) {
		packed_ids_read(p, i, i + 1, read);
		assert_int_equal(read[0], ids[i]);
	}
	for (int i = 0; i < 20; i++) {
		const size_t begin = draw(count + 1), length = draw(count + 1 - begin);

		packed_ids_read(p, begin, begin + length, read);
		assert_memory_equal(read, ids + begin, length * sizeof(*ids));
	}
	free(read);
}

/* Returns how many blocks are wide. */
static size_t check(const uint32_t *ids, size_t count)
{
	struct packed_ids p;
	size_t wide;

	packed_ids_make(&p, ids, count);
	assert_int_equal(p.count, count);
	check_read(&p, ids, count);
	wide = p.wide_count;
	assert_true(wide <= blocks_of(count));
	packed_ids_free(&p);
	assert_int_equal(p.count, 0);
	return wide;
}

/* Around so many places, each of its own reach, from one of which the next id is chosen by lot. */
static size_t check_places(size_t count, size_t places, uint64_t reach)
{
	uint32_t *ids = mem_alloc(count, sizeof(*ids));
	size_t wide;

	for (size_t i = 0; i < count; i++)
		ids[i] = (uint32_t)(draw(places) * (UINT32_MAX / places) + draw(reach));
	wide = check(ids, count);
	free(ids);
	return wide;
}

static void reads_what_was_packed(void **state)
{
	(void)state;
	for (size_t i = 0; i < repeats(300); i++) {
		const size_t count = i < 200 ? i : draw(i % 10 ? 1000 : 200000);

		check_places(count, 1 + draw(8), 1 + draw(UINT64_C(1) << draw(32)));
	}
}

/* With room for all that is said to have room, and not one more. */
static void packs_up_to_four_places(void **state)
{
	static const struct {
		size_t places;
		uint64_t reach;
	} fits[] = {{1, 1 << 16}, {2, 1 << 15}, {3, 1 << 14}, {4, 1 << 14}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fits); i++)
		assert_int_equal(check_places(1000, fits[i].places, fits[i].reach), 0);
	assert_int_equal(check_places(64000, 5, 1), 1000);
	assert_int_equal(check_places(64000, 64, 1), 1000);
}

/* At both ends of what an id can be, and where a base reaches past the last. */
static void packs_the_edges(void **state)
{
	static const uint32_t all[] = {0,
				       UINT32_MAX,
				       UINT32_MAX - 1,
				       UINT32_MAX - (1 << 14),
				       UINT32_MAX - (1 << 14) + 1,
				       1 << 14,
				       (1 << 14) - 1,
				       UINT32_MAX - (1 << 16),
				       UINT32_MAX - (1 << 16) + 1};
	uint32_t ids[3 * PACKED_BLOCK];

	(void)state;
	assert_int_equal(check(all, 0), 0);
	for (size_t count = 1; count <= ARRAY_LEN(all); count++)
		check(all, count);
	for (size_t a = 0; a < ARRAY_LEN(all); a++) {
		for (size_t b = 0; b < ARRAY_LEN(all); b++)
			assert_int_equal(check((const uint32_t[]){all[a], all[b]}, 2), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		ids[i] = all[draw(2)];
	assert_int_equal(check(ids, ARRAY_LEN(ids)), 0);
}

/* One id too far for one base has another; one too far for all four makes its block wide. */
static void is_wide_where_it_must_be(void **state)
{
	uint32_t ids[2 * PACKED_BLOCK + 5];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		ids[i] = (uint32_t)i;
	ids[3] = 1 << 16;
	assert_int_equal(check(ids, ARRAY_LEN(ids)), 0);
	for (uint32_t k = 0; k < 4; k++)
		ids[k] = k << 14;
	ids[4] = (1 << 16) - 1;
	assert_int_equal(check(ids, ARRAY_LEN(ids)), 0);
	ids[4]++;
	assert_int_equal(check(ids, ARRAY_LEN(ids)), 1);
	for (uint32_t k = 0; k < 5; k++)
		ids[2 * PACKED_BLOCK + k] = (5 - k) << 24;
	assert_int_equal(check(ids, ARRAY_LEN(ids)), 2);
}

int packed_ids_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_packed),
		cmocka_unit_test(packs_up_to_four_places),
		cmocka_unit_test(packs_the_edges),
		cmocka_unit_test(is_wide_where_it_must_be),
	};

	return cmocka_run_group_tests_name("packed_ids", tests, NULL, NULL);
}

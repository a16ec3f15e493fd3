/* Does any part whatever make its reader, or the answer about it, crash or hang? */
#include "fleet/answer/reduce.h"
#include "fleet/part_file.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read can be written, and is then read as the same. */
static void check_round_trip(const struct part *p)
{
	struct buf once = {0}, twice = {0};
	struct err e = {0};
	struct part again;

	part_encode(&once, p);
	if (part_decode(&again, buf_str(&once), "again.part", &e) < 0)
		abort();
	part_encode(&twice, &again);
	if (!str_eq(buf_str(&once), buf_str(&twice)))
		abort();
	part_free(&again);
	buf_free(&once);
	buf_free(&twice);
}

static void answer(const struct part *const *parts, size_t count)
{
	struct report r = {.command = "fleet"};
	struct err e = {0};

	if (fleet_reduce(parts, count, &(struct fleet_args){0}, &r, &e) < 0 && !e.message[0])
		abort();
	report_free(&r);
}

/* As one capture, and as if each member had one of its own, with a clock of its own. */
static void check_answer(const struct part *p)
{
	enum { MOST = 8 };
	struct part own[MOST];
	const struct part *refs[MOST] = {p};
	size_t count = 0;

	answer(refs, 1);
	for (; count < MOST && count < p->member_count; count++) {
		own[count] = *p;
		own[count].members = &p->members[count];
		own[count].member_count = 1;
		own[count].finding_count = 0;
		refs[count] = &own[count];
	}
	if (count > 1)
		answer(refs, count);
}

/* The checksum would keep all changes out: bytes are a body, whatever stood before it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool is_file =
		size >= PART_HEAD_BYTES && memcmp(data, part_magic, PART_MAGIC_BYTES) == 0;
	const size_t head = is_file ? PART_HEAD_BYTES : 0;
	struct buf sealed = {0};
	struct err e = {0};
	struct part p;
	char *exact;

	part_seal(&sealed, (struct str){(const char *)data + head, size - head});
	exact = mem_copy(sealed.s, sealed.len, 1);
	if (part_decode(&p, (struct str){exact, sealed.len}, "fuzz.part", &e) == 0) {
		check_round_trip(&p);
		check_answer(&p);
	} else if (!e.message[0] || e.code != ERR_INPUT) {
		abort();
	}
	part_free(&p);
	buf_free(&sealed);
	free(exact);
	return 0;
}

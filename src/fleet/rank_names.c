/* Which number in the names of files is the rank? */
#include "fleet/rank_names.h"

#include "base/mem.h"
#include "base/sort.h"

#include <ctype.h>
#include <stdlib.h>

enum { NUMBERS_MAX = 16, DIGITS_MAX = 9 };

/* The numbers in a name, in order; -1 for those with more digits than a rank has. */
struct numbers {
	int64_t all[NUMBERS_MAX];
	size_t count;
};

static void read_numbers(const char *name, struct numbers *ret)
{
	ret->count = 0;
	while (*name && ret->count < NUMBERS_MAX) {
		const char *begin = name;
		int64_t n = 0;

		for (; isdigit((unsigned char)*name); name++)
			n = name - begin < DIGITS_MAX ? n * 10 + (*name - '0') : 0;
		if (name == begin)
			name++;
		else
			ret->all[ret->count++] = name - begin > DIGITS_MAX ? -1 : n;
	}
}

static bool may_be_named(const struct part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (parts[i].member_count != 1 ||
		    parts[i].members[0].rank_source != PART_RANK_ASSUMED)
			return false;
	}
	return count > 1;
}

/* Ranks that there are at most: as communicators say; else at least half of them are here. */
static int64_t most_ranks(const struct part *parts, size_t count)
{
	uint32_t world = 0;

	for (size_t i = 0; i < count; i++)
		world = parts[i].members[0].world > world ? parts[i].members[0].world : world;
	return world ? (int64_t)world : 2 * (int64_t)count;
}

/* The highest value of a number that differs from file to file; -1: it is no rank. */
static int64_t highest_of(const struct numbers *names, size_t count, size_t number, int64_t *values,
			  int64_t *scratch)
{
	for (size_t i = 0; i < count; i++)
		values[i] = names[i].all[number];
	sort_i64(values, scratch, count);
	for (size_t i = 1; i < count; i++) {
		if (values[i] == values[i - 1])
			return -1;
	}
	return values[0] < 0 ? -1 : values[count - 1];
}

/* Of several, as of a host, a rank and a process, ranks are the lowest, and come last. */
static size_t choose_number(const struct numbers *names, size_t count, int64_t most)
{
	int64_t *values = mem_alloc(count, sizeof(*values));
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));
	size_t best = NUMBERS_MAX;

	for (size_t k = 0; k < names[0].count; k++) {
		const int64_t highest = highest_of(names, count, k, values, scratch);

		if (highest < 0 || highest >= most)
			continue;
		most = highest + 1;
		best = k;
	}
	free(scratch);
	free(values);
	return best;
}

void ranks_by_file_names(struct part *parts, size_t count)
{
	struct numbers *names;
	size_t number = NUMBERS_MAX;
	bool alike = true;

	if (!may_be_named(parts, count))
		return;
	names = mem_alloc(count, sizeof(*names));
	for (size_t i = 0; i < count; i++) {
		read_numbers(parts[i].file, &names[i]);
		alike &= names[i].count == names[0].count;
	}
	if (alike)
		number = choose_number(names, count, most_ranks(parts, count));
	for (size_t i = 0; i < count && number < NUMBERS_MAX; i++) {
		parts[i].members[0].rank = (uint32_t)names[i].all[number];
		parts[i].members[0].rank_source = PART_RANK_FILE_NAME;
	}
	free(names);
}

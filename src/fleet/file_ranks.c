/* Which number in the names of captures is their rank? */
#include "fleet/file_ranks.h"

#include "base/idmap.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a name are counted from its end, where the rank is more often than not. */
enum { FIELDS = 8, LEAST_RANKS = 2, RANKS_BEYOND = 4 };

/* The numbers of one name; fewer than FIELDS where it has fewer. */
struct fields {
	uint32_t values[FIELDS];
	size_t count;
};

static size_t stem_length(const char *name)
{
	static const char *const endings[] = {".sqlite", ".nsys-rep", ".qdrep"};

	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		const char *end = strstr(name, endings[i]);

		if (end)
			return (size_t)(end - name);
	}
	return strlen(name);
}

/* A number too long for a rank is none, and keeps its place. */
static struct fields fields_of(const char *name)
{
	struct fields f = {.count = 0};

	for (size_t end = stem_length(name); end && f.count < FIELDS;) {
		size_t begin = end;
		uint64_t value = 0;

		while (begin && isdigit((unsigned char)name[begin - 1]))
			begin--;
		if (begin == end) {
			end--;
			continue;
		}
		for (size_t i = begin; i < end && value <= UINT32_MAX; i++)
			value = value * 10 + (uint64_t)(name[i] - '0');
		f.values[f.count++] = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
		end = begin;
	}
	return f;
}

/* Where two captures say the same, what NCCL calls ranks are those of communicators smaller than
 * the job. */
static bool are_of_groups(const struct part *parts, size_t count)
{
	struct idmap seen = {0};
	bool found = false;

	for (uint32_t i = 0; i < count && !found; i++) {
		const struct part_member *m = parts[i].members;

		found = part_is_one_process(&parts[i]) && m->rank_source == PART_RANK_NCCL &&
			idmap_add(&seen, m->rank, i) != i;
	}
	idmap_free(&seen);
	return found;
}

/* ret by part: whether it has one process, which nothing names in the job. */
static size_t find_nameless(const struct part *parts, size_t count, bool *ret)
{
	const bool of_groups = are_of_groups(parts, count);
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct part *p = &parts[i];

		ret[i] = part_is_one_process(p) &&
			 (p->members[0].rank_source == PART_RANK_ASSUMED ||
			  (of_groups && p->members[0].rank_source == PART_RANK_NCCL));
		found += ret[i];
	}
	return found;
}

/* What ranks are less than: those of the job, or, where nobody says how many, some more than there
 * are. */
static uint64_t rank_limit(const struct part *parts, size_t count)
{
	uint64_t limit = RANKS_BEYOND * (uint64_t)count;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < parts[i].member_count; k++) {
			if (parts[i].members[k].world > limit)
				limit = parts[i].members[k].world;
		}
	}
	return limit;
}

/* Whether the field is another number in each name, and none that is somebody's rank. */
static bool tells(const struct part *parts, const struct fields *fields, const bool *nameless,
		  size_t count, size_t field)
{
	const uint64_t limit = rank_limit(parts, count);
	struct idmap seen = {0};
	bool good = true;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < parts[i].member_count && !nameless[i]; k++)
			idmap_add(&seen, parts[i].members[k].rank, (uint32_t)count);
	}
	for (size_t i = 0; i < count && good; i++) {
		if (!nameless[i])
			continue;
		good = field < fields[i].count && fields[i].values[field] < limit &&
		       idmap_add(&seen, fields[i].values[field], (uint32_t)i) == i;
	}
	idmap_free(&seen);
	return good;
}

static void take(struct part *parts, const struct fields *fields, const bool *nameless,
		 size_t count, size_t field)
{
	for (size_t i = 0; i < count; i++) {
		if (!nameless[i])
			continue;
		for (size_t k = 0; k < parts[i].member_count; k++) {
			parts[i].members[k].rank = fields[i].values[field];
			parts[i].members[k].rank_source = PART_RANK_FILE_NAME;
		}
	}
}

void file_ranks_apply(struct part *parts, size_t count)
{
	struct fields *fields = mem_alloc(count, sizeof(*fields));
	bool *nameless = mem_alloc(count, sizeof(*nameless));
	const size_t found = find_nameless(parts, count, nameless);
	size_t field = 0;

	for (size_t i = 0; i < count; i++)
		fields[i] = fields_of(parts[i].file);
	while (field < FIELDS && !tells(parts, fields, nameless, count, field))
		field++;
	if (found >= LEAST_RANKS && field < FIELDS)
		take(parts, fields, nameless, count, field);
	free(nameless);
	free(fields);
}

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

static bool is_nameless(const struct part *p)
{
	return p->member_count == 1 && p->members[0].rank_source == PART_RANK_ASSUMED;
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
static bool tells(const struct part *parts, const struct fields *fields, size_t count, size_t field,
		  uint64_t limit)
{
	struct idmap seen = {0};
	bool good = true;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < parts[i].member_count && !is_nameless(&parts[i]); k++)
			idmap_add(&seen, parts[i].members[k].rank, (uint32_t)count);
	}
	for (size_t i = 0; i < count && good; i++) {
		if (!is_nameless(&parts[i]))
			continue;
		good = field < fields[i].count && fields[i].values[field] < limit &&
		       idmap_add(&seen, fields[i].values[field], (uint32_t)i) == i;
	}
	idmap_free(&seen);
	return good;
}

static void take(struct part *parts, const struct fields *fields, size_t count, size_t field)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_nameless(&parts[i]))
			continue;
		parts[i].members[0].rank = fields[i].values[field];
		parts[i].members[0].rank_source = PART_RANK_FILE_NAME;
	}
}

void file_ranks_apply(struct part *parts, size_t count)
{
	struct fields *fields = mem_alloc(count, sizeof(*fields));
	const uint64_t limit = rank_limit(parts, count);
	size_t nameless = 0, field = 0;

	for (size_t i = 0; i < count; i++) {
		nameless += is_nameless(&parts[i]);
		fields[i] = fields_of(parts[i].file);
	}
	while (field < FIELDS && !tells(parts, fields, count, field, limit))
		field++;
	if (nameless >= LEAST_RANKS && field < FIELDS)
		take(parts, fields, count, field);
	free(fields);
}

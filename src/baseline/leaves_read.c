/* Where did the time of the runs go, and is that all of it? */
#include "baseline/parts.h"

#include "base/mem.h"

enum {
	MOST_LEAVES = 1 << 16,
	/* Of leaves by run and kind of step, those that the file does not name too: 100 MB. */
	MOST_CELLS = 1 << 21,
};

static int find_key(const struct fields *f, const struct json *v, const char *key,
		    const char *const *keys, int count, int *ret)
{
	const char *text;

	if (fields_text(f, v, key, 64, &text) < 0)
		return -1;
	for (*ret = 0; *ret < count; ++*ret) {
		if (strcmp(keys[*ret], text) == 0)
			return 0;
	}
	return fields_refuse(f, "\"%s\" is none that there is", key);
}

static int read_leaf_key(const struct fields *f, const struct json *v, struct leaf *ret)
{
	int class, blame = BLAMES;

	*ret = (struct leaf){.name = "", .grid = ""};
	if (find_key(f, v, "class", leaf_class_keys, LEAF_CLASSES, &class) < 0 ||
	    fields_check_keys(f, v,
			      class == LEAF_IDLE ? "blame class path sums"
						 : "class grid name path sums") < 0 ||
	    fields_text(f, v, "path", TEXT_BYTES, &ret->path) < 0)
		return -1;
	if (class == LEAF_IDLE && find_key(f, v, "blame", blame_keys, BLAMES, &blame) < 0)
		return -1;
	if (class != LEAF_IDLE && (fields_text(f, v, "grid", 64, &ret->grid) < 0 ||
				   fields_text(f, v, "name", TEXT_BYTES, &ret->name) < 0))
		return -1;
	ret->class = (enum leaf_class) class;
	ret->blame = (enum blame)blame;
	return 0;
}

/*
 * Room for one more: an array that doubles. How much is taken follows from what was read, and not
 * from how much a file might hold.
 */
static void *make_room(struct arena *arena, void *all, size_t count, size_t size)
{
	void *more;

	if (count & (count - 1))
		return all;
	more = arena_alloc(arena, count ? 2 * count : 1, size);
	if (count) {
		memcpy(more, all, count * size);
		arena_drop(arena, all);
	}
	return more;
}

/* Where a run keeps the leaf: the last of its list, or a new one. */
static struct leaf *leaf_of_run(struct kept_baseline *k, struct account *a, const struct leaf *key)
{
	struct leaf *l;

	if (a->leaf_count && leaf_compare(&a->leaves[a->leaf_count - 1], key) == 0)
		return &a->leaves[a->leaf_count - 1];
	a->leaves = make_room(&a->arena, a->leaves, a->leaf_count, sizeof(*a->leaves));
	l = &a->leaves[a->leaf_count++];
	*l = *key;
	l->of_kind = arena_zalloc(&a->arena, a->kind_count, sizeof(*l->of_kind));
	k->cells += a->kind_count;
	return l;
}

static int read_sums(const struct fields *f, const struct json *v, const struct leaf *key,
		     struct kept_baseline *k)
{
	const struct json *list;
	int64_t before = -1;

	if (fields_array(f, v, "sums", 1, (size_t)BASELINE_RUNS_MAX * KINDS_MAX, &list) < 0)
		return -1;
	for (size_t i = 0; i < json_read_length(list); i++) {
		const struct json *row = json_read_element(list, i);
		int64_t n[8] = {0}, place;

		/* An earlier gpuwhy kept no first_ns. */
		if (fields_numbers(f, row, json_read_length(row) == 7 ? 7 : 8, n) < 0)
			return -1;
		if (n[0] >= (int64_t)k->is.run_count ||
		    n[1] >= (int64_t)k->accounts[n[0]].kind_count || n[2] > LONGEST_NS ||
		    n[3] > LONGEST_NS || n[5] > LONGEST_NS || n[6] > n[2] || n[7] > LONGEST_NS)
			return fields_refuse(f, "a sum is out of bounds");
		place = n[0] * KINDS_MAX + n[1];
		if (place <= before)
			return fields_refuse(f, "sums are not in order");
		before = place;
		leaf_of_run(k, &k->accounts[n[0]], key)->of_kind[n[1]] =
			(struct leaf_sum){n[2], n[3], n[4], (uint64_t)n[5], n[7], n[6], 0};
		if (k->cells > MOST_CELLS)
			return fields_refuse(f, "too many leaves, runs and kinds of steps");
	}
	return 0;
}

int parts_read_leaves(const struct fields *f, const struct json *document, struct kept_baseline *k)
{
	struct leaf before, key;
	const struct json *list;

	if (fields_array(f, document, "leaves", 1, MOST_LEAVES, &list) < 0)
		return -1;
	for (size_t i = 0; i < json_read_length(list); i++) {
		const struct json *v = json_read_element(list, i);

		if (read_leaf_key(f, v, &key) < 0)
			return -1;
		if (i && leaf_compare(&before, &key) >= 0)
			return fields_refuse(f, "leaves are not in order");
		if (read_sums(f, v, &key, k) < 0)
			return -1;
		before = key;
	}
	return 0;
}

int parts_check_sums(const struct fields *f, struct account *a, size_t run)
{
	for (size_t k = 0; k < a->kind_count; k++) {
		int64_t ns = 0;

		for (size_t i = 0; i < a->leaf_count; i++) {
			const struct leaf_sum *s = &a->leaves[i].of_kind[k];

			ns = sat_add(ns, s->ns);
			a->kinds[k].calls += s->calls;
		}
		if (ns != a->kinds[k].ns)
			return fields_refuse(f,
					     "run %zu: the leaves of its steps take %lld ns, the "
					     "steps %lld ns",
					     run + 1, (long long)ns, (long long)a->kinds[k].ns);
	}
	return 0;
}

static int read_host_times(const struct fields *f, const struct json *v, const char *path,
			   struct kept_baseline *k)
{
	const struct json *list;
	int64_t before = -1;

	if (fields_array(f, v, "times", 1, BASELINE_RUNS_MAX, &list) < 0)
		return -1;
	for (size_t i = 0; i < json_read_length(list); i++) {
		struct account *a;
		int64_t n[3];

		if (fields_numbers(f, json_read_element(list, i), 3, n) < 0)
			return -1;
		if (n[0] >= (int64_t)k->is.run_count || n[0] <= before || n[1] > LONGEST_NS ||
		    n[2] > LONGEST_NS)
			return fields_refuse(f, "a time of the host is out of bounds");
		before = n[0];
		a = &k->accounts[n[0]];
		a->host = make_room(&a->arena, a->host, a->host_count, sizeof(*a->host));
		a->host[a->host_count++] = (struct host_time){path, n[1], n[2]};
	}
	return 0;
}

int parts_read_host(const struct fields *f, const struct json *document, struct kept_baseline *k)
{
	const char *path, *before = NULL;
	const struct json *list;

	if (fields_array(f, document, "host", 0, MOST_LEAVES, &list) < 0)
		return -1;
	for (size_t i = 0; i < json_read_length(list); i++) {
		const struct json *v = json_read_element(list, i);

		if (fields_check_keys(f, v, "path times") < 0 ||
		    fields_text(f, v, "path", TEXT_BYTES, &path) < 0)
			return -1;
		if (before && strcmp(before, path) >= 0)
			return fields_refuse(f, "ranges of the host are not in order");
		if (read_host_times(f, v, path, k) < 0)
			return -1;
		before = path;
	}
	return 0;
}

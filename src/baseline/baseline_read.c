/* Which runs does a baseline hold, and is it whole? */
#include "baseline/baseline.h"

#include "base/mem.h"
#include "baseline/fields.h"
#include "diff/step_kinds.h"

#include <math.h>

enum {
	MOST_STEPS = 1 << 20, /* of a run */
	MOST_LEAVES = 1 << 16,
	MOST_FINDINGS = 1000,
	TEXT_BYTES = 1 << 16,
	KINDS_MAX = 2 * STEP_KINDS_MAX, /* two modes of each sort */
};

/* Of a run, months: no sum over as many runs as there may be overflows. */
#define LONGEST_NS (INT64_MAX / (4 * BASELINE_RUNS_MAX))

static int read_findings(const struct fields *f, const struct json *run, struct run_facts *to)
{
	const struct json *list = json_read_member(run, "findings");

	if (json_read_kind(list) == JSON_KIND_NULL)
		return 0;
	if (fields_array(f, run, "findings", 0, MOST_FINDINGS, &list) < 0)
		return -1;
	to->has_findings = true;
	to->findings = arena_alloc(f->arena, json_read_length(list), sizeof(*to->findings));
	for (size_t i = 0; i < json_read_length(list); i++) {
		const struct json *v = json_read_element(list, i);
		struct run_finding *x = &to->findings[to->finding_count];

		if (fields_check_keys(f, v, "id place recoverable_ns title") < 0 ||
		    fields_text(f, v, "id", 64, &x->id) < 0 ||
		    fields_text(f, v, "place", TEXT_BYTES, &x->place) < 0 ||
		    fields_text(f, v, "title", TEXT_BYTES, &x->title) < 0 ||
		    fields_whole(f, v, "recoverable_ns", 0, LONGEST_NS, &x->recoverable_ns) < 0)
			return -1;
		to->finding_count++;
	}
	return 0;
}

static int read_facts(const struct fields *f, const struct json *run, struct run_facts *to)
{
	const struct json *v = json_read_member(run, "facts");
	int64_t gpus, processes;

	if (fields_check_keys(f, v,
			      "cuda date driver gpu gpus graphs memory_bytes processes recorded "
			      "schema tool") < 0 ||
	    fields_text(f, v, "cuda", TEXT_BYTES, &to->cuda) < 0 ||
	    fields_date(f, v, "date", &to->date) < 0 ||
	    fields_text(f, v, "driver", TEXT_BYTES, &to->driver) < 0 ||
	    fields_text(f, v, "gpu", TEXT_BYTES, &to->gpu) < 0 ||
	    fields_text(f, v, "graphs", TEXT_BYTES, &to->graphs) < 0 ||
	    fields_text(f, v, "recorded", TEXT_BYTES, &to->recorded) < 0 ||
	    fields_text(f, v, "schema", TEXT_BYTES, &to->schema) < 0 ||
	    fields_text(f, v, "tool", TEXT_BYTES, &to->tool) < 0 ||
	    fields_whole(f, v, "gpus", 0, UINT32_MAX, &gpus) < 0 ||
	    fields_whole(f, v, "processes", 0, UINT32_MAX, &processes) < 0 ||
	    fields_whole(f, v, "memory_bytes", -1, INT64_MAX, &to->memory_bytes) < 0)
		return -1;
	to->gpus = (uint32_t)gpus;
	to->processes = (uint32_t)processes;
	return read_findings(f, run, to);
}

static int read_kinds(const struct fields *f, const struct json *run, struct account *a)
{
	const struct json *list;

	if (fields_array(f, run, "kinds", 1, KINDS_MAX, &list) < 0)
		return -1;
	a->kinds = arena_zalloc(&a->arena, json_read_length(list), sizeof(*a->kinds));
	for (; a->kind_count < json_read_length(list); a->kind_count++) {
		struct step_kind *k = &a->kinds[a->kind_count];
		int64_t n[2];

		if (fields_numbers(f, json_read_element(list, a->kind_count), 2, n) < 0)
			return -1;
		if (n[0] >= STEP_KINDS_MAX || n[1] > 1)
			return fields_refuse(f, "a kind of steps is out of bounds");
		*k = (struct step_kind){.launches = (uint32_t)n[0], .mode = (uint32_t)n[1]};
		for (const struct step_kind *other = a->kinds; other < k; other++) {
			if (other->launches == k->launches && other->mode == k->mode)
				return fields_refuse(f, "a kind of steps is there twice");
		}
	}
	return 0;
}

static int take_step(const struct fields *f, struct account *a, size_t i, const int64_t *values[3])
{
	const int64_t kind = values[0][i], ns = values[1][i], number = values[2][i];
	struct account_step *s = &a->steps[i];

	if (kind >= (int64_t)a->kind_count || ns > LONGEST_NS || number > UINT32_MAX)
		return fields_refuse(f, "a step is out of bounds");
	/* When it began is not kept: one after the other, as if nothing was between them. */
	*s = (struct account_step){i ? a->steps[i - 1].start_ns + a->steps[i - 1].ns : 0, ns,
				   (uint32_t)number, (uint32_t)kind};
	a->kinds[kind].steps++;
	a->kinds[kind].ns += ns;
	if (s->start_ns > LONGEST_NS)
		return fields_refuse(f, "steps take longer than there is time");
	return 0;
}

static int read_steps(const struct fields *f, const struct json *run, struct account *a)
{
	static const char *const keys[] = {"step_kinds", "step_ns", "step_numbers"};
	const int64_t *values[ARRAY_LEN(keys)];

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct json *list;
		int64_t *to;

		if (fields_array(f, run, keys[i], 1, MOST_STEPS, &list) < 0)
			return -1;
		a->step_count = i ? a->step_count : json_read_length(list);
		to = arena_alloc(&a->arena, a->step_count, sizeof(*to));
		if (fields_numbers(f, list, a->step_count, to) < 0)
			return -1;
		values[i] = to;
	}
	a->steps = arena_alloc(&a->arena, a->step_count, sizeof(*a->steps));
	for (size_t i = 0; i < a->step_count; i++) {
		if (take_step(f, a, i, values) < 0)
			return -1;
	}
	for (size_t k = 0; k < a->kind_count; k++) {
		if (!a->kinds[k].steps)
			return fields_refuse(f, "a kind has no steps");
	}
	return account_ns(a) > 0 ? 0 : fields_refuse(f, "the steps of a run take no time");
}

static int read_warm_up(const struct fields *f, const struct json *run, struct account *a)
{
	const struct json *list;

	if (fields_array(f, run, "warm_up_ns", 0, MOST_STEPS, &list) < 0)
		return -1;
	a->cold = json_read_length(list);
	if (a->cold)
		a->cold_ns = arena_alloc(&a->arena, a->cold, sizeof(*a->cold_ns));
	return fields_numbers(f, list, a->cold, a->cold_ns);
}

static int read_run(const struct fields *of_file, const struct json *v, struct account *a)
{
	const struct fields f = {of_file->file, &a->arena, of_file->e};
	int64_t pauses, ranks;

	if (fields_check_keys(
		    &f, v,
		    "facts findings is_window kinds name pauses pauses_ns ranks step_kinds "
		    "step_ns step_numbers steps_by warm_up_ns") < 0 ||
	    read_facts(&f, v, &a->facts) < 0 ||
	    fields_bool(&f, v, "is_window", &a->is_window) < 0 || read_kinds(&f, v, a) < 0 ||
	    read_steps(&f, v, a) < 0 || fields_text(&f, v, "name", TEXT_BYTES, &a->name) < 0 ||
	    fields_text(&f, v, "steps_by", TEXT_BYTES, &a->how) < 0 ||
	    fields_whole(&f, v, "pauses", 0, MOST_STEPS, &pauses) < 0 ||
	    fields_whole(&f, v, "pauses_ns", 0, INT64_MAX, &a->pauses_ns) < 0 ||
	    fields_whole(&f, v, "ranks", 1, UINT32_MAX, &ranks) < 0)
		return -1;
	a->is_kept = true;
	a->pauses = (size_t)pauses;
	a->ranks = (size_t)ranks;
	return read_warm_up(&f, v, a);
}

static int read_runs(const struct fields *f, const struct json *document, struct kept_baseline *k)
{
	const struct json *list;
	size_t count;

	if (fields_array(f, document, "runs", 1, BASELINE_RUNS_MAX, &list) < 0)
		return -1;
	count = json_read_length(list);
	k->accounts = arena_zalloc(f->arena, count, sizeof(*k->accounts));
	k->refs = arena_alloc(f->arena, count, sizeof(void *));
	k->is.runs = k->refs;
	for (size_t i = 0; i < count; i++) {
		k->refs[i] = &k->accounts[i];
		k->is.run_count++;
		if (read_run(f, json_read_element(list, i), &k->accounts[i]) < 0)
			return -1;
	}
	return 0;
}

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

/* Where a run keeps the leaf: the last of its list, or a new one of at most so many. */
static struct leaf *leaf_of_run(struct account *a, const struct leaf *key, size_t most)
{
	struct leaf *l;

	if (!a->leaves)
		a->leaves = arena_alloc(&a->arena, most, sizeof(*a->leaves));
	l = &a->leaves[a->leaf_count];
	if (a->leaf_count && leaf_compare(l - 1, key) == 0)
		return l - 1;
	a->leaf_count++;
	*l = *key;
	l->of_kind = arena_zalloc(&a->arena, a->kind_count, sizeof(*l->of_kind));
	return l;
}

static int read_sums(const struct fields *f, const struct json *v, const struct leaf *key,
		     size_t leaves, struct kept_baseline *k)
{
	const struct json *list;
	int64_t before = -1;

	if (fields_array(f, v, "sums", 1, (size_t)BASELINE_RUNS_MAX * KINDS_MAX, &list) < 0)
		return -1;
	for (size_t i = 0; i < json_read_length(list); i++) {
		int64_t n[7], place;

		if (fields_numbers(f, json_read_element(list, i), 7, n) < 0)
			return -1;
		if (n[0] >= (int64_t)k->is.run_count ||
		    n[1] >= (int64_t)k->accounts[n[0]].kind_count || n[2] > LONGEST_NS ||
		    n[3] > LONGEST_NS || n[5] > LONGEST_NS || n[6] > n[2])
			return fields_refuse(f, "a sum is out of bounds");
		place = n[0] * KINDS_MAX + n[1];
		if (place <= before)
			return fields_refuse(f, "sums are not in order");
		before = place;
		leaf_of_run(&k->accounts[n[0]], key, leaves)->of_kind[n[1]] =
			(struct leaf_sum){n[2], n[3], n[4], (uint64_t)n[5], n[6], 0};
	}
	return 0;
}

static int read_leaves(const struct fields *f, const struct json *document, struct kept_baseline *k)
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
		if (read_sums(f, v, &key, json_read_length(list), k) < 0)
			return -1;
		before = key;
	}
	return 0;
}

/* Every nanosecond of a step belongs to one leaf: a file that was edited or cut says otherwise. */
static int check_sums(const struct fields *f, struct account *a, size_t run)
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
		a->host[a->host_count++] = (struct host_time){path, n[1], n[2]};
	}
	return 0;
}

static int read_host(const struct fields *f, const struct json *document, struct kept_baseline *k)
{
	const char *path, *before = NULL;
	const struct json *list;

	if (fields_array(f, document, "host", 0, MOST_LEAVES, &list) < 0)
		return -1;
	for (size_t r = 0; r < k->is.run_count; r++)
		k->accounts[r].host = arena_alloc(&k->accounts[r].arena, json_read_length(list),
						  sizeof(struct host_time));
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

static int read_accepted(const struct fields *f, const struct json *document,
			 struct kept_baseline *k)
{
	struct accepted_change *all;
	const struct json *list;

	if (fields_array(f, document, "accepted", 0, BASELINE_RUNS_MAX, &list) < 0)
		return -1;
	all = arena_alloc(f->arena, json_read_length(list), sizeof(*all));
	k->is.accepted = all;
	for (size_t i = 0; i < json_read_length(list); i++) {
		const struct json *v = json_read_element(list, i), *change;

		if (fields_check_keys(f, v, "change_pct date reason") < 0 ||
		    fields_date(f, v, "date", &all[i].date) < 0 ||
		    fields_text(f, v, "reason", BASELINE_REASON_BYTES, &all[i].reason) < 0)
			return -1;
		change = json_read_member(v, "change_pct");
		if (json_read_kind(change) != JSON_KIND_NUMBER)
			return fields_refuse(f, "\"change_pct\" is no number");
		all[i].change_pct = json_read_number(change);
		k->is.accepted_count++;
	}
	return 0;
}

static int read_document(const struct fields *f, const struct json *document,
			 struct kept_baseline *k)
{
	int64_t version;
	const struct json *v = json_read_member(document, "gpuwhy_baseline");

	if (!v || !json_read_whole(v, &version))
		return fields_refuse(f, "it has no \"gpuwhy_baseline\"");
	if (version != BASELINE_VERSION) {
		err_set(f->e, ERR_INPUT, "'%s' is a baseline of version %lld, not %d", f->file,
			(long long)version, BASELINE_VERSION);
		return err_hint(f->e, "another version of gpuwhy wrote it: use that one");
	}
	if (fields_check_keys(f, document, "accepted gpuwhy_baseline host leaves options runs") <
		    0 ||
	    fields_text(f, document, "options", TEXT_BYTES, &k->is.options) < 0 ||
	    read_accepted(f, document, k) < 0 || read_runs(f, document, k) < 0 ||
	    read_leaves(f, document, k) < 0 || read_host(f, document, k) < 0)
		return -1;
	for (size_t r = 0; r < k->is.run_count; r++) {
		if (check_sums(f, &k->accounts[r], r) < 0)
			return -1;
	}
	return 0;
}

static int take(struct kept_baseline *ret, struct json *document, const char *name, struct err *e)
{
	const struct fields f = {name, &ret->arena, e};
	const int result = read_document(&f, document, ret);

	json_read_free(document);
	return result;
}

int baseline_read_text(struct kept_baseline *ret, struct str text, const char *name, struct err *e)
{
	struct json *document;

	*ret = (struct kept_baseline){0};
	if (json_read_text(&document, text, name, e) < 0)
		return -1;
	return take(ret, document, name, e);
}

int baseline_read(struct kept_baseline *ret, const char *path, struct err *e)
{
	struct json *document;

	*ret = (struct kept_baseline){0};
	if (json_read_large_file(&document, path, BASELINE_LARGEST_BYTES, e) < 0)
		return -1;
	return take(ret, document, path, e);
}

void baseline_free(struct kept_baseline *k)
{
	for (size_t r = 0; r < k->is.run_count; r++)
		account_free(&k->accounts[r]);
	arena_free(&k->arena);
	*k = (struct kept_baseline){0};
}

const char *baseline_date(const struct baseline *b, bool newest)
{
	const char *found = "";

	for (size_t r = 0; r < b->run_count; r++) {
		const char *date = b->runs[r]->facts.date;
		const int order = strcmp(date, found);

		if (date[0] && (!found[0] || (newest ? order > 0 : order < 0)))
			found = date;
	}
	return found;
}

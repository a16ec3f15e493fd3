/* What is each run of a baseline? */
#include "baseline/parts.h"

#include "base/buf.h"
#include "base/mem.h"
#include "baseline/kept_waits.h"

enum {
	MOST_STEPS = 1 << 20, /* of a run */
	MOST_FINDINGS = 1000,
	MOST_LAUNCHES = INT32_MAX, /* of a run */
};

/* Baselines of before findings had places are read: what needs the place cannot be told then. */
static int read_place(const struct fields *f, const struct json *finding, struct run_facts *to,
		      struct run_finding *x)
{
	x->place = "";
	if (finding && !json_read_member(finding, "place")) {
		to->lacks_places = true;
		return fields_check_keys(f, finding, "id recoverable_ns title");
	}
	if (fields_check_keys(f, finding, "id place recoverable_ns title") < 0)
		return -1;
	return fields_text(f, finding, "place", TEXT_BYTES, &x->place);
}

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

		if (read_place(f, v, to, x) < 0 || fields_text(f, v, "id", 64, &x->id) < 0 ||
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
	to->gpu_ids = "";
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

#define RUN_KEYS                                                                         \
	"facts findings is_window kinds name pauses pauses_ns ranks step_kinds step_ns " \
	"step_numbers "                                                                  \
	"steps_by warm_up_ns"

/* What not all runs have is not written, nor did an earlier gpuwhy know of it. */
static int check_run_keys(const struct fields *f, const struct json *v)
{
	static const char *const optional[] = {"device",	"graph_launches", "launches",
					       "partial_steps", "reach",	  "waits"};
	SCOPED_BUF keys = {0};

	buf_adds(&keys, RUN_KEYS);
	for (size_t i = 0; v && i < ARRAY_LEN(optional); i++) {
		if (json_read_member(v, optional[i]))
			buf_addf(&keys, " %s", optional[i]);
	}
	return fields_check_keys(f, v, keys.s);
}

/* `ret` stays as it is where there is none. */
static int read_optional(const struct fields *f, const struct json *v, const char *key,
			 int64_t most, int64_t *ret)
{
	return json_read_member(v, key) ? fields_whole(f, v, key, 0, most, ret) : 0;
}

/* Earlier ones left all pauses out, and do not say which steps were parts of a loop. */
static int read_reach(const struct fields *f, const struct json *v, enum step_reach *ret)
{
	const char *word;

	*ret = REACH_NEXT;
	if (!json_read_member(v, "reach"))
		return 0;
	if (fields_text(f, v, "reach", TEXT_BYTES, &word) < 0)
		return -1;
	for (int i = 0; i < STEP_REACHES; i++) {
		if (strcmp(word, step_reach_words[i]) != 0)
			continue;
		*ret = (enum step_reach)i;
		return 0;
	}
	return fields_refuse(f, "steps reach '%s'", word);
}

static int read_choice(const struct fields *f, const struct json *v, struct account *a)
{
	int64_t partial = 0;

	a->device = a->launches = a->graph_launches = -1;
	if (read_reach(f, v, &a->reach) < 0 ||
	    read_optional(f, v, "device", UINT32_MAX, &a->device) < 0 ||
	    read_optional(f, v, "launches", MOST_LAUNCHES, &a->launches) < 0 ||
	    read_optional(f, v, "graph_launches", MOST_LAUNCHES, &a->graph_launches) < 0 ||
	    read_optional(f, v, "partial_steps", MOST_STEPS, &partial) < 0)
		return -1;
	if (a->graph_launches > a->launches || (a->launches >= 0) != (a->graph_launches >= 0))
		return fields_refuse(f, "the launches of a run are out of bounds");
	a->partial = (size_t)partial;
	return 0;
}

static int read_run(const struct fields *of_file, const struct json *v, struct account *a)
{
	const struct fields f = {of_file->file, &a->arena, of_file->e};
	int64_t pauses, ranks;

	if (check_run_keys(&f, v) < 0 || read_choice(&f, v, a) < 0 ||
	    kept_waits_read(&f, v, &a->waits) < 0 || read_facts(&f, v, &a->facts) < 0 ||
	    fields_bool(&f, v, "is_window", &a->is_window) < 0 || read_kinds(&f, v, a) < 0 ||
	    read_steps(&f, v, a) < 0 || fields_text(&f, v, "name", TEXT_BYTES, &a->name) < 0 ||
	    fields_text(&f, v, "steps_by", TEXT_BYTES, &a->how) < 0 ||
	    fields_whole(&f, v, "pauses", 0, MOST_STEPS, &pauses) < 0 ||
	    fields_whole(&f, v, "pauses_ns", 0, INT64_MAX, &a->pauses_ns) < 0 ||
	    fields_whole(&f, v, "ranks", 1, UINT32_MAX, &ranks) < 0)
		return -1;
	a->is_kept = true;
	a->rank = -1;
	a->pauses = (size_t)pauses;
	a->ranks = (size_t)ranks;
	return read_warm_up(&f, v, a);
}

int parts_read_runs(const struct fields *f, const struct json *document, struct kept_baseline *k)
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

/* How are runs kept, so that people can review what changed? */
#include "baseline/baseline.h"

#include "base/mem.h"
#include "baseline/kept_waits.h"
#include "diff/sides.h"
#include "text/json_write.h"

#include <stdlib.h>

static void write_accepted(struct json_writer *w, const struct baseline *b)
{
	json_write_open(w, "accepted", '[');
	for (size_t i = 0; i < b->accepted_count; i++) {
		json_write_open(w, NULL, '{');
		json_write_real(w, "change_pct", b->accepted[i].change_pct);
		json_write_text(w, "date", b->accepted[i].date);
		json_write_text(w, "reason", b->accepted[i].reason);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void write_facts(struct json_writer *w, const struct run_facts *f)
{
	json_write_open(w, "facts", '{');
	json_write_text(w, "cuda", f->cuda);
	json_write_text(w, "date", f->date);
	json_write_text(w, "driver", f->driver);
	json_write_text(w, "gpu", f->gpu);
	json_write_int(w, "gpus", f->gpus);
	json_write_text(w, "graphs", f->graphs);
	json_write_int(w, "memory_bytes", f->memory_bytes);
	json_write_int(w, "processes", f->processes);
	json_write_text(w, "recorded", f->recorded);
	json_write_text(w, "schema", f->schema);
	json_write_text(w, "tool", f->tool);
	json_write_close(w, '}');
}

static void write_findings(struct json_writer *w, const struct run_facts *f)
{
	if (!f->has_findings) {
		json_write_null(w, "findings");
		return;
	}
	json_write_open(w, "findings", '[');
	for (size_t i = 0; i < f->finding_count; i++) {
		json_write_open(w, NULL, '{');
		json_write_text(w, "id", f->findings[i].id);
		if (!f->lacks_places)
			json_write_text(w, "place", f->findings[i].place);
		json_write_int(w, "recoverable_ns", f->findings[i].recoverable_ns);
		json_write_text(w, "title", f->findings[i].title);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void write_kinds(struct json_writer *w, const struct account *a)
{
	json_write_open(w, "kinds", '[');
	for (size_t k = 0; k < a->kind_count; k++)
		json_write_ints(w, NULL, (int64_t[]){a->kinds[k].launches, a->kinds[k].mode}, 2);
	json_write_close(w, ']');
}

static int64_t step_kind(const struct account_step *s)
{
	return s->kind;
}

static int64_t step_ns(const struct account_step *s)
{
	return s->ns;
}

static int64_t step_number(const struct account_step *s)
{
	return s->number;
}

static void write_steps(struct json_writer *w, const char *key, const struct account *a,
			int64_t (*of)(const struct account_step *))
{
	int64_t *values = mem_alloc(a->step_count, sizeof(*values));

	for (size_t i = 0; i < a->step_count; i++)
		values[i] = of(&a->steps[i]);
	json_write_ints(w, key, values, a->step_count);
	free(values);
}

static void write_run(struct json_writer *w, const struct account *a)
{
	json_write_open(w, NULL, '{');
	if (a->device >= 0)
		json_write_int(w, "device", a->device);
	write_facts(w, &a->facts);
	write_findings(w, &a->facts);
	if (a->graph_launches >= 0)
		json_write_int(w, "graph_launches", a->graph_launches);
	json_write_bool(w, "is_window", a->is_window);
	write_kinds(w, a);
	if (a->launches >= 0)
		json_write_int(w, "launches", a->launches);
	json_write_text(w, "name", a->name);
	if (a->partial)
		json_write_int(w, "partial_steps", (int64_t)a->partial);
	json_write_int(w, "pauses", (int64_t)a->pauses);
	json_write_int(w, "pauses_ns", a->pauses_ns);
	json_write_int(w, "ranks", (int64_t)a->ranks);
	json_write_text(w, "reach", step_reach_words[a->reach]);
	write_steps(w, "step_kinds", a, step_kind);
	write_steps(w, "step_ns", a, step_ns);
	write_steps(w, "step_numbers", a, step_number);
	json_write_text(w, "steps_by", a->how);
	kept_waits_write(w, &a->waits);
	json_write_ints(w, "warm_up_ns", a->cold_ns, a->cold_ns ? a->cold : 0);
	json_write_close(w, '}');
}

/* How far each run's list was walked: all are in the same order. */
static bool next_leaf(const struct baseline *b, const size_t *at, const struct leaf **ret)
{
	*ret = NULL;
	for (size_t r = 0; r < b->run_count; r++) {
		const struct account *a = b->runs[r];

		if (at[r] < a->leaf_count && (!*ret || leaf_compare(&a->leaves[at[r]], *ret) < 0))
			*ret = &a->leaves[at[r]];
	}
	return *ret != NULL;
}

static void write_sums(struct json_writer *w, const struct account *a, size_t run,
		       const struct leaf *l)
{
	for (size_t k = 0; k < a->kind_count; k++) {
		const struct leaf_sum *s = &l->of_kind[k];

		if (s->ns || s->calls || s->work_ns)
			json_write_ints(w, NULL,
					(int64_t[]){(int64_t)run, (int64_t)k, s->ns, s->work_ns,
						    s->offset_ns, (int64_t)s->calls, s->longest_ns,
						    s->first_ns},
					8);
	}
}

static void write_leaves(struct json_writer *w, const struct baseline *b)
{
	size_t *at = mem_zalloc(b->run_count, sizeof(*at));
	const struct leaf *next;

	json_write_open(w, "leaves", '[');
	while (next_leaf(b, at, &next)) {
		const struct leaf l = *next;

		json_write_open(w, NULL, '{');
		if (l.class == LEAF_IDLE)
			json_write_text(w, "blame", blame_keys[l.blame]);
		json_write_text(w, "class", leaf_class_keys[l.class]);
		if (l.class != LEAF_IDLE) {
			json_write_text(w, "grid", l.grid);
			json_write_text(w, "name", l.name);
		}
		json_write_text(w, "path", l.path);
		json_write_open(w, "sums", '[');
		for (size_t r = 0; r < b->run_count; r++) {
			const struct account *a = b->runs[r];

			if (at[r] < a->leaf_count && leaf_compare(&a->leaves[at[r]], &l) == 0)
				write_sums(w, a, r, &a->leaves[at[r]++]);
		}
		json_write_close(w, ']');
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
	free(at);
}

static bool next_path(const struct baseline *b, const size_t *at, const char **ret)
{
	*ret = NULL;
	for (size_t r = 0; r < b->run_count; r++) {
		const struct account *a = b->runs[r];

		if (at[r] < a->host_count && (!*ret || strcmp(a->host[at[r]].path, *ret) < 0))
			*ret = a->host[at[r]].path;
	}
	return *ret != NULL;
}

static void write_host(struct json_writer *w, const struct baseline *b)
{
	size_t *at = mem_zalloc(b->run_count, sizeof(*at));
	const char *path;

	json_write_open(w, "host", '[');
	while (next_path(b, at, &path)) {
		json_write_open(w, NULL, '{');
		json_write_text(w, "path", path);
		json_write_open(w, "times", '[');
		for (size_t r = 0; r < b->run_count; r++) {
			const struct account *a = b->runs[r];
			const struct host_time *h = &a->host[at[r]];

			if (at[r] == a->host_count || strcmp(h->path, path) != 0)
				continue;
			json_write_ints(w, NULL, (int64_t[]){(int64_t)r, h->own_ns, h->wait_ns}, 3);
			at[r]++;
		}
		json_write_close(w, ']');
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
	free(at);
}

void baseline_write(struct buf *b, const struct baseline *what)
{
	struct json_writer w = {.out = b};

	json_write_open(&w, NULL, '{');
	write_accepted(&w, what);
	json_write_int(&w, "gpuwhy_baseline", BASELINE_VERSION);
	write_host(&w, what);
	write_leaves(&w, what);
	json_write_text(&w, "options", what->options);
	json_write_open(&w, "runs", '[');
	for (size_t r = 0; r < what->run_count; r++)
		write_run(&w, what->runs[r]);
	json_write_close(&w, ']');
	json_write_close(&w, '}');
}

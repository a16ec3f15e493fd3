/* How long did the program's own NVTX ranges take? */
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "trace/ranges/range_paths.h"

#include <stdlib.h>

static const struct column extra_columns[] = {
	{"style", "Style", UNIT_NAME, 0, "", SHOW_IF_ROOM},
};

/* Groups are told apart by full name and style: the style is the lowest bit. */
static uint32_t *names_and_styles(const struct events *ev, const struct range_names *names)
{
	uint32_t *all = mem_alloc(ev->count, sizeof(*all));

	for (uint64_t i = 0; i < ev->count; i++)
		all[i] = names->of_row[i] << 1 | nvtx_is_start_end(ev->event_type[i]);
	return all;
}

static int add_table(struct trace *t, const struct grouped_args *a, struct report *r,
		     const struct range_names *names, const struct grouping *g, struct err *e)
{
	struct time_row *rows = mem_zalloc(g->count, sizeof(*rows));
	struct summary *sums = mem_alloc(g->count, sizeof(*sums));
	struct time_table table = {
		.name = "ranges",
		.by = a->by,
		.kind = "range",
		.name_column = {"range", "Range", UNIT_NAME, 0, "", SHOW},
		.extra = extra_columns,
		.extra_count = ARRAY_LEN(extra_columns),
		.rows = rows,
	};
	int result;

	summarize(g->duration_ns, g->group, t->events[TRACE_NVTX].count, g->count, sums);
	for (size_t i = 0; i < g->count; i++) {
		uint32_t name = g->keys[i].name;

		if (name >> 1 >= names->names.count)
			continue; /* marks, domains, ranges that never closed */
		rows[table.count].name =
			arena_str(&r->arena, range_name_shown(names->names.items[name >> 1]));
		rows[table.count].key = g->keys[i];
		rows[table.count].s = sums[i];
		rows[table.count++].extra[0] = cell_text(name & 1 ? "start/end" : "push/pop");
	}
	result = time_table_report(r, t, &a->table, &table, e);
	free(sums);
	free(rows);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct grouped_args *a = args;
	const struct scope *p = &a->table.scope;
	struct range_names names;
	struct grouping g;
	uint32_t *keys;
	int result;

	if (window_report(r, self, t, p, &a->table.rows, e) < 0 ||
	    range_names_read(t, &names, e) < 0)
		return -1;
	keys = names_and_styles(&t->events[TRACE_NVTX], &names);
	result = grouping_make(t, TRACE_NVTX, keys, p, a->by, &g, e);
	if (result == 0) {
		result = add_table(t, a, r, &names, &g, e);
		grouping_free(&g);
	}
	free(keys);
	range_names_free(&names);
	return result;
}

static const struct topic topics_ranges[] = {
	{.table = "ranges",
	 .subject = "range wall",
	 .words = "range ranges nvtx annotation annotations host wall cpu section region marker",
	 .questions = "how long do the NVTX ranges take on the host\n"
		      "which range takes the most host time\n"
		      "how often was the range forward entered\n"
		      "what is the average wall time of the range step\n"
		      "how many NVTX ranges are there\n"
		      "are there NVTX ranges at all\n"
		      "list the ranges by time\n"
		      "wall time of dataloader range\n",
	 .row = "{range} takes {total_ns} of host time|, in {count} instances|, {avg_ns} each on "
		"average|, at most {max_ns}",
	 .sum = "{count} instances of {#} ranges take {total_ns}",
	 .by = "total_ns",
	 .none = "there are no NVTX ranges: add them, or capture with --trace=nvtx"},
	{0},
};

const struct analysis analysis_ranges = {
	.name = "ranges",
	.title = "NVTX ranges",
	.order = "total time",
	.summary = "NVTX ranges by host time",
	.example = "gpuwhy ranges trace.sqlite --span all --limit 20",
	.detail = "Ranges have no device: --device N selects ranges of threads that launched work "
		  "on it.",
	.host = true,
	.needs = NEEDS(TRACE_NVTX),
	.options = &by_process_options,
	.run = run,
	.topics = topics_ranges,
};

/* In which steps is which rank late? */
#include "fleet/answer/answer.h"

#include "base/mem.h"
#include "base/sort.h"
#include "fleet/fleet_tables.h"
#include "report/chart.h"

#include <stdlib.h>

/* Of more ranks a row is a node, or several ranks or nodes; a column is then some steps. */
enum { ROWS_MAX = 128, COLUMNS_MAX = 120, LATEST_MAX = 16 };

/* Shares of a step: what a shade means depends neither on the job nor on its worst moment. */
static const double shades_pct[CHART_SHADES] = {0, 1, 2, 5, 10, 20, 50};
static const struct chart_part keys[CHART_SHADES] = {
	{"< 1 %", HUE_SHADE},	   {"1–2 %", HUE_SHADE + 1},   {"2–5 %", HUE_SHADE + 2},
	{"5–10 %", HUE_SHADE + 3}, {"10–20 %", HUE_SHADE + 4}, {"20–50 %", HUE_SHADE + 5},
	{"> 50 %", HUE_SHADE + 6},
};

struct heat_rows {
	struct chart_part *names;
	const char **pages;
	uint32_t *row_of; /* by member; UINT32_MAX: none */
	size_t count;
};

static unsigned char shade_of(const struct stragglers *s, double late_ns)
{
	size_t shade = 0;

	while (late_ns > 0 && shade + 1 < CHART_SHADES &&
	       100 * late_ns >= shades_pct[shade + 1] * s->step_ns)
		shade++;
	return (unsigned char)shade;
}

static size_t steps_in_column(const struct stragglers *s)
{
	return (s->steps + COLUMNS_MAX - 1) / COLUMNS_MAX;
}

static struct heat_rows rows_make(struct fleet_answer *a, size_t count)
{
	struct arena *arena = &a->report->arena;
	struct heat_rows r = {
		.names = arena_zalloc(arena, count, sizeof(*r.names)),
		.pages = a->has_pages ? arena_zalloc(arena, count, sizeof(*r.pages)) : NULL,
		.row_of = mem_alloc(a->job.member_count, sizeof(*r.row_of)),
		.count = count,
	};

	for (size_t i = 0; i < a->job.member_count; i++)
		r.row_of[i] = UINT32_MAX;
	return r;
}

static void set_name(struct fleet_answer *a, struct heat_rows *r, size_t row, const char *word,
		     size_t first, size_t last)
{
	struct arena *arena = &a->report->arena;

	r->names[row].hue = HUE_PLAIN;
	r->names[row].name = first == last
				     ? arena_printf(arena, "%s %zu", word, first)
				     : arena_printf(arena, "%ss %zu to %zu", word, first, last);
}

static void set_rank(struct fleet_answer *a, struct heat_rows *r, size_t row, size_t member)
{
	const struct job_member *m = &a->job.members[member];

	r->row_of[member] = (uint32_t)row;
	set_name(a, r, row, "rank", m->is->rank, m->is->rank);
	if (r->pages)
		r->pages[row] = fleet_page_of(&a->report->arena, a->job.parts[m->part].part);
}

static struct heat_rows rows_by_node(struct fleet_answer *a)
{
	const struct job *j = &a->job;
	const size_t each = (j->node_count + ROWS_MAX - 1) / ROWS_MAX;
	struct heat_rows r = rows_make(a, (j->node_count + each - 1) / each);

	for (size_t i = 0; i < j->member_count; i++)
		r.row_of[i] = (uint32_t)(j->members[i].node / each);
	for (size_t i = 0; i < r.count; i++)
		set_name(a, &r, i, "node", i * each,
			 (i + 1) * each < j->node_count ? (i + 1) * each - 1 : j->node_count - 1);
	return r;
}

static struct heat_rows rows_by_rank(struct fleet_answer *a)
{
	const size_t n = a->job.member_count, each = (n + ROWS_MAX - 1) / ROWS_MAX;
	struct heat_rows r = rows_make(a, (n + each - 1) / each);

	for (size_t i = 0; i < n; i++) {
		const size_t row = i / each, first = row * each;

		if (each == 1)
			set_rank(a, &r, row, i);
		else if (i == first)
			set_name(a, &r, row, "rank", a->job.members[i].is->rank,
				 a->job.members[i + each <= n ? i + each - 1 : n - 1].is->rank);
		r.row_of[i] = (uint32_t)row;
	}
	return r;
}

/* A rank that is late in some step, and by how much in all of them. */
struct late_rank {
	uint32_t member;
	double late_ns;
};

static int by_delay(const void *a, const void *b, void *ctx)
{
	const struct late_rank *x = a, *y = b;

	(void)ctx;
	return (x->late_ns < y->late_ns) - (x->late_ns > y->late_ns);
}

static size_t list_late(const struct fleet_answer *a, struct late_rank *ret)
{
	const struct stragglers *s = &a->stragglers;
	size_t count = 0;

	for (uint32_t i = 0; i < a->job.member_count; i++) {
		struct late_rank x = {i, 0};
		bool is_seen = false;

		for (size_t k = 0; k < s->steps; k++) {
			const double late_ns = s->late_ns[i * s->steps + k];

			x.late_ns += late_ns > 0 ? late_ns : 0;
			is_seen |= shade_of(s, late_ns) > 0;
		}
		if (is_seen)
			ret[count++] = x;
	}
	if (count)
		sort_stable(ret, count, sizeof(*ret), by_delay, NULL);
	return count < LATEST_MAX ? count : LATEST_MAX;
}

static struct heat_rows rows_of_latest(struct fleet_answer *a)
{
	struct late_rank *late = mem_alloc(a->job.member_count, sizeof(*late));
	const size_t count = list_late(a, late);
	struct heat_rows r = rows_make(a, count);

	for (size_t i = 0; i < count; i++)
		set_rank(a, &r, i, late[i].member);
	free(late);
	return r;
}

/* Of several ranks or steps in one cell the latest shows: one of many must not vanish. */
static void fill(const struct fleet_answer *a, struct chart *c, const struct heat_rows *r)
{
	const struct stragglers *s = &a->stragglers;
	const size_t wide = steps_in_column(s);

	for (size_t k = 0; k < c->count; k++)
		c->labels[k] = str_of(
			arena_printf(&a->report->arena, "step %zu", s->first_step + k * wide));
	for (size_t i = 0; i < a->job.member_count; i++) {
		for (size_t k = 0; k < s->steps && r->row_of[i] != UINT32_MAX; k++) {
			const double late_ns = s->late_ns[i * s->steps + k];
			double *to = &chart_item(c, k / wide)[r->row_of[i]];

			*to = late_ns > *to ? late_ns : *to;
		}
	}
	for (size_t i = 0; i < c->count * c->part_count; i++)
		c->looks[i] = shade_of(s, c->values[i]);
}

static void add_chart(struct fleet_answer *a, const char *title, struct heat_rows *r)
{
	const size_t wide = steps_in_column(&a->stragglers);
	struct chart *c;

	if (r->count) {
		c = report_new_chart(a->report, CHART_HEAT, title, UNIT_NS,
				     (a->stragglers.steps + wide - 1) / wide, r->names, r->count);
		c->keys = keys;
		c->key_count = ARRAY_LEN(keys);
		c->pages = r->pages;
		if (wide > 1)
			c->remark = arena_printf(&a->report->arena,
						 "a column is the most of up to %zu steps", wide);
		fill(a, c, r);
	}
	free(r->row_of);
}

void fleet_heat_chart(struct fleet_answer *a)
{
	const size_t ranks = a->job.member_count;
	const bool by_node = ranks > ROWS_MAX && a->job.node_count > 1;
	struct heat_rows r;

	if (!a->stragglers.replay.count || a->stragglers.in_doubt || a->stragglers.steps < 2)
		return;
	r = by_node ? rows_by_node(a) : rows_by_rank(a);
	add_chart(a,
		  by_node ? "Own delay by node and step, % of a step: its latest rank's"
		  : r.count < ranks
			  ? "Own delay by rank and step, % of a step: the latest of a row's"
			  : "Own delay by rank and step, % of a step",
		  &r);
	if (ranks <= LATEST_MAX)
		return;
	r = rows_of_latest(a);
	add_chart(a, "The ranks with most delay of their own, by step, % of a step", &r);
}

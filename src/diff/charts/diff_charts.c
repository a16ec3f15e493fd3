/* How does a comparison look? */
#include "diff/charts/diff_charts.h"

#include "base/mem.h"
#include "diff/tables/diff_runs.h"
#include "diff/tables/diff_views.h"
#include "report/chart.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TREE_PATHS = 400 }; /* that an icicle has room for */

static const double off_scale = 3; /* times a mean step: longer ones are drawn cut */

static const char *sum_words(struct report *r, const struct diff *d)
{
	const double ns = diff_step_ns(d, d->delta);
	struct buf b = {0};

	buf_adds(&b, ns > 0 ? "sum of the changes: +" : "sum of the changes: ");
	units_add_ns(&b, ns);
	return report_take_text(r, &b);
}

static int add_waterfall(struct report *r, const struct diff *d, struct err *e)
{
	const struct sides *s = &d->sides;
	const size_t mix = d->beyond[BEFORE] || d->beyond[AFTER] ? 1 : 0;
	struct chart *c;
	struct view v;

	if (view_make(&v, d, VIEW_CLASS, &r->arena, e) < 0)
		return -1;
	c = report_new_chart(r, CHART_WATERFALL, "From the step before to the step after", UNIT_NS,
			     v.count + mix + 2, NULL, 1);
	c->remark = sum_words(r, d);
	c->labels[0] = STR_LIT("before");
	*chart_item(c, 0) = side_step_ns(&s->of[BEFORE], s->of[BEFORE].ns);
	for (size_t i = 0; i < v.count; i++) {
		c->labels[i + 1] = str_of(v.all[i].words);
		*chart_item(c, i + 1) = (double)view_change(v.all[i].step_ns);
	}
	if (mix) {
		c->labels[v.count + 1] = STR_LIT("another mix of steps");
		*chart_item(c, v.count + 1) = (double)view_change(v.beyond_ns);
	}
	c->labels[c->count - 1] = STR_LIT("after");
	*chart_item(c, c->count - 1) = side_step_ns(&s->of[AFTER], s->of[AFTER].ns);
	return 0;
}

/* Nodes of ranges, each with all inside it; a parent comes before its children. */
struct range_tree {
	struct range_node {
		struct str path;
		uint32_t parent;
		double ns, change; /* the mean of both sides; of a step */
	} * all;
	size_t count, cap;
	struct arena *arena;
};

enum { TREE_ROOT = 0 };

static const char separator[] = " / ";

/* The path of the range around the last one of a path; empty: there is none. */
static struct str path_above(struct str path)
{
	for (size_t i = path.len; i-- > 0;) {
		if (i + 3 <= path.len && memcmp(path.s + i, separator, 3) == 0)
			return (struct str){path.s, i};
	}
	return (struct str){path.s, 0};
}

static uint32_t find_node(struct range_tree *t, struct str path)
{
	const struct str above = path_above(path);
	uint32_t parent = TREE_ROOT;

	for (size_t i = 1; i < t->count; i++) {
		if (str_eq(t->all[i].path, path))
			return (uint32_t)i;
	}
	if (above.len)
		parent = find_node(t, above);
	MEM_GROW(t->all, t->cap, t->count + 1);
	t->all[t->count] = (struct range_node){path, parent, 0, 0};
	return (uint32_t)t->count++;
}

/* Largest first: what there is no room for counts for the step alone. */
static void make_tree(struct range_tree *t, const struct diff *d, const struct view *v)
{
	MEM_GROW(t->all, t->cap, 1);
	t->all[t->count++] = (struct range_node){
		d->mix ? STR_LIT("step, but for another mix") : STR_LIT("step"), CHART_ROOT, 0, 0};
	for (size_t i = 0; i < v->count; i++) {
		const double ns = (side_step_ns(&d->sides.of[BEFORE], v->all[i].ns[BEFORE]) +
				   side_step_ns(&d->sides.of[AFTER], v->all[i].ns[AFTER])) /
				  2;
		uint32_t node = i < TREE_PATHS ? find_node(t, str_of(v->all[i].words)) : TREE_ROOT;

		for (; node != CHART_ROOT; node = t->all[node].parent) {
			t->all[node].ns += ns;
			t->all[node].change += (double)view_change(v->all[i].step_ns);
		}
	}
}

static int add_icicle(struct report *r, const struct diff *d, struct err *e)
{
	static const struct chart_part keys[] = {{"takes longer than before", HUE_UP},
						 {"takes less", HUE_DOWN},
						 {"about the same", HUE_EVEN}};
	struct range_tree t = {0};
	struct chart *c;
	struct view v;

	if (view_make(&v, d, VIEW_RANGE, &r->arena, e) < 0)
		return -1;
	make_tree(&t, d, &v);
	c = report_new_chart(r, CHART_ICICLE, "The change by range", UNIT_NS, t.count, NULL, 1);
	c->remark = "width: the mean of both sides; colour and number: the change of a step";
	c->changes = arena_alloc(&r->arena, t.count, sizeof(*c->changes));
	c->keys = keys;
	c->key_count = ARRAY_LEN(keys);
	for (size_t i = 0; i < t.count; i++) {
		const size_t above = i ? path_above(t.all[i].path).len : 0;
		const size_t skip = above ? above + 3 : 0;

		c->labels[i] = (struct str){t.all[i].path.s + skip, t.all[i].path.len - skip};
		c->parents[i] = t.all[i].parent;
		c->changes[i] = t.all[i].change;
		*chart_item(c, i) = t.all[i].ns;
	}
	free(t.all);
	return 0;
}

static size_t count_runs(const struct diff *d)
{
	return d->sides.of[BEFORE].run_count + d->sides.of[AFTER].run_count;
}

static const struct account *run_at(const struct diff *d, size_t i, enum side *ret, size_t *run)
{
	const size_t before = d->sides.of[BEFORE].run_count;

	*ret = i < before ? BEFORE : AFTER;
	*run = i < before ? i : i - before;
	return d->sides.of[*ret].runs[*run];
}

static size_t cold_of(const struct account *a)
{
	return a->cold_ns ? a->cold : 0;
}

static const struct chart_part *name_kinds(struct report *r, const struct diff *d, bool any_cold)
{
	struct chart_part *keys = arena_zalloc(&r->arena, d->sides.kind_count + 1, sizeof(*keys));

	for (size_t k = 0; k < d->sides.kind_count; k++)
		keys[k].name = arena_printf(&r->arena, "kind %zu of steps", k + 1);
	if (d->sides.kind_count == 1)
		keys[0].name = "step";
	if (any_cold)
		keys[d->sides.kind_count] = (struct chart_part){"cut as warm-up", HUE_CUT};
	return keys;
}

static void fill_run(struct chart *c, const struct diff *d, size_t part)
{
	enum side side;
	size_t run;
	const struct account *a = run_at(d, part, &side, &run);
	const size_t cold = cold_of(a);

	for (size_t i = 0; i < c->count; i++) {
		double *value = &chart_item(c, i)[part];
		unsigned char *look = &c->looks[i * c->part_count + part];

		*value = NAN;
		if (i < cold) {
			*value = (double)a->cold_ns[i];
			*look = (unsigned char)d->sides.kind_count;
		} else if (i - cold < a->step_count) {
			*value = (double)a->steps[i - cold].ns;
			*look = (unsigned char)diff_step_kind(d, side, run, i - cold);
		}
	}
}

/* Steps in their order, those that were cut too. */
static void add_columns(struct report *r, const struct diff *d)
{
	const size_t runs = count_runs(d);
	struct chart_part *parts = arena_zalloc(&r->arena, runs, sizeof(*parts));
	size_t longest = 0, cold = 0, run;
	double most = 0;
	enum side side;
	struct chart *c;

	for (size_t i = 0; i < runs; i++) {
		const struct account *a = run_at(d, i, &side, &run);

		parts[i].name = arena_printf(&r->arena, "%s: %s", side_names[side], a->name);
		longest =
			a->step_count + cold_of(a) > longest ? a->step_count + cold_of(a) : longest;
		cold += cold_of(a);
		most = fmax(most, (double)account_ns(a) / (double)a->step_count);
	}
	c = report_new_chart(r, CHART_COLUMNS, "Each step's time, in order", UNIT_NS, longest,
			     parts, runs);
	c->keys = name_kinds(r, d, cold);
	c->key_count = d->sides.kind_count + (cold ? 1 : 0);
	c->cut = off_scale * most;
	for (size_t i = 0; i < longest; i++)
		c->labels[i] = str_of(arena_printf(&r->arena, "place %zu", i + 1));
	for (size_t i = 0; i < runs; i++)
		fill_run(c, d, i);
}

static void add_bands(struct report *r, struct chart *c, const struct diff *d, double tolerance)
{
	const struct comparison *t = &d->time;
	struct chart_band *bands = arena_zalloc(&r->arena, 2, sizeof(*bands));
	struct chart_part *key = arena_zalloc(&r->arena, 1, sizeof(*key));
	const double before = t->before.mean_ns;

	bands[0] = (struct chart_band){"within the tolerance", before * (1 - tolerance),
				       before * (1 + tolerance), true};
	bands[1] = (struct chart_band){t->run_sd_known ? "after, by its interval"
						       : "after, by steps alone",
				       before * (1 + t->low), before * (1 + t->high), false};
	*key = (struct chart_part){
		arena_printf(&r->arena, "within %g %% of before: no change", 100 * tolerance),
		HUE_BAND};
	c->bands = bands;
	c->band_count = t->has_interval ? 2 : 1;
	c->keys = key;
	c->key_count = 1;
}

static void add_dots(struct report *r, const struct diff *d, double tolerance)
{
	static const struct chart_part parts[SIDES] = {{"runs before", HUE_NEXT},
						       {"runs after", HUE_NEXT}};
	const size_t runs = count_runs(d);
	struct chart *c = report_new_chart(r, CHART_DOTS, "The mean step of each run", UNIT_NS,
					   runs, parts, SIDES);

	for (size_t i = 0; i < runs; i++) {
		enum side side;
		size_t run;
		const struct account *a = run_at(d, i, &side, &run);

		c->labels[i] = str_of(a->name);
		chart_item(c, i)[side] = (double)account_ns(a) / (double)a->step_count;
		chart_item(c, i)[!side] = NAN;
	}
	add_bands(r, c, d, tolerance);
}

int diff_add_charts(struct report *r, const struct diff *d, double tolerance, struct err *e)
{
	report_heading(r, "Where the change is");
	if (add_waterfall(r, d, e) < 0 || add_icicle(r, d, e) < 0)
		return -1;
	report_heading(r, "How sure that is");
	add_dots(r, d, tolerance);
	add_columns(r, d);
	diff_add_ribbons(r, d);
	return 0;
}

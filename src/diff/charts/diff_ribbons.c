/* Which kernels of the step before became which of the step after? */
#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "diff/charts/diff_charts.h"
#include "diff/tables/diff_runs.h"
#include "report/chart.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a step: a row that changed by less is as it was. */
static const double even_share = 0.001;

enum { KEY_COMPUTE, KEY_COMM, KEY_COPY, KEY_MORE, KEY_LESS, KEY_EVEN, KEYS };

static const struct chart_part keys[KEYS] = {
	[KEY_COMPUTE] = {"compute", HUE_PLAIN},
	[KEY_COMM] = {"communication", HUE_COMM},
	[KEY_COPY] = {"copy", HUE_COPY},
	[KEY_MORE] = {"new, or takes longer", HUE_UP},
	[KEY_LESS] = {"gone, or takes less", HUE_DOWN},
	[KEY_EVEN] = {"about the same", HUE_EVEN},
};

/* What a picture of two steps is made from. */
struct picture {
	const struct diff *d;
	const struct account *run[SIDES];
	uint32_t *row_of[SIDES]; /* by leaf of the run: the row of the diff */
	struct chart_ribbon *ribbons;
	size_t ribbon_count, ribbon_cap;
	struct chart_name *names;
	size_t name_count, name_cap;
};

/* Rows by the leaves of a side, then by those of the run. */
static uint32_t *find_rows(const struct diff *d, enum side side, const struct account *run)
{
	const struct side_runs *s = &d->sides.of[side];
	uint32_t *of_side = mem_zalloc(s->leaf_count, sizeof(*of_side));
	uint32_t *of_run = mem_zalloc(run->leaf_count, sizeof(*of_run));

	for (size_t i = 0; i < d->row_count; i++) {
		for (size_t k = 0; k < d->rows[i].match->count[side]; k++)
			of_side[d->rows[i].match->leaves[side][k]] = (uint32_t)i;
	}
	for (size_t i = 0; i < run->leaf_count; i++) {
		const size_t leaf = BISECT(0, s->leaf_count - s->part_count, at,
					   leaf_compare(s->leaves[at].key, &run->leaves[i]) < 0);

		of_run[i] = of_side[leaf];
	}
	free(of_side);
	return of_run;
}

static unsigned char row_key(const struct diff *d, const struct diff_row *row)
{
	const double ns = diff_step_ns(d, row->delta);

	if (fabs(ns) < even_share * side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns))
		return KEY_EVEN;
	return ns > 0 ? KEY_MORE : KEY_LESS;
}

static unsigned char op_key(const struct diff_row *row, const struct leaf *l)
{
	if (row->match->how == MATCH_NEW)
		return KEY_MORE;
	if (row->match->how == MATCH_GONE)
		return KEY_LESS;
	return l->class == LEAF_COMM ? KEY_COMM : l->class == LEAF_COPY ? KEY_COPY : KEY_COMPUTE;
}

static void fill_ops(struct chart *c, const struct picture *p, enum side side, size_t first)
{
	const struct account *run = p->run[side];

	for (size_t i = 0; i < run->usual->op_count; i++) {
		const struct step_op *op = &run->usual->ops[i];
		const struct leaf *l = &run->leaves[op->leaf];

		c->labels[first + i] = str_of(l->name);
		chart_item(c, first + i)[CHART_RIBBON_START] = (double)op->start_ns;
		chart_item(c, first + i)[CHART_RIBBON_LENGTH] = (double)op->ns;
		c->places[first + i] =
			(struct chart_place){(unsigned char)side, (unsigned char)op->lane,
					     op_key(&p->d->rows[p->row_of[side][op->leaf]], l)};
	}
}

/* The ops of a side, row by row, each in order of time. */
struct row_ops {
	uint32_t *items; /* numbers of the chart's items */
	uint32_t *begin; /* by row, and one more */
};

static struct row_ops row_ops_make(const struct picture *p, enum side side, uint32_t first)
{
	const struct usual_step *u = p->run[side]->usual;
	const size_t rows = p->d->row_count;
	struct row_ops o = {mem_zalloc(u->op_count, sizeof(*o.items)),
			    mem_zalloc(rows + 2, sizeof(*o.begin))};

	/* Counted one place further: after filling, begins are where they belong. */
	for (size_t i = 0; i < u->op_count; i++)
		o.begin[p->row_of[side][u->ops[i].leaf] + 2]++;
	for (size_t i = 0; i < rows; i++)
		o.begin[i + 2] += o.begin[i + 1];
	for (size_t i = 0; i < u->op_count; i++)
		o.items[o.begin[p->row_of[side][u->ops[i].leaf] + 1]++] = first + (uint32_t)i;
	return o;
}

static void row_ops_free(struct row_ops *o)
{
	free(o->items);
	free(o->begin);
}

/* Consecutive items of one row of the diff on one side. */
struct run_of_items {
	const uint32_t *items;
	size_t count;
};

static double length_of(const struct chart *c, uint32_t item)
{
	return fmax(chart_item(c, item)[CHART_RIBBON_LENGTH], 1);
}

static double sum_of(const struct chart *c, struct run_of_items run)
{
	double sum = 0;

	for (size_t i = 0; i < run.count; i++)
		sum += length_of(c, run.items[i]);
	return sum;
}

static void add_ribbon(struct picture *p, struct chart_ribbon r)
{
	MEM_GROW(p->ribbons, p->ribbon_cap, p->ribbon_count + 1);
	p->ribbons[p->ribbon_count++] = r;
}

/*
 * n kernels that became m: laid end to end, each side is as long as the other, and what lies above
 * one another is joined. Three kernels that became one merge, one that became three splits.
 */
static void join_block(struct picture *p, const struct chart *c,
		       const struct run_of_items of[SIDES], unsigned char key)
{
	const double sum[SIDES] = {sum_of(c, of[BEFORE]), sum_of(c, of[AFTER])};
	double done[SIDES] = {0}; /* share of the sum before the current item */
	size_t at[SIDES] = {0};
	double from = 0;

	while (at[BEFORE] < of[BEFORE].count && at[AFTER] < of[AFTER].count) {
		struct chart_ribbon r = {.key = key};
		double share[SIDES], to;

		for (int side = 0; side < SIDES; side++) {
			r.item[side] = of[side].items[at[side]];
			share[side] = length_of(c, r.item[side]) / sum[side];
		}
		to = fmin(done[BEFORE] + share[BEFORE], done[AFTER] + share[AFTER]);
		for (int side = 0; side < SIDES; side++) {
			r.from[side] = (float)((from - done[side]) / share[side]);
			r.to[side] = (float)((to - done[side]) / share[side]);
			/* Shares are rounded: what ends within a millionth ends here. */
			if (done[side] + share[side] <= to + 1e-9) {
				done[side] += share[side];
				at[side]++;
				r.to[side] = 1;
			}
		}
		add_ribbon(p, r);
		from = to;
	}
}

static size_t gcd(size_t a, size_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* One that replaced another does so in each layer: as many blocks as divide both sides. */
static void join_blocks(struct picture *p, const struct chart *c, struct run_of_items before,
			struct run_of_items after, unsigned char key)
{
	const size_t blocks = gcd(before.count, after.count);

	for (size_t i = 0; i < blocks; i++) {
		const size_t n = before.count / blocks, m = after.count / blocks;
		const struct run_of_items of[SIDES] = {{before.items + i * n, n},
						       {after.items + i * m, m}};

		join_block(p, c, of, key);
	}
}

static void join_row(struct picture *p, const struct chart *c, const struct diff_row *row,
		     struct run_of_items before, struct run_of_items after)
{
	const unsigned char key = row_key(p->d, row);

	if (row->match->how == MATCH_BLOCK) {
		join_blocks(p, c, before, after, key);
		return;
	}
	for (size_t i = 0; i < before.count && i < after.count; i++)
		add_ribbon(p, (struct chart_ribbon){
				      {before.items[i], after.items[i]}, {0, 0}, {1, 1}, key});
}

static int by_place(const void *p, const void *q, void *ctx)
{
	const struct chart_ribbon *a = p, *b = q;

	(void)ctx;
	return (a->item[0] > b->item[0]) - (a->item[0] < b->item[0]);
}

static void join_rows(struct picture *p, const struct chart *c)
{
	struct row_ops before = row_ops_make(p, BEFORE, 0);
	struct row_ops after = row_ops_make(p, AFTER, (uint32_t)p->run[BEFORE]->usual->op_count);

	for (size_t i = 0; i < p->d->row_count; i++)
		join_row(p, c, &p->d->rows[i],
			 (struct run_of_items){before.items + before.begin[i],
					       before.begin[i + 1] - before.begin[i]},
			 (struct run_of_items){after.items + after.begin[i],
					       after.begin[i + 1] - after.begin[i]});
	sort_stable(p->ribbons, p->ribbon_count, sizeof(*p->ribbons), by_place, NULL);
	row_ops_free(&before);
	row_ops_free(&after);
}

/* The outermost range of a path. */
static struct str outermost(const char *path)
{
	const char *end = strstr(path, " / ");

	return end ? (struct str){path, (size_t)(end - path)} : str_of(path);
}

/* Stretches of ops that lie in one outermost range. */
static void add_names(struct picture *p, enum side side)
{
	const struct usual_step *u = p->run[side]->usual;
	size_t end;

	for (size_t i = 0; i < u->op_count; i = end) {
		const struct str name = outermost(p->run[side]->leaves[u->ops[i].leaf].path);
		int64_t to_ns = 0;

		for (end = i; end < u->op_count &&
			      str_eq(outermost(p->run[side]->leaves[u->ops[end].leaf].path), name);
		     end++)
			to_ns = u->ops[end].start_ns + u->ops[end].ns;
		if (!name.len)
			continue;
		MEM_GROW(p->names, p->name_cap, p->name_count + 1);
		p->names[p->name_count++] = (struct chart_name){name, (double)u->ops[i].start_ns,
								(double)to_ns, (unsigned char)side};
	}
}

static const char *name_step(struct report *r, const struct picture *p, enum side side)
{
	const struct account *a = p->run[side];
	const struct account_step *step = &a->steps[a->usual->step];
	struct buf b = {0};

	buf_addf(&b, "%s: ", side_names[side]);
	units_add_ns(&b, (double)step->ns);
	if (!a->is_window)
		buf_addf(&b, ", step %u", step->number);
	buf_addf(&b, " of %s", a->name);
	return report_take_text(r, &b);
}

static const char *remark(struct report *r, const struct picture *p)
{
	const struct usual_step *b = p->run[BEFORE]->usual, *a = p->run[AFTER]->usual;
	const size_t left_out = b->all_ops - b->op_count + a->all_ops - a->op_count;

	if (!left_out)
		return NULL;
	return arena_printf(&r->arena, "without the %zu shortest GPU op%s", left_out,
			    left_out == 1 ? "" : "s");
}

/* What the picture gathered goes to where the report's things are. */
static void take_ribbons(struct report *r, struct chart *c, struct picture *p)
{
	struct chart_ribbon *ribbons = arena_alloc(&r->arena, p->ribbon_count, sizeof(*ribbons));
	struct chart_name *names = arena_alloc(&r->arena, p->name_count, sizeof(*names));

	if (p->ribbon_count)
		memcpy(ribbons, p->ribbons, p->ribbon_count * sizeof(*ribbons));
	if (p->name_count)
		memcpy(names, p->names, p->name_count * sizeof(*names));
	c->ribbons = ribbons;
	c->ribbon_count = p->ribbon_count;
	c->names = names;
	c->name_count = p->name_count;
	free(p->ribbons);
	free(p->names);
}

static void add_picture(struct report *r, struct picture *p)
{
	const size_t before = p->run[BEFORE]->usual->op_count;
	struct chart_part *parts = arena_zalloc(&r->arena, SIDES, sizeof(*parts));
	struct chart *c;

	c = report_new_chart(r, CHART_RIBBONS, "The median step of each side, op by op", UNIT_NS,
			     before + p->run[AFTER]->usual->op_count, parts, CHART_RIBBON_VALUES);
	c->label_unit = UNIT_KERNEL;
	c->keys = keys;
	c->key_count = KEYS;
	c->remark = remark(r, p);
	for (int side = 0; side < SIDES; side++) {
		parts[side].name = name_step(r, p, (enum side)side);
		c->lanes_of[side] = p->run[side]->usual->lanes;
		p->row_of[side] = find_rows(p->d, (enum side)side, p->run[side]);
		fill_ops(c, p, (enum side)side, side == BEFORE ? 0 : before);
		add_names(p, (enum side)side);
	}
	join_rows(p, c);
	take_ribbons(r, c, p);
	for (int side = 0; side < SIDES; side++)
		free(p->row_of[side]);
}

void diff_add_ribbons(struct report *r, const struct diff *d)
{
	struct picture p = {.d = d};

	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *s = &d->sides.of[side];

		p.run[side] = s->runs[diff_usual_run(d, (enum side)side)];
		if (!p.run[side]->usual)
			return;
	}
	report_heading(r, "What became of each kernel");
	add_picture(r, &p);
}

/* Which ranges launched the work, and what is inside them? */
#include "tui/views/tree_view.h"
#include "base/mem.h"
#include "text/units.h"
#include "trace/ops/ops.h"
#include "tui/duration.h"
#include "tui/list.h"
#include "tui/loading.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct tree_view *tree_view(struct view *v)
{
	return v->state;
}

static void close_view(struct app *a, struct view *v)
{
	struct tree_view *t = tree_view(v);

	(void)a;
	tree_model_free(&t->model);
	if (t->findings.analysis)
		answer_free(&t->findings);
	free(t);
	v->state = NULL;
}

static int open_view(struct app *a, struct view *v, struct err *e)
{
	struct tree_view *t = mem_zalloc(1, sizeof(*t));

	v->state = t;
	t->details = true;
	if (tree_model_make(&t->model, a, false, e) < 0) {
		close_view(a, v);
		return -1;
	}
	return 0;
}

/* What the details name beside the row itself; a trace without an answer has none. */
static int more(struct app *a, struct view *v, struct err *e)
{
	return answer_make(&tree_view(v)->findings, app_capture(a), "findings", NULL, e) < 0
		       ? err_forgive_absent(e)
		       : 0;
}

static void refresh(struct tree_view *t)
{
	tree_model_flatten(&t->model);
	t->list.count = t->model.row_count;
	list_choose(&t->list, t->list.chosen);
}

/* Rows change, the chosen node stays chosen where it is still there. */
static int arrange(struct tree_view *t, const char *filter, struct err *e)
{
	const uint32_t node = tree_view_node(t);

	if (tree_model_arrange(&t->model, filter, e) < 0)
		return -1;
	t->list.count = t->model.row_count;
	for (size_t i = 0; i < t->model.row_count; i++) {
		if (t->model.rows[i].node == node && !t->model.rows[i].gap_ns)
			t->list.chosen = i;
	}
	list_choose(&t->list, t->list.chosen);
	return 0;
}

static void go_to(struct tree_view *t, uint32_t node)
{
	if (node == NODE_NONE)
		return;
	t->list.chosen = tree_model_reveal(&t->model, node);
	t->list.count = t->model.row_count;
}

/* An op is an event: of merged ones the one that the tree knows. */
static int select_op(struct app *a, const struct call_node *n, struct selection *ret, struct err *e)
{
	const enum trace_kind kind = (enum trace_kind)n->op_kind;
	const struct events *ev = &a->trace->events[kind];

	if (trace_load(a->trace, kind, COLS_TIMES, e) < 0)
		return -1;
	ret->kind = SELECTED_EVENT;
	ret->track = SIZE_MAX;
	ret->events = kind;
	ret->row = n->name;
	ret->span.start_ns = ev->start_ns[n->name];
	ret->span.end_ns = op_end_ns(ev, n->name);
	return 0;
}

/* Of a range the first of those that are merged is shown. */
static int show_time(struct app *a, struct tree_view *t, struct err *e)
{
	const uint32_t node = tree_view_node(t);
	struct selection found = {.kind = SELECTED_TIME};
	const struct call_node *n;
	int64_t around;

	if (node == NODE_NONE)
		return 0;
	n = &t->model.tree.nodes[node];
	found.span = tree_model_span(&t->model, node);
	if (n->kind == CALL_NODE_OP && select_op(a, n, &found, e) < 0)
		return -1;
	around = sat_sub(found.span.end_ns, found.span.start_ns) /
		 (n->kind == CALL_NODE_OP ? 1 : 10);
	return app_go_to_own(a,
			     (struct span){sat_sub(found.span.start_ns, around),
					   sat_add(found.span.end_ns, around)},
			     found, e);
}

static int toggle(struct app *a, struct tree_view *t, struct err *e)
{
	const uint32_t node = tree_view_node(t);

	if (node == NODE_NONE)
		return 0;
	if (t->model.child[node] == NODE_NONE)
		return show_time(a, t, e);
	t->model.expanded[node] ^= 1;
	refresh(t);
	return 0;
}

static void expand(struct tree_view *t, uint32_t node)
{
	if (t->model.child[node] == NODE_NONE)
		return;
	if (t->model.expanded[node])
		t->list.chosen++;
	t->model.expanded[node] = 1;
	refresh(t);
}

static void collapse(struct tree_view *t, uint32_t node)
{
	if (!t->model.expanded[node] || t->model.child[node] == NODE_NONE) {
		go_to(t, t->model.tree.nodes[node].parent);
		return;
	}
	t->model.expanded[node] = 0;
	refresh(t);
}

/* Another tree, with each range by itself or not. */
struct other_tree {
	struct tree_model model;
	bool instances;
};

static int make_other(struct app *a, void *ctx, struct err *e)
{
	struct other_tree *o = ctx;

	return tree_model_make(&o->model, a, o->instances, e);
}

/* It takes the other's place, sorted and filtered as that was. */
static int use_other(struct app *a, struct tree_view *t, struct other_tree *o, struct err *e)
{
	o->model.sort = t->model.sort;
	o->model.backwards = t->model.backwards;
	o->model.least_ns = t->model.least_ns;
	o->model.least_gap_ns = t->model.least_gap_ns;
	if (tree_model_arrange(&o->model, buf_str(&t->model.filter).s, e) < 0) {
		tree_model_free(&o->model);
		return -1;
	}
	tree_model_free(&t->model);
	t->model = o->model;
	t->model.text.tree = &t->model.tree;
	refresh(t);
	app_say(a,
		o->instances ? "each range and op by itself" : "ranges and ops of one name merged");
	return 0;
}

static int switch_instances(struct app *a, struct tree_view *t, struct err *e)
{
	enum { MOST_INSTANCES = 1 << 20 };
	struct other_tree o = {.instances = t->model.tree.merged};
	const bool many = t->model.tree.op_count + t->model.tree.range_count > MOST_INSTANCES;

	if (o.instances && many) {
		app_say(a, "too many ranges and ops to list each: :iteration N or :trim first");
		return 0;
	}
	if (loading_run(a, "the tree", make_other, &o, e) < 0) {
		tree_model_free(&o.model);
		return -1;
	}
	return use_other(a, t, &o, e);
}

static int switch_gaps(struct app *a, struct tree_view *t, struct err *e)
{
	if (!t->model.gaps && t->model.tree.merged) {
		app_say(a, "gaps are between single ranges and ops: M shows them");
		return 0;
	}
	t->model.gaps = !t->model.gaps;
	if (t->model.gaps) {
		t->model.sort = TREE_SORT_START;
		t->model.backwards = false;
	}
	return arrange(t, NULL, e);
}

static int set_minimum(struct app *a, struct view *v, const char *text, struct err *e)
{
	struct tree_view *t = tree_view(v);

	(void)a;
	if (*text && duration_parse(text, &t->model.least_ns, e) < 0)
		return -1;
	if (!*text)
		t->model.least_ns = 0;
	return arrange(t, NULL, e);
}

static int set_gap_minimum(struct app *a, struct view *v, const char *text, struct err *e)
{
	struct tree_view *t = tree_view(v);

	(void)a;
	if (*text && duration_parse(text, &t->model.least_gap_ns, e) < 0)
		return -1;
	if (!*text)
		t->model.least_gap_ns = 0;
	refresh(t);
	return 0;
}

static int search(struct app *a, struct view *v, const char *text, struct err *e)
{
	(void)a;
	return arrange(tree_view(v), text, e);
}

/* Requests about the chosen row. */
static int row_request(struct app *a, struct tree_view *t, enum request r, struct err *e)
{
	const uint32_t node = tree_view_node(t);

	if (node == NODE_NONE)
		return 0;
	switch (r) {
	case REQUEST_TOGGLE:
		return toggle(a, t, e);
	case REQUEST_EXPAND:
		expand(t, node);
		return 0;
	case REQUEST_COLLAPSE:
		collapse(t, node);
		return 0;
	case REQUEST_EXPAND_BELOW:
	case REQUEST_COLLAPSE_BELOW:
		tree_model_expand_below(&t->model, node, r == REQUEST_EXPAND_BELOW);
		refresh(t);
		return 0;
	case REQUEST_FOLLOW:
		go_to(t, tree_model_most_expensive(&t->model, node));
		return 0;
	default:
		return show_time(a, t, e);
	}
}

static int sort_request(struct tree_view *t, bool back, struct err *e)
{
	if (back)
		t->model.backwards = !t->model.backwards;
	else
		t->model.sort = (t->model.sort + 1) % TREE_SORTS;
	t->model.gaps &= t->model.sort == TREE_SORT_START && !t->model.backwards;
	return arrange(t, NULL, e);
}

static void levels_request(struct tree_view *t, uint32_t levels)
{
	tree_model_expand_levels(&t->model, levels);
	arrange(t, NULL, &(struct err){0});
}

static void ask(struct app *a, const struct tree_view *t, enum request r)
{
	if (r == REQUEST_FILTER)
		app_ask(a, "filter: ", buf_str(&t->model.filter).s, search);
	else if (r == REQUEST_MINIMUM)
		app_ask(a, "shortest shown (such as 50us): ", NULL, set_minimum);
	else
		app_ask(a, "shortest gap shown (such as 5us): ", NULL, set_gap_minimum);
}

static int request(struct app *a, struct view *v, enum request r, const struct key_event *k,
		   struct err *e)
{
	struct tree_view *t = tree_view(v);

	if (list_request(&t->list, r, k))
		return 0;
	switch (r) {
	case REQUEST_TOGGLE:
	case REQUEST_EXPAND:
	case REQUEST_COLLAPSE:
	case REQUEST_EXPAND_BELOW:
	case REQUEST_COLLAPSE_BELOW:
	case REQUEST_FOLLOW:
	case REQUEST_SHOW_TIME:
		return row_request(a, t, r, e);
	case REQUEST_EXPAND_ALL:
		levels_request(t, UINT32_MAX);
		return 0;
	case REQUEST_COLLAPSE_ALL:
		levels_request(t, 1);
		return 0;
	case REQUEST_LEVELS:
		levels_request(t, k->code - '0');
		return 0;
	case REQUEST_SORT:
	case REQUEST_SORT_BACK:
		return sort_request(t, r == REQUEST_SORT_BACK, e);
	case REQUEST_FILTER:
	case REQUEST_MINIMUM:
	case REQUEST_GAP_MINIMUM:
		ask(a, t, r);
		return 0;
	case REQUEST_CLOSE:
		return arrange(t, "", e);
	case REQUEST_WHOLE_NAMES:
		t->whole_names = !t->whole_names;
		return 0;
	case REQUEST_INSTANCES:
		return switch_instances(a, t, e);
	case REQUEST_GAPS:
		return switch_gaps(a, t, e);
	case REQUEST_DETAILS:
		t->details = !t->details;
		return 0;
	default:
		return 1;
	}
}

static void status(struct app *a, struct view *v, struct buf *b)
{
	static const char *const sorts[TREE_SORTS] = {"GPU time", "wall time", "start", "count"};
	const struct tree_view *t = tree_view(v);
	const struct tree_model *m = &t->model;

	(void)a;
	buf_addf(b, "row %zu of %zu, %s, by %s%s", t->list.count ? t->list.chosen + 1 : 0,
		 t->list.count, m->tree.merged ? "merged" : "instances", sorts[m->sort],
		 m->backwards ? " backwards" : "");
	if (m->filter.len)
		buf_addf(b, ", filter '%s'", m->filter.s);
	if (m->least_ns) {
		buf_adds(b, ", from ");
		units_add_ns(b, (double)m->least_ns);
	}
	if (m->gaps)
		buf_adds(b, ", gaps");
}

static void save(struct app *a, struct view *v, struct buf *b)
{
	const struct tree_view *t = tree_view(v);

	(void)a;
	buf_addf(b,
		 "sort %d backwards %d least %" PRId64 " gap %" PRId64 " whole-names %d details %d",
		 t->model.sort, t->model.backwards, t->model.least_ns, t->model.least_gap_ns,
		 t->whole_names, t->details);
}

static void restore(struct app *a, struct view *v, const char *words)
{
	struct tree_view *t = tree_view(v);
	int sort, backwards, whole_names, details;
	int64_t least_ns, gap_ns;

	(void)a;
	if (sscanf(words,
		   "sort %d backwards %d least %" SCNd64 " gap %" SCNd64
		   " whole-names %d details %d",
		   &sort, &backwards, &least_ns, &gap_ns, &whole_names, &details) != 6 ||
	    sort < 0 || sort >= TREE_SORTS)
		return;
	t->model.sort = (enum tree_sort)sort;
	t->model.backwards = backwards != 0;
	t->model.least_ns = least_ns;
	t->model.least_gap_ns = gap_ns;
	t->whole_names = whole_names != 0;
	t->details = details != 0;
	arrange(t, NULL, &(struct err){0});
}

const struct view_kind view_tree = {
	.name = "tree",
	.open = open_view,
	.draw = tree_draw,
	.request = request,
	.more = more,
	.status = status,
	.search = search,
	.save = save,
	.restore = restore,
	.close = close_view,
};

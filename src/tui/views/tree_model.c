/* Which rows of the tree are there to see? */
#include "tui/views/tree_model.h"

#include "base/mem.h"
#include "base/sort.h"
#include "report/report.h"
#include "text/name_pattern.h"

#include <stdlib.h>

enum { FIRST_LEVELS = 2 };

int tree_model_make(struct tree_model *m, struct app *a, bool instances, struct err *e)
{
	const struct tree_args args = {
		.table.scope = app_capture(a)->scope, .merge = !instances, .instances = instances};
	struct report notes = {0};
	int result;

	*m = (struct tree_model){0};
	result = call_tree_text_make(&m->text, &m->tree, a->trace, e);
	if (result == 0)
		result = call_tree_make(a->trace, &args, NULL, &notes, &m->tree, e);
	report_free(&notes);
	if (result < 0)
		return -1;
	m->child = mem_alloc(m->tree.count + 1, sizeof(*m->child));
	m->sibling = mem_alloc(m->tree.count + 1, sizeof(*m->sibling));
	m->expanded = mem_zalloc(m->tree.count + 1, sizeof(*m->expanded));
	tree_model_expand_levels(m, FIRST_LEVELS);
	return tree_model_arrange(m, NULL, e);
}

void tree_model_free(struct tree_model *m)
{
	call_tree_text_free(&m->text);
	call_tree_free(&m->tree);
	free(m->child);
	free(m->sibling);
	free(m->expanded);
	free(m->rows);
	buf_free(&m->filter);
	*m = (struct tree_model){0};
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct tree_model *m = ctx;
	const struct call_node *x = &m->tree.nodes[*(const uint32_t *)a];
	const struct call_node *y = &m->tree.nodes[*(const uint32_t *)b];
	int sign = 0;

	if (m->sort == TREE_SORT_GPU)
		sign = compare_numbers(y->gpu_ns, x->gpu_ns);
	if (m->sort == TREE_SORT_COUNT)
		sign = compare_numbers((int64_t)y->instances, (int64_t)x->instances);
	if (m->sort == TREE_SORT_WALL || (!sign && m->sort != TREE_SORT_START))
		sign = compare_numbers(y->wall_ns, x->wall_ns);
	if (!sign)
		sign = compare_numbers(x->start_ns, y->start_ns);
	return m->backwards ? -sign : sign;
}

/* By node: whether it matches, or what is around it does. */
static int match_all(struct tree_model *m, struct pattern *pattern, uint8_t *shown, struct err *e)
{
	for (size_t i = 0; i < m->tree.count; i++) {
		const struct call_node *n = &m->tree.nodes[i];
		int found = 1;

		if (pattern && (n->parent == NODE_NONE || !shown[n->parent]))
			found = pattern_match(pattern, call_tree_text(&m->text, n), e);
		if (found < 0)
			return -1;
		shown[i] = found > 0;
	}
	return 0;
}

/* What is too short goes; what is around something that stays, stays. */
static void keep_ancestors(struct tree_model *m, uint8_t *shown)
{
	for (size_t i = m->tree.count; i > 0; i--) {
		const struct call_node *n = &m->tree.nodes[i - 1];

		if (shown[i - 1] == 1 && n->gpu_ns < m->least_ns && n->wall_ns < m->least_ns)
			shown[i - 1] = 0;
		if (shown[i - 1] && n->parent != NODE_NONE)
			shown[n->parent] = 2;
	}
}

static void link_nodes(struct tree_model *m, const uint8_t *shown)
{
	SCOPED uint32_t *ranked = mem_alloc(m->tree.count + 1, sizeof(*ranked));
	size_t count = 0;

	for (uint32_t i = 0; i < m->tree.count; i++) {
		m->child[i] = NODE_NONE;
		if (shown[i])
			ranked[count++] = i;
	}
	m->child[m->tree.count] = NODE_NONE;
	sort_stable(ranked, count, sizeof(*ranked), compare, m);
	while (count) {
		const uint32_t node = ranked[--count], parent = m->tree.nodes[node].parent;
		uint32_t *first = &m->child[parent == NODE_NONE ? m->tree.count : parent];

		m->sibling[node] = *first;
		*first = node;
	}
}

/* What matches is no use where nobody sees it. */
static void expand_around(struct tree_model *m, const uint8_t *shown)
{
	for (size_t i = 0; i < m->tree.count; i++) {
		if (shown[i] == 2)
			m->expanded[i] = 1;
	}
}

static int show_matches(struct tree_model *m, struct pattern *pattern, struct err *e)
{
	SCOPED uint8_t *shown = mem_zalloc(m->tree.count + 1, sizeof(*shown));

	if (match_all(m, pattern, shown, e) < 0)
		return -1;
	keep_ancestors(m, shown);
	if (pattern)
		expand_around(m, shown);
	link_nodes(m, shown);
	tree_model_flatten(m);
	return 0;
}

int tree_model_arrange(struct tree_model *m, const char *text, struct err *e)
{
	const char *wanted = text ? text : buf_str(&m->filter).s;
	struct pattern *pattern = NULL;
	int result;

	if (*wanted && name_pattern_compile(&pattern, str_of(wanted), e) < 0)
		return -1;
	result = show_matches(m, pattern, e);
	pattern_free(pattern);
	if (result == 0 && text) {
		buf_clear(&m->filter);
		buf_adds(&m->filter, text);
	}
	return result;
}

double tree_model_share(const struct tree_model *m, const struct call_node *n)
{
	const struct call_node *above = n->parent == NODE_NONE ? NULL : &m->tree.nodes[n->parent];
	const int64_t part = m->tree.has_gpu ? n->gpu_ns : n->wall_ns;
	int64_t whole = m->tree.gpu_ns;

	if (!m->tree.has_gpu)
		whole = above ? above->wall_ns : n->wall_ns;
	else if (above)
		whole = above->gpu_ns;
	return whole > 0 && part <= whole ? (double)part / (double)whole : whole > 0;
}

struct span tree_model_span(const struct tree_model *m, uint32_t node)
{
	const struct call_node *n = &m->tree.nodes[node];
	const uint64_t instances = n->instances ? n->instances : 1;
	const int64_t all_ns = n->kind == CALL_NODE_RANGE ? n->wall_ns : n->gpu_ns;

	return (struct span){n->start_ns, sat_add(n->start_ns, all_ns / (int64_t)instances)};
}

static void add_row(struct tree_model *m, uint32_t node, int64_t gap_ns)
{
	MEM_GROW(m->rows, m->row_cap, m->row_count + 1);
	m->rows[m->row_count++] = (struct tree_row){node, gap_ns};
}

/* The host's time between two ranges, the GPU's between two ops. */
static void add_gap(struct tree_model *m, uint32_t before, uint32_t node)
{
	int64_t gap_ns;

	/* What a filter hides may go on there. */
	if (!m->gaps || m->filter.len || m->least_ns > 0 || before == NODE_NONE ||
	    m->tree.nodes[before].kind != m->tree.nodes[node].kind)
		return;
	gap_ns = sat_sub(m->tree.nodes[node].start_ns, tree_model_span(m, before).end_ns);
	if (gap_ns > 0 && gap_ns >= m->least_gap_ns)
		add_row(m, node, gap_ns);
}

void tree_model_flatten(struct tree_model *m)
{
	uint32_t before = NODE_NONE, at = m->child[m->tree.count];

	m->row_count = 0;
	while (at != NODE_NONE) {
		add_gap(m, before, at);
		add_row(m, at, 0);
		before = NODE_NONE;
		if (m->expanded[at] && m->child[at] != NODE_NONE) {
			at = m->child[at];
			continue;
		}
		while (at != NODE_NONE && m->sibling[at] == NODE_NONE)
			at = m->tree.nodes[at].parent;
		if (at != NODE_NONE) {
			before = at;
			at = m->sibling[at];
		}
	}
}

void tree_model_expand_levels(struct tree_model *m, uint32_t levels)
{
	for (size_t i = 0; i < m->tree.count; i++)
		m->expanded[i] = m->tree.nodes[i].depth + 1 < levels;
}

/* Those below come after it, and the first that does not hang on it ends nothing. */
void tree_model_expand_below(struct tree_model *m, uint32_t node, bool expanded)
{
	SCOPED uint8_t *below = mem_zalloc(m->tree.count + 1, sizeof(*below));

	below[node] = 1;
	for (size_t i = node; i < m->tree.count; i++) {
		const uint32_t parent = m->tree.nodes[i].parent;

		if (parent != NODE_NONE && parent >= node && below[parent])
			below[i] = 1;
		if (below[i])
			m->expanded[i] = expanded;
	}
}

size_t tree_model_reveal(struct tree_model *m, uint32_t node)
{
	for (uint32_t at = m->tree.nodes[node].parent; at != NODE_NONE;
	     at = m->tree.nodes[at].parent)
		m->expanded[at] = 1;
	tree_model_flatten(m);
	for (size_t i = 0; i < m->row_count; i++) {
		if (m->rows[i].node == node && !m->rows[i].gap_ns)
			return i;
	}
	return 0;
}

uint32_t tree_model_most_expensive(const struct tree_model *m, uint32_t node)
{
	uint32_t best = NODE_NONE;

	for (uint32_t at = m->child[node]; at != NODE_NONE; at = m->sibling[at]) {
		const struct call_node *n = &m->tree.nodes[at];
		const struct call_node *b = best == NODE_NONE ? NULL : &m->tree.nodes[best];

		if (!b || n->gpu_ns > b->gpu_ns ||
		    (n->gpu_ns == b->gpu_ns && n->wall_ns > b->wall_ns))
			best = at;
	}
	return best;
}

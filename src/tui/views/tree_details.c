/* What is known of the chosen row of the tree? */
#include "tui/views/tree_view.h"

#include "base/mem.h"
#include "text/units.h"
#include "trace/event_row.h"
#include "tui/views/tree_finding.h"

static void add_part(struct buf *b, const char *whole, double part)
{
	buf_adds(b, ", ");
	units_add_fixed(b, part * 100, 1);
	buf_addf(b, "%% %s", whole);
}

static void add_times(struct buf *b, const struct tree_model *m, const struct call_node *n)
{
	buf_adds(b, "GPU ");
	units_add_ns(b, (double)n->gpu_ns);
	if (n->parent != NODE_NONE)
		add_part(b, "of its parent", tree_model_share(m, n));
	if (m->tree.gpu_ns > 0)
		add_part(b, "of all", (double)n->gpu_ns / (double)m->tree.gpu_ns);
	buf_adds(b, "; self ");
	units_add_ns(b, (double)(n->kind == CALL_NODE_OP ? n->gpu_ns : n->self_ns));
	buf_adds(b, " in ");
	units_add_count(b, (int64_t)(n->kind == CALL_NODE_OP ? n->gpu_ops : n->self_ops));
	buf_adds(b, " ops, ");
	units_add_count(b, (int64_t)n->gpu_ops);
	buf_adds(b, " ops in all");
}

static void add_wall(struct buf *b, const struct call_node *n)
{
	buf_adds(b, "from ");
	units_add_time(b, n->start_ns);
	if (n->instances > 1) {
		buf_adds(b, ", ");
		units_add_count(b, (int64_t)n->instances);
		buf_adds(b, " times, ");
		units_add_ns(b, (double)(n->kind == CALL_NODE_OP ? n->gpu_ns : n->wall_ns) /
					(double)n->instances);
		buf_adds(b, " on average");
	}
	if (n->kind == CALL_NODE_RANGE) {
		buf_adds(b, "; host ");
		units_add_ns(b, (double)n->wall_ns);
		buf_adds(b, ", self ");
		units_add_ns(b, (double)n->self_wall_ns);
	}
}

static void add_shape(struct buf *b, const char *label, const int64_t sides[3])
{
	if (sides[0] != INT_NONE && sides[1] != INT_NONE && sides[2] != INT_NONE)
		buf_addf(b, ", %s %lld×%lld×%lld", label, (long long)sides[0], (long long)sides[1],
			 (long long)sides[2]);
}

/* Where the op ran, and how it was launched; of merged ones, the first. */
static void add_launch(struct buf *b, struct app *a, const struct call_node *n)
{
	static const enum trace_column columns[] = {
		COL_DEVICE,  COL_STREAM,  COL_GRID_X,  COL_GRID_Y,    COL_GRID_Z,
		COL_BLOCK_X, COL_BLOCK_Y, COL_BLOCK_Z, COL_REGISTERS, COL_BYTES};
	int64_t values[ARRAY_LEN(columns)];
	struct err ignored = {0};

	if (n->kind != CALL_NODE_OP ||
	    event_row_read(a->trace, (enum trace_kind)n->op_kind, n->name, columns,
			   ARRAY_LEN(columns), values, &ignored) < 0)
		return;
	buf_adds(b, n->instances > 1 ? "first:" : "");
	if (values[0] != INT_NONE)
		buf_addf(b, " device %lld", (long long)values[0]);
	if (values[1] != INT_NONE)
		buf_addf(b, " stream %lld", (long long)values[1]);
	add_shape(b, "grid", &values[2]);
	add_shape(b, "block", &values[5]);
	if (values[8] != INT_NONE)
		buf_addf(b, ", %lld registers", (long long)values[8]);
	if (values[9] != INT_NONE) {
		buf_adds(b, ", ");
		units_add_bytes(b, (double)values[9]);
	}
}

/* Of merged ranges nobody knows which of them a time is of. */
static void add_finding(struct buf *b, struct tree_view *t, uint32_t node)
{
	const struct call_node *n = &t->model.tree.nodes[node];
	const struct span when = tree_model_span(&t->model, node);
	const bool is_one = n->kind == CALL_NODE_RANGE && n->instances == 1;
	const struct finding *f = NULL;

	if ((n->kind == CALL_NODE_RANGE || n->kind == CALL_NODE_OP) && t->findings.analysis)
		f = tree_finding(&t->findings.report, call_tree_text(&t->model.text, n),
				 is_one ? &when : NULL);
	if (!f)
		return;
	buf_addf(b, "finding: %s", f->title);
	if (f->recoverable_ns > 0) {
		buf_adds(b, ", ");
		finding_add_cost(b, f);
	}
}

static void draw_line(struct canvas *c, struct area area, int line, const struct buf *text)
{
	if (line < area.rows)
		canvas_put_padded(c, area.row + line, area.col, area.cols,
				  str_trimmed(buf_str(text)), LOOK_PLAIN);
}

void tree_details_draw(struct app *a, struct tree_view *t, struct canvas *c, struct area area)
{
	const uint32_t node = tree_view_node(t);
	const struct call_node *n;
	SCOPED_BUF text = {0};

	for (int col = 0; col < area.cols; col++)
		canvas_glyph(c, area.row, area.col + col, 0x2500, LOOK(ROLE_HEAD));
	if (node == NODE_NONE)
		return;
	n = &t->model.tree.nodes[node];
	buf_addstr(&text, call_tree_text(&t->model.text, n));
	draw_line(c, area, 1, &text);
	buf_clear(&text);
	if (n->parent != NODE_NONE)
		call_tree_text_add_path(&t->model.text, &text, n->parent);
	draw_line(c, area, 2, &text);
	buf_clear(&text);
	add_times(&text, &t->model, n);
	draw_line(c, area, 3, &text);
	buf_clear(&text);
	add_wall(&text, n);
	draw_line(c, area, 4, &text);
	buf_clear(&text);
	add_launch(&text, a, n);
	draw_line(c, area, 5, &text);
	buf_clear(&text);
	add_finding(&text, t, node);
	draw_line(c, area, 6, &text);
}

/* What is known of the chosen row of the tree? */
#include "tui/views/tree_view.h"

#include "text/units.h"
#include "trace/trace.h"

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

static void add_shape(struct buf *b, const char *label, uint32_t *const columns[3], uint64_t row)
{
	if (!columns[0] || !columns[1] || !columns[2] || columns[0][row] == ID_NONE)
		return;
	buf_addf(b, ", %s %u×%u×%u", label, columns[0][row], columns[1][row], columns[2][row]);
}

/* Where the op ran, and how it was launched; of merged ones, the first. */
static void add_launch(struct buf *b, struct app *a, const struct call_node *n)
{
	const enum trace_kind kind = (enum trace_kind)n->op_kind;
	const struct events *ev = &a->trace->events[kind];
	struct err ignored = {0};

	if (n->kind != CALL_NODE_OP ||
	    trace_load(a->trace, kind,
		       COL_BIT(COL_STREAM) | COL_BIT(COL_DEVICE) | COL_BIT(COL_REGISTERS) |
			       COL_BIT(COL_BYTES) | COLS_GRID,
		       &ignored) < 0)
		return;
	buf_adds(b, n->instances > 1 ? "first:" : "");
	if (ev->device && ev->device[n->name] != ID_NONE)
		buf_addf(b, " device %u", ev->device[n->name]);
	if (ev->stream && ev->stream[n->name] != ID_NONE)
		buf_addf(b, " stream %u", ev->stream[n->name]);
	add_shape(b, "grid", ev->grid, n->name);
	add_shape(b, "block", ev->block, n->name);
	if (ev->registers && ev->registers[n->name] != ID_NONE)
		buf_addf(b, ", %u registers", ev->registers[n->name]);
	if (ev->bytes && ev->bytes[n->name] != INT_NONE) {
		buf_adds(b, ", ");
		units_add_bytes(b, (double)ev->bytes[n->name]);
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
}

/* How does the tree look? */
#include "tui/views/tree_view.h"

#include "report/kernel_name.h"
#include "text/text.h"
#include "text/units.h"

enum {
	DETAIL_ROWS = 7,
	LEAST_TREE_ROWS = 8, /* without that many there is no room for details */
	BAR_COLS = 6,
	NARROWEST_NAME = 24,
};

/* What stands right of the names, in the order in which it goes where there is no room. */
static const struct tree_column {
	const char *title;
	int width;
} columns[] = {{"GPU time", 9}, {"of parent", 9}, {"", BAR_COLS},
	       {"Wall", 9},	{"Count", 9},	  {"Start", 13}};
enum { COLUMN_GPU, COLUMN_SHARE, COLUMN_BAR, COLUMN_WALL, COLUMN_COUNT, COLUMN_START, COLUMNS_ };

static int shown_columns(int cols)
{
	int count = 0;

	while (count < COLUMNS_ && cols - columns[count].width - 1 >= NARROWEST_NAME)
		cols -= columns[count++].width + 1;
	return count;
}

static int columns_width(int count)
{
	int width = 0;

	for (int i = 0; i < count; i++)
		width += columns[i].width + 1;
	return width;
}

static void add_value(const struct tree_model *m, const struct call_node *n, int column,
		      struct buf *b)
{
	const bool wall = n->kind == CALL_NODE_RANGE || n->kind == CALL_NODE_THREAD;

	switch (column) {
	case COLUMN_GPU:
		units_add_ns(b, (double)n->gpu_ns);
		break;
	case COLUMN_SHARE:
		units_add_fixed(b, tree_model_share(m, n) * 100, 1);
		buf_addc(b, '%');
		break;
	case COLUMN_WALL:
		if (wall)
			units_add_ns(b, (double)n->wall_ns);
		break;
	case COLUMN_COUNT:
		if (n->instances)
			units_add_count(b, (int64_t)n->instances);
		break;
	case COLUMN_START:
		units_add_time(b, n->start_ns);
		break;
	default:
		break;
	}
}

static void draw_bar(struct canvas *c, int row, int col, double part, struct look look)
{
	const int eighths = (int)(part * BAR_COLS * 8 + 0.5);

	if (look.ink == ROLE_PLAIN)
		look.ink = part >= 0.5 ? ROLE_CLASS_3 : part >= 0.2 ? ROLE_CLASS_4 : ROLE_DIM;
	for (int i = 0; i < BAR_COLS; i++) {
		const int left = eighths - i * 8;

		/* U+258F is an eighth of a cell from the left, U+2588 all of it. */
		if (left > 0)
			canvas_glyph(c, row, col + i,
				     c->ascii ? (left >= 4 ? '#' : ' ')
					      : 0x2590u - (uint32_t)(left < 8 ? left : 8),
				     look);
	}
}

static void add_name(struct tree_view *t, const struct call_node *n, struct buf *b)
{
	const struct str name = call_tree_text(&t->model.text, n);

	if (n->kind == CALL_NODE_OP && n->op_kind == TRACE_KERNELS && !t->whole_names)
		kernel_name_add_short(b, name);
	else
		buf_addstr(b, name);
}

static void draw_name(struct tree_view *t, struct canvas *c, struct area at, uint32_t node,
		      struct look look)
{
	const struct call_node *n = &t->model.tree.nodes[node];
	const int most = at.cols / 2;
	int indent = 2 * (int)(n->depth < 100 ? n->depth : 100);
	SCOPED_BUF name = {0};
	SCOPED_BUF safe = {0};
	SCOPED_BUF fit = {0};

	/* What is deeper than half of the room begins there: names stay readable. */
	indent = indent < most ? indent : most;
	add_name(t, n, &name);
	if (t->model.child[node] != NODE_NONE)
		canvas_glyph(c, at.row, at.col + indent, t->model.expanded[node] ? 0x25be : 0x25b8,
			     look);
	text_add_safe(&safe, buf_str(&name));
	text_add_elided(&fit, buf_str(&safe),
			at.cols > indent + 2 ? (size_t)(at.cols - indent - 2) : 0);
	canvas_put(c, at.row, at.col + indent + 2, at.cols - indent - 2, buf_str(&fit), look);
}

static void draw_gap(struct tree_view *t, struct canvas *c, struct area at,
		     const struct tree_row *row, struct look look)
{
	const int indent = 2 * (int)t->model.tree.nodes[row->node].depth;
	SCOPED_BUF text = {0};

	buf_adds(&text, "· gap ");
	units_add_ns(&text, (double)row->gap_ns);
	canvas_put(c, at.row, at.col + indent + 2, at.cols - indent - 2, buf_str(&text), look);
}

static void draw_row(struct tree_view *t, struct canvas *c, struct area at, size_t place)
{
	const struct tree_row *row = &t->model.rows[place];
	const struct call_node *n = &t->model.tree.nodes[row->node];
	const bool chosen = place == t->list.chosen;
	const int count = shown_columns(at.cols), names = at.cols - columns_width(count);
	struct look look = LOOK(chosen ? ROLE_CURSOR : row->gap_ns ? ROLE_DIM : ROLE_PLAIN);
	int col = at.col + names + 1;

	if (chosen)
		canvas_fill(c, at, look);
	if (row->gap_ns) {
		draw_gap(t, c, at, row, look);
		return;
	}
	draw_name(t, c, (struct area){at.row, at.col, 1, names}, row->node, look);
	for (int i = 0; i < count; i++) {
		SCOPED_BUF text = {0};

		add_value(&t->model, n, i, &text);
		if (i == COLUMN_BAR)
			draw_bar(c, at.row, col, tree_model_share(&t->model, n), look);
		else
			canvas_put_right(c, at.row, col, columns[i].width, buf_str(&text), look);
		col += columns[i].width + 1;
	}
}

/* The column that siblings are in the order of has an arrow: downwards, the largest is first. */
static void draw_head(const struct tree_model *m, struct canvas *c, struct area at)
{
	static const int sorted[TREE_SORTS] = {[TREE_SORT_GPU] = COLUMN_GPU,
					       [TREE_SORT_WALL] = COLUMN_WALL,
					       [TREE_SORT_START] = COLUMN_START,
					       [TREE_SORT_COUNT] = COLUMN_COUNT};
	const bool falls = (m->sort == TREE_SORT_START) == m->backwards;
	const struct look look = {.ink = ROLE_HEAD, .marks = LOOK_BOLD};
	const int count = shown_columns(at.cols);
	int col = at.col + at.cols - columns_width(count) + 1;

	canvas_put(c, at.row, at.col, at.cols, str_of("Range"), look);
	for (int i = 0; i < count; i++) {
		SCOPED_BUF title = {0};

		buf_adds(&title, columns[i].title);
		if (i == sorted[m->sort])
			buf_adds(&title, falls ? "↓" : "↑");
		canvas_put_right(c, at.row, col, columns[i].width, buf_str(&title), look);
		col += columns[i].width + 1;
	}
}

void tree_draw(struct app *a, struct view *v, struct canvas *c, struct area area)
{
	struct tree_view *t = v->state;
	const bool details = t->details && area.rows >= LEAST_TREE_ROWS + DETAIL_ROWS;
	const int rows = area.rows - 1 - (details ? DETAIL_ROWS : 0);

	t->list.count = t->model.row_count;
	list_place(&t->list, area.row + 1, rows);
	draw_head(&t->model, c, (struct area){area.row, area.col, 1, area.cols});
	for (size_t i = 0; i < list_shown(&t->list); i++)
		draw_row(t, c, (struct area){area.row + 1 + (int)i, area.col, 1, area.cols},
			 t->list.first + i);
	if (!t->list.count)
		canvas_put(c, area.row + 1, area.col, area.cols,
			   str_of(t->model.filter.len ? "nothing matches the filter"
				  : t->model.least_ns > 0
					  ? "nothing is as long as that"
					  : "no range and no GPU work was captured"),
			   LOOK(ROLE_DIM));
	if (details)
		tree_details_draw(
			a, t, c,
			(struct area){area.row + 1 + rows, area.col, DETAIL_ROWS, area.cols});
}

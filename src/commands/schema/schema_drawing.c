/* How do the keys between tables look? */
#include "commands/schema/schema_map.h"

#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "text/text.h"

enum {
	WIDTH = 960,
	BOX = 268,
	BETWEEN = (WIDTH - 3 * BOX) / 2,
	HEIGHT = 24, /* of a box with one line */
	LINE = 14,   /* for a second */
	GAP = 8,
	MOST = 24, /* boxes of a column; the page lists what there are more of */
};

enum side { LEFT, MIDDLE, RIGHT, SIDES };

struct box {
	uint32_t table;
	enum side side;
	size_t row;
};

struct drawing {
	const struct schema_map *map;
	struct box boxes[SIDES * MOST];
	size_t count;
	size_t rows[SIDES];
	uint32_t selected; /* whose keys are drawn, with their columns; UINT32_MAX: all */
	double height;	   /* of a box */
	bool is_full;	   /* a table found no place */
};

static const struct box *find_box(const struct drawing *d, uint32_t table)
{
	for (size_t i = 0; i < d->count; i++) {
		if (d->boxes[i].table == table)
			return &d->boxes[i];
	}
	return NULL;
}

static void place_box(struct drawing *d, size_t table, enum side side)
{
	if (find_box(d, (uint32_t)table))
		return;
	if (d->rows[side] == MOST)
		d->is_full = true;
	else
		d->boxes[d->count++] = (struct box){(uint32_t)table, side, d->rows[side]++};
}

static size_t most_rows(const struct drawing *d)
{
	size_t most = 0;

	for (size_t i = 0; i < SIDES; i++)
		most = d->rows[i] > most ? d->rows[i] : most;
	return most;
}

static double box_x(const struct box *box)
{
	return box->side * (double)(BOX + BETWEEN);
}

/* Columns that are shorter than others stand in the middle of them. */
static double box_y(const struct drawing *d, const struct box *box)
{
	size_t empty = most_rows(d) - d->rows[box->side];

	return ((double)box->row + (double)empty / 2) * (d->height + GAP) + GAP / 2.0;
}

/* The columns of `from` that lead to `to`. */
static void add_columns(struct buf *b, const struct schema_map *m, uint32_t from, uint32_t to)
{
	const struct schema_table *t = &m->tables[from];
	size_t before = b->len;

	for (size_t i = t->first_key; i < t->first_key + t->key_count; i++) {
		if (m->keys[i].to != to)
			continue;
		buf_adds(b, b->len > before ? ", " : "");
		text_add_safe(b, str_of(t->sql->columns[m->keys[i].from_column].name));
	}
}

/* Under a neighbour's name the columns that make it one. */
static void add_key_columns(struct buf *b, const struct drawing *d, const struct box *box, double x,
			    double y)
{
	struct buf columns = {0};

	add_columns(&columns, d->map, d->selected, box->table);
	if (!columns.len)
		add_columns(&columns, d->map, box->table, d->selected);
	buf_adds(b, "<g class=\"columns\">");
	svg_label(b, "middle", x, y, BOX - 10, buf_str(&columns));
	buf_adds(b, "</g>\n");
	buf_free(&columns);
}

static void add_box(struct buf *b, const struct drawing *d, const struct box *box)
{
	const struct schema_table *t = &d->map->tables[box->table];
	double x = box_x(box), y = box_y(d, box), middle = x + BOX / 2.0;
	bool selected = box->table == d->selected;
	bool two_lines = !selected && d->selected != UINT32_MAX;
	struct buf name = {0};

	text_add_safe(&name, str_of(t->sql->name));
	buf_addf(b, "<a href=\"#%s\" data-table=\"%u\">", t->id, box->table);
	svg_box(b, selected ? "selected" : "box", x, y, BOX, d->height, buf_str(&name));
	svg_label(b, "middle", middle, y + (two_lines ? HEIGHT : d->height) / 2 + 4, BOX - 10,
		  buf_str(&name));
	if (two_lines)
		add_key_columns(b, d, box, middle, y + HEIGHT / 2.0 + 4 + LINE);
	buf_adds(b, "</a>\n");
	buf_free(&name);
}

static void add_point(struct buf *b, char how, double x, double y)
{
	buf_addc(b, how);
	html_add_number(b, x);
	buf_addc(b, ' ');
	html_add_number(b, y);
}

/* From the side of a box to that of another, which stands beside it or in the same column. */
static void add_line(struct buf *b, const struct drawing *d, const struct schema_key *k,
		     const struct box *from, const struct box *to)
{
	bool back = from->side > to->side, same = from->side == to->side;
	double bend = back ? -BETWEEN / 2.0 : BETWEEN / 2.0, head = back || same ? 6 : -6;
	double x1 = box_x(from) + (back ? 0 : BOX), y1 = box_y(d, from) + d->height / 2;
	double x2 = box_x(to) + (back || same ? BOX : 0), y2 = box_y(d, to) + d->height / 2;

	buf_addf(b, "<path class=\"key%s\" data-from=\"%u\" data-to=\"%u\" d=\"",
		 k->declared ? "" : " known", k->from, k->to);
	add_point(b, 'M', x1, y1);
	add_point(b, 'C', x1 + bend, y1);
	add_point(b, ' ', x2 + (same ? bend : -bend), y2);
	add_point(b, ' ', x2 + head, y2);
	buf_adds(b, "\"/><path class=\"head\" d=\"");
	add_point(b, 'M', x2, y2);
	add_point(b, 'L', x2 + head, y2 - 3.5);
	add_point(b, 'L', x2 + head, y2 + 3.5);
	buf_adds(b, "Z\"/>\n");
}

/* Which boxes of keys that share an end have their line: several columns may lead to one table. */
struct drawn {
	bool from[SIDES * MOST];
	bool to[SIDES * MOST];
};

static void add_key(struct buf *b, const struct drawing *d, const struct schema_key *k,
		    struct drawn *drawn)
{
	const struct box *from = find_box(d, k->from), *to = find_box(d, k->to);

	if (!from || !to || from == to ||
	    (drawn->from[from - d->boxes] && drawn->to[to - d->boxes]))
		return;
	drawn->from[from - d->boxes] = drawn->to[to - d->boxes] = true;
	add_line(b, d, k, from, to);
}

static void add_own_keys(struct buf *b, const struct drawing *d, const struct schema_table *t)
{
	struct drawn drawn = {0};

	for (size_t i = 0; i < t->key_count; i++)
		add_key(b, d, &d->map->keys[t->first_key + i], &drawn);
}

static void draw_begin(struct buf *b, const struct drawing *d, const char *title)
{
	buf_adds(b, "<figure class=\"keys\">\n");
	svg_begin(b, title, WIDTH, (double)most_rows(d) * (d->height + GAP));
}

static void draw_end(struct buf *b, const struct drawing *d)
{
	for (size_t i = 0; i < d->count; i++)
		add_box(b, d, &d->boxes[i]);
	svg_end(b);
	buf_adds(b, "<figcaption>An arrow points from a column to the table it refers to. Dashed: "
		    "not declared by the export.");
	if (d->is_full)
		buf_adds(b, " Not all tables are drawn.");
	buf_adds(b, "</figcaption>\n</figure>\n");
}

void schema_draw_table(struct buf *b, const struct schema_map *m, size_t table)
{
	const struct schema_table *t = &m->tables[table];
	struct drawing d = {.map = m, .selected = (uint32_t)table, .height = HEIGHT + LINE};
	enum side side = t->user_count ? MIDDLE : LEFT;
	struct drawn drawn = {0};

	if (!t->key_count && !t->user_count)
		return;
	place_box(&d, table, side);
	for (size_t i = 0; i < t->user_count; i++)
		place_box(&d, m->keys[m->users[t->first_user + i]].from, LEFT);
	for (size_t i = 0; i < t->key_count; i++)
		place_box(&d, m->keys[t->first_key + i].to, side + 1);
	draw_begin(b, &d, "Keys of the table");
	for (size_t i = 0; i < t->user_count; i++)
		add_key(b, &d, &m->keys[m->users[t->first_user + i]], &drawn);
	add_own_keys(b, &d, t);
	draw_end(b, &d);
}

static bool is_drawn(const struct schema_table *t)
{
	return (t->rows || t->sql->is_view) && strncmp(t->sql->name, "ENUM_", 5) != 0;
}

/* Whether any of its keys is from, or to, a table that is drawn. */
static bool has_user(const struct schema_map *m, const struct schema_table *t)
{
	for (size_t i = 0; i < t->user_count; i++) {
		if (is_drawn(&m->tables[m->keys[m->users[t->first_user + i]].from]))
			return true;
	}
	return false;
}

static bool has_key(const struct schema_map *m, const struct schema_table *t)
{
	for (size_t i = 0; i < t->key_count; i++) {
		if (is_drawn(&m->tables[m->keys[t->first_key + i].to]))
			return true;
	}
	return false;
}

/* Left what only refers to others, right what others only refer to. */
void schema_draw_all(struct buf *b, const struct schema_map *m)
{
	struct drawing d = {.map = m, .selected = UINT32_MAX, .height = HEIGHT};

	for (size_t i = 0; i < m->table_count; i++) {
		const struct schema_table *t = &m->tables[i];
		bool user = has_user(m, t), key = has_key(m, t);

		if (is_drawn(t) && (user || key))
			place_box(&d, i, !user ? LEFT : key ? MIDDLE : RIGHT);
	}
	if (!d.count)
		return;
	draw_begin(b, &d, "Keys between the tables that have rows");
	for (size_t i = 0; i < d.count; i++)
		add_own_keys(b, &d, &m->tables[d.boxes[i].table]);
	draw_end(b, &d);
}

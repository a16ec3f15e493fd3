/* How do nodes that come one after another become objects inside one another? */
#include "report/json_tree.h"

#include "base/mem.h"
#include "report/json_value.h"

#include <stdlib.h>

/* Each object stays open until a node comes that is not inside it. */
static void close_down_to(struct buf *b, int *open, int depth)
{
	for (; *open > depth; --*open)
		buf_adds(b, "]}");
}

static void open_node(struct buf *b, const struct table *t, const struct cell *cells)
{
	buf_addc(b, '{');
	json_add_members(b, t, cells);
	buf_adds(b, ", \"children\": [");
}

int json_add_nodes(struct out *o, const struct table *t, struct err *e)
{
	struct cell *cells = mem_zalloc(t->column_count, sizeof(*cells));
	int open = 0, before = -1, status = 0;

	buf_adds(&o->text, "\"nodes\": [");
	for (uint64_t i = 0; i < t->rows && status == 0; i++) {
		int depth;

		t->row(t->ctx, i, cells);
		depth = cells[0].depth;
		close_down_to(&o->text, &open, depth);
		buf_adds(&o->text, before >= depth ? ",\n      " : "\n      ");
		open_node(&o->text, t, cells);
		open = depth + 1;
		before = depth;
		status = out_poll(o, e);
	}
	close_down_to(&o->text, &open, 0);
	buf_adds(&o->text, t->rows ? "\n    ]" : "]");
	free(cells);
	return status;
}

/* What does one cell say? */
#include "report/cell_text.h"

#include "report/kernel_labels.h"
#include "report/kernel_name.h"
#include "text/decimal.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

static bool unit_is_text(enum unit unit)
{
	return unit == UNIT_NAME || unit == UNIT_KERNEL || unit == UNIT_COMMAND ||
	       unit == UNIT_PAGE;
}

bool column_is_text(const struct column *c)
{
	return unit_is_text(c->unit) || c->unit == UNIT_BOOL;
}

static _Thread_local struct kernel_labels *labels;

void cell_use_labels(struct kernel_labels *l)
{
	labels = l;
}

static void add_short_kernel(struct buf *b, struct str name)
{
	struct buf brief = {0};

	if (labels)
		kernel_labels_add_short(labels, &brief, name);
	else
		kernel_name_add_short(&brief, name);
	text_add_safe(b, buf_str(&brief));
	buf_free(&brief);
}

/* Enough digits to tell values apart: 20,480, 1,670.5, 12, 3.25, 0.125, 0.000125. */
static void add_ratio(struct buf *b, double x)
{
	double size = fabs(x);
	int decimals = size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.01 || size == 0 ? 3 : 6;

	if (size == floor(size) && size < 0x1p53)
		units_add_count(b, (int64_t)x);
	else
		units_add_grouped(b, x, decimals);
}

/* A little is not nothing, which alone is 0.0%: 12.5%, 0.1%, 0.03%, <0.01%; >100,000%. */
static void add_utilisation(struct buf *b, double x)
{
	double size = fabs(x);

	if (size >= UTILISATION_ABSURD) {
		buf_addc(b, x < 0 ? '<' : '>');
		units_add_grouped(b, x < 0 ? -UTILISATION_ABSURD : UTILISATION_ABSURD, 0);
	} else if (size >= 0.05 || size == 0)
		units_add_grouped(b, x, 1);
	else if (size >= 0.005)
		units_add_fixed(b, x, 2);
	else
		buf_adds(b, x < 0 ? ">-0.01" : "<0.01");
	buf_addc(b, '%');
}

static void add_number(struct buf *b, enum unit unit, double x)
{
	if ((unit == UNIT_CHANGE || unit == UNIT_CHANGE_NS) && x > 0)
		buf_addc(b, '+');
	switch (unit) {
	case UNIT_NS:
	case UNIT_CHANGE_NS:
		units_add_ns(b, x);
		break;
	case UNIT_US:
		units_add_ns(b, round(x * 1e3));
		break;
	case UNIT_TIME_NS:
		units_add_time(b, (int64_t)fmax(fmin(x, 9e18), -9e18));
		break;
	case UNIT_BYTES:
		units_add_bytes(b, x);
		break;
	case UNIT_BYTES_PER_S:
		units_add_rate(b, x);
		break;
	case UNIT_FLOPS:
	case UNIT_FLOPS_PER_S:
		units_add_flops(b, x);
		buf_adds(b, unit == UNIT_FLOPS_PER_S ? "/s" : "");
		break;
	case UNIT_CHANGE:
	case UNIT_PERCENT:
		units_add_fixed(b, x, 1);
		buf_addc(b, '%');
		break;
	case UNIT_UTILISATION:
		add_utilisation(b, x);
		break;
	default:
		add_ratio(b, x);
	}
}

static void add_integer(struct buf *b, enum unit unit, int64_t i)
{
	if (unit == UNIT_BOOL)
		buf_adds(b, i ? "yes" : "no");
	else if (unit == UNIT_ID || unit_is_text(unit))
		decimal_add_int(b, i);
	else if (unit == UNIT_COUNT || unit == UNIT_RATIO)
		units_add_count(b, i);
	else if (unit == UNIT_TIME_NS)
		units_add_time(b, i);
	else
		add_number(b, unit, (double)i);
}

void cell_add_human(struct buf *b, enum unit unit, struct cell cell)
{
	if (cell.kind == CELL_INT)
		add_integer(b, unit, cell.i);
	else if (cell.kind == CELL_REAL && isfinite(cell.r))
		add_number(b, unit, cell.r);
	else if (cell.kind == CELL_TEXT && unit == UNIT_KERNEL && !cell.literal)
		add_short_kernel(b, cell.s);
	else if (cell.kind == CELL_TEXT)
		text_add_safe(b, cell.s);
	else
		buf_addc(b, '-');
}

void cell_add_shown(struct buf *b, const struct table *t, const struct column *column,
		    const struct cell *cell)
{
	if (!t->nsys)
		cell_add_human(b, column->unit, *cell);
	else if (cell->kind == CELL_REAL)
		units_add_fixed(b, cell->r, column->decimals);
	else if (cell->kind == CELL_TEXT)
		text_add_safe(b, cell->s);
	else
		cell_add_raw(b, cell);
}

void cell_add_raw(struct buf *b, const struct cell *cell)
{
	if (cell->kind == CELL_INT)
		decimal_add_int(b, cell->i);
	else if (cell->kind == CELL_REAL)
		units_add_real(b, cell->r);
	else if (cell->kind == CELL_TEXT)
		buf_addstr(b, cell->s);
}

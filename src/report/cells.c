/* What does one cell say? */
#include "report/cells.h"

#include "report/kernel_name.h"
#include "text/decimal.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

bool column_is_text(const struct column *c)
{
	return c->unit == UNIT_NAME || c->unit == UNIT_KERNEL || c->unit == UNIT_COMMAND ||
	       c->unit == UNIT_BOOL;
}

static void add_short_kernel(struct buf *b, struct str name)
{
	struct buf brief = {0};

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

static void add_number(struct buf *b, const struct column *column, double x)
{
	switch (column->unit) {
	case UNIT_NS:
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
		if (column->unit == UNIT_FLOPS_PER_S)
			buf_adds(b, "/s");
		break;
	case UNIT_CHANGE_NS:
		if (x > 0)
			buf_addc(b, '+');
		units_add_ns(b, x);
		break;
	case UNIT_CHANGE:
	case UNIT_PERCENT:
		if (column->unit == UNIT_CHANGE && x > 0)
			buf_addc(b, '+');
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

static void add_integer(struct buf *b, const struct column *column, int64_t i)
{
	switch (column->unit) {
	case UNIT_NAME:
	case UNIT_KERNEL:
	case UNIT_COMMAND:
	case UNIT_ID:
		decimal_add_int(b, i);
		break;
	case UNIT_COUNT:
	case UNIT_RATIO:
		units_add_count(b, i);
		break;
	case UNIT_TIME_NS:
		units_add_time(b, i);
		break;
	case UNIT_BOOL:
		buf_adds(b, i ? "yes" : "no");
		break;
	default:
		add_number(b, column, (double)i);
	}
}

void cell_add_human(struct buf *b, const struct column *column, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NULL:
		buf_addc(b, '-');
		break;
	case CELL_INT:
		add_integer(b, column, cell->i);
		break;
	case CELL_REAL:
		if (isfinite(cell->r))
			add_number(b, column, cell->r);
		else
			buf_addc(b, '-');
		break;
	case CELL_TEXT:
		if (column->unit == UNIT_KERNEL && !cell->literal)
			add_short_kernel(b, cell->s);
		else
			text_add_safe(b, cell->s);
		break;
	}
}

void cell_add_nsys(struct buf *b, const struct column *column, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NULL:
		break;
	case CELL_INT:
		decimal_add_int(b, cell->i);
		break;
	case CELL_REAL:
		units_add_fixed(b, cell->r, column->decimals);
		break;
	case CELL_TEXT:
		text_add_safe(b, cell->s);
		break;
	}
}

void cell_add_raw(struct buf *b, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NULL:
		break;
	case CELL_INT:
		decimal_add_int(b, cell->i);
		break;
	case CELL_REAL:
		units_add_real(b, cell->r);
		break;
	case CELL_TEXT:
		buf_addstr(b, cell->s);
		break;
	}
}

/* In which steps is which rank late? */
#include "fleet/answer/answer.h"

#include "report/chart.h"

enum { ROWS_MAX = 32, COLUMNS_MAX = 240 };

/* Of several ranks or steps in one cell the latest shows: one of many must not vanish. */
static double latest(const struct stragglers *s, size_t from, size_t to, size_t first, size_t last)
{
	double late_ns = 0;

	for (size_t i = from; i < to; i++) {
		for (size_t k = first; k < last; k++) {
			const double ns = s->late_ns[i * s->steps + k];

			late_ns = ns > late_ns ? ns : late_ns;
		}
	}
	return late_ns;
}

static const char *row_name(const struct fleet_answer *a, size_t from, size_t to)
{
	const uint32_t first = a->job.members[from].is->rank;
	const uint32_t last = a->job.members[to - 1].is->rank;

	return first == last ? arena_printf(&a->report->arena, "rank %u", first)
			     : arena_printf(&a->report->arena, "ranks %u to %u", first, last);
}

void fleet_heat_chart(struct fleet_answer *a)
{
	const struct stragglers *s = &a->stragglers;
	const size_t n = a->job.member_count, block = (n + ROWS_MAX - 1) / ROWS_MAX;
	const size_t wide = (s->steps + COLUMNS_MAX - 1) / COLUMNS_MAX;
	const size_t rows = (n + block - 1) / block, columns = (s->steps + wide - 1) / wide;
	struct chart_part *parts;
	struct chart *c;

	if (!s->replay.count || s->steps < 2)
		return;
	parts = arena_zalloc(&a->report->arena, rows, sizeof(*parts));
	for (size_t i = 0; i < rows; i++)
		parts[i] = (struct chart_part){
			row_name(a, i * block, (i + 1) * block < n ? (i + 1) * block : n),
			HUE_PLAIN};
	c = report_new_chart(a->report, CHART_COLUMNS, "Own delay of each rank by step", UNIT_NS,
			     columns, parts, rows);
	c->looks = arena_zalloc(&a->report->arena, columns * rows, 1);
	for (size_t k = 0; k < columns; k++) {
		const size_t first = k * wide;
		const size_t last = first + wide < s->steps ? first + wide : s->steps;

		c->labels[k] =
			str_of(arena_printf(&a->report->arena, "step %zu", s->first_step + first));
		for (size_t i = 0; i < rows; i++)
			chart_item(c, k)[i] =
				latest(s, i * block, (i + 1) * block < n ? (i + 1) * block : n,
				       first, last);
	}
}

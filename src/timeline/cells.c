/* How busy is a lane in each cell of a line, and with what? */
#include "timeline/cells.h"

int64_t cell_edge(struct span window, size_t width, size_t i)
{
	const __int128 length = (__int128)window.end_ns - window.start_ns;

	return (int64_t)(window.start_ns + length * (__int128)i / (__int128)width);
}

size_t cell_at(struct span window, size_t width, int64_t at_ns)
{
	const __int128 length = (__int128)window.end_ns - window.start_ns;
	const __int128 into = (__int128)at_ns - window.start_ns;
	size_t cell;

	if (into < 0 || length <= 0)
		return 0;
	cell = (size_t)(into * (__int128)width / length);
	/* Edges are rounded down: the next cell may have begun. */
	if (cell + 1 < width && cell_edge(window, width, cell + 1) <= at_ns)
		cell++;
	return cell < width ? cell : width - 1;
}

static void choose_classes(struct cell_time *c, int64_t busy_ns)
{
	c->first = c->second = LANE_CLASSES;
	for (uint8_t class = 0; busy_ns && class < LANE_CLASSES; class ++) {
		if (!c->ns[class])
			continue;
		if (c->first == LANE_CLASSES || c->ns[class] > c->ns[c->first]) {
			c->second = c->first;
			c->first = class;
		} else if (c->second == LANE_CLASSES || c->ns[class] > c->ns[c->second]) {
			c->second = class;
		}
	}
}

/* The nearest. */
static uint8_t eighths_of(int64_t part_ns, int64_t all_ns)
{
	return all_ns > 0 ? (uint8_t)(((__int128)part_ns * 16 / all_ns + 1) / 2) : 0;
}

/* What takes no time is something, too. */
static void settle(const struct lane *l, struct cell_time *c, size_t begun, int64_t length_ns)
{
	int64_t busy_ns = 0;

	for (int i = 0; i < LANE_CLASSES; i++)
		busy_ns = sat_add(busy_ns, c->ns[i]);
	choose_classes(c, busy_ns);
	c->eighths = eighths_of(busy_ns, length_ns);
	if (c->second < LANE_CLASSES)
		c->second_eighths = eighths_of(c->ns[c->second], busy_ns);
	if (!busy_ns && c->begun)
		c->first = lane_event(l, begun).class;
	if (!c->eighths && (busy_ns || c->begun))
		c->eighths = 1;
}

void cells_read(const struct lane *l, struct span window, size_t width, struct cell_time *ret)
{
	struct lane_past before, after;

	lane_past(l, window.start_ns, &before);
	for (size_t i = 0; i < width; i++) {
		const int64_t from_ns = cell_edge(window, width, i);
		const int64_t to_ns = cell_edge(window, width, i + 1);

		lane_past(l, to_ns, &after);
		ret[i] = (struct cell_time){.begun = after.begun - before.begun};
		for (int c = 0; c < LANE_CLASSES; c++)
			ret[i].ns[c] = after.ns[c] - before.ns[c];
		settle(l, &ret[i], before.begun, sat_sub(to_ns, from_ns));
		before = after;
	}
}

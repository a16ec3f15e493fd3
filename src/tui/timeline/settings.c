/* How much of each track is shown, and how finely is time marked? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"
#include "text/units.h"

#include <inttypes.h>
#include <stdlib.h>

/* A number that can be changed, in steps. */
struct setting {
	const char *label;
	int least, most;
};

static const struct setting all[SETTINGS] = {
	[SETTING_CHOSEN] = {"rows of the chosen stream", 1, 6},
	[SETTING_OTHERS] = {"rows of the others", 1, 4},
	[SETTING_TICKS] = {"ticks on the ruler", 2, 20},
	[SETTING_DEPTH] = {"depth of ranges", 0, 8},
	[SETTING_LEAST] = {"pass over events shorter than", 0, 30},
};

void settings_begin(struct timeline_state *s)
{
	static const int at_first[SETTINGS] = {[SETTING_CHOSEN] = 2,
					       [SETTING_OTHERS] = 2,
					       [SETTING_TICKS] = 6,
					       [SETTING_DEPTH] = 4};

	memcpy(s->settings, at_first, sizeof(s->settings));
}

/* Powers of ten, each in three steps: 1, 2, 5 µs; 0 for all. */
static int64_t least_of(int step)
{
	static const int64_t steps[] = {1000, 2000, 5000};
	int64_t ns = 1;

	if (!step)
		return 0;
	ns = steps[(step - 1) % 3];
	for (int i = 0; i < (step - 1) / 3; i++)
		ns *= 10;
	return ns;
}

static void draw(struct app *a, struct overlay *o, struct canvas *c, struct area area)
{
	const struct timeline_state *s = o->state;
	const int cols = area.cols < 60 ? area.cols : 60;
	const struct area box = {area.row + 1, area.col + (area.cols - cols) / 2, SETTINGS + 4,
				 cols};

	(void)a;
	canvas_box(c, box, "settings: arrows change them, Enter closes");
	for (int i = 0; i < SETTINGS; i++) {
		const struct look look =
			i == s->setting ? (struct look){.marks = LOOK_REVERSE} : LOOK_PLAIN;
		SCOPED_BUF value = {0};

		if (i == SETTING_LEAST && s->least_ns)
			units_add_ns(&value, (double)s->least_ns);
		else if (i == SETTING_LEAST)
			buf_adds(&value, "none");
		else
			buf_addf(&value, "%d", s->settings[i]);
		canvas_put_padded(c, box.row + 2 + i, box.col + 2, 36, str_of(all[i].label), look);
		canvas_put_right(c, box.row + 2 + i, box.col + 38, 12, buf_str(&value), look);
	}
}

void settings_set(struct timeline_state *s, int setting, int value)
{
	value = value < all[setting].least ? all[setting].least : value;
	value = value > all[setting].most ? all[setting].most : value;
	s->settings[setting] = value;
	lines_list(s);
}

/* From whatever was typed to the step above it, or below. */
static void change_least(struct timeline_state *s, int by)
{
	int step = by > 0 ? 0 : all[SETTING_LEAST].most;

	while (by > 0 ? step < all[SETTING_LEAST].most && least_of(step) <= s->least_ns
		      : step > 0 && least_of(step) >= s->least_ns)
		step += by;
	s->least_ns = least_of(step);
}

static void change(struct timeline_state *s, int by)
{
	if (s->setting == SETTING_LEAST) {
		change_least(s, by);
		return;
	}
	settings_set(s, s->setting, s->settings[s->setting] + by);
}

static int key(struct app *a, struct overlay *o, const struct key_event *k, struct err *e)
{
	struct timeline_state *s = o->state;

	(void)a;
	(void)e;
	switch (k->code) {
	case K_UP:
		s->setting -= s->setting > 0;
		return 0;
	case K_DOWN:
		s->setting += s->setting + 1 < SETTINGS;
		return 0;
	case K_LEFT:
		change(s, -1);
		return 0;
	case K_RIGHT:
		change(s, 1);
		return 0;
	default:
		return OVERLAY_PASSES;
	}
}

static const struct overlay_kind kind = {.draw = draw, .key = key};

void settings_show(struct app *a, struct timeline_state *s)
{
	app_push(a, &kind, s);
}

/* What the timeline's files share: which lines are shown, what is chosen, what was searched for. */
#ifndef TUI_TIMELINE_TIMELINE_VIEW_H
#define TUI_TIMELINE_TIMELINE_VIEW_H

#include "timeline/cells.h"
#include "timeline/scene/hits.h"
#include "tui/app.h"

enum { LABEL_COLS = 16 };

/* Numbers that people may change. */
enum { SETTING_CHOSEN, SETTING_OTHERS, SETTING_TICKS, SETTING_DEPTH, SETTING_LEAST, SETTINGS };

/* A line of the screen: one lane of a track. */
struct line {
	size_t track, lane;
};

/* How a track is shown. */
struct track_state {
	bool is_hidden, is_pinned, is_folded; /* folded: those that belong to it are not shown */
};

struct timeline_state {
	struct scene scene;
	struct track_set *set; /* the scene's */
	struct track_state *tracks;
	struct line *lines; /* in the order in which they are shown */
	size_t line_count, line_cap;
	size_t chosen;		 /* line */
	struct line chosen_lane; /* the chosen line shows it, however many its track shows */
	size_t top;		 /* first line on the screen */
	int64_t cursor_ns;
	struct event_place picked;
	bool whole_names; /* of kernels, with their templates */
	bool is_relative; /* times count from the window's start */
	int64_t least_ns; /* shorter events are passed over */
	int settings[SETTINGS];
	int setting; /* that was changed last */
	bool has_mark, is_dragged;
	int64_t mark_ns, drag_ns;     /* of v, and where the mouse's button went down */
	char *kept;		      /* how rows were left last time; NULL: nobody knows */
	bool is_aligned, awaits_step; /* two runs: at `step`; once there are steps */
	uint32_t step;
	struct span last_gap; /* that was gone to on the chosen line; SPAN_NONE: none */
	struct hits hits;     /* of what was searched for */
	struct cell_time *cells;
	size_t cell_cap;
	int cols;	  /* that cells took when last drawn */
	struct area area; /* that was last drawn in */
};

int timeline_request(struct app *a, struct timeline_state *s, enum request r,
		     const struct key_event *k, struct err *e);
/* What a class is where there are no colours. */
extern const char class_letters[LANE_CLASSES + 1];
bool timeline_legend(size_t i, struct legend *ret);
/* Lists the lines anew: tracks were folded, hidden or pinned. The chosen one stays if it can. */
void lines_list(struct timeline_state *s);
/* The capture that the chosen line is of; NULL: there is no line. */
const struct track_part *chosen_part(const struct timeline_state *s);
const struct lane *line_lane(const struct timeline_state *s, const struct line *l);
void timeline_draw(struct app *a, struct timeline_state *s, struct canvas *c, struct area area);

/*
 * The line of a lane becomes the chosen one: what hides it is undone, a lane that has no line gets
 * one.
 */
void show_line(struct timeline_state *s, size_t track, size_t lane);
/* The row of a->link, if there is one and it is there by now. */
void go_to_row(struct app *a, struct timeline_state *s);
/* Views of a single capture show that of the chosen line. */
void follow_capture(struct app *a, const struct timeline_state *s);
/* The line becomes the chosen one; what was picked elsewhere is no more. */
void choose_line(struct timeline_state *s, size_t line);
/* Picks an event and moves the window so that it is seen. */
void pick_event(struct app *a, struct timeline_state *s, struct event_place p);
struct lane_event picked_event(const struct timeline_state *s);
/* -1 and +1: the event before and after; those that are long enough. */
int pick_neighbour(struct app *a, struct timeline_state *s, int way, struct err *e);
int pick_gap(struct app *a, struct timeline_state *s, int way, struct err *e);
int pick_hit(struct app *a, struct timeline_state *s, int way, struct err *e);
/* The range around what is picked; of an op that which it was launched in, on its GPU. */
int pick_enclosing(struct app *a, struct timeline_state *s, struct err *e);
/* What lies under a place of the screen. */
void pick_at(struct app *a, struct timeline_state *s, int row, int col);

void settings_begin(struct timeline_state *s);
/* To the value, or the nearest that it may have. */
void settings_set(struct timeline_state *s, int setting, int value);
void settings_show(struct app *a, struct timeline_state *s);
/* Two runs are laid over each other at the step that the cursor is in, or the next. */
void align_here(struct app *a, struct timeline_state *s);
/* At the step that somebody's link names, once there are steps. */
void align_as_linked(struct app *a, struct timeline_state *s);
void measure_mark(struct app *a, struct timeline_state *s);
void measure_drag(struct app *a, struct timeline_state *s, int col, bool pans);
/* Kernels, ranges, gaps of what is selected, or of the window. */
void area_table_show(struct app *a);
/* The finding whose evidence is at the cursor, with its text. */
int evidence_show(struct app *a, struct timeline_state *s, struct err *e);
int timeline_search(struct app *a, struct timeline_state *s, const char *pattern, struct err *e);
void timeline_forget_hits(struct timeline_state *s);
/* What was found on a line; NULL: nothing was searched for there. */
const struct lane_hits *line_hits(const struct timeline_state *s, const struct line *l);

/* What an event is called for people: kernels by their short names, unless they want whole ones. */
void add_event_name(struct buf *b, const struct timeline_state *s, const struct track *t,
		    const struct lane_event *e);
/* From a call to what it launched, and back. */
int pick_launch(struct app *a, struct timeline_state *s, struct err *e);
/* What is known of the events of the chosen line's capture; NULL: *e. */
struct facts *timeline_facts(struct app *a, struct timeline_state *s, struct err *e);
/* All that is known of the event that is picked, over the view. */
int details_show(struct app *a, struct timeline_state *s, struct err *e);
/* The same of the gap that is selected: what was before and after it, what the host did. */
int gap_details_show(struct app *a, struct timeline_state *s, struct err *e);
/* "12.345678 s", or "+1.2 ms" where times are relative. */
void add_time(struct buf *b, const struct app *a, const struct timeline_state *s, int64_t at_ns);

/* Parts of the view: see struct view_kind. */
void timeline_arrive(struct app *a, struct view *v);
void timeline_mark(struct app *a, struct view *v, struct bookmark *ret);
void timeline_save(struct app *a, struct view *v, struct buf *b);
void timeline_restore(struct app *a, struct view *v, const char *words);
/* A row that has come is as it was left. */
void timeline_restore_row(struct timeline_state *s, size_t track);

#endif

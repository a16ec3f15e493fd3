/*
 * What a file holds of a track: the tiles of the whole capture from afar, and, where all is wanted,
 * those below them, down to where a tile can list its events.
 */
#ifndef WEB_RECORDED_TRACK_H
#define WEB_RECORDED_TRACK_H

#include "web/packed.h"
#include "web/tile.h"

enum { RECORDED_LANES = 16, RECORDED_AFAR = 4 };

/* Tiles of one level. */
struct recorded_level {
	int64_t *index;
	uint8_t *is_leaf; /* it lists all its events */
	size_t count, cap;
	struct packed cells, events;
};

/* What of a track is to be there. */
struct recorded_wish {
	struct span part;  /* where all its events are wanted, in the end */
	int levels;	   /* of tiles below the uppermost, at all times */
	bool lists_events; /* of tiles that have few: these have nothing below them */
	bool goes_down;	   /* below these levels, too, in the part, down to its events */
};

struct recorded_track {
	struct site *site;
	size_t track;
	uint64_t events; /* that it lists, in leaves */
	bool is_whole;	 /* all its events of the part are there */
	bool is_at_end;	 /* and all others: no wish brings more */
	int top;	 /* the uppermost level: of all that is shown */
	size_t most;	 /* bytes that it may have as text */
	struct recorded_level levels[TILE_LEVELS];
};

/*
 * false: it has more than `most` bytes, which is seen
 * as soon as it has so many, give or take what is still to be packed. For recorded_track_free()
 * either way.
 */
bool recorded_track_make(struct recorded_track *t, struct site *s, size_t track,
			 const struct recorded_wish *w, size_t most);
/*
 * Members of an object: "TRACK/LEVEL": {"index": [3, 5], "leaf": [0, 1], "lanes": 2, "cells": "…",
 * "events": "…"}. Cells are those of each tile, lane by lane, but for leaves below the uppermost
 * level; events an array of what /events says of each, of a leaf with
 * all=1. Both are base64 of gzip.
 */
void recorded_track_write(struct recorded_track *t, struct buf *b);
void recorded_track_free(struct recorded_track *t);

#endif

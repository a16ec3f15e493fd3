/* Tiles of the timeline: 512 cells of some tracks, each as wide as a power of two of nanoseconds.
 */
#ifndef WEB_TILE_H
#define WEB_TILE_H

#include "web/routes.h"

enum { TILE_CELLS = 512, TILE_LEVELS = 53, TILE_MOST_TRACKS = 64, TILE_MOST_LANES = 64 };

struct tile {
	size_t tracks[TILE_MOST_TRACKS]; /* of the set */
	size_t count;
	int level;
	int64_t index;
	size_t lanes;	  /* of a track, at most */
	struct span span; /* on the clock of the lanes */
	bool all;	  /* events of any length are asked for */
	bool whole;	  /* and names of kernels with their templates */
};

int tile_read(const struct site *s, const struct request *r, struct tile *ret, struct err *e);

#endif

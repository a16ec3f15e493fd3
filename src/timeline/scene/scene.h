/*
 * All that a timeline shows, whoever draws it: the tracks of one capture or several, which come in
 * stages, their findings, and what is known of single events.
 */
#ifndef TIMELINE_SCENE_SCENE_H
#define TIMELINE_SCENE_SCENE_H

#include "timeline/facts/facts.h"
#include "timeline/track_set.h"
#include "traces/answer.h"

/* What is known of a capture. */
struct scene_part {
	struct answer findings; /* those of the track, with their texts */
	struct facts *facts;	/* of events; NULL: none was asked for yet */
};

struct scene {
	struct traces *traces;
	const struct ncu_report *ncu; /* what Nsight Compute measured of kernels; or NULL */
	struct track_set *set;
	struct scene_part *parts; /* by part of the set */
	size_t stage;		  /* what is read next */
};

/* An event of a track. */
struct event_place {
	bool any;
	size_t track, lane, at; /* at: its number */
};

/* The tracks of GPUs, which are there in a moment. For scene_close() whether this fails or not. */
int scene_open(struct scene *s, struct traces *t, const struct ncu_report *ncu, struct err *e);
void scene_close(struct scene *s);
bool scene_has_more(const struct scene *s);
/*
 * Reads the next stage of one of the captures, whose tracks come among those that are there. Where
 * it fails the stage is passed over: what one lacks is no reason to do without the others.
 */
int scene_read_more(struct scene *s, struct err *e);
/* What is known of the events of a part; NULL: *e. */
struct facts *scene_facts(struct scene *s, const struct track_part *part, struct err *e);
/* By its number on the track of findings, which has those that have places; NULL: none. */
const struct finding *scene_finding(const struct scene *s, const struct track_part *part,
				    uint32_t number);

struct lane_event scene_event(const struct scene *s, const struct event_place *p);
/* An event of a track that begins then; `any` false: it has none. */
struct event_place scene_find(const struct scene *s, size_t track, uint32_t id, int64_t start_ns);

/* launch_place.c: the call that launched an op, or the first op that a call launched. */
struct launch_place {
	struct event_place place; /* `any` false: nobody knows, or it launched nothing */
	int64_t begun_ns;	  /* from the call's start to the op's */
	int64_t queue_ns;	  /* from its end */
};
/* -1: *e; 1: the capture does not tell which call launched what. */
int scene_find_launch(struct scene *s, const struct event_place *from, struct launch_place *ret,
		      struct err *e);
/* around_place.c: the range around an event; of an op that which it was launched in, on its GPU. */
int scene_find_around(struct scene *s, const struct event_place *from, struct event_place *ret,
		      struct err *e);

#endif

/* What can be asked: one table of routes; each is a function of a file of its own idea. */
#ifndef WEB_ROUTES_H
#define WEB_ROUTES_H

#include "web/server.h"
#include "web/site.h"

/* Who answers. */
enum route_needs {
	NEEDS_NOTHING, /* at once */
	NEEDS_INDEX,   /* the seeker, with the lock, when there are tracks */
	NEEDS_TRACE,   /* the reader */
	/* When there are tracks; these take the lock themselves, for what they look up: */
	NEEDS_BOTH,   /* the reader */
	NEEDS_SEARCH, /* the searcher */
};

typedef int route_fn(struct site *s, const struct request *r, struct reply *ret, struct err *e);

struct route {
	const char *path; /* one that ends in / is of all that begin so */
	const char *method;
	enum route_needs needs;
	bool is_open; /* needs no token: nothing of a trace is in it */
	route_fn *answer;
	const char *quick; /* with this value the index is enough; NULL: there is none */
};

/* NULL: there is none. */
const struct route *route_find(const char *path);
/* For struct server_use. */
bool routes_admit(void *site, const struct request *r, struct reply *ret,
		  struct admission *ret_how);
void routes_answer(void *site, const struct request *r, struct reply *ret);

/* Each ends the file that it is named after. */
route_fn route_page, route_session, route_tracks, route_tile, route_events, route_event, route_near,
	route_around, route_sums, route_gaps, route_gap, route_search, route_hit, route_marks,
	route_api, route_query, route_report;

/* For these: an event, or a lane, that a request names by track, lane and at. */
int route_find_event(struct site *s, const struct request *r, struct event_place *ret,
		     struct err *e);
/* The same where the lane must have events. */
int route_need_event(struct site *s, const struct request *r, struct event_place *ret,
		     struct err *e);
/* A track by its number in a request. */
int route_find_track(const struct site *s, size_t number, size_t *ret, struct err *e);
/* begin=, end=: the limits where they are not there. */
int route_find_window(const struct site *s, const struct request *r, struct span *ret,
		      struct err *e);
/* capture=: 0 where it is not there. */
int route_find_capture(struct site *s, const struct request *r, struct capture **ret,
		       struct err *e);
/* Searches for pattern=, unless that was done: site.hits. By the searcher, without the lock. */
int route_find_hits(struct site *s, const struct request *r, struct err *e);
struct report;
/* Which trace an answer is about. */
void route_set_head(const struct site *s, struct report *r, const struct trace *t);
struct json_writer;
/* What is told of an event in short: see docs/web.md. */
void route_add_brief(struct json_writer *w, const char *key, const struct site *s,
		     const struct event_place *p);
/* Lines of "label\tvalue" as an array of objects. */
void route_add_facts(struct json_writer *w, const char *key, struct str lines);
struct durations;
/* The members of an object. */
void route_add_durations(struct json_writer *w, const struct durations *d);

#endif

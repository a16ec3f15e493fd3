/* Which route is meant, may it be taken, and who goes it? */
#include "web/routes.h"

#include "base/clock.h"
#include "base/mem.h"

#include <string.h>
#include <strings.h>

static const struct route routes[] = {
	{"/", "GET", NEEDS_NOTHING, true, route_page, NULL},
	{"/web/", "GET", NEEDS_NOTHING, true, route_page, NULL},
	{"/session", "GET", NEEDS_NOTHING, false, route_session, NULL},
	{"/tracks", "GET", NEEDS_INDEX, false, route_tracks, NULL},
	{"/tile", "GET", NEEDS_INDEX, false, route_tile, NULL},
	{"/events", "GET", NEEDS_INDEX, false, route_events, NULL},
	{"/event", "GET", NEEDS_BOTH, false, route_event, "brief"},
	{"/near", "GET", NEEDS_INDEX, false, route_near, NULL},
	{"/around", "GET", NEEDS_BOTH, false, route_around, NULL},
	{"/sums", "GET", NEEDS_INDEX, false, route_sums, NULL},
	{"/gaps", "GET", NEEDS_INDEX, false, route_gaps, NULL},
	{"/gap", "GET", NEEDS_BOTH, false, route_gap, NULL},
	{"/search", "GET", NEEDS_SEARCH, false, route_search, NULL},
	{"/hit", "GET", NEEDS_SEARCH, false, route_hit, NULL},
	{"/marks", "GET", NEEDS_SEARCH, false, route_marks, NULL},
	{"/api/", "GET", NEEDS_TRACE, false, route_api, NULL},
	{"/query", "POST", NEEDS_TRACE, false, route_query, NULL},
	{"/report", "GET", NEEDS_TRACE, false, route_report, NULL},
};

const struct route *route_find(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
		const size_t len = strlen(routes[i].path);

		if (strcmp(path, routes[i].path) == 0 ||
		    (len > 1 && routes[i].path[len - 1] == '/' &&
		     strncmp(path, routes[i].path, len) == 0))
			return &routes[i];
	}
	return NULL;
}

static enum route_needs needs_of(const struct route *route, const struct request *r)
{
	return route->quick && request_value(r, route->quick) ? NEEDS_INDEX : route->needs;
}

static struct workers *workers_of(const struct site *s, enum route_needs needs)
{
	switch (needs) {
	case NEEDS_INDEX:
		return s->seeker;
	case NEEDS_SEARCH:
		return s->searcher;
	case NEEDS_TRACE:
	case NEEDS_BOTH:
		return s->reader;
	default:
		return NULL;
	}
}

static bool is_json(const char *type)
{
	static const char json[] = "application/json";

	return type && strncasecmp(type, json, strlen(json)) == 0 &&
	       (!type[strlen(json)] || strchr("; ", type[strlen(json)]));
}

bool routes_admit(void *site, const struct request *r, struct reply *ret, struct admission *ret_how)
{
	struct site *s = site;
	const struct route *route = route_find(r->path);
	const char *twice = request_value_twice(r);
	enum route_needs needs;

	*ret_how = (struct admission){0};
	/* Who may not ask is told nothing of what there is. */
	if (!guard_admit(&s->guard, r, route && route->is_open, ret))
		return false;
	if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "POST") != 0)
		reply_refuse(ret, 405, "GET and POST alone are understood");
	else if (!route)
		reply_refuse(ret, 404, "there is no '%.80s' here", r->path);
	else if (strcmp(r->method, route->method) != 0)
		reply_refuse(ret, 405, "%s is asked with %s", route->path, route->method);
	else if (strcmp(r->method, "POST") == 0 && !is_json(r->content_type))
		reply_refuse(ret, 415, "%s takes application/json", route->path);
	else if (r->has_too_many_values)
		reply_refuse(ret, 400, "there are too many parameters");
	else if (twice)
		reply_refuse(ret, 400, "'%.80s' is there twice", twice);
	if (!route || ret->status)
		return false;
	needs = needs_of(route, r);
	ret_how->workers = workers_of(s, needs);
	ret_how->has_token = guard_has_token(&s->guard, r);
	if (needs == NEEDS_INDEX)
		atomic_store(&s->last_sought_ns, clock_now_ns());
	return true;
}

/* With the lock where the timeline alone is needed, and for who asks where the trace is. */
static int take(struct site *s, const struct route *route, const struct request *r,
		struct reply *ret, struct err *e)
{
	const enum route_needs needs = needs_of(route, r);
	const bool reads = needs == NEEDS_TRACE || needs == NEEDS_BOTH;
	int result = 0;

	if (needs != NEEDS_NOTHING && needs != NEEDS_TRACE && site_wait(s, e) < 0)
		return -1;
	if (reads)
		site_read_for(r);
	if (needs == NEEDS_INDEX)
		site_lock(s);
	result = route->answer(s, r, ret, e);
	if (needs == NEEDS_INDEX)
		site_unlock(s);
	if (reads)
		site_read_for(NULL);
	return result;
}

void routes_answer(void *site, const struct request *r, struct reply *ret)
{
	struct site *s = site;
	const struct route *route = route_find(r->path);
	struct err e = {0};

	if (!route)
		reply_refuse(ret, 404, "there is no '%.80s' here", r->path);
	else if (take(s, route, r, ret, &e) < 0)
		reply_fail(ret, 0, &e);
	else if (!ret->status)
		ret->status = 200;
	if (!ret->type)
		ret->type = "application/json";
	/* That there is no answer is one; what it is says the error. */
	if (r->takes_errors && (ret->status == 400 || ret->status == 422))
		ret->status = 200;
	if (route && needs_of(route, r) == NEEDS_INDEX)
		atomic_store(&s->last_sought_ns, clock_now_ns());
}

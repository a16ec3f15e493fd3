/* GET /api/NAME: what does an analysis say, in the JSON of the command of that name? */
#include "base/mem.h"
#include "cli/named_analysis.h"
#include "report/present.h"
#include "web/routes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those of the page, which no analysis has. */
static bool is_ours(const char *name)
{
	return strcmp(name, "capture") == 0 || strcmp(name, "window") == 0;
}

/* window=BEGIN,END on the page's clock, as --trim on the capture's. */
static int set_window(const struct site *s, const struct request *r, const struct capture *c,
		      struct scope *scope, struct err *e)
{
	const char *text = request_value(r, "window");
	long long begin, end;
	char rest;

	if (!text)
		return 0;
	if (!scope)
		return err_set(e, ERR_USAGE, "%s is about the whole capture", r->path);
	if (request_value(r, "trim"))
		return err_set(e, ERR_USAGE, "window and trim say the same: one of them is enough");
	if (sscanf(text, "%lld,%lld%c", &begin, &end, &rest) != 2 || end < begin)
		return err_set(e, ERR_USAGE, "window takes BEGIN,END in ns, not '%.80s'", text);
	capture_set_window(c, (struct span){site_meant_ns(s, begin), site_meant_ns(s, end)}, scope);
	return 0;
}

static int set_values(struct site *s, const struct request *r, const struct capture *c,
		      struct invocation *inv, struct err *e)
{
	struct scope *scope = inv->asked ? args_scope(inv->analysis->options, inv->asked) : NULL;

	if (scope)
		*scope = c->scope;
	for (size_t i = 0; i < r->value_count; i++) {
		if (!is_ours(r->values[i].name) &&
		    named_analysis_set(inv, r->values[i].name, r->values[i].value, e) < 0)
			return -1;
	}
	return set_window(s, r, c, scope, e);
}

/* Who reads all captures as one reads the files of each, which others look things up in. */
static void lock_members(const struct site *s, const struct capture *c,
			 void (*lock)(struct trace *t))
{
	for (size_t i = 0; c == &s->all && i < s->traces->count; i++)
		lock(s->traces->all[i].trace);
}

int route_api(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	const char *name = r->path + strlen("/api/");
	const struct analysis *a = analysis_find(command_for_word(name), false);
	const struct style words = {.with_words = true};
	struct err failure = {0};
	struct invocation inv;
	struct capture *c;
	int result;

	if (!a) {
		reply_refuse(ret, 404, "there is no analysis '%.80s'", name);
		return 0;
	}
	if (route_find_capture(s, r, &c, e) < 0)
		return -1;
	invocation_init(&inv, a->name, NULL, a);
	route_set_head(s, &inv.report, c->trace);
	result = set_values(s, r, c, &inv, &failure);
	lock_members(s, c, trace_lock);
	if (result == 0)
		result = named_analysis_run(&inv, c->trace, &failure);
	lock_members(s, c, trace_unlock);
	if (result < 0) {
		reply_fail(ret, 0, &failure);
		result = 0;
	} else {
		result = report_add_json(&ret->body, &inv.report, 0, NULL, &words, e);
	}
	invocation_free(&inv);
	return result;
}

/* With which arguments is ncu started? */
#include "capture/ncu_request.h"

#include "base/mem.h"

#include <ctype.h>
#include <inttypes.h>

static const char *or_usual(const char *value, const char *usual)
{
	return value ? value : usual;
}

static void add_pair(struct string_list *w, const char *option, const char *value)
{
	string_list_add(w, option);
	string_list_add(w, value);
}

static void add_filters(const struct ncu_request *q, struct arena *arena, struct string_list *w)
{
	/* An id is ncu's own: names are compared as ncu does by itself. */
	add_pair(w, "--kernel-name-base", q->by_function || q->id ? "function" : "demangled");
	if (q->id) {
		add_pair(w, "--kernel-id", q->id);
	} else {
		string_list_add(w, "--kernel-name");
		string_list_addf(w, arena, "regex:%s", q->pattern);
		string_list_add(w, "--launch-skip");
		string_list_addf(w, arena, "%" PRIu64, q->skip);
	}
	string_list_add(w, "--launch-count");
	string_list_addf(w, arena, "%" PRIu64, q->count);
	if (!q->range)
		return;
	string_list_add(w, "--nvtx");
	add_pair(w, "--nvtx-include", q->range);
}

/* Roofline's sections do not say how full the multiprocessors are, nor what keeps them from it. */
static const char *const usual_sections[] = {"Occupancy", "LaunchStats"};

static bool is_usual(const char *section)
{
	for (size_t i = 0; i < ARRAY_LEN(usual_sections); i++) {
		if (strcmp(section, usual_sections[i]) == 0)
			return true;
	}
	return false;
}

static void add_settings(const struct ncu_settings *s, struct string_list *w)
{
	add_pair(w, "--set", or_usual(s->set, "roofline"));
	for (size_t i = 0; i < ARRAY_LEN(usual_sections); i++)
		add_pair(w, "--section", usual_sections[i]);
	for (size_t i = 0; i < s->section_count; i++) {
		if (!is_usual(s->sections[i]))
			add_pair(w, "--section", s->sections[i]);
	}
	if (s->metrics)
		add_pair(w, "--metrics", s->metrics);
	add_pair(w, "--clock-control", or_usual(s->clock_control, "base"));
	add_pair(w, "--cache-control", or_usual(s->cache_control, "all"));
	add_pair(w, "--replay-mode", or_usual(s->replay_mode, "kernel"));
	for (size_t i = 0; i < s->extra_count; i++)
		string_list_add(w, s->extra[i]);
}

void ncu_request_argv(const struct ncu_request *q, const char *const *command, size_t count,
		      struct arena *arena, struct string_list *ret)
{
	string_list_add(ret, q->ncu);
	add_pair(ret, "--target-processes", "all");
	add_filters(q, arena, ret);
	add_settings(q->settings, ret);
	string_list_add(ret, "--force-overwrite");
	add_pair(ret, "--export", words_literal_path(arena, q->output));
	for (size_t i = 0; i < count; i++)
		string_list_add(ret, command[i]);
}

void ncu_import_argv(const char *ncu, const char *report, const char *page, const char *out,
		     struct arena *arena, struct string_list *ret)
{
	string_list_add(ret, ncu);
	add_pair(ret, "--import", arena_strdup(arena, report));
	add_pair(ret, "--page", page);
	string_list_add(ret, "--csv");
	add_pair(ret, "--log-file", arena_strdup(arena, out));
}

static void add_escaped(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.s[i] && strchr("@,[]/*+\\", s.s[i]))
			buf_addc(b, '\\');
		buf_addc(b, s.s[i]);
	}
}

void ncu_range_add(struct buf *b, struct str domain, struct str name)
{
	if (domain.len) {
		add_escaped(b, domain);
		buf_addc(b, '@');
	}
	add_escaped(b, name);
	buf_addc(b, '/');
}

/* "sm__cycles_active" of "sm__cycles_active.avg". */
static struct str counter_of(struct str metric)
{
	const char *dot = metric.len ? memchr(metric.s, '.', metric.len) : NULL;

	return (struct str){metric.s, dot ? (size_t)(dot - metric.s) : metric.len};
}

void ncu_query_argv(const char *ncu, struct str metric, struct arena *arena,
		    struct string_list *ret)
{
	string_list_add(ret, ncu);
	string_list_add(ret, "--query-metrics");
	add_pair(ret, "--query-metrics-mode", "suffix");
	string_list_add(ret, "--metrics");
	string_list_addf(ret, arena, "%.*s", STR_FMT(counter_of(metric)));
}

/* A line for each of the counter's suffixes. */
bool ncu_query_lists(struct str said, struct str metric)
{
	const struct str counter = counter_of(metric);
	const char *at = said.s, *end = said.s + said.len;

	while (at < end) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((eol ? eol : end) - at);

		if (len > counter.len && memcmp(at, counter.s, counter.len) == 0 &&
		    (at[counter.len] == '.' || isspace((unsigned char)at[counter.len])))
			return true;
		at += len + 1;
	}
	return false;
}

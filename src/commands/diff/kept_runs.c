/* Which runs does a project keep, and how old are they? */
#include "commands/diff/kept_runs.h"

#include "baseline/folder.h"

#include <stdio.h>
#include <time.h>

enum { OLD_DAYS = 90, NS_PER_S = 1000000000 };

int kept_runs_open(struct kept_baseline *ret, const char *name, struct err *e)
{
	SCOPED char *path = baseline_path(name);

	*ret = (struct kept_baseline){0};
	if (baseline_check_name(name, e) < 0 || baseline_must_exist(name, e) < 0)
		return -1;
	return baseline_read(ret, path, e);
}

static void add_text(struct buf *b, const char *option, const char *value)
{
	if (value)
		buf_addf(b, "%s--%s '%s'", b->len ? " " : "", option, value);
}

/* As somebody types it: 0.1, 1.5. */
static void add_seconds(struct buf *b, int64_t ns)
{
	const uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	buf_addf(b, " %s%llu.%09llu", ns < 0 ? "-" : "", (unsigned long long)(size / NS_PER_S),
		 (unsigned long long)(size % NS_PER_S));
	while (b->s[b->len - 1] == '0')
		b->s[--b->len] = '\0';
	if (b->s[b->len - 1] == '.')
		b->s[--b->len] = '\0';
}

static void add_trim(struct buf *b, int64_t from_ns, int64_t to_ns)
{
	buf_adds(b, b->len ? " --trim" : "--trim");
	add_seconds(b, from_ns);
	add_seconds(b, to_ns);
}

/* Earlier baselines have a window in nanoseconds, which nobody can type. */
static void add_kept(struct buf *b, const char *options)
{
	long long from_ns, to_ns;
	int end = 0;

	if (sscanf(options, "--trim %lld %lld ns%n", &from_ns, &to_ns, &end) == 2 && end)
		add_trim(b, from_ns, to_ns);
	buf_adds(b, options + end);
}

void kept_runs_add_options(struct buf *b, const struct run_args *a)
{
	if (a->scope.has_trim)
		add_trim(b, a->scope.from_ns, a->scope.to_ns);
	add_text(b, "marker", a->scope.marker);
	add_text(b, "range", a->range);
	add_text(b, "phase", a->phase);
	add_text(b, "phase-map", a->scope.phase_map ? str_last_part(a->scope.phase_map) : NULL);
	if (a->scope.has_device)
		buf_addf(b, "%s--device %u", b->len ? " " : "", a->scope.device);
	if (a->scope.has_pid)
		buf_addf(b, "%s--pid", b->len ? " " : "");
	add_text(b, "comm", a->comm.comm);
}

int kept_runs_check_options(const struct baseline *b, const struct run_args *a, struct err *e)
{
	SCOPED_BUF options = {0}, kept = {0};

	kept_runs_add_options(&options, a);
	add_kept(&kept, b->options);
	if (str_eq(buf_str(&kept), buf_str(&options)))
		return 0;
	err_set(e, ERR_INPUT, "the steps of the baseline were chosen with %s, these with %s",
		kept.len ? kept.s : "no options", options.len ? options.s : "no options");
	return err_hint(e, "give the same options, or --anyway");
}

static bool day_of(const char *text, time_t *ret)
{
	struct tm tm = {0};

	if (!text[0] || !strptime(text, "%Y-%m-%d", &tm))
		return false;
	*ret = timegm(&tm);
	return true;
}

void kept_runs_warn_old(struct report *r, const char *name, const struct baseline *b,
			const char *today)
{
	const char *newest = baseline_date(b, true);
	time_t then, now;

	if (!day_of(newest, &then) || !day_of(today, &now) ||
	    now - then <= (time_t)OLD_DAYS * 24 * 3600)
		return;
	report_warning(r,
		       "the newest run of the baseline '%s' is of %s, %ld days ago: what changed "
		       "since, such as a driver, is held against these runs; gpuwhy baseline "
		       "update adds new ones",
		       name, newest, (long)((now - then) / (24 * 3600)));
}

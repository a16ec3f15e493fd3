/* How sure does a comparison have to be? */
#include "commands/diff/compare_args.h"

#include "text/decimal.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double usual_tolerance = 0.02;

enum { WARNED_PAIRS = 20, WARNED_NAME = 100 };

/* "2", "2%" or "2 %". */
static int parse_percent(const char *name, const char *value, double *ret, struct err *e)
{
	struct str text = str_trimmed(str_of(value));
	char number[32];

	if (str_ends(text, "%"))
		text = str_trimmed((struct str){text.s, text.len - 1});
	snprintf(number, sizeof(number), "%.*s", STR_FMT(text));
	*ret = strtod(number, NULL);
	if (text.len >= sizeof(number) || !decimal_is_plain(number) || *ret < 0 || *ret > 1000)
		return option_bad_value(name, value, "a number of percent", e);
	return 0;
}

static int set_tolerance(void *args, const char *name, const char *value, struct err *e)
{
	struct compare_args *a = args;

	a->has_tolerance = true;
	return parse_percent(name, value, &a->tolerance_pct, e);
}

static int set_run_sd(void *args, const char *name, const char *value, struct err *e)
{
	struct compare_args *a = args;

	a->has_run_sd = true;
	return parse_percent(name, value, &a->run_sd_pct, e);
}

double compare_args_tolerance(const struct compare_args *a)
{
	return a->has_tolerance ? a->tolerance_pct / 100 : usual_tolerance;
}

struct compare_options compare_args_options(const struct compare_args *a)
{
	return (struct compare_options){
		.tolerance = compare_args_tolerance(a),
		.has_run_sd = a->has_run_sd,
		.run_sd = a->run_sd_pct / 100,
		.paired = a->paired,
		.seed = COMPARE_SEED,
	};
}

/* Of steps that are not the same work, a part that both have can be compared. */
static int hint_at_range(const struct diff *d, struct err *e)
{
	const struct str range =
		steps_are_unlike(&d->sides) ? range_in_common(&d->sides) : (struct str){0};

	if (range.len)
		return err_hint(e,
				"both sides have the range '%.*s', which --range '%.*s' compares; "
				"--anyway compares the steps nevertheless",
				STR_FMT(range), STR_FMT(range));
	return err_hint(e, "--anyway compares them nevertheless");
}

int compare_args_check(const struct compare_args *a, const struct diff *d, struct err *e)
{
	for (size_t i = 0; !a->anyway && i < d->hindrances.count; i++) {
		const struct hindrance *h = &d->hindrances.all[i];

		if (!h->forbids)
			continue;
		err_set(e, ERR_INPUT, "these cannot be compared: %s before: %s, after: %s; %s",
			h->what, hindrance_value(h, BEFORE), hindrance_value(h, AFTER), h->means);
		return hint_at_range(d, e);
	}
	return 0;
}

int compare_args_diff(const struct compare_args *a, const struct compare_options *how,
		      const struct sides *lists, struct match_map *map, struct diff *ret,
		      struct err *e)
{
	const struct side_runs *b = &lists->of[BEFORE], *n = &lists->of[AFTER];
	struct diff_options options = {.compare = *how};

	*ret = (struct diff){0};
	*map = (struct match_map){0};
	if (a->paired && b->run_count != n->run_count)
		return err_set(e, ERR_USAGE,
			       "--paired needs as many runs before as after: there %s %zu before "
			       "and %zu after",
			       b->run_count == 1 ? "is" : "are", b->run_count, n->run_count);
	if (a->map && match_map_read(map, a->map, e) < 0)
		return -1;
	options.map = a->map ? map : NULL;
	diff_make(ret, b->runs, b->run_count, n->runs, n->run_count, &options);
	return compare_args_check(a, ret, e);
}

/* How many captures of a side have a warning, up to one of them; 0: it is no news after that. */
static size_t count_like(const struct side_runs *s, size_t until, const char *text)
{
	size_t count = 0;

	for (size_t run = 0; run < s->run_count; run++) {
		const struct run_facts *f = &s->runs[run]->facts;

		for (size_t i = 0; i < f->warning_count; i++) {
			if (strcmp(f->warnings[i], text) != 0)
				continue;
			if (run < until)
				return 0;
			count++;
			break;
		}
	}
	return count;
}

/* What the captures of a side lack, each thing once. */
static void warn_of_captures(struct report *r, const struct diff *d, enum side side)
{
	const struct side_runs *s = &d->sides.of[side];
	const char *where = side == BEFORE ? "before" : "after";

	for (size_t run = 0; run < s->run_count; run++) {
		const struct run_facts *f = &s->runs[run]->facts;

		for (size_t i = 0; i < f->warning_count; i++) {
			const size_t like = count_like(s, run, f->warnings[i]);

			if (like && s->run_count == 1)
				report_warning(r, "%s: %s", where, f->warnings[i]);
			else if (like)
				report_warning(r, "%s, %zu of %zu captures: %s", where, like,
					       s->run_count, f->warnings[i]);
		}
	}
}

void compare_args_warn(struct report *r, const struct match_map *map, const struct diff *d)
{
	size_t said = 0;

	warn_of_captures(r, d, BEFORE);
	warn_of_captures(r, d, AFTER);
	for (size_t i = 0; i < map->count; i++) {
		const char *why = match_map_idle(map, i, &d->matches, &d->sides);
		SCOPED_BUF b = {0};

		if (!why)
			continue;
		if (said++ == WARNED_PAIRS) {
			report_warning(r, "--map: and so do others");
			return;
		}
		buf_adds(&b, "--map: '");
		text_add_elided(&b, map->names[BEFORE][i], WARNED_NAME);
		buf_adds(&b, "' → '");
		text_add_elided(&b, map->names[AFTER][i], WARNED_NAME);
		report_warning(r, "%s' matches nothing: %s", b.s, why);
	}
}

const struct option_group compare_arg_options =
	OPTIONS(struct compare_args,
		OPT_CUSTOM("tolerance", "PERCENT", set_tolerance,
			   "changes of up to this much are none (default: 2)"),
		OPT_CUSTOM("run-sd", "PERCENT", set_run_sd,
			   "standard deviation of step times from run to run; not of pairs"),
		OPT_FLAG("paired", struct compare_args, paired,
			 "the first run before belongs to the first after, and so on"),
		OPT_FILE("map", struct compare_args, map, "FILE", "a file name", ACCESS_READS,
			 "kernels that are the same: {\"name before\": \"name after\"}"),
		OPT_FLAG("anyway", struct compare_args, anyway,
			 "compare captures of different GPUs, or otherwise not alike"));

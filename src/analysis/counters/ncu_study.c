/* What was measured, and how much of the run is that? */
#include "analysis/counters/ncu_study.h"

#include "analysis/cell_values.h"
#include "analysis/window.h"
#include "base/saturate.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

int ncu_study_make(struct ncu_study *s, const struct ncu_report *ncu, struct trace *t,
		   const struct scope *p, struct err *e)
{
	*s = (struct ncu_study){.ncu = ncu};
	ncu_groups_make(&s->groups, ncu, false);
	if (!t)
		return 0;
	if (trace_require(t, TRACE_KERNELS, e) < 0 ||
	    ncu_join_make(&s->join, ncu, &s->groups, t, p, e) < 0)
		return -1;
	s->joined = true;
	return 0;
}

void ncu_study_free(struct ncu_study *s)
{
	ncu_groups_free(&s->groups);
	ncu_join_free(&s->join);
}

double ncu_study_time(const struct ncu_study *s, size_t group)
{
	const struct ncu_traced *t;

	if (!s->joined)
		return s->groups.all[group].duration_ns;
	t = ncu_join_traced(&s->join, group);
	return t ? (double)t->total_ns : NAN;
}

double ncu_study_whole(const struct ncu_study *s)
{
	return s->joined ? (double)s->join.total_ns : s->groups.duration_ns;
}

static void note_measured(const struct ncu_study *s, struct report *r)
{
	const struct str device = s->groups.all[0].device_name;
	struct buf b = {0};

	buf_addf(&b, "ncu measured %zu launch%s of %zu kernel%s", s->ncu->count,
		 s->ncu->count == 1 ? "" : "es", s->groups.count, s->groups.count == 1 ? "" : "s");
	if (device.len) {
		buf_adds(&b, " on ");
		text_add_safe(&b, device);
	}
	if (s->groups.duration_ns > 0) {
		buf_adds(&b, ", ");
		units_add_ns(&b, s->groups.duration_ns);
		buf_adds(&b, " in total, run serially");
	}
	if (!s->joined)
		buf_adds(&b, ". Give a trace of the run too, to see their share of it");
	report_note(r, "%s.", b.s);
	buf_free(&b);
}

static void note_share(const struct ncu_study *s, struct report *r)
{
	const struct ncu_join *j = &s->join;
	struct buf b = {0};

	if (!s->joined || j->total_ns <= 0)
		return;
	r->has_coverage = true;
	r->coverage = (double)j->joined_ns / (double)j->total_ns;
	buf_adds(&b, "These kernels take ");
	units_add_fixed(&b, 100 * r->coverage, 1);
	buf_adds(&b, "% of the kernel time in the window: ");
	units_add_ns(&b, (double)j->joined_ns);
	buf_adds(&b, " of ");
	units_add_ns(&b, (double)j->total_ns);
	report_note(r, "%s.", b.s);
	buf_free(&b);
}

static size_t count_fits(const struct ncu_study *s, enum ncu_fit fit)
{
	size_t n = 0;

	for (size_t g = 0; g < s->join.group_count; g++)
		n += s->join.of_group[g].fit == fit;
	return n;
}

static void warn_of_unjoined(const struct ncu_study *s, struct report *r)
{
	size_t several = count_fits(s, NCU_FIT_SEVERAL), none = count_fits(s, NCU_FIT_NONE);

	if (!s->joined)
		return;
	if (several)
		report_warning(r,
			       "%zu profiled kernel%s could match several kernels of the trace, by "
			       "name and grid; to resolve this, profile with full names: ncu "
			       "--kernel-name-base demangled",
			       several, several == 1 ? "" : "s");
	if (none)
		report_warning(r,
			       "%zu profiled kernel%s not in the trace's window: times in the "
			       "run are left empty",
			       none, none == 1 ? " is" : "s are");
}

static void warn_of_grids(const struct ncu_study *s, struct report *r)
{
	struct ncu_grids grids = {0};

	for (size_t g = 0; g < s->groups.count; g++)
		ncu_grids_add(&grids, s, g);
	ncu_grids_warn(&grids, r,
		       "headroom and gains are assumed to be the same at the other grids, which "
		       "may be wrong, and are left empty for kernels without any matching grid");
}

/* `one` and `several`: what is with one of them, and with several. */
static void warn_of_count(struct report *r, uint64_t count, const char *what, const char *one,
			  const char *several, const char *means)
{
	if (count)
		report_warning(r, "%llu %s%s in the CSVs %s%s", (unsigned long long)count, what,
			       count == 1 ? "" : "s", count == 1 ? one : several, means);
}

static void warn_of_lines(const struct ncu_study *s, struct report *r)
{
	warn_of_count(r, s->ncu->strange_lines, "line", "was not a row and was",
		      "were not rows and were", " left out");
	warn_of_count(r, s->ncu->short_rows, "row", "is", "are",
		      " cut short: the missing values are unknown. Write the CSVs again with ncu");
	warn_of_count(r, s->ncu->long_rows, "row", "has", "have",
		      " more cells than the header: their values are unknown. A number such as "
		      "1,234 needs quotes");
}

static void add_columns(struct buf *b, const struct ncu_doubts *d)
{
	for (size_t i = 0; i < d->column_count; i++) {
		buf_adds(b, i ? ", " : "");
		text_add_safe(b, d->columns[i]);
	}
	buf_adds(b, d->more ? ", …" : "");
}

/* `what` and `whats`: what is with one value, and with several. */
static void warn_of_doubts(const struct ncu_doubts *d, struct report *r, const char *what,
			   const char *whats, const char *why)
{
	struct buf b = {0};

	if (!d->values)
		return;
	add_columns(&b, d);
	report_warning(r, "%llu CSV value%s %s, in %s: %s", (unsigned long long)d->values,
		       d->values == 1 ? "" : "s", d->values == 1 ? what : whats, b.s, why);
	buf_free(&b);
}

static void warn_of_values(const struct ncu_study *s, struct report *r)
{
	warn_of_doubts(&s->ncu->unusable, r, "is unusable and treated as unknown",
		       "are unusable and treated as unknown",
		       "negative, not a finite number, or in the wrong unit");
	warn_of_doubts(&s->ncu->repeated, r, "differs from an earlier column with the same title",
		       "differ from an earlier column with the same title",
		       "the first column is used");
}

static void warn_of_lacking(const struct ncu_study *s, struct report *r)
{
	uint32_t lacking = 0;
	size_t launches = 0;
	struct buf b = {0};

	for (size_t i = 0; i < s->ncu->count; i++) {
		lacking |= s->ncu->kernels[i].lacking;
		launches += s->ncu->kernels[i].lacking != 0;
	}
	if (!launches)
		return;
	ncu_lacking_add(&b, lacking);
	report_warning(r,
		       "FLOPs and intensity of %zu launch%s are unknown: the CSVs lack a value for "
		       "%s, although they contain related counters",
		       launches, launches == 1 ? "" : "es", b.s);
	buf_free(&b);
}

int ncu_study_head(const struct ncu_study *s, const char *title, struct trace *t,
		   const struct scope *p, struct report *r, struct err *e)
{
	const struct analysis head = {.title = title, .needs = NEEDS(TRACE_KERNELS)};

	if (t && window_report(r, &head, t, p, NULL, e) < 0)
		return -1;
	if (!t)
		report_heading(r, "%s", title);
	note_measured(s, r);
	note_share(s, r);
	if (t && ncu_devices_warn(s->ncu, t, p, r, e) < 0)
		return -1;
	warn_of_unjoined(s, r);
	warn_of_grids(s, r);
	warn_of_lines(s, r);
	warn_of_values(s, r);
	warn_of_lacking(s, r);
	return 0;
}

/* Did ncu see launches like those of the run? */

/* Below this much the mean of a kernel's launches may be that of others. */
enum { SEEN_ENOUGH_PCT = 95 };

bool ncu_grids_speak(const struct ncu_study *s, size_t group)
{
	return !s->joined || s->join.of_group[group].measured_ns != 0;
}

double ncu_grids_time(const struct ncu_study *s, size_t group)
{
	return ncu_grids_speak(s, group) ? ncu_study_time(s, group) : NAN;
}

struct cell ncu_grids_cell(const struct ncu_study *s, size_t group)
{
	const struct ncu_traced *t = s->joined ? ncu_join_traced(&s->join, group) : NULL;
	const int64_t seen_ns = t ? s->join.of_group[group].measured_ns : NCU_UNSAID;

	return seen_ns == NCU_UNSAID ? cell_null() : pct_cell(seen_ns, t->total_ns);
}

void ncu_grids_add(struct ncu_grids *g, const struct ncu_study *s, size_t group)
{
	const struct ncu_traced *t = s->joined ? ncu_join_traced(&s->join, group) : NULL;
	const int64_t seen_ns = t ? s->join.of_group[group].measured_ns : 0;

	if (!t)
		return;
	g->of_ns = sat_add(g->of_ns, t->total_ns);
	g->unseen += seen_ns == 0;
	if (seen_ns == NCU_UNSAID)
		g->unsaid_ns = sat_add(g->unsaid_ns, t->total_ns);
	else
		g->seen_ns = sat_add(g->seen_ns, seen_ns);
}

static double percent(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 100;
}

void ncu_grids_warn(const struct ncu_grids *g, struct report *r, const char *consequence)
{
	const double seen = percent(g->seen_ns, sat_sub(g->of_ns, g->unsaid_ns));

	if (g->unsaid_ns)
		report_warning(
			r,
			"for %.0f%% of these kernels' time it is unknown whether ncu measured the "
			"same grids: the trace or the CSV does not contain them",
			percent(g->unsaid_ns, g->of_ns));
	if (seen < SEEN_ENOUGH_PCT)
		report_warning(
			r, "the grids that ncu measured cover %.0f%% of these kernels' time: %s",
			seen, consequence);
	else if (g->unseen)
		report_warning(r,
			       "ncu measured %zu of these kernels only at grids that do not occur "
			       "in the run: %s",
			       g->unseen, consequence);
}

const struct ncu_group *ncu_study_find(const struct ncu_study *s, struct str kernel)
{
	for (size_t g = 0; s->joined && g < s->groups.count; g++) {
		const struct ncu_traced *t = ncu_join_traced(&s->join, g);

		if (t && str_eq(t->name, kernel))
			return ncu_grids_time(s, g) > 0 ? &s->groups.all[g] : NULL;
	}
	return NULL;
}

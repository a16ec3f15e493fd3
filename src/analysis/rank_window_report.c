/* Which windows does an answer about ranks speak of? */
#include "analysis/rank_window.h"
#include "base/buf.h"
#include "base/units.h"

/* What windows are like together. */
struct hull {
	struct span all;
	int64_t shortest_ns, longest_ns;
	size_t count;
};

static struct hull hull_of(const struct rank_windows *w)
{
	struct hull h = {0};
	struct span s;

	for (size_t i = 0; i < w->count; i++) {
		int64_t ns;

		if (!rank_window_bounds(w, i, &s))
			continue;
		ns = sat_sub(s.end_ns, s.start_ns);
		if (!h.count++)
			h = (struct hull){s, ns, ns, 1};
		h.all.start_ns = s.start_ns < h.all.start_ns ? s.start_ns : h.all.start_ns;
		h.all.end_ns = s.end_ns > h.all.end_ns ? s.end_ns : h.all.end_ns;
		h.shortest_ns = ns < h.shortest_ns ? ns : h.shortest_ns;
		h.longest_ns = ns > h.longest_ns ? ns : h.longest_ns;
	}
	return h;
}

static void tell_lengths(struct buf *b, const struct hull *h)
{
	if (!h->count)
		return;
	buf_adds(b, h->count > 1 ? ", each of " : ", of ");
	units_add_ns(b, (double)h->shortest_ns);
	if (h->longest_ns > h->shortest_ns) {
		buf_adds(b, " to ");
		units_add_ns(b, (double)h->longest_ns);
	}
}

static void tell_source(const struct rank_windows *w, const struct hull *h, const struct params *p,
			struct report *r)
{
	struct buf b = {0};

	if (w->source == WINDOW_ANCHOR) {
		buf_addf(&b, "the window of a rank is its median range '%s'", w->pattern);
		if (p->has_iteration)
			buf_addf(&b, " in its iteration %llu", (unsigned long long)p->iteration);
		tell_lengths(&b, h);
	} else if (w->source == WINDOW_STEP) {
		buf_adds(&b, "the window of a rank is its ");
		if (p->has_iteration)
			buf_addf(&b, "iteration %llu of %s", (unsigned long long)p->iteration,
				 w->steps);
		else
			buf_addf(&b, "median step of %s", w->steps);
		tell_lengths(&b, h);
		if (p->has_iteration && !w->gpu)
			buf_adds(&b, " on the host");
	} else if (w->source == WINDOW_WHOLE) {
		buf_adds(&b, "the window is the whole capture: it shows no steps");
	}
	if (w->gpu && b.len && w->source != WINDOW_WHOLE)
		buf_adds(&b, " on the GPU, from the first to the last that it launched");
	if (!p->has_iteration && (w->source == WINDOW_STEP || w->source == WINDOW_WHOLE))
		buf_adds(&b, "; --anchor REGEX asks about one range instead");
	if (b.len)
		report_note(r, "%s", b.s);
	buf_free(&b);
}

static void warn_without(const struct rank_windows *w, const struct rank_map *m, struct report *r,
			 const struct trace *t, const struct params *p)
{
	size_t ranges = 0, gpu = 0;

	for (size_t i = 0; i < w->count; i++) {
		ranges += rank_is_asked(t, p, &m->all[i]) && !w->of_rank[i].found;
		gpu += w->gpu && w->of_rank[i].found && !w->of_rank[i].has_gpu;
	}
	if (ranges && w->source == WINDOW_STEP)
		report_warning(r, "%zu ranks have no such steps and are left out", ranges);
	else if (ranges)
		report_warning(r, "%zu ranks have no range that matches '%s' and are left out",
			       ranges, w->pattern);
	if (gpu)
		report_warning(r, "%zu ranks launched nothing in their window and are left out",
			       gpu);
}

int rank_windows_report(const struct rank_windows *w, const struct rank_map *m, struct report *r,
			const struct analysis *a, struct trace *t, const struct params *p,
			struct err *e)
{
	struct hull h = hull_of(w);
	struct params shown = *p;

	shown.has_trim = h.count && (w->source != WINDOW_WHOLE || w->gpu);
	shown.from_ns = h.all.start_ns;
	shown.to_ns = h.all.end_ns;
	if (window_report(r, a, t, &shown, e) < 0)
		return -1;
	tell_source(w, &h, p, r);
	warn_without(w, m, r, t, p);
	return 0;
}

/* Did the instances of a stage take the same time? */
#include "analysis/mfu/mfu_walls.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

/* An instance that takes as many times as long as is usual is none like the others. */
enum { WARM_UP_TIMES = 3 };

struct mfu_walls mfu_walls_of(const struct mfu_stage *s)
{
	int64_t *ns = mem_alloc(s->count, sizeof(*ns)), *scratch = mem_alloc(s->count, sizeof(*ns));
	const size_t low = (s->count - 1) / 2, high = s->count / 2;
	double sum = 0, squares = 0;
	struct mfu_walls w = {0};

	for (size_t i = 0; i < s->count; i++) {
		ns[i] = sat_sub(s->instances[i].to_ns, s->instances[i].from_ns);
		sum += (double)ns[i];
	}
	sort_i64(ns, scratch, s->count);
	w.mean = sum / (double)s->count;
	for (size_t i = 0; i < s->count; i++)
		squares += ((double)ns[i] - w.mean) * ((double)ns[i] - w.mean);
	w.min = ns[0];
	w.max = ns[s->count - 1];
	w.p50 = ((double)ns[low] + (double)ns[high]) / 2;
	w.stddev = s->count > 1 ? sqrt(squares / (double)(s->count - 1)) : 0;
	free(ns);
	free(scratch);
	return w;
}

/* Where there are more of them than of instances, an instance holds several passes. */
static void note_inside(struct report *r, const struct mfu_stage *s, struct str name)
{
	unsigned long long inside = 0;

	for (size_t i = 0; i < s->count; i++)
		inside += s->instances[i].inside;
	if (inside > s->count)
		report_note(r,
			    "Only the outermost '%.*s' ranges count: %llu ranges of the same name "
			    "are nested in them.",
			    STR_FMT(name), inside);
}

void mfu_note_counted(struct report *r, const struct mfu_stage *s, struct str name,
		      const struct scope *p)
{
	if (s->cut)
		report_note(r, "Left out: %llu of '%.*s' that the window cuts.",
			    (unsigned long long)s->cut, STR_FMT(name));
	if (s->open)
		report_note(r, "Left out: %llu of '%.*s' that were never closed.",
			    (unsigned long long)s->open, STR_FMT(name));
	if (s->elsewhere)
		report_note(r,
			    "Left out: %llu of the %llu of '%.*s', which launched nothing on "
			    "device %u.",
			    (unsigned long long)s->elsewhere,
			    (unsigned long long)s->elsewhere + s->count, STR_FMT(name), p->device);
	note_inside(r, s, name);
}

void mfu_add_warm_up(struct buf *found, const struct mfu_stage *s, struct str name)
{
	const struct mfu_walls w = mfu_walls_of(s);
	/* The median of two is in the middle between them: it says nothing of either. */
	const bool two = s->count == 2;
	const double usual = two ? (double)w.min : w.p50;

	if (usual <= 0 || (double)w.max <= WARM_UP_TIMES * usual)
		return;
	buf_addf(found, "%s of '%.*s' %s%.0f times %s", found->len ? "," : "The longest",
		 STR_FMT(name), found->len ? "" : "took ", (double)w.max / usual,
		 two ? "the other" : "the median");
}

void mfu_note_warm_ups(struct report *r, struct buf *found, const char *more)
{
	if (found->len)
		report_note(r, "%s: if it is warm-up, use --trim FROM TO to skip it%s.", found->s,
			    more);
	buf_free(found);
}

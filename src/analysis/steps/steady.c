/* Which steps are warm? */
#include "analysis/steps/steady.h"

#include "analysis/numbers/summary.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "base/span.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHART_WIDTH = 40,
	FAR_APART = 4,
	LEADING_MAX = 100, /* each is compared with all that follow */
	ALIKE_MIN = 3,	   /* steps that say how much steps differ */
};

static const double slow = 2;	      /* times what warm steps take */
static const double slower = 1.5;     /* … is enough, if it is also … */
static const double far_off = 10;     /* times as much more as these differ */
static const double rarely = 0.05;    /* of the cold steps is as fast as warm ones */
static const double as_long = 1.25;   /* times as long, at most, is as long */
static const double nearly_all = 0.8; /* of the steps that follow: one may be slow, too */

/* From each step's start to the next one's: what happens between two belongs to the first. */
static int64_t *list_periods(const struct iteration *steps, size_t count)
{
	int64_t *ns = mem_alloc(count, sizeof(*ns));

	for (size_t i = 0; i + 1 < count; i++)
		ns[i] = sat_sub(steps[i + 1].from_ns, steps[i].from_ns);
	ns[count - 1] = iteration_ns(&steps[count - 1]);
	return ns;
}

static int64_t *list_host_times(const struct iteration *steps, size_t count)
{
	int64_t *ns = mem_alloc(count, sizeof(*ns));

	for (size_t i = 0; i < count; i++)
		ns[i] = sat_sub(steps[i].end_ns, steps[i].start_ns);
	return ns;
}

/* The time that this share of them takes at most. */
static double time_at(const int64_t *ns, size_t count, double share)
{
	int64_t *sorted = mem_alloc(count, sizeof(*sorted));
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));
	double at;

	memcpy(sorted, ns, count * sizeof(*sorted));
	sort_i64(sorted, scratch, count);
	at = quantile(sorted, count, share);
	free(scratch);
	free(sorted);
	return at;
}

/* Where slow steps end: as few as may be are fast before it, or slow after it. */
static size_t find_turn(const int64_t *ns, size_t count, double slow_ns)
{
	size_t errors = 0, fewest, turn = 0;

	for (size_t i = 0; i < count; i++)
		errors += (double)ns[i] > slow_ns;
	fewest = errors;
	for (size_t i = 0; i + 2 < count; i++) {
		errors = (double)ns[i] > slow_ns ? errors - 1 : errors + 1;
		if (errors < fewest) {
			fewest = errors;
			turn = i + 1;
		}
	}
	return turn;
}

/* Where steps hardly differ from each other, one that is far from them all is of another kind. */
static bool stands_out(int64_t ns, const int64_t *rest, size_t count)
{
	const double usual = time_at(rest, count, 0.5);
	const double spread =
		time_at(rest, count, nearly_all) - time_at(rest, count, 1 - nearly_all);

	return count >= ALIKE_MIN && (double)ns > slower * usual &&
	       (double)ns - usual > far_off * spread;
}

/*
 * How many are slower than nearly all that come after them. What fills the queue for the others is
 * longer than they are, too, but not on the host.
 */
static size_t count_leading(const int64_t *ns, const int64_t *host_ns, size_t count)
{
	size_t n = 0, rest = count - 1;

	while (n + 2 < count && n < LEADING_MAX &&
	       ((double)ns[n] > slow * time_at(&ns[n + 1], rest, nearly_all) ||
		(stands_out(ns[n], &ns[n + 1], rest) &&
		 (double)host_ns[n] > slower * time_at(&host_ns[n + 1], rest, 0.5)))) {
		n++;
		rest--;
	}
	return n;
}

/* Few may be warm, if nearly none was before: else fast steps are a mode that comes again. */
static size_t find_late_turn(const int64_t *ns, size_t count, size_t otherwise)
{
	const double warm_ns =
		count > ALIKE_MIN ? time_at(&ns[count - ALIKE_MIN], ALIKE_MIN, 0.5) : 0;
	const size_t turn = warm_ns > 0 ? find_turn(ns, count, slow * warm_ns) : 0;
	size_t fast = 0;

	for (size_t i = 0; i < turn; i++)
		fast += (double)ns[i] <= slow * warm_ns;
	return turn && count - turn >= ALIKE_MIN && (double)fast <= rarely * (double)turn &&
			       time_at(ns, turn, 0.5) >
				       slow * time_at(&ns[turn], count - turn, nearly_all)
		       ? turn
		       : otherwise;
}

/*
 * Whether steps as long as the first ones come again and again, at least twice as many: the first
 * request of a server begins with a prefill as all do, and is no warm-up.
 */
static bool come_again(const int64_t *ns, size_t count, size_t turn)
{
	const double usual = turn ? time_at(ns, turn, 0.5) : 0;
	size_t again = 0;

	for (size_t i = turn; i < count; i++)
		again += (double)ns[i] * as_long >= usual;
	return turn && again >= 2 * turn;
}

size_t steady_count_cold(const struct iteration *steps, size_t count)
{
	const size_t late = (count + 2) / 3; /* the last third is warm, if anything is */
	int64_t *ns, *host_ns;
	size_t turn;

	if (count < 3)
		return 0;
	ns = list_periods(steps, count);
	host_ns = list_host_times(steps, count);
	turn = find_turn(ns, count, slow * time_at(&ns[count - late], late, 0.5));
	if (!turn || time_at(ns, turn, 0.5) <= slow * time_at(&ns[turn], count - turn, nearly_all))
		turn = count_leading(ns, host_ns, count);
	if (turn <= 1)
		turn = find_late_turn(ns, count, turn);
	if (come_again(ns, count, turn))
		turn = 0;
	free(host_ns);
	free(ns);
	return turn;
}

static const char *describe(const struct iterations *it, size_t count, size_t cold,
			    struct arena *arena)
{
	if (!it->name && cold)
		return arena_printf(arena, "warm: the last %zu of %zu %s", count - cold, count,
				    it->what);
	if (!it->name)
		return arena_printf(arena, "all %zu %s", count, it->what);
	if (cold)
		return arena_printf(arena, "warm steps %zu to %zu of %zu '%s'", cold + 1, count,
				    count, it->name);
	return arena_printf(arena, "all %zu steps '%s'", count, it->name);
}

/* The longest of the steps that share a bar. */
static int64_t longest_ns(const struct iteration *steps, size_t begin, size_t end)
{
	int64_t ns = 1;

	for (size_t i = begin; i < end; i++)
		ns = iteration_ns(&steps[i]) > ns ? iteration_ns(&steps[i]) : ns;
	return ns;
}

/* How long each step took, at a glance; where they differ by far, by their logarithms. */
static const char *draw(const struct iteration *steps, size_t count, struct arena *arena)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	const size_t highest = ARRAY_LEN(bars) - 1;
	const size_t width = count < CHART_WIDTH ? count : CHART_WIDTH;
	const double most = (double)longest_ns(steps, 0, count);
	double least = most;
	struct buf b = {0};
	const char *text;

	for (size_t i = 0; i < count; i++)
		least = fmin(least, (double)longest_ns(steps, i, i + 1));
	for (size_t i = 0; i < width; i++) {
		const double ns =
			(double)longest_ns(steps, i * count / width, (i + 1) * count / width);
		const double share =
			most > FAR_APART * least ? log(ns / least) / log(most / least) : ns / most;

		buf_adds(&b, bars[(size_t)(share * (double)highest)]);
	}
	text = arena_strdup(arena, b.s);
	buf_free(&b);
	return text;
}

double steady_median_ns(const struct iteration *steps, size_t count)
{
	int64_t *ns = mem_alloc(count, sizeof(*ns));
	double median;

	for (size_t i = 0; i < count; i++)
		ns[i] = iteration_ns(&steps[i]);
	median = sort_median(ns, count);
	free(ns);
	return median;
}

/* What the usual warm step takes; 0: there are none. */
static int64_t usual_ns(const struct iterations *it, size_t cold)
{
	const struct iteration_lane *lane = &it->lanes[it->main_lane];

	if (lane->count <= cold)
		return 0;
	return sat_of_double(steady_median_ns(lane_steps(it, lane) + cold, lane->count - cold));
}

static const char *chart(const struct iterations *it, size_t cold, struct arena *arena)
{
	const struct iteration_lane *lane = &it->lanes[it->main_lane];
	struct buf b = {0};
	const char *text;

	buf_addf(&b, "Steps  %s  ", draw(lane_steps(it, lane), lane->count, arena));
	units_add_ns(&b, (double)usual_ns(it, cold));
	buf_adds(&b, cold ? " median of the warm ones" : " median");
	text = arena_strdup(arena, b.s);
	buf_free(&b);
	return text;
}

static struct cold_steps sum_cold(const struct iterations *it, size_t cold)
{
	const struct iteration_lane *lane = &it->lanes[it->main_lane];
	const struct iteration *steps = lane_steps(it, lane);
	const int64_t usual = usual_ns(it, cold);
	struct cold_steps ret = {.count = cold < lane->count ? cold : 0};

	for (size_t i = 0; i < ret.count; i++)
		ret.more_ns = sat_add(ret.more_ns, sat_sub(iteration_ns(&steps[i]), usual));
	if (ret.count) {
		ret.from_ns = steps[0].from_ns;
		ret.to_ns = steps[ret.count - 1].to_ns;
	}
	return ret;
}

size_t steady_cold_steps(const struct iterations *it)
{
	size_t most = 0;

	for (size_t i = 0; i < it->lane_count; i++) {
		const struct iteration_lane *lane = &it->lanes[i];
		const size_t named = lane->warm_up;
		const size_t cold = named + steady_count_cold(lane_steps(it, lane) + named,
							      lane->count - named);

		most = cold > most ? cold : most;
	}
	return most;
}

/* The steps of the main process from `first` on that lie inside the window, if there is one. */
static struct warm_steps list_steps(const struct iterations *it, size_t first,
				    const struct scope *window, struct arena *arena)
{
	const struct iteration_lane *lane = &it->lanes[it->main_lane];
	const struct iteration *steps = lane_steps(it, lane);
	struct span *all = arena_alloc(arena, lane->count, sizeof(*all));
	struct warm_steps ret = {.all = all,
				 .name = it->name ? arena_strdup(arena, it->name) : NULL};

	for (size_t i = first; i < lane->count; i++) {
		if (!window ||
		    (steps[i].from_ns >= window->from_ns && steps[i].to_ns <= window->to_ns))
			all[ret.count++] = (struct span){steps[i].from_ns, steps[i].to_ns};
	}
	return ret;
}

double steady_filled(const struct warm_steps *steps)
{
	const struct span *all = steps->all;
	const size_t last = steps->count - 1;
	const int64_t all_ns = sat_sub(all[last].end_ns, all[0].start_ns);
	int64_t *between = mem_alloc(last, sizeof(*between));
	double ns = (double)sat_sub(all[last].end_ns, all[last].start_ns);

	for (size_t i = 0; i < last; i++) {
		ns += (double)sat_sub(all[i].end_ns, all[i].start_ns);
		between[i] = sat_sub(all[i + 1].start_ns, all[i].end_ns);
	}
	if (last)
		ns += (double)last * sort_median(between, last);
	free(between);
	return all_ns > 0 && ns < (double)all_ns ? ns / (double)all_ns : 1;
}

int steady_steps(struct trace *t, const struct scope *p, struct arena *arena,
		 struct warm_steps *ret, struct err *e)
{
	struct iterations it;

	if (iterations_read(t, p, &it, e) < 0)
		return -1;
	*ret = list_steps(&it, 0, p->has_trim ? p : NULL, arena);
	iterations_free(&it);
	return 0;
}

int steady_find(struct trace *t, const struct scope *p, struct arena *arena, struct steady *ret,
		struct err *e)
{
	struct span warm = SPAN_NONE;
	struct iterations it;
	size_t cold;

	if (iterations_read(t, p, &it, e) < 0)
		return -1;
	cold = steady_cold_steps(&it);
	for (size_t i = 0; i < it.lane_count; i++) {
		const struct iteration *steps = lane_steps(&it, &it.lanes[i]);
		const size_t count = it.lanes[i].count;

		if (count > cold)
			span_widen(&warm,
				   (struct span){steps[cold].from_ns, steps[count - 1].to_ns});
	}
	*ret = (struct steady){warm.start_ns,
			       warm.end_ns,
			       describe(&it, it.lanes[it.main_lane].count, cold, arena),
			       chart(&it, cold, arena),
			       sum_cold(&it, cold),
			       list_steps(&it, cold, NULL, arena)};
	iterations_free(&it);
	return 0;
}

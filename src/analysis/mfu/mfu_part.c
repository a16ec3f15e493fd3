/* What did a part take in all? */
#include "analysis/mfu/mfu_part.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

void mfu_part_free(struct mfu_part *s)
{
	free(s->instances);
	free(s->devices);
	arena_free(&s->arena);
	*s = (struct mfu_part){0};
}

struct mfu_gpu_time *mfu_gpu_time_of(struct mfu_gpu_times *p, uint32_t owner, uint32_t device)
{
	size_t n = idmap_number_pair(&p->numbers, owner, device);

	if (n == p->count) {
		MEM_GROW(p->all, p->cap, p->count + 1);
		p->all[p->count++] = (struct mfu_gpu_time){
			.owner = owner, .device = device, .reach_ns = INT64_MIN, .last = SIZE_MAX};
	}
	return &p->all[n];
}

bool mfu_gpu_time_take(struct mfu_gpu_time *p, int64_t start_ns, int64_t end_ns,
		       int64_t *ret_from_ns)
{
	*ret_from_ns = start_ns > p->reach_ns ? start_ns : p->reach_ns;
	if (end_ns < *ret_from_ns)
		return false;
	p->reach_ns = end_ns;
	return true;
}

void mfu_gpu_times_free(struct mfu_gpu_times *p)
{
	idmap_free(&p->numbers);
	free(p->all);
	*p = (struct mfu_gpu_times){0};
}

static int compare_devices(const void *a, const void *b, void *ctx)
{
	const struct mfu_device *x = a, *y = b;

	(void)ctx;
	return (x->device > y->device) - (x->device < y->device);
}

static void take_devices(struct mfu_part *s, const struct mfu_gpu_times *p)
{
	s->devices = mem_alloc(p->count, sizeof(*s->devices));
	for (size_t i = 0; i < p->count; i++) {
		s->devices[s->device_count++] =
			(struct mfu_device){p->all[i].device, p->all[i].busy_ns};
		s->busy_ns = sat_add(s->busy_ns, p->all[i].busy_ns);
	}
	sort_stable(s->devices, s->device_count, sizeof(*s->devices), compare_devices, NULL);
}

/* Processes go on at the same time: an instant counts once. */
static int64_t wall_of(const struct mfu_part *s)
{
	int64_t *from = mem_alloc(s->count, sizeof(*from)), wall = 0, reach = INT64_MIN;
	uint32_t *order;

	for (size_t i = 0; i < s->count; i++)
		from[i] = s->instances[i].from_ns;
	order = sort_new_order(from, s->count);
	for (size_t i = 0; i < s->count; i++) {
		const struct mfu_instance *x = &s->instances[order[i]];
		int64_t begin = x->from_ns > reach ? x->from_ns : reach;

		if (x->to_ns <= begin)
			continue;
		wall = sat_add(wall, sat_sub(x->to_ns, begin));
		reach = x->to_ns;
	}
	free(order);
	free(from);
	return wall;
}

static void count_processes(struct mfu_part *s)
{
	s->processes = 0;
	for (size_t i = 0; i < s->count; i++)
		s->processes += !i || s->instances[i - 1].process != s->instances[i].process;
}

void mfu_part_sum(struct mfu_part *s, const struct mfu_gpu_times *devices)
{
	s->wall_ns = wall_of(s);
	take_devices(s, devices);
	count_processes(s);
}

size_t mfu_part_drop_timeless(struct mfu_part *s)
{
	const size_t before = s->count;

	s->count = 0;
	for (size_t i = 0; i < before; i++) {
		if (s->instances[i].to_ns > s->instances[i].from_ns)
			s->instances[s->count++] = s->instances[i];
	}
	count_processes(s);
	return before - s->count;
}

void mfu_part_keep_number(struct mfu_part *s, uint64_t number)
{
	const size_t before = s->count;

	s->count = 0;
	for (size_t i = 0; i < before; i++) {
		if (s->instances[i].number == number)
			s->instances[s->count++] = s->instances[i];
	}
	count_processes(s);
}

static bool has_process(const struct mfu_part *s, uint32_t process)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->instances[i].process == process)
			return true;
	}
	return false;
}

/* Instances of a process are next to one another: each is looked for once. */
uint32_t mfu_part_most_devices(const struct mfu_part *s, const struct mfu_part *own)
{
	uint32_t most = 0;
	bool is_own = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct mfu_instance *x = &s->instances[i];

		if (!i || x->process != x[-1].process)
			is_own = has_process(own, x->process);
		if (is_own && x->devices > most)
			most = x->devices;
	}
	return most;
}

/* An instance that takes as many times as long as is usual is none like the others. */
enum { WARM_UP_TIMES = 3 };

struct mfu_walls mfu_walls_of(const struct mfu_part *s)
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
static void note_inside(struct report *r, const struct mfu_part *s, struct str name)
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

void mfu_note_counted(struct report *r, const struct mfu_part *s, struct str name,
		      const struct scope *p)
{
	if (s->cut)
		report_note(r, "Left out: %llu '%.*s' cut by the window.",
			    (unsigned long long)s->cut, STR_FMT(name));
	if (s->open)
		report_note(r, "Left out: %llu '%.*s' never closed.", (unsigned long long)s->open,
			    STR_FMT(name));
	if (s->on_other_devices)
		report_note(r, "Left out: %llu of %llu '%.*s', with nothing launched on device %u.",
			    (unsigned long long)s->on_other_devices,
			    (unsigned long long)s->on_other_devices + s->count, STR_FMT(name),
			    p->device);
	note_inside(r, s, name);
}

void mfu_add_warm_up(struct buf *found, const struct mfu_part *s, struct str name)
{
	const struct mfu_walls w = mfu_walls_of(s);
	/* The median of two is in the middle between them: it says nothing of either. */
	const bool two = s->count == 2;
	const double usual = two ? (double)w.min : w.p50;

	if (usual <= 0 || (double)w.max <= WARM_UP_TIMES * usual)
		return;
	buf_addf(found, "%s '%.*s' %s%.0f times %s", found->len ? "," : "The longest",
		 STR_FMT(name), found->len ? "" : "took ", (double)w.max / usual,
		 two ? "as long as the other" : "the median");
}

void mfu_note_warm_ups(struct report *r, struct buf *found, const char *more)
{
	if (found->len)
		report_note(r, "%s: if it is warm-up, use --trim FROM TO to skip it%s.", found->s,
			    more);
	buf_free(found);
}

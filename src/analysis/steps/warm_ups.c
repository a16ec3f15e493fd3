/* When was each process in ranges whose names say that they are a warm-up? */
#include "analysis/steps/warm_ups.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

bool name_says_warm_up(struct str name)
{
	return str_holds(name, "warm") || str_holds(name, "Warm") || str_holds(name, "WARM");
}

static bool *find_names(const struct trace *t)
{
	bool *warm = mem_alloc(t->names.count, sizeof(*warm));

	for (size_t i = 0; i < t->names.count; i++)
		warm[i] = name_says_warm_up(t->names.items[i]);
	return warm;
}

static int compare_starts(const void *a, const void *b)
{
	const int64_t x = ((const struct warm_up *)a)->when.start_ns;
	const int64_t y = ((const struct warm_up *)b)->when.start_ns;

	return (x > y) - (x < y);
}

struct warm_up *warm_ups_list(const struct trace *t, size_t *ret_count)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	struct warm_up *all = NULL;
	size_t cap = 0;
	bool *warm;

	*ret_count = 0;
	if (!ev->name || !ev->thread || !ev->start_ns || !ev->duration_ns)
		return NULL;
	warm = find_names(t);
	for (uint64_t i = 0; i < ev->count; i++) {
		if (ev->name[i] == NAME_NONE || !warm[ev->name[i]] ||
		    ev->duration_ns[i] == DURATION_NONE || ev->thread[i] == ID_NONE)
			continue;
		MEM_GROW(all, cap, *ret_count + 1);
		all[(*ret_count)++] = (struct warm_up){
			{ev->start_ns[i], sat_add(ev->start_ns[i], ev->duration_ns[i])},
			trace_thread_process(t, ev->thread[i])};
	}
	free(warm);
	if (*ret_count)
		qsort(all, *ret_count, sizeof(*all), compare_starts);
	return all;
}

void warm_ups_read(const struct trace *t, struct warm_ups *ret)
{
	size_t count;
	struct warm_up *all = warm_ups_list(t, &count);

	*ret = (struct warm_ups){.processes = t->process_keys.count};
	if (count)
		ret->of_process = mem_zalloc(ret->processes, sizeof(*ret->of_process));
	for (size_t i = 0; i < count; i++) {
		if (all[i].process < ret->processes)
			cover_add(&ret->of_process[all[i].process], all[i].when.start_ns,
				  all[i].when.end_ns);
	}
	free(all);
}

bool warm_ups_hold(const struct warm_ups *w, uint32_t process, int64_t at_ns)
{
	const size_t first = process == ID_NONE ? 0 : process;
	const size_t last = process == ID_NONE ? w->processes : (size_t)process + 1;

	for (size_t i = first; w->of_process && i < last && i < w->processes; i++) {
		if (cover_between(&w->of_process[i], at_ns, sat_add(at_ns, 1)) > 0)
			return true;
	}
	return false;
}

void warm_ups_free(struct warm_ups *w)
{
	for (size_t i = 0; w->of_process && i < w->processes; i++)
		cover_free(&w->of_process[i]);
	free(w->of_process);
	*w = (struct warm_ups){0};
}

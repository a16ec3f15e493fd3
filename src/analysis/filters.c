/* Is there such a device, and such a process? */
#include "analysis/analysis.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* More are not listed: nobody reads them. */
enum { LISTED = 32 };

/* "0, 1, 2, 3, …": each number once, in order. */
static void add_numbers(struct buf *b, int64_t *numbers, size_t count)
{
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));
	size_t listed = 0;

	sort_i64(numbers, scratch, count);
	free(scratch);
	for (size_t i = 0; i < count && listed <= LISTED; i++) {
		if (i && numbers[i] == numbers[i - 1])
			continue;
		buf_adds(b, listed ? ", " : "");
		if (listed++ == LISTED)
			buf_adds(b, "…");
		else
			buf_addf(b, "%lld", (long long)numbers[i]);
	}
}

static bool has_pid(const struct trace *t, uint32_t pid)
{
	for (size_t i = 0; i < t->process_keys.count; i++) {
		if (process_pid(t->process_keys.keys[i]) == pid)
			return true;
	}
	return false;
}

static int refuse_pid(const struct trace *t, uint32_t pid, struct err *e)
{
	size_t count = t->process_keys.count;
	int64_t *pids = mem_alloc(count, sizeof(*pids));
	struct buf b = {0};

	for (size_t i = 0; i < count; i++)
		pids[i] = process_pid(t->process_keys.keys[i]);
	add_numbers(&b, pids, count);
	free(pids);
	err_set(e, ERR_INPUT, "'%s' has no process %u", t->path, pid);
	err_hint(e, "its processes are %s", b.s);
	buf_free(&b);
	return -1;
}

/*
 * Processes are known once the columns that name them are read. GPU work comes first: there it
 * nearly always ends. Where nothing says its process, that is for the analysis to refuse.
 */
static int check_pid(struct trace *t, uint32_t pid, struct err *e)
{
	for (int kind = 0; kind <= TRACE_OSRT && !has_pid(t, pid); kind++) {
		uint32_t column = COL_BIT(kind < TRACE_GPU_KINDS ? COL_PROCESS : COL_THREAD);

		if (trace_load(t, (enum trace_kind)kind, column, e) < 0)
			return -1;
	}
	return has_pid(t, pid) || !t->process_keys.count ? 0 : refuse_pid(t, pid, e);
}

/* The GPUs that work ran on, each once, as far as they are listed. */
struct devices {
	int64_t *ids;
	size_t count, cap;
	struct idmap seen;
};

/* Returns whether the device is among those of the kind. */
static bool look_for_device(const struct trace *t, enum trace_kind kind,
			    const struct device_map *map, uint32_t device, struct devices *found)
{
	const struct events *ev = &t->events[kind];

	for (uint64_t i = 0; ev->device && i < ev->count; i++) {
		uint32_t process = ev->process ? ev->process[i] : ID_NONE, gpu;
		bool same = i && ev->device[i] == ev->device[i - 1] &&
			    (!ev->process || process == ev->process[i - 1]);

		if (same || ev->device[i] == ID_NONE)
			continue;
		gpu = device_map_gpu(map, process, ev->device[i]);
		if (gpu == device)
			return true;
		if (found->count > LISTED || idmap_get(&found->seen, gpu) != IDMAP_NONE)
			continue;
		idmap_add(&found->seen, gpu, 0);
		MEM_GROW(found->ids, found->cap, found->count + 1);
		found->ids[found->count++] = gpu;
	}
	return false;
}

static int refuse_device(const struct trace *t, uint32_t device, struct devices *found,
			 struct err *e)
{
	struct buf b = {0};

	add_numbers(&b, found->ids, found->count);
	err_set(e, ERR_INPUT, "'%s' has no GPU work on device %u", t->path, device);
	err_hint(e, "its GPU work is on device %s", b.s);
	buf_free(&b);
	return -1;
}

/* Where no op says its device, that is for the analysis to refuse. */
static int check_device(struct trace *t, uint32_t device, struct err *e)
{
	struct devices found = {0};
	struct device_map map;
	bool there = false;
	int result = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (trace_load(t, (enum trace_kind)kind, COLS_PROCESS_DEVICE, e) < 0)
			return -1;
	}
	if (device_map_read(t, &map, e) < 0)
		return -1;
	for (int kind = 0; kind < TRACE_GPU_KINDS && !there; kind++)
		there = look_for_device(t, (enum trace_kind)kind, &map, device, &found);
	if (!there && found.count)
		result = refuse_device(t, device, &found, e);
	device_map_free(&map);
	idmap_free(&found.seen);
	free(found.ids);
	return result;
}

int filters_check(struct trace *t, const struct scope *p, struct err *e)
{
	int result = 0;

	if (!p->has_pid && !p->has_device)
		return 0;
	/* Others may be adding processes. */
	trace_lock(t);
	if (p->has_pid)
		result = check_pid(t, p->pid, e);
	if (result == 0 && p->has_device)
		result = check_device(t, p->device, e);
	trace_unlock(t);
	return result;
}

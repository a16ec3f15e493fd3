/* What are the tracks of a timeline, and what are they called? */
#include "export/tracks.h"

#include "base/mem.h"
#include "base/sort.h"
#include "text/text.h"

#include <stdlib.h>

/* Processes come after the GPUs, counters after the streams; a track has room for its lanes. */
enum { PROCESSES_FROM = 1000000, COUNTERS_FROM = 1 << 30, LANES_RANKED = 64 };

int tracks_open(struct tracks *x, struct trace *t, const struct scope *p, struct err *e)
{
	*x = (struct tracks){.trace = t, .p = p};
	if (machine_read(t, &x->machine, e) < 0 || host_names_read(t, &x->host_names, e) < 0 ||
	    rank_map_read(t, p, &x->ranks, e) < 0) {
		tracks_close(x);
		return -1;
	}
	return 0;
}

static void free_thread(struct thread_tracks *t)
{
	for (int row = 0; row < THREAD_ROWS; row++) {
		nested_lanes_free(&t->lanes[row]);
		free(t->ids[row].ids);
	}
}

void tracks_close(struct tracks *x)
{
	for (size_t i = 0; i < x->stream_count; i++) {
		flat_lanes_free(&x->streams[i].lanes);
		free(x->streams[i].ids.ids);
	}
	free(x->streams);
	free(x->order);
	for (size_t i = 0; i < x->thread_count; i++)
		free_thread(&x->threads[i]);
	free(x->threads);
	free(x->thread_at);
	host_names_free(&x->host_names);
	device_map_free(&x->devices);
	rank_map_free(&x->ranks);
	idmap_free(&x->process_ids);
	idmap_free(&x->device_ids);
	idmap_free(&x->process_of_device);
	strtab_free(&x->counter_names);
	free(x->last_copy);
	arena_free(&x->arena);
	pairs_free(&x->homes);
	pairs_free(&x->lines);
	pairs_free(&x->numbers);
	*x = (struct tracks){0};
}

bool tracks_want(const struct tracks *x, uint32_t process, uint32_t device)
{
	return scope_has_place(x->p, x->trace, process, device);
}

uint32_t tracks_number_stream(struct tracks *x, const struct events *ev, uint64_t row)
{
	struct stream_track s = {
		.process = ev->process ? ev->process[row] : ID_NONE,
		.device = ev->device ? ev->device[row] : ID_NONE,
		.context = ev->context ? ev->context[row] : ID_NONE,
		.stream = ev->stream ? ev->stream[row] : ID_NONE,
	};
	uint32_t home = pairs_number(&x->homes, s.process, s.device);
	uint32_t line = pairs_number(&x->lines, s.context, s.stream);
	uint32_t number = pairs_number(&x->numbers, home, line);

	if (number < x->stream_count)
		return number;
	if (s.device != ID_NONE)
		s.device = device_map_gpu(&x->devices, s.process, s.device);
	s.wanted = tracks_want(x, s.process, s.device);
	MEM_GROW(x->streams, x->stream_cap, x->stream_count + 1);
	x->streams[x->stream_count++] = s;
	return number;
}

static int compare_ids(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_streams(const void *a, const void *b, void *ctx)
{
	const struct tracks *t = ctx;
	const struct stream_track *x = &t->streams[*(const uint32_t *)a];
	const struct stream_track *y = &t->streams[*(const uint32_t *)b];
	int c = compare_ids(x->device, y->device);

	c = c ? c : compare_ids(x->process, y->process);
	c = c ? c : compare_ids(x->stream, y->stream);
	return c ? c : compare_ids(x->context, y->context);
}

/* Streams that would have one name say what tells them apart. */
static void tell_apart(struct stream_track *a, struct stream_track *b)
{
	if (a->device != b->device)
		return;
	if (a->process != b->process)
		a->names_process = b->names_process = true;
	else if (a->stream == b->stream)
		a->names_context = b->names_context = true;
}

static void rank_streams(struct tracks *x, const uint32_t *order)
{
	int32_t rank = 0;

	for (size_t i = 0; i < x->stream_count; i++) {
		struct stream_track *s = &x->streams[order[i]];

		if (i && x->streams[order[i - 1]].device != s->device)
			rank = 0;
		s->rank = rank;
		if (rank < COUNTERS_FROM - 2 * LANES_RANKED)
			rank += LANES_RANKED;
		if (i)
			tell_apart(&x->streams[order[i - 1]], s);
	}
	/* All streams of a device say their process, or none does. */
	for (size_t i = 1; i < x->stream_count; i++) {
		const struct stream_track *before = &x->streams[order[i - 1]];

		if (before->device == x->streams[order[i]].device)
			x->streams[order[i]].names_process |= before->names_process;
	}
	for (size_t i = x->stream_count; i > 1; i--) {
		const struct stream_track *after = &x->streams[order[i - 1]];

		if (after->device == x->streams[order[i - 2]].device)
			x->streams[order[i - 2]].names_process |= after->names_process;
	}
}

/* A process that calls a device by its number: that of the device's first stream. */
static void find_processes_of_devices(struct tracks *x)
{
	for (size_t i = 0; i < x->stream_count; i++) {
		const struct stream_track *s = &x->streams[i];

		if (s->process != ID_NONE)
			idmap_add(&x->process_of_device, s->device, s->process);
	}
}

void tracks_settle(struct tracks *x)
{
	x->names_hosts = trace_has_hosts(x->trace);
	find_processes_of_devices(x);
	x->order = mem_alloc(x->stream_count, sizeof(*x->order));
	for (size_t i = 0; i < x->stream_count; i++)
		x->order[i] = (uint32_t)i;
	sort_stable(x->order, x->stream_count, sizeof(*x->order), compare_streams, x);
	rank_streams(x, x->order);
}

/* "rank 3", where the trace says so. */
static const struct rank *named_rank(const struct tracks *x, uint32_t process)
{
	return x->ranks.source == RANKS_ASSUMED ? NULL : rank_of_process(&x->ranks, process);
}

static struct str base_name(struct str path)
{
	for (size_t i = path.len; i > 0; i--) {
		if (path.s[i - 1] == '/' || path.s[i - 1] == '\\')
			return (struct str){path.s + i, path.len - i};
	}
	return path;
}

/* "rank 3 · python (pid 473)" */
static void add_process_name(struct buf *b, const struct tracks *x, uint32_t process)
{
	const struct rank *rank = named_rank(x, process);
	uint64_t key = x->trace->process_keys.keys[process];
	struct str name = base_name(host_names_process(&x->host_names, key));

	if (rank)
		buf_addf(b, "rank %u · ", rank->number);
	text_add_safe(b, name.len ? name : STR_LIT("process"));
	buf_addf(b, " (pid %u", process_pid(key));
	if (x->names_hosts)
		buf_addf(b, ", host %u", process_host(key));
	buf_adds(b, ")");
}

static int32_t process_rank(const struct tracks *x, uint32_t process)
{
	const struct rank *rank = process == ID_NONE ? NULL : named_rank(x, process);
	uint32_t place = rank ? rank->number : process;

	return PROCESSES_FROM + (int32_t)(place < PROCESSES_FROM ? place : PROCESSES_FROM);
}

static int tell_process(struct tracks *x, struct buf *name, int32_t rank, uint32_t *ret,
			struct err *e)
{
	const struct timeline_process p = {.id = ++x->last_id, .name = buf_str(name), .rank = rank};
	int result = x->how->process(x->writer, &p, e);

	*ret = p.id;
	buf_free(name);
	return result;
}

static int find_process(struct tracks *x, uint32_t process, uint32_t *ret, struct err *e)
{
	struct buf name = {0};

	*ret = idmap_get(&x->process_ids, process);
	if (*ret != IDMAP_NONE)
		return 0;
	if (process == ID_NONE)
		buf_adds(&name, "unknown process");
	else
		add_process_name(&name, x, process);
	if (tell_process(x, &name, process_rank(x, process), ret, e) < 0)
		return -1;
	idmap_add(&x->process_ids, process, *ret);
	return 0;
}

/* The GPU that a device's number means, whichever process's ordinal it is. */
static const struct gpu *find_gpu(const struct tracks *x, uint32_t device)
{
	uint32_t process;

	if (x->devices.gpus.count) {
		for (size_t i = 0; i < x->machine.gpu_count; i++) {
			if (x->machine.gpus[i].id == device)
				return &x->machine.gpus[i];
		}
	}
	process = idmap_get(&x->process_of_device, device);
	return machine_gpu(&x->machine,
			   process == IDMAP_NONE ? 0 : x->trace->process_keys.keys[process],
			   device);
}

static int find_device(struct tracks *x, uint32_t device, uint32_t *ret, struct err *e)
{
	struct buf name = {0};
	const struct gpu *gpu;

	*ret = idmap_get(&x->device_ids, device);
	if (*ret != IDMAP_NONE)
		return 0;
	gpu = device == ID_NONE ? NULL : find_gpu(x, device);
	if (device == ID_NONE)
		buf_adds(&name, "GPU");
	else
		buf_addf(&name, "GPU %u", device);
	if (gpu && gpu->name.len) {
		buf_adds(&name, " · ");
		text_add_safe(&name, gpu->name);
	}
	if (tell_process(x, &name, device < PROCESSES_FROM ? (int32_t)device : PROCESSES_FROM - 1,
			 ret, e) < 0)
		return -1;
	idmap_add(&x->device_ids, device, *ret);
	return 0;
}

static int tell_track(struct tracks *x, struct timeline_track *t, struct buf *name, struct err *e)
{
	int result;

	t->id = ++x->last_id;
	t->name = buf_str(name);
	x->track_count++;
	result = x->how->track(x->writer, t, e);
	buf_free(name);
	return result;
}

/* Whether the lane has an id; makes room for one. */
static bool has_id(struct lane_ids *ids, size_t lane, uint32_t *ret)
{
	MEM_GROW(ids->ids, ids->cap, lane + 1);
	while (ids->count <= lane)
		ids->ids[ids->count++] = 0;
	*ret = ids->ids[lane];
	return *ret != 0;
}

static int32_t lane_rank(size_t lane)
{
	return (int32_t)(lane < LANES_RANKED ? lane : LANES_RANKED - 1);
}

static void add_lane(struct buf *name, size_t lane)
{
	if (lane)
		buf_addf(name, " (%zu)", lane + 1);
}

static void add_stream_name(struct buf *b, const struct tracks *x, const struct stream_track *s)
{
	if (s->stream == ID_NONE)
		buf_adds(b, "Stream");
	else
		buf_addf(b, "Stream %u", s->stream);
	if (s->names_context && s->context != ID_NONE)
		buf_addf(b, ", context %u", s->context);
	if (s->names_process && s->process != ID_NONE) {
		buf_adds(b, " · ");
		add_process_name(b, x, s->process);
	}
}

static int tell_stream(struct tracks *x, struct stream_track *s, size_t lane, uint32_t *ret,
		       struct err *e)
{
	struct timeline_track t = {.rank = s->rank + lane_rank(lane)};
	struct buf name = {0};

	if (find_device(x, s->device, &t.process, e) < 0)
		return -1;
	add_stream_name(&name, x, s);
	add_lane(&name, lane);
	if (tell_track(x, &t, &name, e) < 0)
		return -1;
	*ret = s->ids.ids[lane] = t.id;
	return 0;
}

int tracks_stream(struct tracks *x, uint32_t stream, int64_t start_ns, int64_t end_ns,
		  uint32_t *ret, struct err *e)
{
	struct stream_track *s = &x->streams[stream];
	size_t lane = flat_lanes_take(&s->lanes, start_ns, end_ns);

	return has_id(&s->ids, lane, ret) ? 0 : tell_stream(x, s, lane, ret, e);
}

/* The thread's, until those of another are asked for. */
static struct thread_tracks *thread_tracks(struct tracks *x, uint32_t thread)
{
	size_t at = thread == ID_NONE ? 0 : (size_t)thread + 1;

	MEM_GROW(x->thread_at, x->thread_at_cap, at + 1);
	while (x->thread_at_count <= at)
		x->thread_at[x->thread_at_count++] = ID_NONE;
	if (x->thread_at[at] == ID_NONE) {
		MEM_GROW(x->threads, x->thread_cap, x->thread_count + 1);
		x->threads[x->thread_count] = (struct thread_tracks){0};
		x->thread_at[at] = (uint32_t)x->thread_count++;
	}
	return &x->threads[x->thread_at[at]];
}

/* "python 473 · CUDA API" */
static void add_thread_name(struct buf *b, const struct tracks *x, uint32_t thread,
			    enum thread_row row)
{
	static const char *const rows[THREAD_ROWS] = {"NVTX", "NVTX start/end", "CUDA API",
						      "samples"};
	uint64_t key = thread == ID_NONE ? 0 : x->trace->thread_keys.keys[thread];
	const struct thread_name *name =
		thread == ID_NONE ? NULL : host_names_thread(&x->host_names, key);

	if (name && name->name.len)
		text_add_safe(b, name->name);
	else
		buf_adds(b, thread == ID_NONE ? "unknown thread" : "thread");
	if (thread != ID_NONE)
		buf_addf(b, " %u", thread_tid(key));
	buf_addf(b, " · %s", rows[row]);
}

/* The main thread first. */
static int32_t thread_rank(const struct tracks *x, uint32_t thread, enum thread_row row)
{
	const uint32_t most = COUNTERS_FROM / LANES_RANKED / ROW_SAMPLES - 1;
	uint64_t key = thread == ID_NONE ? UINT64_MAX : x->trace->thread_keys.keys[thread];
	uint32_t place = thread_tid(key) == process_pid(key >> 24) ? 0 : thread + 1;

	if (thread == ID_NONE || place > most)
		place = most;
	/* Samples never need a second lane: below the calls the last place is theirs. */
	if (row == ROW_SAMPLES)
		return (int32_t)((place + 1) * ROW_SAMPLES * LANES_RANKED - 1);
	return (int32_t)((place * ROW_SAMPLES + row) * LANES_RANKED);
}

/* The id of a lane, which is told to the writer when it is first asked for. */
static int thread_lane(struct tracks *x, uint32_t thread, enum thread_row row, size_t lane,
		       struct lane_ids *ids, uint32_t *ret, struct err *e)
{
	struct timeline_track t = {0};
	struct buf name = {0};
	uint32_t process;

	if (has_id(ids, lane, ret))
		return 0;
	t.rank = thread_rank(x, thread, row) + lane_rank(lane);
	process = thread == ID_NONE ? ID_NONE : trace_thread_process(x->trace, thread);
	if (find_process(x, process, &t.process, e) < 0)
		return -1;
	add_thread_name(&name, x, thread, row);
	add_lane(&name, lane);
	if (tell_track(x, &t, &name, e) < 0)
		return -1;
	*ret = ids->ids[lane] = t.id;
	return 0;
}

int tracks_thread(struct tracks *x, uint32_t thread, enum thread_row row, int64_t start_ns,
		  int64_t end_ns, uint32_t *ret, struct err *e)
{
	struct thread_tracks *t = thread_tracks(x, thread);
	size_t lane = nested_lanes_take(&t->lanes[row], start_ns, end_ns);

	return thread_lane(x, thread, row, lane, &t->ids[row], ret, e);
}

int tracks_thread_first(struct tracks *x, uint32_t thread, enum thread_row row, uint32_t *ret,
			struct err *e)
{
	return thread_lane(x, thread, row, 0, &thread_tracks(x, thread)->ids[row], ret, e);
}

/* Whether no counter of the process has the name yet; which one it is, of all there are. */
static bool is_new_name(struct tracks *x, uint32_t process, const struct buf *name, uint32_t *ret)
{
	size_t known = x->counter_names.count;
	char *key = arena_printf(&x->arena, "%u %s", process, buf_str(name).s);

	*ret = strtab_add(&x->counter_names, str_of(key));
	if (*ret < known)
		return false;
	MEM_GROW(x->last_copy, x->last_copy_cap, known + 1);
	x->last_copy[known] = 1;
	return true;
}

/* Viewers tell counters of a process by their names: "Reads", "Reads (2)", "Reads (3)". */
static void make_unique(struct tracks *x, uint32_t process, struct buf *name)
{
	const size_t len = name->len;
	uint32_t first, copy;

	if (is_new_name(x, process, name, &first))
		return;
	do {
		name->len = len;
		buf_addf(name, " (%u)", ++x->last_copy[first]);
	} while (!is_new_name(x, process, name, &copy));
}

int tracks_counter(struct tracks *x, uint32_t device, struct str name, enum timeline_unit unit,
		   uint32_t *ret, struct err *e)
{
	struct timeline_track t = {
		.rank = COUNTERS_FROM + (int32_t)(x->track_count & 0xffffff),
		.is_counter = true,
		.unit = unit,
	};
	struct buf shown = {0};

	if (find_device(x, device, &t.process, e) < 0)
		return -1;
	text_add_safe(&shown, name);
	make_unique(x, t.process, &shown);
	if (tell_track(x, &t, &shown, e) < 0)
		return -1;
	*ret = t.id;
	return 0;
}

/* So that they have the lowest ids; those with the lowest numbers first. */
int tracks_tell_devices(struct tracks *x, struct err *e)
{
	for (size_t i = 0; i < x->stream_count; i++) {
		const struct stream_track *s = &x->streams[x->order[i]];
		uint32_t id;

		if (s->wanted && find_device(x, s->device, &id, e) < 0)
			return -1;
	}
	return 0;
}

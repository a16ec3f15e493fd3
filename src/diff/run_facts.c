/* On what did a run run, how was it recorded, and what costs it time? */
#include "diff/run_facts.h"

#include "analysis/gpu/memory_series.h"
#include "analysis/time_table.h"
#include "base/buf.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"
#include "diff/part_findings.h"
#include "text/text.h"
#include "trace/system/machine.h"
#include "trace/system/system_facts.h"
#include "traces/answer.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The models that worked, each once. */
static void name_gpus(struct run_facts *f, const struct machine *m, struct arena *arena)
{
	const char **names = mem_alloc(m->gpu_count, sizeof(*names));
	struct buf b = {0};
	size_t count = 0;

	for (size_t i = 0; i < m->gpu_count; i++) {
		if (!m->gpus[i].worked)
			continue;
		f->gpus++;
		names[count++] = text_valid(arena, m->gpus[i].name);
	}
	sort_stable(names, count, sizeof(*names), by_text, NULL);
	for (size_t i = 0; i < count; i++) {
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			buf_addf(&b, "%s%s", b.len ? ", " : "", names[i]);
	}
	f->gpu = b.len ? arena_strdup(arena, b.s) : "";
	buf_free(&b);
	free(names);
}

/* Which GPUs they are, whatever their model. */
static void list_gpus(struct run_facts *f, const struct machine *m, struct arena *arena)
{
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < m->gpu_count; i++) {
		if (m->gpus[i].worked && m->gpus[i].uuid.len)
			buf_addf(&b, "%s ", text_valid(arena, m->gpus[i].uuid));
	}
	f->gpu_ids = b.len ? arena_strdup(arena, b.s) : "";
}

/* The hour would say more than which capture is older. */
static const char *date_of(struct str at, struct arena *arena)
{
	return at.len < 10 ? "" : text_valid(arena, (struct str){at.s, 10});
}

static int read_machine(struct run_facts *f, struct trace *t, struct arena *arena, struct err *e)
{
	struct system_facts s;
	struct machine m;

	if (machine_read(t, &m, e) < 0 || machine_find_work(t, &m, e) < 0 ||
	    system_facts_read(t, &s, e) < 0)
		return -1;
	name_gpus(f, &m, arena);
	list_gpus(f, &m, arena);
	f->driver = text_valid(arena, s.driver);
	f->cuda = text_valid(arena, str_of(s.cuda));
	f->date = date_of(s.captured_at, arena);
	f->tool = text_valid(arena, str_of(t->meta.tool));
	f->schema = text_valid(arena, str_of(t->meta.schema));
	return 0;
}

static int name_recorded(struct run_facts *f, struct trace *t, struct arena *arena, struct err *e)
{
	static const char *const words[TRACE_KINDS] = {
		[TRACE_KERNELS] = "kernels", [TRACE_MEMCPYS] = "copies",
		[TRACE_MEMSETS] = "sets",    [TRACE_GRAPHS] = "graphs",
		[TRACE_API] = "calls",	     [TRACE_NVTX] = "ranges",
		[TRACE_OSRT] = "system",     [TRACE_ALLOCATIONS] = "allocations",
	};
	struct buf b = {0};

	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		uint64_t rows = 0;

		if (t->events[kind].table &&
		    trace_count_rows(t, t->events[kind].table, &rows, e) < 0) {
			buf_free(&b);
			return -1;
		}
		/* Whether a program copies or sets is its own affair, not the capture's. */
		if (rows && kind != TRACE_MEMCPYS && kind != TRACE_MEMSETS && kind != TRACE_GRAPHS)
			buf_addf(&b, "%s%s", b.len ? " " : "", words[kind]);
	}
	f->recorded = b.len ? arena_strdup(arena, b.s) : "";
	buf_free(&b);
	return 0;
}

static const char *graph_mode(const struct trace *t)
{
	const struct events *kernels = &t->events[TRACE_KERNELS];

	if (t->events[TRACE_GRAPHS].count)
		return "whole";
	for (uint64_t i = 0; kernels->graph && i < kernels->count; i++) {
		if (kernels->graph[i] != ID_NONE && kernels->graph[i])
			return "nodes";
	}
	return "none";
}

static uint32_t count_processes(const struct trace *t)
{
	bool *works = mem_zalloc(t->process_keys.count, sizeof(*works));
	uint32_t count = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &t->events[kind];

		for (uint64_t i = 0; ev->process && i < ev->count; i++) {
			if (ev->process[i] < t->process_keys.count)
				works[ev->process[i]] = true;
		}
	}
	for (size_t i = 0; i < t->process_keys.count; i++)
		count += works[i];
	free(works);
	return count;
}

/* Devices that did any work, where nothing is said of the machine's GPUs. */
static uint32_t count_devices(const struct trace *t)
{
	struct idmap seen = {0};
	uint32_t count;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &t->events[kind];

		for (uint64_t i = 0; ev->device && i < ev->count; i++) {
			if (ev->device[i] != ID_NONE)
				idmap_add(&seen, ev->device[i], 0);
		}
	}
	count = (uint32_t)seen.count;
	idmap_free(&seen);
	return count;
}

/* Of the memory of devices, and of one GPU: the most that was in use at a time. */
static int read_memory(struct run_facts *f, struct trace *t, struct err *e)
{
	struct memory_changes c;

	f->memory_bytes = -1;
	if (memory_changes_read(t, &(struct scope){0}, &c, e) < 0)
		return -1;
	for (size_t i = 0; i < c.count; i++) {
		int64_t used = 0;

		for (size_t k = 0; k < c.all[i].count; k++) {
			used = sat_add(used, c.all[i].changes[k].bytes);
			f->memory_bytes = used > f->memory_bytes ? used : f->memory_bytes;
		}
	}
	memory_changes_free(&c);
	return 0;
}

/* As other answers warn. */
static int read_warnings(struct run_facts *f, struct trace *t, const struct op_faults *faults,
			 struct arena *arena, struct err *e)
{
	struct report r = {0};
	const int result = missing_warn(&r, t, e);

	time_window_warn(&r, faults);
	f->warnings = arena_alloc(arena, r.block_count, sizeof(*f->warnings));
	for (size_t i = 0; i < r.block_count; i++)
		f->warnings[f->warning_count++] = text_valid(arena, str_of(r.blocks[i].text));
	report_free(&r);
	return result;
}

int run_facts_read(struct run_facts *ret, struct trace *t, const struct op_faults *faults,
		   struct arena *arena, struct err *e)
{
	if (read_machine(ret, t, arena, e) < 0 || name_recorded(ret, t, arena, e) < 0 ||
	    read_memory(ret, t, e) < 0 || read_warnings(ret, t, faults, arena, e) < 0 ||
	    trace_load(t, TRACE_KERNELS, COL_BIT(COL_GRAPH), e) < 0)
		return -1;
	ret->graphs = graph_mode(t);
	ret->processes = count_processes(t);
	if (!ret->gpus)
		ret->gpus = count_devices(t);
	return 0;
}

/* The finding of a block that costs the steps anything; false: it is none. */
static bool costly_finding(const struct block *b, const struct step_parts *parts,
			   struct finding *ret)
{
	if (b->kind != BLOCK_FINDING || !b->finding->recoverable_ns)
		return false;
	*ret = *b->finding;
	return step_parts_clip(parts, ret);
}

static void take_findings(struct run_facts *f, const struct report *r,
			  const struct step_parts *parts, struct arena *arena)
{
	struct finding finding;
	size_t most = 0;

	for (size_t i = 0; i < r->block_count; i++)
		most += costly_finding(&r->blocks[i], parts, &finding) ? run_findings_most(&finding)
								       : 0;
	f->finding_count = 0;
	f->findings = arena_alloc(arena, most, sizeof(*f->findings));
	for (size_t i = 0; i < r->block_count; i++) {
		if (costly_finding(&r->blocks[i], parts, &finding))
			run_findings_add(f, &finding, arena);
	}
}

int run_facts_add_findings(struct run_facts *f, struct trace *t, const struct scope *steps,
			   const struct step_parts *parts, struct arena *arena, struct err *e)
{
	const struct capture all = {.trace = t, .scope = *steps, .is_asked = true};
	struct answer answer;
	int result = answer_make(&answer, &all, "findings", NULL, e);

	if (result == 0)
		take_findings(f, &answer.report, parts, arena);
	f->has_findings = result == 0;
	answer_free(&answer);
	return result == 0 ? 0 : err_forgive_absent(e);
}

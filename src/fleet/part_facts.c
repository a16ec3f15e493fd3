/* On which node and GPUs, under which versions and when was a capture made? */
#include "fleet/part_making.h"

#include "analysis/window.h"
#include "base/sha256.h"
#include "trace/small_table.h"
#include "trace/system/machine.h"
#include "trace/system/system_facts.h"
#include "traces/traces.h"

#include <stdlib.h>
#include <string.h>

/* The first 64 bits of a SHA-256; 0 stands for a text that is not known. */
static uint64_t hash_of(const char *what, struct str s)
{
	char sum[SHA256_TEXT_BYTES];
	struct sha256 hash;

	if (!s.len)
		return 0;
	sha256_begin(&hash);
	sha256_add(&hash, what, strlen(what) + 1);
	sha256_add(&hash, s.s, s.len);
	sha256_end(&hash, sum);
	sum[16] = '\0';
	return strtoull(sum, NULL, 16) | 1;
}

static int read_node(struct part_making *x, struct err *e)
{
	struct str host;

	if (trace_read_host(x->trace, &host, e) < 0)
		return -1;
	x->part->node = hash_of("node", host);
	return 0;
}

static uint64_t uuid_of(const struct small_table *s, const struct gpu *gpu)
{
	for (size_t i = 0; i < s->rows; i++) {
		if (value_int(small_value(s, i, 0), -1) == gpu->id)
			return hash_of("gpu", small_value(s, i, 1)->s);
	}
	return 0;
}

/* A process's ordinal, where GPUs are told apart by it, or the GPU's own number. */
static const struct gpu *gpu_of(const struct machine *m, const struct part_member *of)
{
	const struct gpu *gpu = machine_gpu(m, of->pid, of->device);

	for (size_t i = 0; !gpu && i < m->gpu_count; i++) {
		if (m->gpus[i].id == of->device)
			gpu = &m->gpus[i];
	}
	return gpu ? gpu : m->gpu_count == 1 ? &m->gpus[0] : NULL;
}

static int read_gpus(struct part_making *x, struct err *e)
{
	static const char *const columns[] = {"id", "uuid", NULL};
	struct small_table uuids;
	struct machine machine;

	if (machine_read(x->trace, &machine, e) < 0 ||
	    trace_read_small(x->trace, "TARGET_INFO_GPU", columns, &uuids, e) < 0)
		return -1;
	for (size_t i = 0; i < x->count; i++) {
		struct part_member *m = &x->part->members[i];
		const struct gpu *gpu = gpu_of(&machine, m);

		if (!gpu)
			continue;
		m->gpu = part_text(&x->part->arena, gpu->name);
		m->gpu_id = uuid_of(&uuids, gpu);
	}
	return 0;
}

int part_read_facts(struct part_making *x, struct err *e)
{
	struct part *p = x->part;
	struct system_facts s;
	bool known;

	if (read_node(x, e) < 0 || read_gpus(x, e) < 0 || system_facts_read(x->trace, &s, e) < 0 ||
	    capture_utc_start(x->trace, &p->utc_ns, &known, e) < 0 ||
	    window_of_capture(x->trace, &p->captured, e) < 0)
		return -1;
	if (!known || p->utc_ns > PART_TIME_MAX)
		p->utc_ns = PART_UNKNOWN;
	if (p->captured.start_ns <= p->captured.end_ns) {
		p->captured.start_ns = part_time(p->captured.start_ns);
		p->captured.end_ns = part_time(p->captured.end_ns);
	}
	p->cuda = part_text(&p->arena, str_of(s.cuda));
	p->driver = part_text(&p->arena, s.driver);
	p->tool = part_text(&p->arena, str_of(x->trace->meta.tool));
	p->schema = part_text(&p->arena, str_of(x->trace->meta.schema));
	return 0;
}

/* Which calls of NCCL did the host make, and of which size? */
#include "analysis/comm/nccl_calls.h"

#include "analysis/cell_values.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/pairs.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct column call_columns[] = {
	{"call", "Call", UNIT_NAME, 0, "", SHOW},
	{"communicator", "Communicator", UNIT_NAME, 0, "comm:", SHOW},
	{"ranks", "Ranks", UNIT_COUNT, 0, NULL, SHOW},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"bytes", "Bytes", UNIT_BYTES, 0, NULL, SHOW},
	{"avg_bytes", "Avg message", UNIT_BYTES, 0, NULL, SHOW},
	{"total_ns", "Host time", UNIT_NS, 0, NULL, SHOW},
};

struct call_sum {
	uint32_t name, communicator;
	uint64_t count, sized;
	int64_t bytes, total_ns;
};

struct call_sums {
	struct call_sum *all;
	size_t count, cap;
	struct idmap numbers;
};

struct cell communicator_cell(struct report *r, const struct communicator *x)
{
	return x ? cell_text(arena_printf(&r->arena, "0x%" PRIx64, x->id)) : cell_null();
}

static bool passes(const struct trace *t, const struct scope *p, uint32_t process,
		   const struct range *range)
{
	uint32_t of = trace_thread_process(t, range->thread);

	if (process != ID_NONE && of != process)
		return false;
	return scope_has_process(p, t, of);
}

static void add_call_sum(struct call_sums *sums, const struct nccl_calls *c, uint32_t range,
			 const struct span *part)
{
	const struct range *x = &c->calls.forest.ranges[range];
	struct nccl_call call = nccl_call_at(c, range);
	uint32_t name = c->trace->events[TRACE_NVTX].name[x->row];
	uint32_t number = idmap_number_pair(&sums->numbers, name, call.communicator);
	struct call_sum *to;

	if (number == sums->count) {
		MEM_GROW(sums->all, sums->cap, sums->count + 1);
		sums->all[sums->count++] = (struct call_sum){name, call.communicator, 0, 0, 0, 0};
	}
	to = &sums->all[number];
	to->count++;
	to->sized += call.bytes >= 0;
	to->bytes = sat_add(to->bytes, call.bytes >= 0 ? call.bytes : 0);
	to->total_ns = sat_add(to->total_ns, sat_sub(part->end_ns, part->start_ns));
}

static void add_row(struct rows *rows, struct report *r, const struct nccl_calls *c,
		    const struct call_sum *s)
{
	const struct communicator *comm = communicator_at(c, s->communicator);

	rows_add(rows, cell_str(trace_name(c->trace, s->name)));
	rows_add(rows, communicator_cell(r, comm));
	rows_add(rows, comm && comm->ranks ? cell_int((int64_t)comm->ranks) : cell_null());
	rows_add(rows, cell_int((int64_t)s->count));
	rows_add(rows, s->sized ? cell_int(s->bytes) : cell_null());
	rows_add(rows, s->sized ? cell_real((double)s->bytes / (double)s->sized) : cell_null());
	rows_add(rows, cell_int(s->total_ns));
}

void nccl_call_table_report(struct report *r, const struct nccl_calls *c,
			    const struct table_args *a, uint32_t process)
{
	struct call_sums sums = {0};
	struct rows *rows;

	for (size_t i = 0; i < c->calls.forest.count; i++) {
		const struct range *x = &c->calls.forest.ranges[i];
		struct span part;

		if (passes(c->trace, &a->scope, process, x) &&
		    window_part(&a->scope, x->start_ns, sat_sub(x->end_ns, x->start_ns), &part))
			add_call_sum(&sums, c, (uint32_t)i, &part);
	}
	if (sums.count) {
		rows = report_new_rows(r, "nccl_calls", "NCCL calls on the host", call_columns,
				       ARRAY_LEN(call_columns));
		rows->table.kind = "call";
		for (size_t i = 0; i < sums.count; i++)
			add_row(rows, r, c, &sums.all[i]);
		rows_arrange_also(rows, &a->rows, "bytes");
	}
	free(sums.all);
	idmap_free(&sums.numbers);
}

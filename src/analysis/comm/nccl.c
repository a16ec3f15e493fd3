/* Which collectives were there, how long did they take, and how fast did they move data? */
#include "analysis/cell_values.h"
#include "analysis/comm/collectives.h"
#include "analysis/gpu/gpu_work.h"
#include "analysis/gpu/timeline.h"
#include "analysis/numbers/summary.h"
#include "analysis/ranks/gpus_by_rank.h"
#include "analysis/time_table.h"
#include "base/mem.h"

#include <stdlib.h>

static const struct column first_column = {"collective", "Collective", UNIT_NAME, 0, "", SHOW};

static const struct column by_column[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
};

static const struct column columns[] = {
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"pct", "Share", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"avg_ns", "Avg", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"p50_ns", "p50", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"p90_ns", "p90", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"p99_ns", "p99", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"max_ns", "Max", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"exposed_ns", "Exposed", UNIT_NS, 0, NULL, SHOW},
	{"exposed_pct", "Exposed %", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"sized", "With size", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"bytes", "Bytes", UNIT_BYTES, 0, NULL, MACHINE_ONLY},
	{"avg_bytes", "Message", UNIT_BYTES, 0, NULL, SHOW},
	{"bus_bytes_per_s", "Bus bandwidth", UNIT_BYTES_PER_S, 0, NULL, SHOW},
	{"algorithm", "Algorithm", UNIT_NAME, 0, "algo:", SHOW},
	{"protocol", "Protocol", UNIT_NAME, 0, "proto:", SHOW},
	{"datatype", "Type", UNIT_NAME, 0, "type:", SHOW},
	{"reduction", "Op", UNIT_NAME, 0, "op:", SHOW_PREFERRED},
	{"communicator", "Communicator", UNIT_NAME, 0, "comm:", SHOW},
	{"ranks", "Ranks", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"told_by", "Detected from", UNIT_NAME, 0, "by:", MACHINE_ONLY},
};

/* Kernels of one kind of collective in one communicator. */
struct group {
	uint32_t first; /* the number of its first */
	int64_t exposed_ns;
	uint64_t sized; /* that say their size and lie in the window whole */
	int64_t bytes;	/* of these */
	int64_t sized_ns;
};

struct nccl_args {
	struct table_args table;
	struct comm_args comm;
	enum group_by by;
};

struct view {
	struct trace *trace;
	const struct nccl_args *args;
	const struct scope *p;
	struct rank_map ranks;
	struct collectives c;
	struct group *groups;
	size_t count, cap;
	uint32_t *group_of; /* by kernel */
	int64_t *duration_ns;
};

static uint32_t by_value(const struct view *v, uint32_t gpu)
{
	const struct process_gpu *x = &v->c.walk.gpus.all[gpu];

	if (v->args->by == BY_DEVICE)
		return x->device;
	return v->args->by == BY_PROCESS || v->args->by == BY_RANK ? x->process : 0;
}

static void add_to_group(struct view *v, struct group *g, size_t i)
{
	const struct comm_kernel *k = &v->c.walk.kernels[i];
	const struct collective *x = &v->c.all[i];

	g->exposed_ns = sat_add(g->exposed_ns, k->exposed_ns);
	/* Of a kernel that the window cuts nobody knows how much of its data it has moved. */
	if (x->bytes < 0 || !k->whole)
		return;
	g->sized_ns = sat_add(g->sized_ns, comm_kernel_ns(k));
	if (x->first_of_call) {
		g->bytes = sat_add(g->bytes, x->bytes);
		g->sized++;
	}
}

static void make_groups(struct view *v)
{
	struct idmap types = {0}, kinds = {0}, all = {0};
	size_t n = v->c.walk.kernel_count;

	v->group_of = mem_alloc(n, sizeof(*v->group_of));
	v->duration_ns = mem_alloc(n, sizeof(*v->duration_ns));
	for (size_t i = 0; i < n; i++) {
		const struct comm_kernel *k = &v->c.walk.kernels[i];
		const struct collective *x = &v->c.all[i];
		uint32_t number =
			idmap_number_pair(&types, x->kind, (uint32_t)x->type * 2 + x->by_range);

		number = idmap_number_pair(&kinds, number, x->communicator);
		number = idmap_number_pair(&all, number, by_value(v, k->gpu));
		if (number == v->count) {
			MEM_GROW(v->groups, v->cap, v->count + 1);
			v->groups[v->count++] = (struct group){.first = (uint32_t)i};
		}
		v->group_of[i] = number;
		v->duration_ns[i] = comm_kernel_ns(k);
		add_to_group(v, &v->groups[number], i);
	}
	idmap_free(&types);
	idmap_free(&kinds);
	idmap_free(&all);
}

static struct cell bandwidth_cell(const struct group *g, enum collective_type type,
				  const struct communicator *comm)
{
	if (!g->sized || g->sized_ns <= 0 || !comm || comm->ranks < 2 || type == COLL_OTHER)
		return cell_null();
	return cell_real(collective_bus_bytes(type, (double)g->bytes, (double)comm->ranks) /
			 ((double)g->sized_ns / 1e9));
}

static void add_sizes(struct rows *rows, const struct group *g, enum collective_type type,
		      const struct communicator *comm)
{
	rows_add(rows, cell_int((int64_t)g->sized));
	rows_add(rows, g->sized ? cell_int(g->bytes) : cell_null());
	rows_add(rows, g->sized ? cell_real((double)g->bytes / (double)g->sized) : cell_null());
	rows_add(rows, bandwidth_cell(g, type, comm));
}

static void add_times(struct rows *rows, const struct group *g, const struct summary *s,
		      int64_t all_ns)
{
	rows_add(rows, cell_int(s->total));
	rows_add(rows, pct_cell(s->total, all_ns));
	rows_add(rows, cell_int((int64_t)s->count));
	rows_add(rows, cell_real(s->mean));
	rows_add(rows, cell_real(s->p50));
	rows_add(rows, cell_real(s->p90));
	rows_add(rows, cell_real(s->p99));
	rows_add(rows, cell_int(s->max));
	rows_add(rows, cell_int(g->exposed_ns));
	rows_add(rows, pct_cell(g->exposed_ns, s->total));
}

static struct cell by_cell(const struct view *v, uint32_t gpu)
{
	const struct process_gpus *x = &v->c.walk.gpus;

	if (v->args->by == BY_DEVICE)
		return process_gpu_device_cell(x, gpu);
	return v->args->by == BY_RANK ? gpu_rank_cell(&v->ranks, x, gpu)
				      : process_gpu_pid_cell(x, gpu);
}

static const struct column *column_of_by(enum group_by by)
{
	return by == BY_DEVICE	  ? &by_column[0]
	       : by == BY_PROCESS ? &by_column[1]
	       : by == BY_RANK	  ? &by_column[2]
				  : NULL;
}

static void add_group(struct rows *rows, struct report *r, const struct view *v, size_t i,
		      const struct summary *s, int64_t all_ns)
{
	const struct group *g = &v->groups[i];
	const struct collective *x = &v->c.all[g->first];
	const struct collective_name *name = &v->c.kinds[x->kind];
	const struct communicator *comm = communicator_at(&v->c.calls, x->communicator);

	rows_add(rows, cell_text(collective_type_name(x->type)));
	if (column_of_by(v->args->by))
		rows_add(rows, by_cell(v, v->c.walk.kernels[g->first].gpu));
	add_times(rows, g, s, all_ns);
	add_sizes(rows, g, x->type, comm);
	rows_add(rows, word_or_null(name->algorithm));
	rows_add(rows, word_or_null(name->protocol));
	rows_add(rows, word_or_null(name->datatype));
	rows_add(rows, word_or_null(name->reduction));
	rows_add(rows, communicator_cell(r, comm));
	rows_add(rows, comm && comm->ranks ? cell_int((int64_t)comm->ranks) : cell_null());
	rows_add(rows, cell_text(x->by_range ? "range" : "kernel"));
}

static size_t choose_columns(enum group_by by, struct column *out)
{
	size_t n = 0;

	out[n++] = first_column;
	if (column_of_by(by))
		out[n++] = *column_of_by(by);
	memcpy(out + n, columns, sizeof(columns));
	return n + ARRAY_LEN(columns);
}

static int add_table(struct report *r, struct view *v, struct err *e)
{
	struct column *all = arena_alloc(&r->arena, 2 + ARRAY_LEN(columns), sizeof(*all));
	struct rows *rows = report_new_rows(r, "nccl", NULL, all, choose_columns(v->args->by, all));
	struct summary *sums;
	int64_t all_ns = 0;

	make_groups(v);
	sums = mem_alloc(v->count, sizeof(*sums));
	summarize(v->duration_ns, v->group_of, v->c.walk.kernel_count, v->count, sums);
	rows->table.kind = "collective";
	for (size_t i = 0; i < v->count; i++)
		all_ns = sat_add(all_ns, sums[i].total);
	for (size_t i = 0; i < v->count; i++)
		add_group(rows, r, v, i, &sums[i], all_ns);
	free(sums);
	rows_hide_empty(rows);
	return rows_arrange(rows, &v->args->table.rows, "total_ns", e);
}

static void note_no_kernels(struct report *r, const struct nccl_calls *c)
{
	bool alone = c->communicator_count > 0;

	for (size_t i = 0; i < c->communicator_count; i++)
		alone = alone && c->communicators[i].ranks == 1;
	if (alone)
		report_note(r, "every communicator here has a single rank, for which NCCL launches "
			       "no kernels");
	else
		report_note(
			r,
			"no communication kernels found by name; add more names with --comm REGEX");
}

static int add_answer(struct report *r, struct view *v, struct err *e)
{
	if (v->ranks.count > 1 && (v->args->by == BY_RANK || v->p->has_rank))
		rank_map_tell(&v->ranks, r);
	collectives_tell(&v->c, r);
	if (!v->c.walk.kernel_count)
		note_no_kernels(r, &v->c.calls);
	else if (add_table(r, v, e) < 0)
		return -1;
	if (!v->p->has_device)
		nccl_call_table_report(r, &v->c.calls, &v->args->table, v->ranks.asked);
	return 0;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct nccl_args *a = args;
	const struct scope *p = &a->table.scope;
	struct view v = {.trace = t, .args = a, .p = p};
	int result;

	if (rank_map_read(t, p, &v.ranks, e) < 0)
		return -1;
	result = collectives_make(t, p, &(struct comm_question){.process = v.ranks.asked}, &v.c, e);
	if (result == 0) {
		time_window_report(r, self, &v.c.walk.window, p);
		time_window_warn(r, &v.c.walk.faults);
		result = add_answer(r, &v, e);
	}
	if (result == 0)
		result = warn_of_hidden_graphs(t, r, e);
	collectives_free(&v.c);
	rank_map_free(&v.ranks);
	free(v.groups);
	free(v.group_of);
	free(v.duration_ns);
	return result;
}

static const struct option_word by_words[] = {
	{"device", BY_DEVICE}, {"process", BY_PROCESS}, {"rank", BY_RANK}, {NULL, 0}};

static const struct option_group nccl_options = OPTIONS(
	struct nccl_args, OPT_INCLUDE(struct nccl_args, table, struct table_args, table_options),
	OPT_INCLUDE(struct nccl_args, table.scope, struct scope, rank_options),
	OPT_INCLUDE(struct nccl_args, comm, struct comm_args, comm_options),
	OPT_BY(struct nccl_args, by, by_words));

static const struct topic topics_nccl[] = {
	{.table = "nccl",
	 .subject = "nccl collective communication",
	 .words = "nccl collective collectives allreduce allgather reducescatter alltoall "
		  "broadcast sendrecv send recv communication comm message messages bus bandwidth "
		  "algorithm protocol ring tree",
	 .questions = "how much time is spent in communication\n"
		      "which collective takes the most time\n"
		      "how long does allreduce take\n"
		      "how many allreduces are there\n"
		      "what is the bus bandwidth\n"
		      "how large are the NCCL messages\n"
		      "which NCCL algorithm is used\n"
		      "how much time is NCCL\n"
		      "how many collectives were run\n",
	 .row = "{collective}: {total_ns}|, {count} kernels|, {avg_ns} each on average|, "
		"{exposed_ns} exposed ({exposed_pct})|, {bytes}|, {bus_bytes_per_s} on the bus|, "
		"{algorithm}|, {protocol}",
	 .sum = "{count} kernels of communication take {total_ns}|, {exposed_ns} of it exposed",
	 .by = "total_ns",
	 .needs = "communication",
	 .none = "no communication ran there"},
	{.table = "nccl_calls",
	 .subject = "nccl collective",
	 .words = "nccl call calls collective message messages issue issued payload bytes size",
	 .questions = "how many NCCL calls are there\n"
		      "how large are the messages\n"
		      "how many bytes do the allreduces carry\n"
		      "which NCCL calls does the program make\n",
	 .row = "{call}: {count} calls|, {bytes}|, {avg_bytes} each on average|, {total_ns} on the "
		"host",
	 .sum = "{count} calls of NCCL|, {bytes}|, {total_ns} on the host",
	 .by = "count",
	 .needs = "communication",
	 .none = "no NCCL call was recorded"},
	{0},
};

const struct analysis analysis_nccl = {
	.name = "nccl",
	.title = "Collectives",
	.summary = "collectives: time, exposed time, message sizes, bandwidth",
	.example = "gpuwhy nccl job.sqlite --by rank",
	.detail =
		"The collective, and for NCCL also algorithm, protocol, data type and reduction, "
		"come from the kernel's name. They are those the kernel was compiled for; NCCL can "
		"run others inside it. SendRecv launched in a range named all-to-all counts as "
		"AllToAll. Exposed time is communication that no compute on the rank overlaps.\n\n"
		"Communicator and message size come from the payload of the NCCL range that "
		"launched the kernel. NCCL's message is the whole buffer for AllReduce, Broadcast, "
		"Reduce, Send and Recv, and one rank's part for AllGather, ReduceScatter and "
		"AllToAll. Bus bandwidth is defined as in nccl-tests, over kernel time: with n "
		"ranks, message · 2(n-1)/n for AllReduce; message · (n-1), which is (n-1)/n of all "
		"data, for AllGather, ReduceScatter and AllToAll; otherwise the message. Kernel "
		"time includes waiting for stragglers: see `gpuwhy stragglers`. Kernels cut by the "
		"window are excluded.\n\n"
		"A second table lists the NCCL calls of the host, unless --device selects one GPU.",
	.needs = NEEDS(TRACE_KERNELS),
	.options = &nccl_options,
	.run = run,
	.topics = topics_nccl,
};

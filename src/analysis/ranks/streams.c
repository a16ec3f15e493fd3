/* Which streams of each rank compute, which communicate, and what for? */
#include "analysis/cell_values.h"
#include "analysis/ranks/rank_study.h"
#include "analysis/time_table.h"
#include "base/mem.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"pid", "PID", UNIT_ID, 0, NULL, SHOW_IF_ROOM},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"stream", "Stream", UNIT_ID, 0, "stream:", SHOW},
	{"kind", "Kind", UNIT_NAME, 0, NULL, SHOW},
	{"purpose", "Purpose", UNIT_NAME, 0, NULL, SHOW},
	{"comm_ns", "Comm time", UNIT_NS, 0, NULL, SHOW},
	{"comm_kernels", "Comm kernels", UNIT_COUNT, 0, NULL, SHOW},
	{"compute_ns", "Compute time", UNIT_NS, 0, NULL, SHOW},
	{"compute_kernels", "Compute kernels", UNIT_COUNT, 0, NULL, SHOW},
	{"barrier_ns", "Barrier time", UNIT_NS, 0, NULL, SHOW},
	{"window_start_ns", "Window from", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"window_end_ns", "Window to", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
};

static const struct column share_columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"stream", "Stream", UNIT_ID, 0, "stream:", SHOW},
	{"purpose", "Purpose", UNIT_NAME, 0, "", SHOW},
	{"pct", "% of kernels", UNIT_PERCENT, 0, NULL, SHOW},
	{"comm_kernels", "Comm kernels", UNIT_COUNT, 0, NULL, SHOW},
	{"comm_ns", "Comm time", UNIT_NS, 0, NULL, SHOW},
};

/* The kernels of one stream that serve one purpose. */
struct share {
	uint32_t stream, purpose;
	uint64_t kernels;
	int64_t ns;
};

/* Of all comm streams, those of a stream together. */
struct shares {
	struct share *items;
	size_t count, cap;
	size_t *begin; /* of each stream's, and the end of the last one's */
};

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->kernels != y->kernels)
		return x->kernels > y->kernels ? -1 : 1;
	return (x->purpose > y->purpose) - (x->purpose < y->purpose);
}

static void add_to_share(struct share *share, const struct rank_comm *k)
{
	share->kernels++;
	share->ns = sat_add(share->ns, sat_sub(k->end_ns, k->start_ns));
}

static void add_kernels(const struct rank_study *s, struct shares *ret)
{
	const struct rank_activity *a = &s->activity;
	struct idmap numbers = {0};

	for (size_t i = 0; i < a->comm_count; i++) {
		const struct rank_comm *k = &a->comm[i];
		uint32_t number;

		if (comm_is_barrier(a, k))
			continue;
		number = idmap_number_pair(&numbers, k->stream, s->label[i]);
		if (number == ret->count) {
			MEM_GROW(ret->items, ret->cap, ret->count + 1);
			ret->items[ret->count++] =
				(struct share){.stream = k->stream, .purpose = s->label[i]};
		}
		if (ret->items)
			add_to_share(&ret->items[number], k);
	}
	idmap_free(&numbers);
}

static void shares_make(const struct rank_study *s, struct shares *ret)
{
	size_t next = 0;

	*ret = (struct shares){0};
	add_kernels(s, ret);
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare_shares);
	ret->begin = mem_alloc(s->activity.stream_count + 1, sizeof(*ret->begin));
	for (size_t i = 0; i <= s->activity.stream_count; i++) {
		while (next < ret->count && ret->items[next].stream < i)
			next++;
		ret->begin[i] = next;
	}
}

static void shares_free(struct shares *sh)
{
	free(sh->items);
	free(sh->begin);
}

static bool is_mixed(const struct shares *sh, size_t stream)
{
	return sh->begin[stream + 1] - sh->begin[stream] > 1;
}

static const char *kind_of(const struct rank_stream *st)
{
	if (st->comm && st->compute)
		return rank_stream_is_mixed(st) ? "mixed" : "unknown";
	return st->comm ? "comm" : "compute";
}

/* What every kernel agrees on. */
static struct cell purpose_cell(const struct rank_study *s, const struct shares *sh, size_t stream,
				struct report *r)
{
	const struct rank_stream *st = &s->activity.streams[stream];
	uint32_t purpose;

	if (!st->comm)
		return cell_null();
	if (rank_stream_is_mixed(st))
		return cell_text("barrier");
	if (is_mixed(sh, stream))
		return cell_text("mixed");
	purpose = sh->items ? sh->items[sh->begin[stream]].purpose : LABEL_NONE;
	return text_or_null(arena_str(&r->arena, rank_study_label(s, purpose, "")));
}

static void add_gpu(struct rows *rows, const struct rank_study *s, size_t stream)
{
	const struct rank_stream *st = &s->activity.streams[stream];

	rows_add(rows, id_cell(s->activity.gpus[st->gpu].device));
	rows_add(rows, id_cell(st->stream));
}

static void add_row(struct rows *rows, struct report *r, const struct rank_study *s,
		    const struct shares *sh, size_t stream)
{
	const struct rank_stream *st = &s->activity.streams[stream];
	uint32_t index = s->activity.gpus[st->gpu].rank;
	const struct rank *rank = &s->map.all[index];
	struct span window;

	rank_window_bounds(&s->windows, index, &window);
	rows_add(rows, cell_int(rank->number));
	rows_add(rows, process_pid_cell(s->trace, rank->process));
	add_gpu(rows, s, stream);
	rows_add(rows, cell_text(kind_of(st)));
	rows_add(rows, purpose_cell(s, sh, stream, r));
	rows_add(rows, cell_int(st->comm_ns));
	rows_add(rows, cell_int((int64_t)st->comm));
	rows_add(rows, cell_int(st->compute_ns));
	rows_add(rows, cell_int((int64_t)st->compute));
	rows_add(rows, cell_int(rank_stream_is_mixed(st) ? st->comm_ns : 0));
	rows_add(rows, cell_int(window.start_ns));
	rows_add(rows, cell_int(window.end_ns));
}

static int add_table(struct report *r, const struct row_choice *c, const struct rank_study *s,
		     const struct shares *sh, struct err *e)
{
	struct rows *rows = report_new_rows(r, "streams", NULL, columns, ARRAY_LEN(columns));

	rows->table.kind = "stream";
	for (size_t i = 0; i < s->activity.stream_count; i++)
		add_row(rows, r, s, sh, i);
	rows_hide_empty(rows);
	return rows_arrange(rows, c, NULL, e);
}

static void add_share(struct rows *rows, struct report *r, const struct rank_study *s,
		      const struct share *share)
{
	const struct rank_stream *st = &s->activity.streams[share->stream];
	struct str purpose = rank_study_label(s, share->purpose, "(none)");

	rows_add(rows, cell_int(s->map.all[s->activity.gpus[st->gpu].rank].number));
	add_gpu(rows, s, share->stream);
	rows_add(rows, cell_str(arena_str(&r->arena, purpose)));
	rows_add(rows, pct_cell((int64_t)share->kernels, (int64_t)st->comm));
	rows_add(rows, cell_int((int64_t)share->kernels));
	rows_add(rows, cell_int(share->ns));
}

/* Where kernels disagree, who says what. */
static void add_shares(struct report *r, const struct row_choice *c, const struct rank_study *s,
		       const struct shares *sh)
{
	struct rows *rows = NULL;

	for (size_t i = 0; i < sh->count; i++) {
		if (!is_mixed(sh, sh->items[i].stream))
			continue;
		if (!rows) {
			rows = report_new_rows(r, "purposes", "Streams with mixed purpose",
					       share_columns, ARRAY_LEN(share_columns));
			rows->table.kind = "purpose";
		}
		add_share(rows, r, s, &sh->items[i]);
	}
	if (rows)
		rows_arrange_also(rows, c, NULL);
}

static int answer(const struct rank_study *s, const struct row_choice *c, struct report *r,
		  struct err *e)
{
	struct shares sh;
	int result;

	shares_make(s, &sh);
	result = add_table(r, c, s, &sh, e);
	if (result == 0)
		add_shares(r, c, s, &sh);
	shares_free(&sh);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	return rank_study_answer(self, t, args, STUDY_PURPOSES, r, answer, e);
}

static const struct topic topics_streams[] = {
	{.table = "streams",
	 .subject = "stream",
	 .words = "stream streams purpose which compute communicate copy concurrency",
	 .questions = "how many streams are used\n"
		      "which streams compute and which communicate\n"
		      "what is stream 7 used for\n"
		      "which stream is busiest\n"
		      "what runs on each stream\n",
	 .row = "stream {stream} of GPU {device}|: {purpose}|, {compute_ns} of compute in "
		"{compute_kernels} kernels|, {comm_ns} of communication",
	 .sum = "{#} streams|, {compute_kernels} compute kernels|, {comm_kernels} communication "
		"kernels",
	 .by = "compute_ns"},
	{0},
};

const struct analysis analysis_streams = {
	.name = "streams",
	.span = SPAN_ALL,
	.title = "Streams",
	.order = "rank",
	.summary = "which streams of each rank compute or communicate",
	.example = "gpuwhy streams job.sqlite --rank 0",
	.detail = "A stream is comm if all its kernels in the window communicate, compute if none "
		  "does, otherwise mixed: communication on it is a barrier for the compute behind "
		  "it. The purpose of a comm stream comes from the preset: for each kernel, from "
		  "the innermost range at its launch that matches the preset. If kernels disagree, "
		  "the purpose is mixed and a second table shows the shares. Kernels without a "
		  "stream are shown as one stream of unknown kind. `gpuwhy window` shows the "
		  "window; kernels are clipped to it.\n\n" PRESET_HELP,
	.needs = NEEDS(TRACE_KERNELS),
	.options = &rank_window_options,
	.steps_by_rank = true,
	.run = run,
	.topics = topics_streams,
};

/* How long to the first token, how long for each further one, and how many in a second? */
#include "analysis/findings/explain.h"

#include "analysis/numbers/summary.h"
#include "analysis/workload/token_steps.h"
#include "base/mem.h"
#include "text/units.h"
#include "trace/ranges/ranges.h"

static const struct column columns[] = {
	{"requests", "Requests", UNIT_COUNT, 0, NULL, SHOW},
	{"prefills", "Prefills", UNIT_COUNT, 0, NULL, SHOW},
	{"prefills_left_out", "Prefills left out, cold or outside", UNIT_COUNT, 0, NULL, SHOW},
	{"first_token_p50_ns", "Time to first token, median", UNIT_NS, 0, NULL, SHOW},
	{"first_token_p99_ns", "Time to first token, p99", UNIT_NS, 0, NULL, SHOW},
	{"decode_steps", "Decode steps", UNIT_COUNT, 0, NULL, SHOW},
	{"decode_steps_left_out", "Decode steps left out, before a prefill", UNIT_COUNT, 0, NULL,
	 SHOW},
	{"token_p50_ns", "Time per token, median", UNIT_NS, 0, NULL, SHOW},
	{"token_p99_ns", "Time per token, p99", UNIT_NS, 0, NULL, SHOW},
	{"sequence_tokens_per_s", "Tokens per second, each sequence", UNIT_RATIO, 0, NULL, SHOW},
	{"batch", "Batch size", UNIT_RATIO, 0, NULL, SHOW},
	{"tokens_per_s", "Tokens per second, all sequences", UNIT_RATIO, 0, NULL, SHOW},
};
enum {
	REQUESTS,
	PREFILLS,
	PREFILLS_OUT,
	FIRST_P50,
	FIRST_P99,
	DECODE_STEPS,
	STEPS_OUT,
	TOKEN_P50,
	TOKEN_P99,
	SEQUENCE_RATE,
	BATCH,
	RATE,
	FIGURES = ARRAY_LEN(columns),
};

enum { TOKENS_MIN = 2 };

static void add_prefills(const struct token_times *t, struct cell *f)
{
	f[PREFILLS] = cell_int((int64_t)t->prefill_count);
	f[PREFILLS_OUT] = cell_int((int64_t)t->prefills_left_out);
	if (t->prefill_count) {
		f[FIRST_P50] = cell_real(quantile(t->prefill_ns, t->prefill_count, 0.5));
		f[FIRST_P99] = cell_real(quantile(t->prefill_ns, t->prefill_count, 0.99));
	}
}

static void add_tokens(const struct token_times *t, struct cell *f)
{
	f[DECODE_STEPS] = cell_int((int64_t)t->count);
	f[STEPS_OUT] = cell_int((int64_t)t->interrupted);
	if (t->count < TOKENS_MIN)
		return;
	f[TOKEN_P50] = cell_real(quantile(t->periods, t->count, 0.5));
	f[TOKEN_P99] = cell_real(quantile(t->periods, t->count, 0.99));
	if (t->speculative || t->total_ns <= 0)
		return;
	if (f[TOKEN_P50].r > 0)
		f[SEQUENCE_RATE] = cell_real(1e9 / f[TOKEN_P50].r);
	if (t->tokens) {
		f[BATCH] = cell_real((double)t->tokens / (double)t->count);
		f[RATE] = cell_real(1e9 * (double)t->tokens / (double)t->total_ns);
	}
}

static void say_first(struct buf *b, const struct cell *f)
{
	if (f[FIRST_P50].kind == CELL_NULL)
		return;
	units_add_ns(b, f[FIRST_P50].r);
	buf_adds(b, " to first token, ");
}

static void say_rate(struct buf *b, const struct token_times *t, const struct cell *f)
{
	const struct cell *rate = f[RATE].kind == CELL_NULL ? &f[SEQUENCE_RATE] : &f[RATE];

	if (rate->kind == CELL_NULL)
		return;
	buf_adds(b, ", ");
	units_add_grouped(b, rate->r, rate->r < 10 ? 1 : 0);
	if (rate == &f[SEQUENCE_RATE])
		buf_adds(b, " tokens/s for each sequence");
	else if (t->batch)
		buf_addf(b, " tokens/s at batch %u", t->batch);
	else
		buf_addf(b, " tokens/s at %.1f sequences on average", f[BATCH].r);
}

static void say_tokens(struct buf *b, const struct token_times *t, const struct cell *f)
{
	if (f[TOKEN_P50].kind == CELL_NULL) {
		buf_adds(b, "time per token unknown: no NVTX ranges are its decode steps.");
		return;
	}
	workload_add_time(b, t->speculative ? "per decode step of several tokens" : "per token",
			  f[TOKEN_P50].r, f[TOKEN_P99].r);
	say_rate(b, t, f);
	buf_addc(b, '.');
}

/* Where no name says a batch size, what the ranges carry may. */
static int read_batches(struct explain *x, struct token_steps *s, struct err *e)
{
	static const char *const keys[] = {"batch_size", "batch", "bs"};
	const struct events *ev = &x->trace->events[TRACE_NVTX];

	for (size_t i = 0; i < s->decode_count; i++) {
		if (s->decodes[i].batch)
			return 0;
	}
	if (!s->decode_count || trace_lacks_column(x->trace, TRACE_NVTX, COL_PAYLOAD))
		return 0;
	if (trace_load(x->trace, TRACE_NVTX, COL_BIT(COL_PAYLOAD), e) < 0)
		return -1;
	for (size_t i = 0; ev->payload && i < s->decode_count; i++) {
		const struct str json = trace_name(x->trace, ev->payload[s->decodes[i].row]);
		uint64_t batch = 0;

		for (size_t k = 0; !batch && k < ARRAY_LEN(keys); k++)
			payload_number(json, keys[k], &batch);
		s->decodes[i].batch = batch <= UINT32_MAX ? (uint32_t)batch : 0;
	}
	return 0;
}

static int measure(struct explain *x, const struct warm_steps *steps, struct range_roles *roles,
		   struct token_times *ret, size_t *ret_requests, struct err *e)
{
	struct token_steps s;
	int result =
		token_steps_find(&s, x->trace, &x->judge.attribution, x->judge.joined, roles, e);

	if (result == 0)
		result = read_batches(x, &s, e);
	*ret_requests = s.requests;
	if (result == 0 && s.decode_count)
		token_times_make(ret, &s, &x->scope);
	else
		token_times_of_steps(ret, steps);
	token_steps_free(&s);
	return result;
}

int workload_serve(struct explain *x, const struct warm_steps *steps, struct range_roles *roles,
		   struct report_workload *w, struct buf *text, struct err *e)
{
	struct cell *f = arena_zalloc(&x->report->arena, FIGURES, sizeof(*f));
	struct token_times times;
	size_t requests;

	if (measure(x, steps, roles, &times, &requests, e) < 0) {
		token_times_free(&times);
		return -1;
	}
	if (requests)
		f[REQUESTS] = cell_int((int64_t)requests);
	add_prefills(&times, f);
	add_tokens(&times, f);
	say_first(text, f);
	say_tokens(text, &times, f);
	token_times_free(&times);
	w->columns = columns;
	w->figures = f;
	w->figure_count = FIGURES;
	return 0;
}

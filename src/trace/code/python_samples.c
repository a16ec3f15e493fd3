/* Python's stacks: NVTX marks with a payload. */
#include "trace/code/samples.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "trace/load.h"
#include "trace/ranges/ranges.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { START, THREAD, TYPE, BYTES, JSON, JSON_ID, COLUMNS };

/* What a worker has found. Samples come in runs of the same stack: the last one is kept. */
struct finder {
	struct stacks stacks;
	struct found_sample *found[PAYLOAD_KINDS];
	size_t count[PAYLOAD_KINDS], cap[PAYLOAD_KINDS];
	size_t without_stack;
	bool has_json; /* some row has a payload in that form */
	struct str last;
	enum payload_kind last_kind;
	uint32_t last_stack;
	struct payload_stack payload;
};

struct reading {
	const struct trace *trace;
	struct payload_layouts layouts;
	struct finder *finders; /* by worker */
	int columns[COLUMNS];	/* -1: the table has none */
	size_t number[COLUMNS]; /* of the column among those that are wanted */
	int wanted[COLUMNS];
	size_t at[COLUMNS]; /* where a wanted one is in a batch */
	size_t wanted_count;
};

static const struct sqlite_values *values(const struct reading *r, const struct sqlite_batch *b,
					  int column)
{
	return r->columns[column] < 0 ? NULL : &b->values[r->at[r->number[column]]];
}

static struct str bytes_of(const struct sqlite_values *v, size_t i)
{
	if (!v || (v->type[i] != SQLITE_IS_TEXT && v->type[i] != SQLITE_IS_BLOB))
		return (struct str){NULL, 0};
	return (struct str){v->s[i], (size_t)v->num[i]};
}

/* The JSON stands in the row, or among the strings. */
static struct str json_of(const struct reading *r, const struct sqlite_batch *b, size_t i)
{
	const struct sqlite_values *id = values(r, b, JSON_ID);
	const struct str text = bytes_of(values(r, b, JSON), i);
	uint32_t name;

	if (text.len || !id || id->type[i] != SQLITE_IS_INT)
		return text;
	name = strings_number(r->trace, id->num[i]);
	return name == NAME_NONE ? text : r->trace->names.items[name];
}

static uint32_t line_of(int64_t line)
{
	return line > 0 && line < INT32_MAX ? (uint32_t)line : 0;
}

static uint32_t add_stack(const struct trace *t, struct finder *f)
{
	uint32_t stack = STACK_NONE;

	for (size_t i = f->payload.count; i--;) {
		const struct payload_frame *p = &f->payload.frames[i];
		const struct frame frame = {strings_number(t, p->function),
					    strings_number(t, p->file), line_of(p->line)};

		stack = stacks_call(&f->stacks, stack, stacks_frame(&f->stacks, frame));
	}
	return stack;
}

/* The stack of a payload, which is the last one's where that is the same. */
static bool find_stack(const struct reading *r, struct finder *f, struct str bytes, struct str json)
{
	const struct str payload = bytes.len ? bytes : json;

	if (payload.len && str_eq(payload, f->last))
		return true;
	if (!(bytes.len && payload_of_bytes(&r->layouts, bytes, &f->payload)) &&
	    !payload_of_json(json, &f->payload))
		return false;
	f->last = payload;
	f->last_kind = f->payload.kind;
	f->last_stack = add_stack(r->trace, f);
	return true;
}

static bool is_mark(const struct sqlite_values *type, size_t i)
{
	return !type || (type->type[i] == SQLITE_IS_INT && type->num[i] == NVTX_MARK);
}

static int take_rows(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct reading *r = ctx;
	const struct sqlite_values *start = values(r, b, START), *thread = values(r, b, THREAD);
	struct finder *f = &r->finders[worker];

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		const struct str bytes = bytes_of(values(r, b, BYTES), i), json = json_of(r, b, i);
		enum payload_kind kind;

		f->has_json |= json.len > 0;
		if ((!bytes.len && !json.len) || !is_mark(values(r, b, TYPE), i) ||
		    start->type[i] != SQLITE_IS_INT || thread->type[i] != SQLITE_IS_INT)
			continue;
		if (!find_stack(r, f, bytes, json)) {
			f->without_stack++;
			continue;
		}
		kind = f->last_kind;
		MEM_GROW(f->found[kind], f->cap[kind], f->count[kind] + 1);
		f->found[kind][f->count[kind]++] =
			(struct found_sample){(uint64_t)thread->num[i], b->first_row + i,
					      start->num[i], f->last_stack, worker};
	}
	return 0;
}

/* Of an export without payloads nothing is read. */
static bool choose_columns(struct reading *r, const struct sqlite_table *table)
{
	static const char *const names[COLUMNS] = {"start",	 "globalTid", "eventType",
						   "binaryData", "jsonText",  "jsonTextId"};

	for (int i = 0; i < COLUMNS; i++) {
		r->columns[i] = table ? sqlite_table_find_column(table, names[i]) : -1;
		if (r->columns[i] < 0)
			continue;
		r->number[i] = r->wanted_count;
		r->wanted[r->wanted_count++] = r->columns[i];
	}
	return r->columns[START] >= 0 && r->columns[THREAD] >= 0 &&
	       (r->columns[BYTES] >= 0 || r->columns[JSON] >= 0 || r->columns[JSON_ID] >= 0);
}

static uint64_t row_at(const struct finder *f, enum payload_kind kind, size_t i)
{
	return i < f->count[kind] ? f->found[kind][i].row : UINT64_MAX;
}

/*
 * Each worker has found its samples in order of their rows, many in a row: of the one who has the
 * first, all are taken up to the next one's first.
 */
static struct found_sample *merge(const struct reading *r, enum payload_kind kind, size_t count)
{
	struct found_sample *all = mem_alloc(count, sizeof(*all));
	size_t at[PARALLEL_MAX] = {0};

	for (size_t n = 0; n < count;) {
		uint64_t least = UINT64_MAX, until = UINT64_MAX;
		unsigned first = 0;

		for (unsigned w = 0; w < parallel_workers(); w++) {
			const uint64_t row = row_at(&r->finders[w], kind, at[w]);

			if (row < least) {
				until = least;
				least = row;
				first = w;
			} else if (row < until) {
				until = row;
			}
		}
		while (row_at(&r->finders[first], kind, at[first]) < until)
			all[n++] = r->finders[first].found[kind][at[first]++];
	}
	return all;
}

/* What all workers have found of one kind. */
static void gather(struct reading *r, enum payload_kind kind, struct stacks *stacks,
		   struct samples *ret)
{
	const unsigned workers = parallel_workers();
	struct stacks *sets = mem_alloc(workers, sizeof(*sets));
	struct found_sample *all;
	size_t count = 0;

	for (unsigned w = 0; w < workers; w++) {
		sets[w] = r->finders[w].stacks;
		count += r->finders[w].count[kind];
	}
	all = merge(r, kind, count);
	samples_settle(ret, stacks, all, count, sets, workers);
	free(all);
	free(sets);
}

static void forget_rows(void *ctx)
{
	const struct reading *r = ctx;

	for (unsigned w = 0; w < parallel_workers(); w++) {
		for (int kind = 0; kind < PAYLOAD_KINDS; kind++)
			free(r->finders[w].found[kind]);
		stacks_free(&r->finders[w].stacks);
		r->finders[w] = (struct finder){0};
	}
}

/* Whoever looks for what ranges carry then need not read all rows for it. */
static void note_json(const struct reading *r, struct trace *t)
{
	bool any = false;

	for (unsigned w = 0; w < parallel_workers(); w++)
		any |= r->finders[w].has_json;
	if (!any)
		trace_note_empty(t, TRACE_NVTX, COL_PAYLOAD);
}

/* Ranges may be many, and have payloads of their own. */
static bool is_named(const struct payload_layouts *l, enum payload_kind wanted)
{
	return wanted == PAYLOAD_KINDS ? l->named : l->used[wanted];
}

int python_samples_read(struct trace *t, enum payload_kind wanted, uint32_t beside,
			struct stacks *stacks, struct samples ret[PAYLOAD_KINDS], struct err *e)
{
	struct reading r = {.trace = t};
	struct load_hook hook = {.columns = r.wanted,
				 .at = r.at,
				 .begin = forget_rows,
				 .batch = take_rows,
				 .ctx = &r};
	int result;

	if (!choose_columns(&r, t->events[TRACE_NVTX].table))
		return 0;
	if (payload_layouts_read(t, &r.layouts, e) < 0)
		return -1;
	if (!is_named(&r.layouts, wanted))
		return 0;
	if (strings_load(t, e) < 0)
		return -1;
	r.finders = mem_zalloc(parallel_workers(), sizeof(*r.finders));
	hook.count = r.wanted_count;
	result = trace_load_with(t, TRACE_NVTX, beside, &hook, e);
	if (result == 0)
		note_json(&r, t);
	for (int kind = 0; result == 0 && kind < PAYLOAD_KINDS; kind++)
		gather(&r, kind, stacks, &ret[kind]);
	for (unsigned w = 0; w < parallel_workers(); w++)
		ret[PAYLOAD_SAMPLE].without_stack += r.finders[w].without_stack;
	/* Marks without a payload look like any others: that there are some the schema tells. */
	if (!ret[PAYLOAD_SAMPLE].count && !ret[PAYLOAD_BACKTRACE].count &&
	    !ret[PAYLOAD_SAMPLE].without_stack)
		ret[PAYLOAD_SAMPLE].without_stack = 1;
	forget_rows(&r);
	free(r.finders);
	return result;
}

/* Which calls launched these ops? */
#include "trace/calls/picked_calls.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "trace/strings.h"

#include <stdlib.h>

/* The first tells whether the others are worth reading. */
enum { WANT_CORRELATION, WANT_START, WANT_END, WANT_TID, WANTED, WANT_NAME = WANTED };

/* A bit for 256 ids each, and all that are so many times 65,536 further. */
enum { ID_BLOCKS = 1 << 16 };

static uint32_t id_block(uint64_t correlation)
{
	return correlation >> 8 & (ID_BLOCKS - 1);
}

/* A call whose launch has one already. */
struct extra {
	uint32_t launch;
	struct picked_call call;
};

/* Where a worker is: rows nearly always are of the same thread as those before. */
struct place {
	struct launch_cursor cursor;
	uint64_t tid;
	uint32_t process, thread;
	bool known;
};

struct search {
	struct picked_calls *out;
	struct trace *trace;
	const uint32_t *rows;
	struct pair_list *lists; /* one for PARALLEL_ROWS of them each */
	struct place *places;	 /* one per worker */
	uint64_t *blocks;	 /* where ids are asked for, of whatever process */
	bool wants_names;
	uint8_t *names;	      /* met on the way; NULL: nobody asked */
	pthread_mutex_t lock; /* of what follows */
	struct extra *extras;
	size_t extra_count, extra_cap;
};

static bool pair_of(const struct picked_calls *c, uint32_t row, uint32_t *ret_process)
{
	const struct events *ev = &c->trace->events[c->kind];

	*ret_process = c->one_process ? 0 : ev->process[row];
	return ev->correlation && ev->correlation[row] != ID_NONE && *ret_process != ID_NONE;
}

static void list_launches(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct search *s = ctx;
	const uint32_t *correlation = s->trace->events[s->out->kind].correlation;
	struct pair_list *list = &s->lists[begin / PARALLEL_ROWS];
	uint32_t process;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		if (pair_of(s->out, s->rows[i], &process))
			pair_list_add(list, process, correlation[s->rows[i]]);
	}
	pair_list_settle(list);
}

static void number_launches(struct search *s, size_t count)
{
	size_t lists = count / PARALLEL_ROWS + 1;
	struct picked_calls *out = s->out;

	s->lists = mem_zalloc(lists, sizeof(*s->lists));
	parallel_each(count, PARALLEL_ROWS, list_launches, s);
	launch_numbers_make(&out->numbers, s->lists, lists);
	free(s->lists);
	out->of_launch = mem_alloc(out->numbers.count, sizeof(*out->of_launch));
}

static void forget_calls(struct search *s)
{
	for (size_t i = 0; i < s->out->numbers.count; i++)
		s->out->of_launch[i].row = ID_NONE;
	s->extra_count = 0;
}

/* Whoever comes first takes the launch; settle_extras() judges. */
static void offer(struct search *s, uint32_t launch, const struct picked_call *call)
{
	struct picked_call *to = &s->out->of_launch[launch];
	uint32_t none = ID_NONE;

	if (__atomic_compare_exchange_n(&to->row, &none, call->row, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED)) {
		to->start_ns = call->start_ns;
		to->duration_ns = call->duration_ns;
		to->thread = call->thread;
		return;
	}
	pthread_mutex_lock(&s->lock);
	MEM_GROW(s->extras, s->extra_cap, s->extra_count + 1);
	s->extras[s->extra_count++] = (struct extra){launch, *call};
	pthread_mutex_unlock(&s->lock);
}

/* Which call came first must not depend on which worker did. */
static void settle_extras(struct search *s)
{
	for (size_t i = 0; i < s->extra_count; i++) {
		const struct picked_call *x = &s->extras[i].call;
		struct picked_call *kept = &s->out->of_launch[s->extras[i].launch];

		if (x->start_ns < kept->start_ns ||
		    (x->start_ns == kept->start_ns && x->row < kept->row))
			*kept = *x;
	}
}

static void turn_to(const struct search *s, struct place *p, uint64_t tid)
{
	p->tid = tid;
	p->process = s->out->one_process ? 0 : idmap_get(&s->trace->process_keys.map, tid >> 24);
	p->thread = idmap_get(&s->trace->thread_keys.map, tid);
	p->known = true;
}

static int take_calls(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct sqlite_values *start = &b->values[WANT_START], *end = &b->values[WANT_END];
	const struct sqlite_values *tid = &b->values[WANT_TID];
	const struct sqlite_values *correlation = &b->values[WANT_CORRELATION];
	struct search *s = ctx;
	struct place p = s->places[worker];

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		uint32_t launch;

		if (correlation->type[i] != SQLITE_IS_INT || tid->type[i] != SQLITE_IS_INT ||
		    (uint64_t)correlation->num[i] >= ID_NONE)
			continue;
		if (!p.known || p.tid != (uint64_t)tid->num[i])
			turn_to(s, &p, (uint64_t)tid->num[i]);
		if (p.process == IDMAP_NONE)
			continue;
		launch = launch_numbers_find(&s->out->numbers, &p.cursor, p.process,
					     (uint32_t)correlation->num[i]);
		if (launch == LAUNCH_NONE || start->type[i] != SQLITE_IS_INT ||
		    end->type[i] != SQLITE_IS_INT)
			continue;
		offer(s, launch,
		      &(struct picked_call){start->num[i],
					    event_duration(start->num[i], end->num[i]), p.thread,
					    (uint32_t)(b->first_row + i)});
	}
	s->places[worker] = p;
	if (s->names)
		names_mark_used(s->trace, &b->values[WANT_NAME], b->rows, s->names);
	progress_add(b->rows);
	return 0;
}

static void note_blocks(struct search *s)
{
	const struct launch_numbers *n = &s->out->numbers;

	s->blocks = mem_zalloc(ID_BLOCKS / 64, sizeof(*s->blocks));
	for (size_t i = 0; i < n->page_count; i++) {
		const uint32_t block = id_block(pair_key_correlation(n->pages[i].key));

		s->blocks[block / 64] |= UINT64_C(1) << block % 64;
	}
}

/* Where few ops are asked about, hardly any page of calls is about one of them. */
static bool may_launch(void *ctx, const struct sqlite_values *correlation, size_t rows)
{
	const struct search *s = ctx;

	for (size_t i = 0; i < rows; i++) {
		const uint32_t block = id_block((uint64_t)correlation->num[i]);

		if (s->blocks[block / 64] >> block % 64 & 1)
			return true;
	}
	progress_add(rows);
	return false;
}

static int begin_calls(void *ctx, uint64_t rows, struct err *e)
{
	struct search *s = ctx;

	(void)e;
	forget_calls(s);
	if (s->names)
		memset(s->names, 0, names_used_size(s->trace));
	progress_begin("looking for launches", rows);
	return 0;
}

/* False: a column is missing without which no call is anyone's. */
static bool wanted_columns(const struct search *s, int columns[WANTED + 1])
{
	static const enum trace_column wanted[WANTED] = {COL_CORRELATION, COL_START, COL_DURATION,
							 COL_THREAD};

	for (int i = 0; i < WANTED; i++) {
		columns[i] = trace_sql_column(s->trace, TRACE_API, wanted[i]);
		if (columns[i] < 0)
			return false;
	}
	columns[WANT_NAME] = s->wants_names ? trace_sql_column(s->trace, TRACE_API, COL_NAME) : -1;
	return true;
}

static int read_calls(struct search *s, struct err *e)
{
	const struct sqlite_reader reader = {begin_calls, take_calls, s};
	const struct sqlite_table *table = s->trace->events[TRACE_API].table;
	int columns[WANTED + 1], result;

	if (!wanted_columns(s, columns)) {
		forget_calls(s);
		return 0;
	}
	if (columns[WANT_NAME] >= 0) {
		if (strings_load(s->trace, e) < 0)
			return -1;
		s->names = mem_alloc(names_used_size(s->trace), 1);
	}
	pthread_mutex_init(&s->lock, NULL);
	s->places = mem_zalloc(parallel_workers(), sizeof(*s->places));
	note_blocks(s);
	result = sqlitefile_read_some(s->trace->file, table, columns, WANTED + !!s->names, &reader,
				      s->names ? NULL : may_launch, e);
	progress_end();
	if (result == 0)
		settle_extras(s);
	free(s->extras);
	free(s->places);
	free(s->blocks);
	pthread_mutex_destroy(&s->lock);
	return result;
}

static int find_calls(struct search *s, size_t count, struct err *e)
{
	struct picked_calls *out = s->out;
	struct trace *t = s->trace;
	TRACE_LOCK_SCOPE(t);

	if (trace_load(t, out->kind, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION), e) < 0 ||
	    launches_one_process(t, 1u << out->kind, &out->one_process, e) < 0)
		return -1;
	number_launches(s, count);
	if (t->events[TRACE_API].table && out->numbers.count)
		return read_calls(s, e);
	forget_calls(s);
	return 0;
}

int picked_calls_find(struct trace *t, enum trace_kind kind, const uint32_t *rows, size_t count,
		      struct picked_calls *ret, struct err *e)
{
	return picked_calls_find_named(t, kind, rows, count, ret, NULL, e);
}

int picked_calls_find_named(struct trace *t, enum trace_kind kind, const uint32_t *rows,
			    size_t count, struct picked_calls *ret, uint8_t **ret_names,
			    struct err *e)
{
	struct search s = {.out = ret, .trace = t, .rows = rows, .wants_names = ret_names != NULL};
	int result;

	*ret = (struct picked_calls){.trace = t, .kind = kind};
	if (!ret_names && launches_share_joined(t, 1u << kind, &ret->joined))
		return 0;
	result = find_calls(&s, count, e);
	if (ret_names)
		*ret_names = s.names;
	return result;
}

void picked_calls_free(struct picked_calls *c)
{
	launch_numbers_free(&c->numbers);
	launches_free(&c->joined);
	free(c->of_launch);
	*c = (struct picked_calls){0};
}

static bool joined_call_of(const struct launches *l, uint64_t op, struct picked_call *ret)
{
	struct api_call call;

	if (!launches_call(l, op, &call))
		return false;
	*ret = (struct picked_call){call.start_ns, call.duration_ns,
				    launches_origin(l, &call).thread,
				    l->row_of_launch[l->launch_of_op[op]]};
	return true;
}

bool picked_call_of(const struct picked_calls *c, uint32_t row, struct launch_cursor *cursor,
		    struct picked_call *ret)
{
	uint32_t process, launch;

	if (c->joined.kinds)
		return joined_call_of(&c->joined, c->joined.begin[c->kind] + row, ret);
	if (!c->of_launch || !pair_of(c, row, &process))
		return false;
	launch = launch_numbers_find(&c->numbers, cursor, process,
				     c->trace->events[c->kind].correlation[row]);
	if (launch == LAUNCH_NONE || c->of_launch[launch].row == ID_NONE)
		return false;
	*ret = c->of_launch[launch];
	return true;
}

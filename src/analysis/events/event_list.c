/* Which events is the question about? */
#include "analysis/events/event_list.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* What the filters of the command line leave of one kind. */
struct sieve {
	const struct event_fields *f;
	const struct events *ev;
	enum trace_kind kind;
	const uint32_t *owner; /* the processes of ops, the threads of others */
	bool *passes;	       /* by owner; NULL: all */
	bool is_open;	       /* all pass that have times */
};

static bool *passing(const struct intern *owners, int shift, uint32_t pid)
{
	bool *passes = mem_alloc(owners->count, sizeof(*passes));

	for (size_t i = 0; i < owners->count; i++)
		passes[i] = process_pid(owners->keys[i] >> shift) == pid;
	return passes;
}

static void open_sieve(struct sieve *s, const struct event_fields *f, enum trace_kind kind)
{
	const struct trace *t = f->trace;

	*s = (struct sieve){.f = f, .ev = &t->events[kind], .kind = kind};
	s->is_open = kind != TRACE_NVTX && !f->p->has_pid && !f->p->has_trim &&
		     !(f->p->has_device && kind < TRACE_GPU_KINDS);
	if (!f->p->has_pid)
		return;
	s->owner = kind < TRACE_GPU_KINDS ? s->ev->process : s->ev->thread;
	s->passes = kind < TRACE_GPU_KINDS ? passing(&t->process_keys, 0, f->p->pid)
					   : passing(&t->thread_keys, 24, f->p->pid);
}

static bool is_on_device(const struct sieve *s, uint64_t i)
{
	return device_map_of(&s->f->devices, s->ev, i) == s->f->p->device;
}

static bool is_in_place(const struct sieve *s, uint64_t i)
{
	if (s->f->p->has_device && s->kind < TRACE_GPU_KINDS && !is_on_device(s, i))
		return false;
	return !s->passes || (s->owner && s->owner[i] != ID_NONE && s->passes[s->owner[i]]);
}

static bool is_mark(const struct sieve *s, uint64_t i)
{
	return s->kind == TRACE_NVTX && s->ev->event_type && s->ev->event_type[i] == NVTX_MARK;
}

static bool is_event(const struct sieve *s, uint64_t i)
{
	return s->kind != TRACE_NVTX || (s->ev->event_type && nvtx_is_event(s->ev->event_type[i]));
}

static bool passes_sieve(const struct sieve *s, uint64_t i, uint64_t *without_times)
{
	int64_t inside, duration = s->ev->duration_ns[i];

	if (s->is_open && duration != DURATION_NONE)
		return true;
	if (!is_event(s, i) || !is_in_place(s, i))
		return false;
	if (duration == DURATION_NONE && !is_mark(s, i)) {
		++*without_times;
		return false;
	}
	return window_clip(s->f->p, s->ev->start_ns[i], duration < 0 ? 0 : duration, &inside);
}

static void add_item(struct event_list *l, uint64_t number)
{
	MEM_GROW(l->items, l->cap, l->count + 1);
	l->items[l->count++] = (uint32_t)number;
}

static int add_kind(struct event_list *l, struct event_fields *f, enum trace_kind kind,
		    event_choice *choice, void *ctx, struct err *e)
{
	struct sieve s;
	int wanted = 1;

	open_sieve(&s, f, kind);
	for (uint64_t i = 0; i < s.ev->count && wanted >= 0; i++) {
		if (!passes_sieve(&s, i, &l->without_times[kind]))
			continue;
		wanted = choice ? choice(ctx, f, (struct event_ref){kind, (uint32_t)i}, e) : 1;
		if (wanted > 0) {
			add_item(l, l->begin[kind] + i);
			l->backwards += s.ev->duration_ns[i] < 0 && !is_mark(&s, i);
		}
	}
	free(s.passes);
	return wanted < 0 ? -1 : 0;
}

static int number_rows(struct event_list *l, const struct event_fields *f, struct err *e)
{
	const struct trace *t = f->trace;

	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		bool open = f->kinds & NEEDS(kind) && t->events[kind].start_ns &&
			    t->events[kind].duration_ns;

		l->begin[kind + 1] = l->begin[kind] + (open ? t->events[kind].count : 0);
	}
	if (l->begin[TRACE_KINDS] >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "'%s' has more than 4 billion events", t->path);
	return 0;
}

int event_list_make(struct event_list *l, struct event_fields *f, event_choice *choice, void *ctx,
		    struct err *e)
{
	*l = (struct event_list){0};
	if (number_rows(l, f, e) < 0)
		return -1;
	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		if (l->begin[kind + 1] > l->begin[kind] &&
		    add_kind(l, f, (enum trace_kind)kind, choice, ctx, e) < 0)
			return -1;
	}
	return 0;
}

void event_list_arrange(struct event_list *l, const int64_t *keys)
{
	uint32_t *order = sort_new_order(keys, l->count);
	uint32_t *sorted = mem_alloc(l->count, sizeof(*sorted));

	for (size_t i = 0; i < l->count; i++)
		sorted[i] = l->items[order[i]];
	free(order);
	free(l->items);
	l->items = sorted;
	l->cap = l->count;
}

/* Kinds follow one another, rows are in order: equal starts stay so. */
void event_list_sort(struct event_list *l, const struct trace *t)
{
	int64_t *start = mem_alloc(l->count, sizeof(*start));

	for (size_t i = 0; i < l->count; i++) {
		struct event_ref at = event_list_at(l, i);

		start[i] = t->events[at.kind].start_ns[at.row];
	}
	event_list_arrange(l, start);
	free(start);
}

void event_list_free(struct event_list *l)
{
	free(l->items);
	*l = (struct event_list){0};
}

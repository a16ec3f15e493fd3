/* Whom does a launching thread wait for: another thread, the interpreter lock, another process? */
#include "analysis/findings/explain.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <stdlib.h>

static const double most = 0.5;

/* Where Python waits, by the file of the innermost frame; OS_WAITS: it does not. */
static enum os_wait python_wait(const struct explain *x, uint32_t stack)
{
	static const struct {
		const char *file;
		enum os_wait wait;
	} files[] = {
		{"/threading.py", OS_LOCK},
		{"/queue.py", OS_LOCK},
		{"/concurrent/futures/", OS_LOCK},
		{"/selectors.py", OS_INPUT},
		{"/socketserver.py", OS_INPUT},
		{"/multiprocessing/connection.py", OS_INPUT},
		{"/asyncio/", OS_INPUT},
		{"/socket.py", OS_INPUT},
		{"/ssl.py", OS_INPUT},
		{"/subprocess.py", OS_INPUT},
		{"/resource_tracker.py", OS_INPUT},
	};
	const struct str file = frame_file(&x->places, stacks_top(&x->code.stacks, stack));

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		if (str_holds(file, files[i].file))
			return files[i].wait;
	}
	return OS_WAITS;
}

void explain_sampled_waits(struct explain *x)
{
	for (size_t i = 0; i < x->code_sums.pairs.count; i++) {
		const struct code_time *t = &x->code_sums.times[i];
		const enum os_wait wait = python_wait(x, t->stack);

		if (wait != OS_WAITS && x->code_sums.keys[t->group].cause == CAUSE_STALL)
			x->waits.ns[wait] = sat_add(x->waits.ns[wait], t->ns);
	}
}

/* Of one other thread: the time that it spends in each frame while ours waits. */
struct holder {
	const struct explain *x;
	uint64_t thread;
	int64_t *frame_ns; /* by frame that is yours */
	uint32_t frame;	   /* which has most */
	int64_t ns;
};

static void take_holder(void *ctx, uint32_t stack, struct span part)
{
	struct holder *h = ctx;
	uint32_t frame;

	if (python_wait(h->x, stack) != OS_WAITS)
		return;
	frame = places_yours(&h->x->places, stack);
	h->frame_ns[frame] = sat_add(h->frame_ns[frame], sat_sub(part.end_ns, part.start_ns));
	if (h->frame_ns[frame] > h->ns) {
		h->ns = h->frame_ns[frame];
		h->frame = frame;
	}
}

/* A thread of the process that waits, or of another one. */
static bool is_candidate(uint64_t waits, uint64_t other, bool same_process)
{
	return waits != other && (waits >> 24 == other >> 24) == same_process;
}

static struct holder look_at_thread(const struct explain *x, const struct samples *list,
				    const struct sampled_thread *of, bool same_process)
{
	struct thread_samples samples = {.list = list, .of = of, .near = of->begin};
	struct holder h = {.x = x, .thread = of->key};

	h.frame_ns = mem_zalloc(x->code.stacks.frame_count, sizeof(*h.frame_ns));
	for (size_t i = 0; i < x->stalls.count; i++) {
		const struct stall *s = &x->stalls.all[i];

		if (is_candidate(x->trace->thread_keys.keys[s->thread], of->key, same_process))
			samples_share(&samples, (struct span){s->start_ns, s->end_ns}, take_holder,
				      &h);
	}
	free(h.frame_ns);
	return h;
}

/* Those that are in one place for most of the time in which the launching thread waits. */
struct holders {
	struct holder best, next; /* 0 ns: there is none */
};

/*
 * One of the same process may hold a lock while it waits itself; of another one only work counts.
 */
static struct holders find_holders(const struct explain *x, bool same_process)
{
	const struct samples *list = &x->code.python[PAYLOAD_SAMPLE];
	struct holders found = {0};

	list = list->count ? list : &x->code.native;
	for (size_t i = 0; i < list->thread_count; i++) {
		const struct holder h = look_at_thread(x, list, &list->threads[i], same_process);

		if (!h.ns || !is_share(h.ns, x->waits.stall_ns, most) ||
		    (!same_process &&
		     !is_share(explain_busy_in_stalls(x, h.thread), x->waits.stall_ns, most)))
			continue;
		if (h.ns > found.best.ns) {
			found.next = found.best;
			found.best = h;
		} else if (h.ns > found.next.ns) {
			found.next = h;
		}
	}
	return found;
}

/* The interpreter itself waits for a condition: locks of programs are semaphores to it. */
static bool is_interpreter_lock(const struct explain *x, const struct stacks *s, uint32_t stack)
{
	const uint32_t caller = s->caller[stack];
	const struct frame *leaf = stacks_top(s, stack);

	return caller != STACK_NONE && leaf->function != NAME_NONE &&
	       str_starts(trace_name(x->trace, leaf->function), "pthread_cond_") &&
	       frame_is_interpreter(x->trace, stacks_top(s, caller));
}

struct lock_calls {
	uint64_t all, for_interpreter;
};

/* Calls of launching threads in stalls, by their backtraces. */
static struct lock_calls count_calls(const struct explain *x, const struct samples *calls,
				     const struct stacks *stacks)
{
	struct lock_calls n = {0};

	for (size_t i = 0; i < x->stalls.count; i++) {
		const struct stall *s = &x->stalls.all[i];
		const struct thread_samples t =
			samples_of_thread(calls, x->trace->thread_keys.keys[s->thread]);

		const size_t first =
			t.of ? BISECT(t.of->begin, t.of->end, at, calls->at_ns[at] < s->start_ns)
			     : 0;

		for (size_t k = first; t.of && k < t.of->end && calls->at_ns[k] < s->end_ns; k++) {
			n.all++;
			n.for_interpreter += is_interpreter_lock(x, stacks, calls->stack[k]);
		}
	}
	return n;
}

/* Backtraces of the calls prove it: without them nobody knows. */
static int waits_for_interpreter(struct explain *x, bool *ret, struct err *e)
{
	static const struct native_tables tables = {"OSRT_API", "callchainId", "OSRT_CALLCHAINS"};
	const struct str function = trace_name(x->trace, x->waits.function[OS_LOCK]);
	struct stacks stacks = {0};
	struct samples calls = {0};
	struct lock_calls n;

	*ret = false;
	if (!x->code.python[PAYLOAD_SAMPLE].count || !str_starts(function, "pthread_cond_"))
		return 0;
	if (native_samples_read(x->trace, &tables, &stacks, &calls, e) < 0)
		return -1;
	n = count_calls(x, &calls, &stacks);
	*ret = n.all && n.for_interpreter * 2 >= n.all;
	samples_free(&calls);
	stacks_free(&stacks);
	return 0;
}

/* Whether most of the stalls pass in a queue's get(). */
static bool waits_for_queue(const struct explain *x)
{
	int64_t queue_ns = 0, all_ns = 0;

	for (size_t i = 0; i < x->code_sums.pairs.count; i++) {
		const struct code_time *t = &x->code_sums.times[i];
		bool in_queue = false;

		if (x->code_sums.keys[t->group].cause != CAUSE_STALL)
			continue;
		for (uint32_t at = t->stack; at != STACK_NONE && !in_queue;
		     at = x->code.stacks.caller[at]) {
			const struct str file =
				frame_file(&x->places, stacks_top(&x->code.stacks, at));

			in_queue = str_ends(file, "/queue.py") || str_ends(file, "/queues.py");
		}
		all_ns = sat_add(all_ns, t->ns);
		queue_ns = sat_add(queue_ns, in_queue ? t->ns : 0);
	}
	return queue_ns && is_share(queue_ns, all_ns, most);
}

/* In the words of a sentence, and what helps where the thread that is waited for is known. */
static const struct {
	const char *what, *advice;
} sorts[] = {
	[WAITS_LOCK] = {"another thread",
			"look at %s, which thread %u runs meanwhile: let it be done before, or "
			"hold the lock for less"},
	[WAITS_INTERPRETER] = {"the interpreter lock (GIL)",
			       "thread %2$u has the lock while it runs %1$s: run that in another "
			       "process, or in code that releases the lock"},
	[WAITS_QUEUE] = {"a queue to be filled",
			 "%s in thread %u does not fill it in time: work further ahead, use more "
			 "workers, or make it faster"},
};

const char *explain_waited_for(enum waits_for sort)
{
	return sorts[sort].what;
}

int explain_waits_for(struct explain *x, enum waits_for *ret, struct err *e)
{
	bool interpreter;

	*ret = WAITS_LOCK;
	if (waits_for_queue(x)) {
		*ret = WAITS_QUEUE;
		return 0;
	}
	if (waits_for_interpreter(x, &interpreter, e) < 0)
		return -1;
	*ret = interpreter ? WAITS_INTERPRETER : WAITS_LOCK;
	return 0;
}

static const char *add_holder(struct explain *x, struct finding *f, const struct holder *h)
{
	const char *code = explain_frame_code(x, h->frame);

	find_time(f,
		  arena_printf(&x->report->arena, "meanwhile thread %u is in %s",
			       thread_tid(h->thread), code),
		  h->ns);
	return code;
}

/* Who is busy all the time may have nothing to do with it: where there are two, nobody knows. */
bool explain_code_holder(struct explain *x, struct finding *f, enum waits_for sort)
{
	const struct holders h = find_holders(x, true);
	const char *code, *other;

	if (!h.best.ns)
		return false;
	code = add_holder(x, f, &h.best);
	if (!h.next.ns) {
		find_advice(f, arena_printf(&x->report->arena, sorts[sort].advice, code,
					    thread_tid(h.best.thread)));
		return true;
	}
	other = add_holder(x, f, &h.next);
	f->confidence = CONFIDENCE_MEDIUM;
	find_advice(f, arena_printf(&x->report->arena,
				    "find out which it waits for: %s of thread %u, or %s of thread "
				    "%u, or another",
				    code, thread_tid(h.best.thread), other,
				    thread_tid(h.next.thread)));
	return true;
}

const char *explain_code_meanwhile(struct explain *x, uint64_t key)
{
	const struct samples *python = &x->code.python[PAYLOAD_SAMPLE];
	const struct samples *list = python->count ? python : &x->code.native;
	const struct thread_samples t = samples_of_thread(list, key);
	struct holder h = {0};

	for (int same = 0; t.of && same < 2 && !h.ns; same++)
		h = look_at_thread(x, list, t.of, same);
	return h.ns && is_share(h.ns, x->waits.descheduled.ns, most)
		       ? explain_frame_code(x, h.frame)
		       : NULL;
}

void explain_add_rival(struct explain *x, struct finding *f)
{
	struct holders h;

	if (x->waits.known || !x->code.python[PAYLOAD_SAMPLE].count)
		return;
	h = find_holders(x, true);
	find_advice(f, "to see whether it works or waits: capture again with OS calls (gpuwhy "
		       "profile --osrt)");
	if (!h.best.ns)
		return;
	add_holder(x, f, &h.best);
	f->confidence = CONFIDENCE_MEDIUM;
	f->unless = "it only waits there, for the interpreter lock (GIL) that the other thread has";
}

bool explain_other_process(struct explain *x, struct sender *ret)
{
	const struct holders h = find_holders(x, false);

	if (!h.best.ns)
		return false;
	*ret = (struct sender){.pid = process_pid(h.best.thread >> 24),
			       .code = explain_frame_code(x, h.best.frame),
			       .ns = h.best.ns};
	return true;
}

/* Which words of a question are calls of the operating system that the trace has? */
#include "ask/asking.h"
#include "ask/said_name.h"

/* Nothing else is called so; other words have to stand where a call would. */
static const char calls_alone[] = "poll ppoll recv recvmsg recvfrom sendmsg sendto futex nanosleep "
				  "usleep fsync ioctl mmap munmap";

static bool stands_as_call(const struct question *q, size_t i, bool has_others)
{
	static const char before[] = "in inside within";
	const struct words *w = &q->words;
	const char *end = w->all[i].said.s + w->all[i].said.len;
	const bool is_last = i + 1 == w->count || w->all[i + 1].is_stop;

	return has_others || str_is_listed(str_of(w->all[i].text), calls_alone) ||
	       w->all[i].is_quoted || end[0] == '(' || question_says_os_calls(q) ||
	       (i + 1 < w->count && str_is_listed(str_of(w->all[i + 1].stem), "call function")) ||
	       (is_last && i && str_is_listed(str_of(w->all[i - 1].text), before));
}

/* Whether the trace has a call of that name; "nanosleep" is clock_nanosleep. */
static bool has_call(const struct trace *t, struct str said)
{
	const struct events *ev = &t->events[TRACE_OSRT];
	struct name_fits known = {0};
	uint32_t before = NAME_NONE;
	bool found = false;

	name_fits_begin(&known, said);
	for (uint64_t i = 0; ev->name && i < ev->count && !found; i++) {
		if (ev->name[i] >= t->names.count || ev->name[i] == before)
			continue;
		before = ev->name[i];
		found = name_fits_find(&known, t->names.items[before]) >= FIT_WORD;
	}
	name_fits_end(&known);
	return found;
}

/* Names that are called so are there before the calls are read, which may be many. */
static bool may_be_call(struct asking *a, size_t i, bool has_others)
{
	const struct word *w = &a->question.words.all[i];
	struct err ignored = {0};

	return !a->question.is_place[i] && w->said.len > 3 && !w->is_term &&
	       (!w->is_stop || w->is_quoted) &&
	       asking_is_name(a->trace, arena_str(&a->report->arena, w->said).s) &&
	       !asking_is_range(a->trace, w->said) &&
	       (memchr(w->said.s, '_', w->said.len) ||
		stands_as_call(&a->question, i, has_others)) &&
	       trace_load(a->trace, TRACE_OSRT, COL_BIT(COL_NAME), &ignored) == 0 &&
	       has_call(a->trace, w->said);
}

static bool is_taken(const struct asked_names *n, struct str said)
{
	bool found = false;

	for (size_t i = 0; i < n->count; i++)
		found |= n->all[i].s == said.s;
	return found;
}

void asking_take_os_calls(struct asking *a)
{
	struct question *q = &a->question;
	struct asked_names n = {.are_os_calls = true};

	if (q->intent == ASKS_WHY || q->about == ABOUT_IDLE_CALL)
		return;
	/* Beside one of them another word may be one, before it or after it. */
	for (size_t k = 0; k < 2 * q->words.count && n.count < ASKED_MOST; k++) {
		const size_t i = k % q->words.count;

		if (is_taken(&n, q->words.all[i].said) || !may_be_call(a, i, n.count > 0))
			continue;
		q->is_used[i] = true;
		n.is_quoted[n.count] = q->words.all[i].is_quoted;
		n.all[n.count++] = q->words.all[i].said;
	}
	if (!n.count)
		return;
	q->names = n;
	q->about = ABOUT_OS_CALLS;
	question_find_work(q);
}

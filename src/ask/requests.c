/* Is a question several requests, "how many kernels, and which nsys version"? Then each is answered
 * by itself. */
#include "ask/asking.h"

#include "ask/route/route_scores.h"
#include "ask/step_window.h"
#include "base/mem.h"

enum { REQUESTS_MOST = 3 };

static const char ask_words[] = "how which what when where who whose";
static const char amounts[] = "number nr total count average median sum share percentage length "
			      "duration maximum minimum max min longest shortest largest smallest "
			      "top list busy";

/* One of them: its words, what it says, where that leads. */
struct request {
	struct str text;
	struct question q;
	struct route route;
};

static bool is_one_of(const struct question *q, size_t i, const char *list)
{
	return i < q->words.count && !q->words.all[i].is_quoted &&
	       str_is_listed(str_of(q->words.all[i].text), list);
}

/* Whether a comma, a plus or the like stands before the word. */
static bool has_mark_before(const struct question *q, size_t i)
{
	const char *from = q->words.all[i - 1].said.s + q->words.all[i - 1].said.len;

	for (const char *at = from; at < q->words.all[i].said.s; at++) {
		if (strchr(",+;&/", *at))
			return true;
	}
	return false;
}

/* "and also how", ", which", "+ total": the first word of a request that begins here; 0: none
 * does. */
static size_t begins_at(const struct question *q, size_t i)
{
	const bool is_joined =
		is_one_of(q, i, "and plus und sowie") || (i && has_mark_before(q, i));
	size_t first = i;

	while (is_joined && is_one_of(q, first,
				      "and plus und sowie also then auch the in on at by "
				      "of for to with from"))
		first++;
	return is_joined && i && (is_one_of(q, first, ask_words) || is_one_of(q, first, amounts))
		       ? first
		       : 0;
}

/* From the word to the one before `end`, as they were said. */
static struct str text_of(const struct question *q, size_t from, size_t end)
{
	const struct str first = q->words.all[from].said, last = q->words.all[end - 1].said;
	const char *to = last.s + last.len;

	/* A quoted name has its quotes around it, and brackets belong to what they follow. */
	while (*to && strchr("\"'`)(", *to))
		to++;
	while (q->words.all[from].is_quoted && first.s[-1] != ' ')
		return (struct str){first.s - 1, (size_t)(to - first.s + 1)};
	return (struct str){first.s, (size_t)(to - first.s)};
}

/* Their texts; how many. */
static size_t split(const struct question *q, struct request *all)
{
	size_t count = 0, from = 0;

	for (size_t i = 1; i < q->words.count && count + 1 < REQUESTS_MOST; i++) {
		const size_t next = begins_at(q, i);

		if (!next || i == from)
			continue;
		all[count++].text = text_of(q, from, i);
		/* A preposition stays: "on which GPU". */
		from = next;
		i = next;
	}
	if (count)
		all[count++].text = text_of(q, from, q->words.count);
	return count;
}

/* "number of calls", "total time": of what, the other request says. */
static bool is_of_anything(const struct question *q)
{
	static const char any[] = "call launch instance time duration average total byte size "
				  "occurrence invocation range";

	for (size_t i = 0; i < q->words.count; i++) {
		if (!q->words.all[i].is_stop && !q->is_used[i] && !q->is_place[i] &&
		    !str_is_listed(str_of(q->words.all[i].stem), any))
			return false;
	}
	return true;
}

/* It says what is asked for, and of what; nothing of it stands in another request. */
static bool is_whole_request(const struct request *r, bool is_first)
{
	static const char refers[] = "it its they them their that those ones one these same "
				     "respective respectively meanwhile each thereof so there why "
				     "else";
	const struct question *q = &r->q;
	bool asks = q->measure != MEASURE_ANY || q->intent == ASKS_AMOUNT;

	for (size_t i = 0; i < q->words.count; i++) {
		/* "are there" is no place. */
		const bool is_there = i && words_at(&q->words, i, "there") &&
				      is_one_of(q, i - 1, "are is were was");

		if (!is_first && !is_there && is_one_of(q, i, refers))
			return false;
		asks |= is_one_of(q, i, ask_words) || is_one_of(q, i, amounts);
	}
	if (is_of_anything(q) && !q->names.count)
		return false;
	return asks && !r->route.is_foreign && q->intent != ASKS_WHY &&
	       (q->names.count || q->work.kinds || q->about != ABOUT_ANY ||
		route_subject_score(r->route.all[0].document, q) > 0);
}

static int place_edge(struct asking *a, struct question *q, struct err *e)
{
	struct step_bounds bounds;
	const int result = q->step_edge.is_given ? step_window_bounds(a->trace, &bounds, e) : 1;

	if (result == 0)
		a->is_edge_lost |= !question_place_edge(q, bounds.first, bounds.last);
	return result < 0 ? -1 : 0;
}

/* Reads a request. Where and when is said once, for all of them. */
static int read_request(struct asking *a, struct request *r, const struct question *whole,
			struct err *e)
{
	const struct question kept = a->question;
	int result;

	question_read(&a->question, r->text);
	asking_take_names(a);
	r->q = a->question;
	a->question = kept;
	result = place_edge(a, &r->q, e);
	if (!question_says_any(&r->q, ANY_OF("step", "steps")))
		question_add_slots(&r->q, whole);
	/* "and how many registers": of the kernel that the first one names. */
	if (r->q.work.each == EACH_SHAPE && !r->q.names.count && !r->q.work.part_count)
		r->q.names = whole->names;
	question_find_step_range(&r->q);
	route_make(&r->route, &a->corpus, &r->q, asking_is_name, a->trace);
	return result;
}

static bool has_name(const struct asked_names *n, struct str name)
{
	bool found = false;

	for (size_t i = 0; i < n->count; i++)
		found |= str_eq(n->all[i], name);
	return found;
}

/* Whether one answer tells both: rows of one table, of the same names. */
static bool is_same_answer(const struct request *x, const struct request *y)
{
	const struct document *d = x->route.all[0].document, *f = y->route.all[0].document;

	if (d->analysis != f->analysis || !str_same(d->topic->table, f->topic->table))
		return false;
	for (size_t i = 0; i < x->q.names.count; i++) {
		if (y->q.names.count && !has_name(&y->q.names, x->q.names.all[i]))
			return false;
	}
	return true;
}

/* Whether they are requests of their own, with answers of their own. */
static bool are_several(const struct request *all, size_t count)
{
	bool differ = false;

	for (size_t i = 0; i < count; i++) {
		/* What is asked of the capture is asked of all of it. */
		if (!is_whole_request(&all[i], i == 0 || all[0].q.about == ABOUT_CAPTURE_LENGTH))
			return false;
		differ |= i && !is_same_answer(&all[0], &all[i]);
	}
	return count > 1 && differ;
}

static int answer_each(struct asking *a, struct request *all, size_t count, struct err *e)
{
	const struct question question = a->question;
	const struct route route = a->route;
	size_t told = 0;
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		a->question = all[i].q;
		a->route = all[i].route;
		a->later = count - 1 - i;
		a->has_mean = a->is_told_outside = a->has_no_work = false;
		result = asking_answer_request(a, e);
		told += strcmp(a->answer->status, "answered") == 0;
		a->kept_runs = a->told_runs;
		all[i].q = a->question;
	}
	a->question = question;
	a->route = route;
	if (told < count)
		a->answer->status = "unsure";
	return result;
}

int asking_answer_requests(struct asking *a, struct err *e)
{
	struct request all[REQUESTS_MOST] = {0};
	const size_t count = a->question.intent == ASKS_WHY ? 0 : split(&a->question, all);
	int result = count > 1 ? 0 : 1;
	size_t read = 0;

	while (read < count && result == 0)
		result = read_request(a, &all[read++], &a->question, e);
	if (result == 0)
		result = are_several(all, count) ? answer_each(a, all, count, e) : 1;
	for (size_t i = 0; i < read; i++)
		question_free(&all[i].q);
	return result;
}

/* Why did a job come to a halt whose last collectives never ended? */
#include "fleet/answer/hang_telling.h"

#include "fleet/answer/rank_words.h"

#include "base/mem.h"

#include <stdlib.h>

static const struct part_end *end_of(const struct hang_telling *t, uint32_t member)
{
	return &t->a->job.members[member].is->end;
}

static void choose_state(struct hang_telling *t, enum halt_state state)
{
	for (size_t i = 0; i < t->a->job.member_count; i++)
		t->chosen[i] = t->halt->state[i] == state;
}

static size_t add_state(struct buf *b, struct hang_telling *t, enum halt_state state)
{
	choose_state(t, state);
	return hang_add_ranks(b, t);
}

/* Of those that there are. */
static uint32_t first_in(const struct hang_telling *t, enum halt_state state)
{
	uint32_t i = 0;

	while (t->halt->state[i] != state)
		i++;
	return i;
}

/* Calls that are alike, as far as captures tell. */
static bool same_call(const struct part_end *x, const struct part_end *y)
{
	return x->type == y->type && x->has_communicator == y->has_communicator &&
	       x->communicator == y->communicator && x->bytes == y->bytes &&
	       x->by_launches == y->by_launches;
}

/* "AllReduce number 52": as far as the capture says what it is. */
static void add_call(struct buf *b, const struct hang_telling *t, uint32_t member)
{
	const struct part_end *end = end_of(t, member);

	if (end->by_launches) {
		buf_adds(b, "a kernel that never ended");
		return;
	}
	buf_adds(b, collective_type_name(end->type));
	if (t->halt->number[member] >= 0)
		buf_addf(b, " number %lld", (long long)t->halt->number[member]);
	hang_add_communicator(b, !t->halt->count[HALT_IDLE] && end->has_communicator,
			      end->communicator);
	if (end->bytes >= 0)
		buf_addf(b, " of %lld bytes", (long long)end->bytes);
}

/* "ranks 1 and 2 in AllReduce, rank 0 in SendRecv": by what they called, a few of these. */
static size_t add_calls(struct buf *b, struct hang_telling *t)
{
	enum { SHOWN = 3 };
	const size_t n = t->a->job.member_count;
	bool *told = mem_zalloc(n, sizeof(*told));
	size_t groups = 0;

	for (uint32_t i = 0; i < n && groups <= SHOWN; i++) {
		if (t->halt->state[i] != HALT_WAITS || told[i])
			continue;
		if (groups++ == SHOWN) {
			buf_adds(b, ", others in other calls");
			break;
		}
		for (uint32_t k = i; k < n; k++) {
			const bool alike = t->halt->state[k] == HALT_WAITS &&
					   t->halt->number[i] == t->halt->number[k] &&
					   same_call(end_of(t, i), end_of(t, k));

			told[k] |= alike;
			t->chosen[k] = alike;
		}
		buf_adds(b, groups > 1 ? ", " : "");
		hang_add_ranks(b, t);
		buf_adds(b, " in ");
		add_call(b, t, i);
	}
	memset(t->chosen, 0, n * sizeof(*t->chosen));
	free(told);
	return groups;
}

/* Its ranges say most; without them, what it called last. */
static void add_place(struct buf *b, const struct hang_telling *t, uint32_t member)
{
	const struct part_end *end = end_of(t, member);
	const int64_t in_ns = halt_goes_on(&t->a->job, member, end->path_ns);
	const int64_t call_ns = halt_goes_on(&t->a->job, member, end->last_call_ns);

	if (end->path[0] && in_ns > 0)
		buf_addf(b, " and has been in `%s` for %.1f s", end->path, (double)in_ns / 1e9);
	else if (end->last_call[0] && call_ns > 0)
		buf_addf(b,
			 " and has called nothing of CUDA since %s, %.1f s before its capture ends",
			 end->last_call, (double)call_ns / 1e9);
}

/* Captures without calls of NCCL do not say what it is that never ends. */
static const char *what_never_ends(const struct hang_telling *t)
{
	for (uint32_t i = 0; i < t->a->job.member_count; i++) {
		if (t->halt->state[i] == HALT_WAITS && !end_of(t, i)->by_launches)
			return "collectives that never end";
	}
	return "kernels that never end, which may be collectives";
}

/* All that are there wait in one call: for one that is not. */
static void add_missing(struct buf *b, const struct job *j)
{
	buf_addf(b, "; they may wait for rank%s ", j->missing == 1 ? "" : "s");
	ranks_add_missing(b, j);
	buf_adds(b, ", of which there is no capture");
}

/* Returns how many different calls ranks wait in. */
static size_t add_title(struct buf *b, struct hang_telling *t)
{
	size_t groups;

	if (t->halt->count[HALT_IDLE]) {
		const bool one = add_state(b, t, HALT_IDLE) == 1;

		buf_addf(b, " %s to no collective any more", one ? "comes" : "come");
		if (one)
			add_place(b, t, first_in(t, HALT_IDLE));
		buf_addf(b, "; others wait for %s: ", one ? "it" : "them");
		return add_calls(b, t);
	}
	buf_addf(b, "%zu of %zu ranks wait in %s: ", t->halt->count[HALT_WAITS],
		 t->a->job.member_count, what_never_ends(t));
	groups = add_calls(b, t);
	if (t->halt->count[HALT_GONE]) {
		buf_adds(b, "; there is nothing more of ");
		add_state(b, t, HALT_GONE);
		buf_adds(b, " from then on");
	} else if (groups == 1 && t->a->job.missing) {
		add_missing(b, &t->a->job);
	}
	return groups;
}

static void add_advice(const struct hang_telling *t, struct finding *f, size_t groups)
{
	if (t->halt->count[HALT_IDLE]) {
		f->advice[f->advice_count++] =
			"look at what the host does there: an exception, another branch of the "
			"code, a file system or a lock that it waits for";
		return;
	}
	if (t->a->left_out)
		f->advice[f->advice_count++] =
			arena_printf(&t->a->report->arena,
				     "look at %s, which is left out: they may wait for its rank",
				     t->a->left_out);
	else if (t->a->job.missing)
		f->advice[f->advice_count++] = "capture all ranks: they may wait for one of which "
					       "there is no capture";
	if (t->halt->count[HALT_GONE]) {
		f->advice[f->advice_count++] =
			"look at how the rank ended whose capture ends first: they may wait for it";
		return;
	}
	f->advice[f->advice_count++] =
		groups > 1 ? "let all ranks come to their collectives in the same order, with the "
			     "same sizes; look for branches that depend on the rank"
			   : "all are in a call of one kind: they may have come to collectives of "
			     "different communicators in another order, or the network is lost; "
			     "nsys export --include-json true keeps which communicator it is";
}

/* A label that names a rank. */
static const char *label_of(const struct hang_telling *t, const char *fmt, uint32_t member)
{
	return arena_printf(&t->a->report->arena, fmt, t->a->job.members[member].is->rank);
}

/* Since when, if clocks tell that, and for how long. */
static void tell_first(const struct hang_telling *t)
{
	const uint32_t first = t->halt->first;
	const struct part_end *end = end_of(t, first);

	if (t->halt->has_since)
		finding_add_evidence(t->f, label_of(t, "the first of them, rank %u, since", first),
				     UNIT_TIME_NS, cell_int(t->halt->since_ns));
	finding_add_evidence(t->f,
			     label_of(t, "how long rank %u waits until its capture ends", first),
			     UNIT_NS, cell_int(halt_goes_on(&t->a->job, first, end->called_ns)));
	if (end->path[0])
		finding_add_evidence(t->f, label_of(t, "where the host of rank %u is", first),
				     UNIT_NAME, cell_text(end->path));
}

/* The collective that not all came to, and where the host of one that did not come is. */
static void tell_absent(const struct hang_telling *t)
{
	const struct part_end *end;
	struct buf call = {0};
	uint32_t idle;

	if (!t->halt->count[HALT_IDLE] && !t->halt->count[HALT_GONE])
		return;
	add_call(&call, t, t->halt->first);
	finding_add_evidence(t->f, "the first that not all came to", UNIT_NAME,
			     cell_text(report_take_text(t->a->report, &call)));
	if (!t->halt->count[HALT_IDLE])
		return;
	idle = first_in(t, HALT_IDLE);
	end = end_of(t, idle);
	if (end->path[0])
		finding_add_evidence(t->f, label_of(t, "where the host of rank %u is", idle),
				     UNIT_NAME, cell_text(end->path));
	if (end->last_call[0])
		finding_add_evidence(t->f, label_of(t, "the last CUDA call of rank %u", idle),
				     UNIT_NAME, cell_text(end->last_call));
}

static void tell(struct hang_telling *t)
{
	struct finding *f = t->f;
	struct buf title = {0};
	const size_t groups = add_title(&title, t);

	f->confidence = t->halt->count[HALT_IDLE] && !end_of(t, t->halt->first)->by_launches
				? CONFIDENCE_HIGH
				: CONFIDENCE_MEDIUM;
	finding_add_evidence(f, "ranks that wait", UNIT_COUNT,
			     cell_int((int64_t)t->halt->count[HALT_WAITS]));
	choose_state(t, t->halt->count[HALT_IDLE] ? HALT_IDLE : HALT_GONE);
	hang_telling_blame(t);
	tell_first(t);
	tell_absent(t);
	add_advice(t, f, groups);
	f->unless = "captures lack kernels at their end";
	hang_telling_finish(t, &title);
}

/* Captures that were cut look like a halt, and so does a halt whose captures were cut. */
static void tell_cut(struct fleet_answer *a, const struct halt *h)
{
	struct buf b = {0};
	bool *chosen = mem_alloc(a->job.member_count, sizeof(*chosen));

	for (size_t i = 0; i < a->job.member_count; i++)
		chosen[i] = h->state[i] == HALT_CUT;
	ranks_add(&b, &a->job, chosen);
	report_note(a->report,
		    "GPU work is missing at the end of the captures of %s; whether the job hangs "
		    "cannot be told from them",
		    buf_str(&b).s);
	buf_free(&b);
	free(chosen);
}

static bool is_told(const struct halt *h)
{
	return h->count[HALT_WAITS] &&
	       (h->count[HALT_IDLE] || h->count[HALT_GONE] || h->count[HALT_WAITS] > 1);
}

void fleet_tell_halt(struct fleet_answer *a)
{
	struct hang_telling t;
	struct halt h;

	halt_find(&a->job, &a->x, &h);
	if (h.count[HALT_CUT] && h.count[HALT_WAITS]) {
		tell_cut(a, &h);
	} else if (is_told(&h)) {
		hang_telling_begin(&t, a);
		t.halt = &h;
		tell(&t);
		hang_telling_free(&t);
	}
	halt_free(&h);
}

/* Why did a job come to a halt whose last collectives never ended? */
#include "fleet/answer/hang_telling.h"

#include "base/mem.h"

#include <stdlib.h>

static const struct part_end *end_of(const struct hang_telling *t, uint32_t member)
{
	return &t->a->job.members[member].is->end;
}

static size_t add_state(struct buf *b, struct hang_telling *t, enum halt_state state)
{
	for (size_t i = 0; i < t->a->job.member_count; i++)
		t->chosen[i] = t->halt->state[i] == state;
	return hang_add_ranks(b, t);
}

static uint32_t first_idle(const struct hang_telling *t)
{
	uint32_t i = 0;

	while (t->halt->state[i] != HALT_IDLE)
		i++;
	return i;
}

/* Calls that are alike, as far as captures tell. */
static bool same_call(const struct part_end *x, const struct part_end *y)
{
	return x->type == y->type && x->has_communicator == y->has_communicator &&
	       x->communicator == y->communicator && x->bytes == y->bytes;
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
					   same_call(end_of(t, i), end_of(t, k));

			told[k] |= alike;
			t->chosen[k] = alike;
		}
		buf_adds(b, groups > 1 ? ", " : "");
		hang_add_ranks(b, t);
		buf_addf(b, " in %s", collective_type_name(end_of(t, i)->type));
		hang_add_communicator(b, !t->halt->idle && end_of(t, i)->has_communicator,
				      end_of(t, i)->communicator);
		if (end_of(t, i)->bytes >= 0)
			buf_addf(b, " of %lld bytes", (long long)end_of(t, i)->bytes);
	}
	memset(t->chosen, 0, n * sizeof(*t->chosen));
	free(told);
	return groups;
}

static void add_place(struct buf *b, const struct hang_telling *t, uint32_t member)
{
	const struct part_end *end = end_of(t, member);

	const int64_t on_ns = halt_goes_on(&t->a->job, member, end->path_ns);

	if (end->path[0] && on_ns > 0)
		buf_addf(b, " and has been in `%s` for %.1f s", end->path, (double)on_ns / 1e9);
}

/* Returns how many different calls ranks wait in. */
static size_t add_title(struct buf *b, struct hang_telling *t)
{
	if (t->halt->idle) {
		const bool one = add_state(b, t, HALT_IDLE) == 1;

		buf_addf(b, " %s to no collective any more", one ? "comes" : "come");
		if (one)
			add_place(b, t, first_idle(t));
		buf_addf(b, "; others wait for %s: ", one ? "it" : "them");
		return add_calls(b, t);
	}
	buf_addf(b, "%zu of %zu ranks wait in collectives that never end: ", t->halt->waits,
		 t->a->job.member_count);
	return add_calls(b, t);
}

static void add_advice(const struct hang_telling *t, struct finding *f, size_t groups)
{
	if (t->halt->idle) {
		f->advice[f->advice_count++] =
			"look at what the host does there: an exception, another branch of the "
			"code, a file system or a lock that it waits for";
		return;
	}
	if (t->a->job.missing)
		f->advice[f->advice_count++] = "capture all ranks: they may wait for one of which "
					       "there is no capture";
	f->advice[f->advice_count++] =
		groups > 1 ? "let all ranks come to their collectives in the same order, with the "
			     "same sizes; look for branches that depend on the rank"
			   : "all are in a call of one kind: they may have come to collectives of "
			     "different communicators in another order, or the network is lost; "
			     "nsys export --include-json true keeps which communicator it is";
}

/* Since when, if clocks tell that, and for how long. */
static void tell_first(const struct hang_telling *t)
{
	const struct part_end *end = end_of(t, t->halt->first);

	if (t->halt->has_since)
		finding_add_evidence(t->f, "the first of them since", UNIT_TIME_NS,
				     cell_int(t->halt->since_ns));
	finding_add_evidence(t->f,
			     t->halt->has_since ? "until the end of its capture"
						: "one of them, until the end of its capture",
			     UNIT_NS,
			     cell_int(halt_goes_on(&t->a->job, t->halt->first, end->called_ns)));
	if (end->path[0])
		finding_add_evidence(t->f, "where its host is meanwhile", UNIT_NAME,
				     cell_text(end->path));
}

static void tell(struct hang_telling *t)
{
	struct finding *f = t->f;
	struct buf title = {0};
	const size_t groups = add_title(&title, t);

	f->confidence = t->halt->idle ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	finding_add_evidence(f, "ranks that wait", UNIT_COUNT, cell_int((int64_t)t->halt->waits));
	tell_first(t);
	add_advice(t, f, groups);
	f->unless = "captures lack kernels at their end";
	hang_telling_finish(t, &title);
}

void fleet_tell_halt(struct fleet_answer *a)
{
	struct hang_telling t;
	struct halt h;

	halt_find(&a->job, &h);
	if (h.waits && (h.idle || h.waits > 1)) {
		hang_telling_begin(&t, a);
		t.halt = &h;
		tell(&t);
		hang_telling_free(&t);
	}
	halt_free(&h);
}

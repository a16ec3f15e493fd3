/* Why did a job come to a halt: who did not come, and who waits for whom? */
#include "fleet/answer/hang_telling.h"

#include <string.h>

static void choose_roots(struct hang_telling *t)
{
	for (size_t i = 0; i < t->hang->root_count; i++)
		t->chosen[t->hang->roots[i]] = true;
}

static void choose_inside(struct hang_telling *t, const struct hang_wait *w)
{
	for (size_t i = 0; i < w->inside; i++)
		t->chosen[t->hang->inside[w->first_inside + i]] = true;
}

/* Those that wait for who waits; returns how many. */
static size_t choose_behind(struct hang_telling *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->a->job.member_count; i++) {
		t->chosen[i] = t->hang->level[i] != HANG_NOBODY && t->hang->level[i] > 1;
		count += t->chosen[i];
	}
	return count;
}

/*
 * "AllReduce number 41 (8 ranks)"; where ranks are in several at once, with the communicator, which
 * tells those apart.
 */
static void add_collective(struct buf *b, const struct hang_telling *t, uint32_t class, int64_t k)
{
	const struct instance_class *c = &t->a->x.classes[class];

	buf_addf(b, "%s number %lld", collective_type_name(c->is->type), (long long)k);
	hang_add_communicator(b, t->hang->cause == HANG_ORDER && c->is->has_communicator,
			      c->is->communicator);
	buf_addf(b, " (%zu ranks)",
		 c->is->ranks > c->queue_count ? (size_t)c->is->ranks : c->queue_count);
}

/* The queue whose last kernel is the last of a member; NULL: it has none. */
static const struct instance_queue *last_queue(const struct hang_telling *t, uint32_t member)
{
	const struct part_member *m = t->a->job.members[member].is;
	const struct instance_queue *last = NULL;

	for (size_t i = 0; i < t->a->x.queue_count; i++) {
		const struct instance_queue *q = &t->a->x.queues[i];

		if (q->member == member && q->run_count &&
		    (!last || q->kernels[q->count - 1] > last->kernels[last->count - 1]))
			last = q;
	}
	return m->collective_count ? last : NULL;
}

static const struct part_collective *last_kernel(const struct hang_telling *t,
						 const struct instance_queue *q)
{
	return &t->a->job.members[q->member].is->collectives[q->kernels[q->count - 1]];
}

/* " of step 5", or ", after step 5" where the step was never over and is not known. */
static void add_step(struct buf *b, const struct part_member *m, const struct part_collective *k)
{
	const int64_t at_ns = k->launched_ns != PART_UNKNOWN ? k->launched_ns : k->start_ns;

	for (size_t i = m->step_count; i-- > 0;) {
		if (at_ns < m->steps[i].start_ns)
			continue;
		buf_addf(b, at_ns < m->steps[i].end_ns ? " of step %u" : ", after step %u",
			 m->steps[i].number);
		return;
	}
}

static void add_last_of(struct buf *b, const struct hang_telling *t, uint32_t member)
{
	const struct instance_queue *q = last_queue(t, member);

	if (!q)
		return;
	buf_adds(b, " after ");
	add_collective(b, t, q->class, queue_end_k(q) - 1);
	add_step(b, t->a->job.members[member].is, last_kernel(t, q));
}

/* The first collective in which a root is waited for. */
static const struct hang_wait *first_wait(const struct hang *h)
{
	for (size_t i = 0; i < h->wait_count; i++) {
		if (h->waits[i].level == 1)
			return &h->waits[i];
	}
	return NULL;
}

static void add_waits(struct buf *b, struct hang_telling *t, bool one)
{
	const struct hang_wait *first = first_wait(t->hang);
	size_t more = 0;

	if (!first)
		return;
	for (size_t i = 0; i < t->hang->wait_count; i++)
		more += t->hang->waits[i].level == 1 && &t->hang->waits[i] != first;
	buf_adds(b, ": ");
	choose_inside(t, first);
	buf_addf(b, hang_add_ranks(b, t) == 1 ? " waits for %s in " : " wait for %s in ",
		 one ? "it" : "them");
	add_collective(b, t, first->class, first->k);
	if (more)
		buf_addf(b, ", others in %zu more", more);
}

static void add_behind(struct buf *b, struct hang_telling *t)
{
	if (!choose_behind(t))
		return;
	buf_adds(b, "; ");
	buf_adds(b, hang_add_ranks(b, t) == 1 ? " waits for those" : " wait for those");
}

static void add_stopped(struct buf *b, struct hang_telling *t)
{
	const bool one = t->hang->root_count == 1;

	choose_roots(t);
	hang_add_ranks(b, t);
	buf_addf(b, " %s to no collective", one ? "comes" : "come");
	if (one)
		add_last_of(b, t, t->hang->roots[0]);
	else
		buf_adds(b, " any more");
	add_waits(b, t, one);
	add_behind(b, t);
}

static bool is_root(const struct hang *h, uint32_t member)
{
	return h->level[member] == 0;
}

/* "rank 0 waits in AllReduce number 4 (8 ranks), …" of those in the circle, some of them. */
static void add_circle(struct buf *b, struct hang_telling *t)
{
	enum { SHOWN = 3 };
	size_t told = 0;

	for (size_t i = 0; i < t->hang->wait_count && told < SHOWN; i++) {
		const struct hang_wait *w = &t->hang->waits[i];
		bool any = false;

		for (size_t k = 0; k < w->inside; k++) {
			const uint32_t member = t->hang->inside[w->first_inside + k];

			t->chosen[member] = is_root(t->hang, member);
			any |= is_root(t->hang, member);
		}
		if (!any)
			continue;
		buf_adds(b, told++ ? ", " : ": ");
		buf_adds(b, hang_add_ranks(b, t) == 1 ? " waits in " : " wait in ");
		add_collective(b, t, w->class, w->k);
	}
}

static void add_order(struct buf *b, struct hang_telling *t)
{
	choose_roots(t);
	hang_add_ranks(b, t);
	buf_adds(b, " come to collectives in another order");
	add_circle(b, t);
	if (choose_behind(t) || first_wait(t->hang))
		add_behind(b, t);
}

static void add_held(struct buf *b, struct hang_telling *t, const char *words)
{
	choose_roots(t);
	buf_adds(b, hang_add_ranks(b, t) == 1 ? " waits in " : " wait in ");
	for (size_t i = 0; i < t->hang->wait_count; i++) {
		const struct hang_wait *w = &t->hang->waits[i];

		if (w->inside && is_root(t->hang, t->hang->inside[w->first_inside])) {
			add_collective(b, t, w->class, w->k);
			break;
		}
	}
	buf_adds(b, words);
	memset(t->chosen, 0, t->a->job.member_count * sizeof(*t->chosen));
}

static struct buf title_of(struct hang_telling *t)
{
	struct buf b = {0};

	switch (t->hang->cause) {
	case HANG_STOPPED:
		add_stopped(&b, t);
		break;
	case HANG_ORDER:
		add_order(&b, t);
		break;
	case HANG_SIZES:
		add_held(&b, t, ", with different sizes");
		break;
	default:
		add_held(&b, t, " for a rank that there is no capture of at that time");
		break;
	}
	return b;
}

/* How long a member's capture goes on after others began to wait. */
static int64_t goes_on(const struct hang_telling *t, uint32_t member, int64_t since_ns)
{
	const uint32_t part = t->a->job.members[member].part;
	const struct span captured = t->a->job.parts[part].part->captured;

	return captured.end_ns < captured.start_ns
		       ? 0
		       : sat_sub(job_time(&t->a->job, part, captured.end_ns), since_ns);
}

/* What a rank did last, and whether its capture shows that it did nothing from then on. */
static void tell_root(struct hang_telling *t, struct finding *f, int64_t since_ns)
{
	const uint32_t root = t->hang->roots[0];
	const struct instance_queue *q = last_queue(t, root);
	const int64_t on_ns = goes_on(t, root, since_ns);
	struct buf b = {0};

	if (q) {
		add_collective(&b, t, q->class, queue_end_k(q) - 1);
		finding_add_evidence(f,
				     t->hang->root_count > 1 ? "the last collective of the first"
							     : "its last collective",
				     UNIT_NAME, cell_text(report_take_text(t->a->report, &b)));
		finding_add_evidence(f, "when it left that", UNIT_TIME_NS,
				     cell_int(job_time(&t->a->job, t->a->job.members[root].part,
						       last_kernel(t, q)->end_ns)));
	}
	/* Its capture shows that it did nothing. */
	if (on_ns >= PART_STUCK_NS) {
		f->confidence = CONFIDENCE_HIGH;
		finding_add_evidence(f, "its capture goes on while others wait", UNIT_NS,
				     cell_int(on_ns));
		f->unless = "its capture lacks kernels at its end";
	} else {
		f->unless = "it went on when its capture was over";
	}
}

static const char *const advice[] = {
	[HANG_STOPPED] = "look at what this rank did last: an exception, another branch of the "
			 "code, a process that was killed",
	[HANG_ORDER] = "let all ranks come to their collectives in the same order; look for "
		       "branches that depend on the rank",
	[HANG_SIZES] = "let all ranks give the same size; look for what depends on the rank's data",
	[HANG_NO_CAPTURE] = "capture all ranks, for as long as the others",
};

static void tell(struct hang_telling *t)
{
	struct finding *f = t->f;
	const struct hang_wait *first = first_wait(t->hang);
	struct buf title = title_of(t);
	int64_t waiting = 0;

	first = first ? first : &t->hang->waits[0];
	for (size_t i = 0; i < t->a->job.member_count; i++)
		waiting += t->hang->level[i] != HANG_NOBODY &&
			   (t->hang->level[i] > 0 || t->hang->cause != HANG_STOPPED);
	f->confidence = t->hang->cause == HANG_NO_CAPTURE ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM;
	finding_add_evidence(f, "ranks that wait", UNIT_COUNT, cell_int(waiting));
	finding_add_evidence(f, "the first of them since", UNIT_TIME_NS, cell_int(first->since_ns));
	if (t->hang->cause == HANG_STOPPED)
		tell_root(t, f, first->since_ns);
	if (t->hang->cause != HANG_NO_CAPTURE) {
		choose_roots(t);
		hang_telling_blame(t);
	}
	f->advice[f->advice_count++] = advice[t->hang->cause];
	hang_telling_finish(t, &title);
}

void fleet_tell_hang(struct fleet_answer *a)
{
	struct hang_telling t;
	struct hang h;

	/* Who has come to the last collective is not known. */
	if (a->stragglers.in_doubt)
		return;
	hang_find(&a->job, &a->x, &h);
	if (h.cause != HANG_NONE) {
		hang_telling_begin(&t, a);
		t.hang = &h;
		tell(&t);
		hang_telling_free(&t);
	} else {
		fleet_tell_halt(a);
	}
	hang_free(&h);
}

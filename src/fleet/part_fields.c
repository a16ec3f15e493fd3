/* What is in the file of a part, in which order, and what is allowed to be? */
#include "fleet/part_fields.h"

#include "fleet/kernel_merge.h"
#include "fleet/part_class.h"

#include <string.h>

enum { KERNELS_MAX = 1 << 20, VALUES_MAX = 1 << 26, CLASSES_MAX = 1 << 16, NOTES_MAX = 256 };

/* Enumerations are of no type of their own that both directions could share. */
#define CODE_ENUM(c, value, count)                            \
	do {                                                  \
		uint32_t number_ = (uint32_t)(value);         \
		code_u32((c), &number_, (uint32_t)(count)-1); \
		(value) = (__typeof__(value))number_;         \
	} while (0)

/* The parts of a time sum up to it: all but the last are told. */
static void code_account(struct part_code *c, int64_t ns[MEMBER_TIMES], int64_t total_ns)
{
	int64_t rest = total_ns;

	for (int i = 0; i < MEMBER_TIMES - 1; i++) {
		code_length(c, &ns[i]);
		if (ns[i] > rest) {
			code_refuse(c, "the parts of a step are longer than it");
			return;
		}
		rest -= ns[i];
	}
	ns[MEMBER_TIMES - 1] = rest;
}

static void code_step(struct part_code *c, struct part_step *s, int64_t *number, int64_t *now)
{
	int64_t gpu, counted = s->number;

	code_delta(c, &counted, number);
	if (counted < 0 || counted >= PART_NO_NUMBER)
		code_refuse(c, "a step has no such number");
	s->number = (uint32_t)counted;
	code_delta(c, &s->from_ns, now);
	code_delta(c, &s->to_ns, now);
	if (s->to_ns < s->from_ns)
		code_refuse(c, "a step ends before it begins");
	gpu = s->from_ns;
	code_delta(c, &s->start_ns, &gpu);
	code_delta(c, &s->end_ns, &gpu);
	gpu = s->from_ns;
	code_maybe(c, &s->gpu_start_ns, &gpu);
	code_maybe(c, &s->gpu_end_ns, &gpu);
	code_u64(c, &s->kernels, UINT32_MAX);
	code_account(c, s->ns, s->to_ns - s->from_ns);
}

static void code_steps(struct part_code *c, struct part_member *m)
{
	int64_t number = -1, now = 0;
	uint64_t first = m->first_warm, warm = m->warm_count;

	code_count(c, &m->step_count, PART_STEPS_MAX, 8);
	CODE_ARRAY(c, m->steps, m->step_count);
	for (size_t i = 0; code_goes_on(c, i, m->step_count); i++) {
		code_step(c, &m->steps[i], &number, &now);
		if (i && m->steps[i].from_ns < m->steps[i - 1].to_ns)
			code_refuse(c, "steps overlap");
	}
	code_u64(c, &first, m->step_count);
	code_u64(c, &warm, m->step_count - first);
	m->first_warm = first;
	m->warm_count = warm;
	code_u64(c, &m->steps_left_out, UINT32_MAX);
	code_text(c, &m->steps_name);
	code_number(c, &m->steps_said);
}

static void code_classes(struct part_code *c, struct part_member *m)
{
	code_count(c, &m->class_count, CLASSES_MAX, 6);
	CODE_ARRAY(c, m->classes, m->class_count);
	for (size_t i = 0; code_goes_on(c, i, m->class_count); i++) {
		struct part_collective_class *x = &m->classes[i];

		CODE_ENUM(c, x->type, COLL_TYPES);
		code_bool(c, &x->has_communicator);
		if (x->has_communicator)
			code_hash(c, &x->communicator);
		code_u32(c, &x->ranks, UINT32_MAX);
		code_text(c, &x->kernel);
		code_u32(c, &x->stream, UINT32_MAX);
		code_u64(c, &x->left_out, UINT32_MAX);
		code_u32(c, &x->peer, PART_PEERS_MAX);
		code_u32(c, &x->own, PART_PEERS_MAX);
	}
	if (!c->wrong && part_classes_repeat(m->classes, m->class_count))
		code_refuse(c, "it has collectives of one class twice");
}

/* Each is told as what it has beyond the one before. */
struct coded_before {
	int64_t start_ns, blocked_ns, bytes;
};

static void code_collective(struct part_code *c, struct part_collective *x, size_t classes,
			    struct coded_before *before)
{
	int64_t near, length = x->end_ns - x->start_ns;

	code_u32(c, &x->class, (uint32_t)(classes - 1));
	code_delta(c, &x->start_ns, &before->start_ns);
	code_length(c, &length);
	if (!c->writes)
		x->end_ns = x->start_ns + length;
	code_length(c, &x->exposed_ns);
	code_length(c, &x->idle_ns);
	code_length(c, &x->stall_ns);
	if (x->end_ns > PART_TIME_MAX || x->exposed_ns > length)
		code_refuse(c, "a collective is out of bounds");
	near = x->start_ns;
	code_maybe(c, &x->launched_ns, &near);
	code_delta(c, &x->blocked_ns, &before->blocked_ns);
	if (x->blocked_ns < 0)
		code_refuse(c, "a host was held up for less than no time");
	code_maybe(c, &x->bytes, &before->bytes);
	if (x->bytes < 0 && x->bytes != PART_UNKNOWN)
		code_refuse(c, "a collective has fewer bytes than none");
}

static void code_collectives(struct part_code *c, struct part_member *m)
{
	struct coded_before before = {0};

	code_classes(c, m);
	code_count(c, &m->collective_count, m->class_count ? PART_COLLECTIVES_MAX : 0, 8);
	CODE_ARRAY(c, m->collectives, m->collective_count);
	for (size_t i = 0; code_goes_on(c, i, m->collective_count); i++) {
		code_collective(c, &m->collectives[i], m->class_count, &before);
		if (i && m->collectives[i].start_ns < m->collectives[i - 1].start_ns)
			code_refuse(c, "collectives are not in order");
	}
	code_u64(c, &m->collectives_before, UINT32_MAX);
	code_u64(c, &m->collectives_after, UINT32_MAX);
}

static void code_end(struct part_code *c, struct part_end *x)
{
	int64_t now = 0, bytes = 0;

	code_maybe(c, &x->seen_ns, &now);
	code_maybe(c, &x->gpu_ns, &now);
	code_u64(c, &x->calls, UINT32_MAX);
	code_bool(c, &x->by_launches);
	code_bool(c, &x->lacks_kernels);
	code_bool(c, &x->is_pending);
	CODE_ENUM(c, x->type, COLL_TYPES);
	code_bool(c, &x->has_communicator);
	if (x->has_communicator)
		code_hash(c, &x->communicator);
	code_u32(c, &x->peer, PART_PEERS_MAX);
	code_maybe(c, &x->bytes, &bytes);
	code_maybe(c, &x->called_ns, &now);
	code_text(c, &x->path);
	code_maybe(c, &x->path_ns, &now);
	code_text(c, &x->last_call);
	code_maybe(c, &x->last_call_ns, &now);
	if (x->is_pending != (x->called_ns != PART_UNKNOWN))
		code_refuse(c, "a call without a kernel has no time");
}

static void code_kernel(struct part_code *c, struct part_kernel *k)
{
	int64_t now = 0;

	code_text(c, &k->name);
	code_bool(c, &k->communicates);
	code_count(c, &k->value_count, VALUES_MAX, 2);
	CODE_ARRAY(c, k->values, k->value_count);
	for (size_t i = 0; code_goes_on(c, i, k->value_count); i++) {
		code_delta(c, &k->values[i].value, &now);
		code_u64(c, &k->values[i].count, UINT32_MAX);
		if (!k->values[i].count || (i && k->values[i].value <= k->values[i - 1].value))
			code_refuse(c, "durations are not in order");
	}
	if (!k->value_count)
		code_refuse(c, "a kernel has no durations");
	if (!c->writes && !c->wrong)
		part_kernel_sum(k);
}

static void code_kernels(struct part_code *c, struct part_member *m)
{
	code_count(c, &m->kernel_count, KERNELS_MAX, 5);
	CODE_ARRAY(c, m->kernels, m->kernel_count);
	for (size_t i = 0; code_goes_on(c, i, m->kernel_count); i++) {
		code_kernel(c, &m->kernels[i]);
		if (i && strcmp(m->kernels[i - 1].name, m->kernels[i].name) >= 0)
			code_refuse(c, "kernels are not in order");
	}
	code_u64(c, &m->kernels_without_times, UINT32_MAX);
}

static void code_ranges(struct part_code *c, struct part_member *m)
{
	code_count(c, &m->range_count, PART_RANGES_MAX, 5);
	CODE_ARRAY(c, m->ranges, m->range_count);
	for (size_t i = 0; code_goes_on(c, i, m->range_count); i++) {
		struct part_range *r = &m->ranges[i];

		code_text(c, &r->path);
		code_length(c, &r->host_ns);
		code_length(c, &r->wait_ns);
		code_length(c, &r->compute_ns);
		code_u64(c, &r->kernels, UINT32_MAX);
		if (i && strcmp(m->ranges[i - 1].path, r->path) >= 0)
			code_refuse(c, "ranges are not in order");
	}
}

static void code_causes(struct part_code *c, struct part_member *m)
{
	code_count(c, &m->cause_count, PART_CAUSES_MAX, 4);
	CODE_ARRAY(c, m->causes, m->cause_count);
	for (size_t i = 0; code_goes_on(c, i, m->cause_count); i++) {
		struct part_cause *x = &m->causes[i];

		code_text(c, &x->activity);
		code_text(c, &x->path);
		code_text(c, &x->code);
		code_length(c, &x->ns);
		if (i && x->ns > m->causes[i - 1].ns)
			code_refuse(c, "causes are not in order");
	}
}

static void code_window(struct part_code *c, struct part_member *m)
{
	int64_t now = 0;

	CODE_ENUM(c, m->window_kind, PART_WINDOW_KINDS);
	code_delta(c, &m->window.start_ns, &now);
	code_delta(c, &m->window.end_ns, &now);
	if (m->window.end_ns < m->window.start_ns)
		code_refuse(c, "a window ends before it begins");
	code_text(c, &m->window_words);
	code_account(c, m->window_ns, m->window.end_ns - m->window.start_ns);
}

static void code_member(struct part_code *c, struct part_member *m)
{
	code_u32(c, &m->rank, UINT32_MAX - 1);
	CODE_ENUM(c, m->rank_source, PART_RANK_SOURCES);
	code_u32(c, &m->world, UINT32_MAX);
	code_number(c, &m->local_rank);
	code_u32(c, &m->pid, UINT32_MAX);
	code_number(c, &m->device);
	code_text(c, &m->label);
	code_text(c, &m->gpu);
	code_hash(c, &m->gpu_id);
	code_window(c, m);
	code_steps(c, m);
	code_collectives(c, m);
	code_end(c, &m->end);
	code_kernels(c, m);
	code_ranges(c, m);
	code_causes(c, m);
}

static void code_finding(struct part_code *c, struct part_finding *f, size_t members)
{
	code_number(c, &f->member);
	if (f->member != PART_NO_NUMBER && f->member >= members)
		code_refuse(c, "a finding is nobody's");
	code_text(c, &f->id);
	code_text(c, &f->title);
	code_text(c, &f->place);
	code_text(c, &f->advice);
	CODE_ENUM(c, f->severity, SEVERITY_HIGH + 1);
	CODE_ENUM(c, f->confidence, CONFIDENCE_HIGH + 1);
	CODE_ENUM(c, f->owner, OWNER_INFRASTRUCTURE + 1);
	code_length(c, &f->recoverable_ns);
	code_real(c, &f->recoverable_pct);
	if (!c->writes && !c->wrong && !finding_kind(f->id))
		code_refuse(c, "there is no such finding");
}

static void code_findings(struct part_code *c, struct part *p)
{
	code_count(c, &p->finding_count, PART_FINDINGS_MAX, 17);
	CODE_ARRAY(c, p->findings, p->finding_count);
	for (size_t i = 0; code_goes_on(c, i, p->finding_count); i++)
		code_finding(c, &p->findings[i], p->member_count);
	code_count(c, &p->note_count, NOTES_MAX, 1);
	CODE_ARRAY(c, p->notes, p->note_count);
	for (size_t i = 0; code_goes_on(c, i, p->note_count); i++)
		code_text(c, &p->notes[i]);
}

/* What is not known ends before it begins, which is no difference of two times. */
static void code_captured(struct part_code *c, struct part *p)
{
	bool known = p->captured.start_ns <= p->captured.end_ns;
	int64_t now = 0, unknown = 0;

	code_maybe(c, &p->utc_ns, &unknown);
	code_bool(c, &known);
	if (!known) {
		p->captured = SPAN_NONE;
		return;
	}
	code_delta(c, &p->captured.start_ns, &now);
	code_delta(c, &p->captured.end_ns, &now);
	if (p->captured.end_ns < p->captured.start_ns)
		code_refuse(c, "the capture ends before it begins");
}

void part_fields(struct part_code *c, struct part *p)
{
	code_text(c, &p->file);
	code_text(c, &p->tool);
	code_text(c, &p->schema);
	code_text(c, &p->cuda);
	code_text(c, &p->driver);
	code_hash(c, &p->node);
	code_captured(c, p);
	code_count(c, &p->member_count, PART_MEMBERS_MAX, 32);
	CODE_ARRAY(c, p->members, p->member_count);
	for (size_t i = 0; code_goes_on(c, i, p->member_count); i++)
		code_member(c, &p->members[i]);
	code_findings(c, p);
}

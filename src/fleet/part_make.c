/* What does one capture say about its ranks? */
#include "fleet/part_making.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "text/text.h"
#include "trace/ranges/attribution.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_BYTES = 512, NOTES_MAX = 64 };

/* Three bytes may stand for one that is invalid. */
const char *part_text(struct arena *arena, struct str s)
{
	const size_t most = PART_TEXT_BYTES / 3 - SHA256_TEXT_BYTES;
	char sum[SHA256_TEXT_BYTES];
	struct sha256 hash;
	SCOPED_BUF b = {0};

	if (s.len <= most)
		return text_valid(arena, s);
	sha256_begin(&hash);
	sha256_add(&hash, s.s, s.len);
	sha256_end(&hash, sum);
	buf_add(&b, s.s, most);
	buf_addf(&b, "… %s", sum);
	return text_valid(arena, buf_str(&b));
}

void part_note(struct part_making *x, const char *fmt, ...)
{
	struct part *p = x->part;
	char text[NOTE_BYTES];
	va_list args;

	if (!p->notes)
		p->notes = arena_zalloc(&p->arena, NOTES_MAX, sizeof(*p->notes));
	if (p->note_count == NOTES_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	p->notes[p->note_count++] = part_text(&p->arena, str_of(text));
}

static const uint32_t of_kernels = COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_NAME) |
				   COL_BIT(COL_STREAM) | COL_BIT(COL_CORRELATION) |
				   COL_BIT(COL_GRAPH);

/* Each table in one pass, where there are several questions about it. */
static int load(struct trace *t, struct err *e)
{
	const struct analysis *findings = analysis_find("findings", false);

	t->uses_cache = t->keeps_answers = true;
	t->keeps_columns[TRACE_KERNELS] = of_kernels;
	t->keeps_columns[TRACE_NVTX] = COLS_ALL | COL_BIT(COL_PAYLOAD);
	if (trace_load(t, TRACE_KERNELS, of_kernels | COLS_GRID, e) < 0 ||
	    trace_load(t, TRACE_NVTX, COLS_ALL | COL_BIT(COL_PAYLOAD), e) < 0)
		return -1;
	if (findings->prepare(t, e) < 0 && err_forgive_absent(e) < 0)
		return -1;
	return iterations_load(t, e);
}

static int walk(struct part_making *x, struct err *e)
{
	const struct comm_question question = {.process = ID_NONE,
					       .marks = x->marks,
					       .mark_count =
						       x->has_steps ? x->steps.lane_count : 0};
	const struct timeline *l = &x->comm.walk.window;

	if (collectives_make(x->trace, &(struct scope){0}, &question, &x->comm, e) < 0)
		return x->comm.walk.ops || e->code != ERR_INPUT
			       ? -1
			       : err_hint(e, "gpuwhy doctor tells what was recorded, and how to "
					     "capture again");
	if (l->from_ns < -PART_TIME_MAX || l->to_ns > PART_TIME_MAX)
		return err_set(e, ERR_INPUT, "'%s' has GPU work centuries apart", x->trace->path);
	return 0;
}

/* Who is there, and when did each do what? */
static int take_ranks(struct part_making *x, struct err *e)
{
	if (part_find_steps(x, e) < 0 || walk(x, e) < 0 || part_find_members(x, e) < 0 ||
	    part_read_facts(x, e) < 0)
		return -1;
	for (size_t i = 0; i < x->count; i++)
		part_take_steps(x, i);
	return part_take_collectives(x, e);
}

static int make(struct part_making *x, struct err *e)
{
	if (load(x->trace, e) < 0 || take_ranks(x, e) < 0 || part_take_blocked(x, e) < 0 ||
	    part_take_ends(x, e) < 0 || part_take_kernels(x, e) < 0)
		return -1;
	/* All of the walk that is still asked for is which pair is which member. */
	return part_take_causes(x, e) < 0 || part_take_findings(x, e) < 0 ? -1 : 0;
}

/* Several captures may have been read as one: then processes say whose machine's they are. */
static void take_hosts(struct part_making *x)
{
	const struct intern *keys = &x->trace->process_keys;

	for (size_t i = 0; i < x->count; i++) {
		if (x->members[i].process < keys->count)
			x->part->members[i].host = process_host(keys->keys[x->members[i].process]);
	}
}

static int make_ranks(struct part_making *x, struct err *e)
{
	if (trace_load(x->trace, TRACE_KERNELS, of_kernels, e) < 0 || take_ranks(x, e) < 0 ||
	    part_take_blocked(x, e) < 0 || part_take_kernels(x, e) < 0)
		return -1;
	take_hosts(x);
	return part_take_causes(x, e);
}

/* Who launched what is asked for the steps, and for the collectives. */
static int make_collectives(struct part_making *x, struct err *e)
{
	const bool shared = attribution_begin_sharing(x->trace);
	const int result =
		trace_load(x->trace, TRACE_KERNELS, of_kernels, e) < 0 ? -1 : take_ranks(x, e);

	attribution_end_sharing(x->trace, shared);
	return result;
}

static int make_with(int (*made)(struct part_making *x, struct err *e), struct part *ret,
		     struct trace *t, const struct part_question *q, struct err *e)
{
	struct part_making x = {.trace = t, .q = q, .part = ret};
	int result;

	*ret = (struct part){.file = "",
			     .tool = "",
			     .schema = "",
			     .cuda = "",
			     .driver = "",
			     .utc_ns = PART_UNKNOWN,
			     .captured = SPAN_NONE};
	result = made(&x, e);
	for (size_t i = 0; x.marks && i < x.steps.lane_count; i++)
		free(x.marks[i].at_ns);
	free(x.marks);
	collectives_free(&x.comm);
	iterations_free(&x.steps);
	rank_map_free(&x.ranks);
	free(x.members);
	free(x.member_of_pair);
	return result;
}

int part_make(struct part *ret, struct trace *t, const struct part_question *q, struct err *e)
{
	return make_with(make, ret, t, q, e);
}

int part_make_ranks(struct part *ret, struct trace *t, const struct part_question *q, struct err *e)
{
	return make_with(make_ranks, ret, t, q, e);
}

int part_make_collectives(struct part *ret, struct trace *t, const struct part_question *q,
			  struct err *e)
{
	return make_with(make_collectives, ret, t, q, e);
}

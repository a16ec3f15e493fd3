/* Where was each sampled thread, and which line of code made each call? */
#include "base/mem.h"
#include "export/walk.h"

#include <stdlib.h>

/* A frame for as long as samples that follow one another have it, under the same callers. */
struct stretch {
	uint32_t frame;
	struct span span;
};

/* The stretches of a thread, by start and the outer ones first. */
struct stretches {
	const struct stacks *stacks;
	struct stretch *all;
	size_t count, cap;
	size_t open[STACK_DEPTH]; /* those of the last sample, the outermost first */
	size_t depth;
	int64_t end_ns; /* of the last sample */
};

uint32_t walk_frame_text(struct walk *w, uint32_t frame)
{
	if (!w->text_of_frame[frame])
		w->text_of_frame[frame] =
			texts_add(&w->texts, call_lines_text(&w->lines, frame)) + 1;
	return w->text_of_frame[frame] - 1;
}

void walk_add_line(struct walk *w, struct timeline_slice *s, struct timeline_arg *args,
		   uint32_t thread, const struct api_call *call)
{
	uint32_t stack, frame;

	if (w->o->no_args || !call_lines_any(&w->lines))
		return;
	stack = call_lines_stack(&w->lines, thread,
				 (struct span){call->start_ns, api_call_last(call)});
	frame = call_lines_frame(&w->lines, stack);
	if (frame != ID_NONE)
		slice_add_text(s, args, KEY_LINE, walk_frame_text(w, frame));
}

int samples_prepare(struct walk *w, struct err *e)
{
	const struct code *c = &w->lines.code;

	if (w->o->no_samples && w->o->no_args)
		return 0;
	if ((w->o->no_samples ? call_lines_read : call_lines_read_all)(&w->lines, w->trace, e) < 0)
		return -1;
	if (!c->stacks.count)
		return 0;
	w->text_of_frame = mem_zalloc(c->stacks.frame_count, sizeof(*w->text_of_frame));
	code_number_threads(w->trace, c);
	return 0;
}

/* How many of the outer frames go on. Half of an odd time is rounded down on both sides. */
static size_t count_shared(const struct stretches *x, const uint32_t *path, size_t depth,
			   struct span part)
{
	size_t shared = 0;

	if (sat_sub(part.start_ns, x->end_ns) > 1)
		return 0;
	while (shared < depth && shared < x->depth &&
	       x->all[x->open[shared]].frame == path[depth - 1 - shared])
		shared++;
	return shared;
}

static void take_sample(void *ctx, uint32_t stack, struct span part)
{
	struct stretches *x = ctx;
	uint32_t path[STACK_DEPTH]; /* the innermost first */
	size_t depth = 0, shared;

	for (; stack != STACK_NONE && depth < STACK_DEPTH; stack = x->stacks->caller[stack])
		path[depth++] = x->stacks->frame[stack];
	shared = count_shared(x, path, depth, part);
	for (size_t i = 0; i < shared; i++)
		x->all[x->open[i]].span.end_ns = part.end_ns;
	for (size_t i = shared; i < depth; i++) {
		MEM_GROW(x->all, x->cap, x->count + 1);
		x->all[x->count] = (struct stretch){path[depth - 1 - i], part};
		x->open[i] = x->count++;
	}
	x->depth = depth;
	x->end_ns = part.end_ns;
}

static int tell_stretch(struct walk *w, uint32_t thread, uint32_t category, const struct stretch *s,
			struct err *e)
{
	const struct frame *f = &w->lines.code.stacks.frames[s->frame];
	struct timeline_arg arg;
	struct timeline_slice slice = {.name = walk_frame_text(w, s->frame),
				       .category = category,
				       .block = BLOCK_NONE,
				       .args = &arg};

	if (!w->o->no_args && f->file != NAME_NONE)
		slice_add_text(&slice, &arg, KEY_FILE, walk_text(w, f->file));
	if (tracks_thread(&w->tracks, thread, ROW_SAMPLES, s->span.start_ns, s->span.end_ns,
			  &slice.track, e) < 0)
		return -1;
	return walk_slice(w, &slice, s->span, e);
}

/* The window, or all that the timeline can show. */
static struct span time_asked(const struct walk *w)
{
	if (w->p->has_trim)
		return (struct span){w->p->from_ns, w->p->to_ns};
	return (struct span){sat_sub(0, w->shift_ns), INT64_MAX};
}

int walk_samples(struct walk *w, struct err *e)
{
	const struct code *c = &w->lines.code;
	struct stretches x = {.stacks = &c->stacks};
	uint32_t python, cpu;
	int result = 0;

	if (!c->python[PAYLOAD_SAMPLE].count && !c->native.count)
		return 0;
	python = texts_add(&w->texts, STR_LIT("python_sample"));
	cpu = texts_add(&w->texts, STR_LIT("cpu_sample"));
	for (uint32_t i = 0; i < w->trace->thread_keys.count && result == 0; i++) {
		struct thread_samples s = code_of_thread(c, w->trace->thread_keys.keys[i]);

		if (!s.list || !walk_wants_thread(w, i))
			continue;
		x.count = x.depth = 0;
		x.end_ns = INT64_MIN;
		samples_share(&s, time_asked(w), take_sample, &x);
		for (size_t k = 0; k < x.count && result == 0; k++)
			result = tell_stretch(w, i, s.list == &c->native ? cpu : python, &x.all[k],
					      e);
	}
	free(x.all);
	return result;
}

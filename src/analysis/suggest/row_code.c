/* Which line of source code are the launches of each row below? */
#include "analysis/suggest/row_code.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/* A line is around a row's launches where it is in at least this share of their stacks. */
static const double NEARLY_ALL = 0.9;

/* How much of a row is in a stack. */
struct stack_share {
	uint32_t row, stack;
	int64_t ns;
};

struct shares {
	struct idmap numbers; /* row and stack */
	struct stack_share *all;
	size_t cap;
};

static void add_share(struct shares *s, uint32_t row, uint32_t stack, int64_t ns)
{
	const size_t known = s->numbers.count;
	const uint32_t number = idmap_number_pair(&s->numbers, row, stack);

	if (number == known) {
		MEM_GROW(s->all, s->cap, known + 1);
		s->all[number] = (struct stack_share){.row = row, .stack = stack};
	}
	s->all[number].ns = sat_add(s->all[number].ns, ns);
}

static void free_shares(struct shares *s)
{
	idmap_free(&s->numbers);
	free(s->all);
	*s = (struct shares){0};
}

/* A frame of your code in some of a row's stacks. */
struct frame_share {
	uint32_t row, frame;
	uint32_t depth; /* frames around it, where it is deepest */
	int64_t ns;
	uint32_t met; /* the last share in which it was, plus one */
};

struct frame_shares {
	struct idmap numbers; /* row and frame */
	struct frame_share *all;
	size_t cap;
	int64_t *of_row; /* all stacks of a row */
};

static uint32_t depth_of(const struct stacks *s, uint32_t stack)
{
	uint32_t depth = 0;

	for (; stack != STACK_NONE; stack = s->caller[stack])
		depth++;
	return depth;
}

static void add_frame(struct frame_shares *f, const struct stack_share *s, uint32_t frame,
		      uint32_t depth, uint32_t round)
{
	const size_t known = f->numbers.count;
	const uint32_t number = idmap_number_pair(&f->numbers, s->row, frame);
	struct frame_share *to;

	if (number == known) {
		MEM_GROW(f->all, f->cap, known + 1);
		f->all[number] = (struct frame_share){.row = s->row, .frame = frame};
	}
	to = &f->all[number];
	if (depth > to->depth)
		to->depth = depth;
	/* A function that calls itself has the time once. */
	if (to->met != round)
		to->ns = sat_add(to->ns, s->ns);
	to->met = round;
}

static void add_frames(struct frame_shares *f, const struct row_code *c, const struct shares *all)
{
	const struct stacks *stacks = &c->lines.code.stacks;

	for (size_t i = 0; i < all->numbers.count; i++) {
		const struct stack_share *s = &all->all[i];
		uint32_t depth = depth_of(stacks, s->stack);

		f->of_row[s->row] = sat_add(f->of_row[s->row], s->ns);
		for (uint32_t at = s->stack; at != STACK_NONE; at = stacks->caller[at], depth--) {
			const uint32_t frame = stacks->frame[at];

			if (c->lines.places.owner[frame] == CODE_YOURS)
				add_frame(f, s, frame, depth, (uint32_t)i + 1);
		}
	}
}

/* Of the frames that nearly all stacks have, the deepest. */
static void choose(struct row_code *c, const struct shares *all, enum line_source source,
		   size_t rows)
{
	struct frame_shares f = {.of_row = mem_zalloc(rows, sizeof(*f.of_row))};
	uint32_t *depth = mem_zalloc(rows, sizeof(*depth));

	add_frames(&f, c, all);
	for (size_t i = 0; i < f.numbers.count; i++) {
		const struct frame_share *s = &f.all[i];
		struct row_line *line = &c->of_row[s->row];

		if ((line->source && line->source != source) || s->depth <= depth[s->row] ||
		    !s->ns || (double)s->ns < NEARLY_ALL * (double)f.of_row[s->row])
			continue;
		depth[s->row] = s->depth;
		*line = (struct row_line){source, s->frame};
	}
	free(depth);
	idmap_free(&f.numbers);
	free(f.all);
	free(f.of_row);
}

static void share_calls(const struct launched *l, const struct stretches *s,
			const struct row_code *c, struct shares *to)
{
	for (size_t i = 0; i < l->at.launches.launch_count; i++) {
		const uint32_t row = s->row_of_launch[i];
		struct api_call call;
		uint32_t stack;

		if (row == ROW_NONE || !launches_earliest_call(&l->at.launches, i, &call))
			continue;
		stack = call_lines_stack(&c->lines, launches_origin(&l->at.launches, &call).thread,
					 (struct span){call.start_ns, api_call_last(&call)});
		if (stack != STACK_NONE)
			add_share(to, row, stack, l->of_launch[i].ns);
	}
}

struct sampling {
	struct shares *to;
	uint32_t row;
};

static void take_sample(void *ctx, uint32_t stack, struct span part)
{
	const struct sampling *s = ctx;

	add_share(s->to, s->row, stack, span_ns(part));
}

/* What a thread did in the stretches of each row; it itself, or the main one of its process. */
static void share_samples(const struct launched *l, const struct stretches *s,
			  const struct row_code *c, bool of_main, struct shares *to)
{
	struct thread_samples *samples = mem_alloc(l->thread_count, sizeof(*samples));

	for (size_t i = 0; i < l->thread_count; i++)
		samples[i] = code_of_thread(&c->lines.code, l->trace->thread_keys.keys[i]);
	for (size_t i = 0; i < s->stretch_count; i++) {
		struct sampling taken = {to, s->all[i].row};
		const uint32_t process = l->threads[s->all[i].thread].process;
		const uint32_t thread = !of_main	     ? s->all[i].thread
					: process == ID_NONE ? ID_NONE
							     : s->main_thread[process];

		if (thread != ID_NONE && samples[thread].list)
			samples_share(&samples[thread], s->all[i].host, take_sample, &taken);
	}
	free(samples);
}

int row_code_read(const struct launched *l, const struct stretches *s, struct row_code *ret,
		  struct err *e)
{
	struct shares shares = {0};

	*ret = (struct row_code){.of_row = mem_zalloc(s->count, sizeof(*ret->of_row))};
	if (call_lines_read_all(&ret->lines, l->trace, e) < 0)
		return -1;
	if (call_lines_any(&ret->lines)) {
		share_calls(l, s, ret, &shares);
		choose(ret, &shares, LINE_BACKTRACES, s->count);
		free_shares(&shares);
	}
	for (int of_main = 0; of_main <= 1 && code_has_samples(&ret->lines.code); of_main++) {
		share_samples(l, s, ret, of_main, &shares);
		choose(ret, &shares, of_main ? LINE_SAMPLES_OF_MAIN : LINE_SAMPLES, s->count);
		free_shares(&shares);
	}
	return 0;
}

void row_code_free(struct row_code *c)
{
	call_lines_free(&c->lines);
	free(c->of_row);
	*c = (struct row_code){0};
}

/* What is the work of a row, and how do we know? */
#include "analysis/suggest/likely.h"

#include "base/mem.h"
#include "text/cxx.h"

/* Of a name that is made of a kernel's. */
enum { LONGEST_NAME = 40 };

struct guessing {
	const struct launched *l;
	const struct stretch_row *row;
	const struct row_work *w;
	struct arena *arena;
	struct likely *out;
};

static double share_of(const struct guessing *g, int64_t ns)
{
	return g->row->gpu.ns > 0 ? (double)ns / (double)g->row->gpu.ns : 0;
}

static void set(struct guessing *g, const char *what, const char *name)
{
	g->out->what = what;
	g->out->name = name;
}

/* Between things that show it. */
static struct buf *why(struct guessing *g)
{
	if (g->out->why.len)
		buf_adds(&g->out->why, "; ");
	return &g->out->why;
}

/* "48% of its GPU time is in kernels of a backward pass, as 'flash_bwd_kernel'" */
static void show_part(struct guessing *g, enum op_part part, const char *of)
{
	const struct shown_part *p = &g->w->parts[part];

	if (p->example == NAME_NONE)
		return;
	buf_addf(why(g), "%.0f%% of its GPU time is in kernels of %s, such as '",
		 100 * share_of(g, p->ns), of);
	buf_addstr(&g->out->why, cxx_qualified_name(trace_name(g->l->trace, p->example)));
	buf_addc(&g->out->why, '\'');
}

/* "gemm 54%, attention 12%" */
static void show_categories(struct guessing *g)
{
	const char *between = "";

	for (size_t i = 0; i < TOP_CATEGORIES && g->w->top[i].name.len; i++) {
		if (share_of(g, g->w->top[i].ns) < 0.01)
			continue;
		buf_addf(*between ? &g->out->why : why(g), "%s%.*s %.0f%%", between,
			 STR_FMT(g->w->top[i].name), 100 * share_of(g, g->w->top[i].ns));
		between = ", ";
	}
	if (*between)
		buf_adds(&g->out->why, " of its GPU time");
}

static bool guess_autograd(struct guessing *g)
{
	const struct launching_thread *th = &g->l->threads[g->row->thread];

	if (!th->autograd)
		return false;
	set(g, "backward pass", "backward");
	buf_adds(why(g), th->by_name ? "PyTorch's autograd thread, by its name"
				     : "a thread that launches only kernels of a backward pass");
	show_part(g, OP_BACKWARD, "a backward pass");
	return true;
}

static bool guess_part(struct guessing *g)
{
	switch (g->row->place.part) {
	case PART_BACKWARD:
		set(g, "backward pass", "backward");
		show_part(g, OP_BACKWARD, "a backward pass");
		return true;
	case PART_OPTIMIZER:
		set(g, "optimizer", "optimizer");
		show_part(g, OP_OPTIMIZER, "an optimizer");
		return true;
	case PART_AFTER_BACKWARD:
		set(g, "optimizer, or what else follows the backward pass", "optimizer");
		buf_adds(why(g), "it follows launches of PyTorch's autograd thread");
		show_categories(g);
		return true;
	case PART_FIRST:
		break;
	}
	return false;
}

static bool guess_copies(struct guessing *g)
{
	const struct row_work *w = g->w;
	const struct {
		int64_t ns;
		const char *what, *name, *why;
	} copies[] = {
		{w->to_device_ns, "input copies", "data", "copies from host to device"},
		{w->to_host_ns, "results copied to the host", "to_host",
		 "copies from device to host"},
		{w->other_copy_ns, "copies and memsets on the GPU", "copies",
		 "copies and memsets on the GPU"},
	};

	for (size_t i = 0; i < ARRAY_LEN(copies); i++) {
		if (share_of(g, copies[i].ns) < 0.5)
			continue;
		set(g, copies[i].what, copies[i].name);
		buf_addf(why(g), "%.0f%% of its GPU time is %s", 100 * share_of(g, copies[i].ns),
			 copies[i].why);
		return true;
	}
	return false;
}

static int64_t category_ns(const struct row_work *w, const char *name)
{
	for (size_t i = 0; i < TOP_CATEGORIES; i++) {
		if (str_eq(w->top[i].name, str_of(name)))
			return w->top[i].ns;
	}
	return 0;
}

/* A program that trains does the forward pass where it neither goes back nor updates. */
static bool guess_forward(struct guessing *g)
{
	const uint32_t process = g->l->threads[g->row->thread].process;
	const struct row_work *w = g->w;

	if (process == ID_NONE || !g->l->processes[process].training)
		return false;
	if (w->parts[OP_FORWARD].example == NAME_NONE &&
	    share_of(g, category_ns(w, "gemm") + category_ns(w, "attention")) < 0.2)
		return false;
	set(g, "forward pass", "forward");
	show_part(g, OP_FORWARD, "a forward pass");
	buf_adds(why(g), "before the backward pass and optimizer of this process");
	show_categories(g);
	return true;
}

/* Categories that say what the work is for. */
static bool guess_category(struct guessing *g)
{
	static const struct {
		const char *category, *what, *name;
	} known[] = {
		{"communication", "communication between GPUs", "communication"},
		{"attention", "attention", "attention"},
		{"moe", "mixture of experts", "moe"},
		{"sampling", "sampling of tokens", "sampling"},
		{"optimizer", "optimizer", "optimizer"},
		{"softmax and loss", "loss", "loss"},
		{"embedding and index", "embedding", "embedding"},
		{"kv cache", "KV cache", "kv_cache"},
		{"convolution", "convolution", "convolution"},
		{"state space", "state space model", "state_space"},
		{"quantization", "quantization", "quantization"},
		{"sort and scan", "sorting", "sort"},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (share_of(g, category_ns(g->w, known[i].category)) < 0.5)
			continue;
		set(g, known[i].what, known[i].name);
		show_categories(g);
		return true;
	}
	return false;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* A kernel's own name as one for a range; NULL: it has nothing that could be one. */
static const char *name_of_kernel(struct arena *a, struct str kernel)
{
	struct str name = cxx_qualified_name(kernel);
	char *word = arena_alloc(a, LONGEST_NAME + 1, 1);
	size_t len = 0;

	for (const char *at; name.len && (at = memmem(name.s, name.len, "::", 2));) {
		name.len -= (size_t)(at + 2 - name.s);
		name.s = at + 2;
	}
	for (size_t i = 0; i < name.len && len < LONGEST_NAME; i++) {
		if (is_word(name.s[i]))
			word[len++] = name.s[i];
		else if (len && word[len - 1] != '_')
			word[len++] = '_';
	}
	while (len && word[len - 1] == '_')
		len--;
	word[len] = '\0';
	return len ? word : NULL;
}

static bool guess_kernel(struct guessing *g)
{
	const struct row_work *w = g->w;
	const char *name;

	if (w->kernel == NAME_NONE || share_of(g, w->kernel_ns) < 0.5)
		return false;
	name = name_of_kernel(g->arena, trace_name(g->l->trace, w->kernel));
	if (!name)
		return false;
	set(g, "one kernel, mostly", name);
	buf_addf(why(g), "%.0f%% of its GPU time is '", 100 * share_of(g, w->kernel_ns));
	buf_addstr(&g->out->why, cxx_qualified_name(trace_name(g->l->trace, w->kernel)));
	buf_addf(&g->out->why, "', launched %llu time%s", (unsigned long long)w->kernel_count,
		 w->kernel_count == 1 ? "" : "s");
	return true;
}

static void guess_rest(struct guessing *g)
{
	switch (g->row->place.step) {
	case STEP_BEFORE_ALL:
		set(g, "set-up before the first step", "setup");
		break;
	case STEP_INSIDE:
		set(g, "work of a step", "step");
		break;
	case STEP_OUTSIDE:
		set(g, "work between or after the steps", "between_steps");
		break;
	case STEPS_UNKNOWN:
		set(g, "kernels of several kinds", "work");
		break;
	}
	if (share_of(g, g->w->graph_ns) >= 0.5) {
		set(g, "CUDA graphs", "graph");
		buf_addf(why(g), "%.0f%% of its GPU time is whole CUDA graphs",
			 100 * share_of(g, g->w->graph_ns));
	}
	show_categories(g);
}

void likely_find(const struct launched *l, const struct stretch_row *row, const struct row_work *w,
		 struct arena *a, struct likely *ret)
{
	struct guessing g = {l, row, w, a, ret};

	*ret = (struct likely){0};
	if (!guess_autograd(&g) && !guess_part(&g) && !guess_copies(&g) && !guess_forward(&g) &&
	    !guess_category(&g) && !guess_kernel(&g))
		guess_rest(&g);
}

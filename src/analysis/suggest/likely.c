/* What is the work of a row, and how do we know? */
#include "analysis/suggest/likely.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "text/cxx.h"

/* Of a name that is made of a kernel's. */
enum { LONGEST_NAME = 40 };
/* Of its GPU time: what is part of the name. */
static const double LEAST_NAMED = 0.25;

struct guessing {
	const struct launched *l;
	const struct stretch_row *row;
	const struct row_work *w;
	const struct row_blocks *blocks;
	struct str function;
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
	buf_addstr(&g->out->why, op_signs_word(trace_name(g->l->trace, p->example), part));
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
	default:
		return false;
	}
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
		if (i == 0 && g->row->place.step == STEP_BEFORE_ALL)
			set(g, "set-up before the first step: weights or data go to the GPU",
			    "setup");
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

/* As models do. */
static bool multiplies(const struct guessing *g)
{
	return share_of(g, category_ns(g->w, "gemm") + category_ns(g->w, "attention")) >= 0.2;
}

/* A program that trains does the forward pass where it neither goes back nor updates. */
static bool guess_forward(struct guessing *g)
{
	const uint32_t process = g->l->threads[g->row->thread].process;
	const struct row_work *w = g->w;

	if (process == ID_NONE || !g->l->processes[process].training)
		return false;
	if (w->parts[OP_FORWARD].example == NAME_NONE &&
	    (g->row->place.step != STEP_INSIDE || !multiplies(g)))
		return false;
	set(g, "forward pass", "forward");
	show_part(g, OP_FORWARD, "a forward pass");
	buf_adds(why(g), "other kernels of this process are of a backward pass or an optimizer");
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
		{"sampling", "sampling or random numbers", "sampling"},
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

/* Letters and digits of a text, with _ for what is between. */
static size_t add_word(char *to, size_t len, struct str text)
{
	for (size_t i = 0; i < text.len && len < LONGEST_NAME; i++) {
		if (is_word(text.s[i]))
			to[len++] = text.s[i];
		else if (len && to[len - 1] != '_')
			to[len++] = '_';
	}
	while (len && to[len - 1] == '_')
		len--;
	to[len] = '\0';
	return len;
}

/* A function's own name as one for a range; NULL: it has nothing that could be one. */
static const char *name_of_function(struct arena *a, struct str function)
{
	struct str name = cxx_qualified_name(function);
	char *word = arena_alloc(a, LONGEST_NAME + 1, 1);

	for (const char *at; name.len && (at = memmem(name.s, name.len, "::", 2));) {
		name.len -= (size_t)(at + 2 - name.s);
		name.s = at + 2;
	}
	return add_word(word, 0, name) ? word : NULL;
}

/* Whether the kernel with the most time is of no kind that libraries have: the program's own. */
static bool is_own_kernel(const struct guessing *g)
{
	const uint32_t process = g->l->threads[g->row->thread].process;
	const struct str category = g->w->kernel_category;

	if (g->w->kernel == NAME_NONE)
		return false;
	if (str_eq(category, CATEGORY_MISC))
		return true;
	return process != ID_NONE && !g->l->processes[process].torch &&
	       !str_eq(category, STR_LIT("gemm"));
}

static void show_kernel(struct guessing *g)
{
	const struct row_work *w = g->w;

	buf_addf(why(g), "%.0f%% of its GPU time is '", 100 * share_of(g, w->kernel_ns));
	buf_addstr(&g->out->why, cxx_qualified_name(trace_name(g->l->trace, w->kernel)));
	buf_addf(&g->out->why, "', launched %llu time%s", (unsigned long long)w->kernel_count,
		 w->kernel_count == 1 ? "" : "s");
}

static bool guess_kernel(struct guessing *g)
{
	const struct row_work *w = g->w;
	const char *name;

	if (!is_own_kernel(g) || share_of(g, w->kernel_ns) < 0.5)
		return false;
	name = name_of_function(g->arena, trace_name(g->l->trace, w->kernel));
	if (!name)
		return false;
	set(g, "one kernel, mostly", name);
	show_kernel(g);
	return true;
}

/* Blocks that repeat inside a step are layers, where they multiply matrices. */
static bool guess_blocks(struct guessing *g)
{
	const bool layers = multiplies(g);

	if (g->blocks->count) {
		set(g, layers ? "layers of a model" : "an inner loop", layers ? "layer" : "block");
		buf_addf(why(g),
			 "blocks of about %zu kernels come %zu times or more, one after another",
			 g->blocks->kernels, g->blocks->count);
	} else if (layers && g->row->place.coarse && g->row->place.after == RANGE_NONE &&
		   g->row->place.before == RANGE_NONE) {
		set(g, "layers of a model, which kernels do not tell apart", "layer");
	} else {
		return false;
	}
	show_categories(g);
	return true;
}

static void show_copies(struct guessing *g)
{
	const struct row_work *w = g->w;
	const int64_t ns = sat_add(sat_add(w->to_device_ns, w->to_host_ns), w->other_copy_ns);

	if (share_of(g, ns) >= 0.1)
		buf_addf(why(g), "copies and memsets %.0f%% of its GPU time",
			 100 * share_of(g, ns));
}

/*
 * What a stretch launches: the program's own kernel that takes most, or the two kinds that do.
 * NULL: neither says anything.
 */
static const char *name_of_work(struct guessing *g)
{
	char *name = arena_alloc(g->arena, LONGEST_NAME + 2, 1);
	size_t len = 0;

	if (is_own_kernel(g))
		return name_of_function(g->arena, trace_name(g->l->trace, g->w->kernel));
	for (size_t i = 0; i < 2; i++) {
		const struct category_share *c = &g->w->top[i];

		if (!c->name.len || str_eq(c->name, CATEGORY_MISC) ||
		    share_of(g, c->ns) < LEAST_NAMED)
			continue;
		if (len && len < LONGEST_NAME)
			name[len++] = '_';
		len = add_word(name, len,
			       str_eq(c->name, STR_LIT("gemm")) ? STR_LIT("matmul") : c->name);
	}
	return len ? name : NULL;
}

/* Where nothing shows what it is, the function that does it has a name, or what it launches. */
static void guess_rest(struct guessing *g)
{
	static const struct {
		const char *what, *name;
	} places[] = {
		[STEPS_UNKNOWN] = {"kernels of several kinds", "work"},
		[STEP_INSIDE] = {"work of a step", "work"},
		[STEP_BEFORE_ALL] = {"set-up before the first step", "setup"},
		[STEP_OUTSIDE] = {"work between or after the steps", "between_steps"},
	};
	const char *function = name_of_function(g->arena, g->function);
	const enum step_place step = g->row->place.step;
	const char *work = step == STEPS_UNKNOWN || step == STEP_INSIDE ? name_of_work(g) : NULL;

	set(g, places[step].what, work ? work : places[step].name);
	if (share_of(g, g->w->graph_ns) >= 0.5) {
		set(g, "CUDA graphs", "graph");
		buf_addf(why(g), "%.0f%% of its GPU time is whole CUDA graphs",
			 100 * share_of(g, g->w->graph_ns));
	}
	if (share_of(g, category_ns(g->w, "gemm")) >= 0.5)
		set(g, "matrix products", "matmul");
	if (function && strcmp(function, "main") != 0)
		g->out->name = function;
	if (is_own_kernel(g))
		show_kernel(g);
	else
		show_categories(g);
	show_copies(g);
}

void likely_find(const struct launched *l, const struct stretch_row *row, const struct row_work *w,
		 const struct row_blocks *blocks, struct str function, struct arena *a,
		 struct likely *ret)
{
	struct guessing g = {l, row, w, blocks, function, a, ret};

	*ret = (struct likely){0};
	if (!guess_autograd(&g) && !guess_part(&g) && !guess_copies(&g) && !guess_forward(&g) &&
	    !guess_category(&g) && !guess_kernel(&g) && !guess_blocks(&g))
		guess_rest(&g);
}

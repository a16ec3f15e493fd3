/* What sort of work is host code, by the names in its stacks, and what helps against it? */
#include "analysis/findings/explain.h"

/* Parts of a file's path and of a function's name; NULL: any. */
struct code_sign {
	const char *file, *function;
};

enum { SIGNS_MOST = 8 };

struct code_kind {
	const char *advice;
	enum owner owner;
	struct code_sign signs[SIGNS_MOST]; /* the first without either ends them */
};

/* The more special ones first. */
static const struct code_kind kinds[CODE_KINDS] = {
	{"importing a module takes its time at the first use: import what the loop needs before it",
	 OWNER_MODEL,
	 {{"<frozen importlib", NULL}, {"/importlib/", NULL}}},
	{"tokenise before the loop, or in another process that works ahead",
	 OWNER_DATA,
	 {{"tokeniz", NULL}, {NULL, "tokeniz"}, {"sentencepiece", NULL}, {"tiktoken", NULL}}},
	{"prepare batches in data-loader workers that work ahead (num_workers, prefetch_factor)",
	 OWNER_DATA,
	 {{"collate", NULL},
	  {NULL, "collate"},
	  {"/PIL/", NULL},
	  {"torchvision/transforms", NULL},
	  {"/datasets/", NULL},
	  {"torch/utils/data/", NULL},
	  {"albumentations", NULL}}},
	{"write and serialise less often, or in another thread or process that is handed the "
	 "values",
	 OWNER_MODEL,
	 {{"/json/", NULL},
	  {"/logging/", NULL},
	  {"/pickle.py", NULL},
	  {"/csv.py", NULL},
	  {"/yaml/", NULL},
	  {"/wandb/", NULL},
	  {"/tensorboard", NULL},
	  {"/mlflow/", NULL}}},
	{"do not loop over a tensor in Python, each element is a call: use tensor operations, or "
	 ".tolist() once",
	 OWNER_MODEL,
	 {{"torch/_tensor.py", "__iter__"}, {"torch/_tensor.py", "__contains__"}}},
	{"replace polling by an event or a blocking queue that wakes the thread up",
	 OWNER_MODEL,
	 {{"/selectors.py", NULL}, {"/select", "poll"}, {NULL, "poll_"}}},
	{"compute it on the GPU (torch, CuPy), or in another process that works ahead",
	 OWNER_MODEL,
	 {{"/numpy/", NULL}, {"/pandas/", NULL}, {"/scipy/", NULL}, {"/sklearn/", NULL}}},
};

static bool holds(const struct explain *x, uint32_t name, const char *part)
{
	return !part || (name != NAME_NONE && str_holds(trace_name(x->trace, name), part));
}

static bool is_kind(const struct explain *x, const struct code_kind *k, const struct frame *f)
{
	for (size_t i = 0; i < SIGNS_MOST; i++) {
		const struct code_sign *s = &k->signs[i];

		if (!s->file && !s->function)
			break;
		if (holds(x, f->file, s->file) && holds(x, f->function, s->function))
			return true;
	}
	return false;
}

size_t code_kind_of(const struct explain *x, uint32_t stack)
{
	const struct stacks *s = &x->code.stacks;
	const uint32_t yours = places_yours(&x->places, stack);

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		for (uint32_t at = stack; at != STACK_NONE; at = s->caller[at]) {
			if (is_kind(x, &kinds[k], stacks_top(s, at)))
				return k;
			if (s->frame[at] == yours)
				break;
		}
	}
	return CODE_KINDS;
}

/* Python's collector has functions that nobody else calls. */
bool code_is_collector(struct str function)
{
	static const char *const parts[] = {"MaybeUntrack", "gc_collect", "PyGC_Collect",
					    "subtract_refs", "visit_decref"};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (str_holds(function, parts[i]))
			return true;
	}
	return false;
}

/* Most of its frames have no symbol: where a few have, it is at work. */
static bool collects_garbage(const struct explain *x)
{
	return x->waits.samples >= EXPLAIN_SAMPLES_MIN &&
	       x->waits.collecting * 100 >= x->waits.samples;
}

bool code_kind_advise(struct explain *x, struct finding *f, size_t kind)
{
	if (kind < CODE_KINDS) {
		f->owner = kinds[kind].owner;
		find_advice(f, kinds[kind].advice);
		return true;
	}
	if (!collects_garbage(x))
		return false;
	find_count(f, "samples of the host in Python's garbage collector", x->waits.collecting);
	find_advice(f, "collect garbage at a time of your choice (gc.disable(), gc.collect() every "
		       "N steps), or exempt what lives on: gc.freeze()");
	return true;
}

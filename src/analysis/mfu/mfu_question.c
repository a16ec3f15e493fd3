/* What do the options of mfu say? */
#include "analysis/mfu/mfu_question.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#define MOST_FLOPS 1e30
#define MOST_COUNT 1000000000 /* sums over as many positions stay exact */

/* 12, 2.5, 1e12; not inf, nan or 0x10. What follows it is left to the caller. */
static bool read_number(const char *text, double *ret, char **end)
{
	if (text[strspn(text, ".")] < '0' || text[strspn(text, ".")] > '9' ||
	    strncasecmp(text, "0x", 2) == 0)
		return false;
	*ret = strtod(text, end);
	return *end != text;
}

/* What a letter after a number stands for; 0: nothing. */
static double magnitude(const char *letter)
{
	static const char letters[] = "KMGTPE";
	const char *found = *letter ? strchr(letters, *letter == 'k' ? 'K' : *letter) : NULL;
	double x = 1;

	if (!*letter)
		return 1;
	if (!found || letter[1])
		return 0;
	for (const char *at = letters; at <= found; at++)
		x *= 1000;
	return x;
}

static int set_flops(void *args, const char *name, const char *value, struct err *e)
{
	struct mfu_question *q = args;
	char *end;
	double n;

	if (!read_number(value, &n, &end) || magnitude(end) == 0)
		return option_bad_value(name, value, "a number like 1e12 or 2.5T", e);
	q->flops = n * magnitude(end);
	if (!(q->flops >= 1 && q->flops <= MOST_FLOPS))
		return option_bad_value(name, value, "a number from 1 to 1e30", e);
	return 0;
}

static int set_peak(void *args, const char *name, const char *value, struct err *e)
{
	struct mfu_question *q = args;
	char *end;

	if (!read_number(value, &q->peak_tflops, &end) || *end ||
	    !(q->peak_tflops >= 1e-3 && q->peak_tflops <= 1e9))
		return option_bad_value(name, value, "TFLOP/s of one GPU, like 989.5", e);
	return 0;
}

static int set_dtype(void *args, const char *name, const char *value, struct err *e)
{
	struct mfu_question *q = args;

	q->dtype = dtype_find(str_of(value));
	if (q->dtype)
		return 0;
	return option_bad_value(name, value, "fp64, fp32, tf32, fp16, bf16, fp8, int8 or fp4", e);
}

bool mfu_question_is_asked(const struct mfu_question *q)
{
	const struct model_work *w = &q->work;

	return q->flops > 0 || q->per || q->model || q->ncu.count || q->phase || q->range ||
	       q->dtype || q->peak_tflops > 0 || q->shared || w->mode || w->batch || w->seq ||
	       w->new_tokens || w->recompute || w->all_logits;
}

static const struct option_word per_words[] = {{"step", PER_STEP},
					       {"token", PER_TOKEN},
					       {"range", PER_RANGE},
					       {"window", PER_WINDOW},
					       {NULL, 0}};
static const struct option_word modes[] = {
	{"prefill", MODE_PREFILL}, {"decode", MODE_DECODE}, {"train", MODE_TRAIN}, {NULL, 0}};
static const struct option_word recomputes[] = {{"none", RECOMPUTE_NONE},
						{"selective", RECOMPUTE_SELECTIVE},
						{"full", RECOMPUTE_FULL},
						{NULL, 0}};
static const struct option_word heads[] = {{"last", false}, {"all", true}, {NULL, 0}};

#define OPT_OWN(n, v, member, T, s, h)                                                     \
	{                                                                                  \
		.type = OPTION_CUSTOM, .name = (n), .value = (v), .set = (s), .help = (h), \
		OPT_MEMBER(struct mfu_question, member, T)                                 \
	}
#define OPT_SIZE(n, member, h)                                   \
	OPT_COUNT(n, struct mfu_question, member, 1, MOST_COUNT, \
		  "a whole number from 1 to 1,000,000,000", h)

static const struct option options[] = {
	OPT_OWN("flops", "N", flops, double, set_flops,
		"FLOPs of one step, token, range or window (see --per): 1e12, 2.5T"),
	OPT_WORD("per", struct mfu_question, per, per_words,
		 "the unit of --flops, or of one batch of --model"),
	OPT_FILE("model", struct mfu_question, model, "FILE", "a file name", ACCESS_READS,
		 "the config.json of a Hugging Face model"),
	OPT_WORD("mode", struct mfu_question, work.mode, modes, "the work to count FLOPs for"),
	OPT_SIZE("batch", work.batch, "sequences per batch"),
	OPT_SIZE("seq", work.seq, "tokens per sequence; for decode, before it begins"),
	OPT_SIZE("new-tokens", work.new_tokens,
		 "tokens that decode adds to each sequence, one per step"),
	OPT_WORD("lm-head", struct mfu_question, work.all_logits, heads,
		 "logits that prefill computes: last position of each sequence (default), or all"),
	OPT_WORD(
		"recompute", struct mfu_question, work.recompute, recomputes,
		"activation recomputation, for HFU: none (default), attention only, or all layers"),
	OPT_TEXT("phase", struct mfu_question, phase, "NAME", "the name of a phase",
		 "measure this phase: prefill, decode, …"),
	OPT_TEXT("range", struct mfu_question, range, "NAME", "the name of a range",
		 "measure ranges whose name contains this; also * and ?, /regex/"),
	OPT_FLAG("shared", struct mfu_question, shared,
		 "the FLOPs are for all processes together, not for each"),
	OPT_OWN("dtype", "TYPE", dtype, enum dtype, set_dtype,
		"data type of matrix products: fp64, fp32, tf32, fp16, bf16, fp8, int8, fp4"),
	OPT_OWN("peak-tflops", "X", peak_tflops, double, set_peak,
		"dense peak of one GPU, instead of the built-in value"),
	OPT_END(),
};
const struct option_group mfu_question_options = OPTION_GROUP(options, struct mfu_question);

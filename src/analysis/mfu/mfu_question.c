/* What do the options of mfu say, do they make a question, and which FLOPs does a phase do? */
#include "analysis/mfu/mfu_question.h"

#include "analysis/mfu/mfu_rows.h"
#include "base/buf.h"
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

const struct option_group mfu_question_options = OPTIONS(
	struct mfu_question,
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
		"dense peak of one GPU, instead of the built-in value"));

static const struct {
	const char *phase;
	enum mfu_share of[MODE_TRAIN + 1];
} shares[] = {
	{"prefill", {[MODE_PREFILL] = SHARE_ALL}},
	{"decode", {[MODE_DECODE] = SHARE_ALL}},
	{"forward",
	 {[MODE_PREFILL] = SHARE_ALL, [MODE_DECODE] = SHARE_ALL, [MODE_TRAIN] = SHARE_FORWARD}},
	{"backward", {[MODE_TRAIN] = SHARE_BACKWARD}},
	{"optimizer", {0}},
	{"data loading", {0}},
};

enum mfu_share mfu_share_of(const char *phase, enum model_mode mode)
{
	for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
		if (strcmp(shares[i].phase, phase) == 0)
			return shares[i].of[mode];
	}
	return SHARE_ALL;
}

/* Whether it does any in some mode: an optimizer does none. */
static bool phase_counts(const char *phase)
{
	return mfu_share_of(phase, MODE_PREFILL) || mfu_share_of(phase, MODE_DECODE) ||
	       mfu_share_of(phase, MODE_TRAIN);
}

struct flops_source mfu_take_share(struct flops_source s, enum mfu_share share)
{
	const double forward = s.model / 3;

	if (share == SHARE_FORWARD)
		return (struct flops_source){"forward", forward, forward, 0, 0};
	if (share == SHARE_BACKWARD)
		return (struct flops_source){"backward", s.model - forward, s.hardware - forward, 0,
					     0};
	return s;
}

enum mfu_time mfu_time_of(const struct mfu_question *q, const struct scope *p)
{
	if (q->range)
		return TIME_RANGES;
	if (q->phase)
		return TIME_PHASE;
	if (!p->in_iteration && (q->per == PER_STEP || p->marker))
		return TIME_STEPS;
	/* What is said to be done in a window is done in all of it. */
	return !q->model || q->per == PER_WINDOW || (p->has_trim && q->work.mode) ? TIME_WINDOW
										  : TIME_STAGES;
}

bool mfu_window_is_step(const struct mfu_question *q, const struct scope *p)
{
	return p->in_iteration && !q->ncu.count && q->per != PER_WINDOW &&
	       mfu_time_of(q, p) == TIME_WINDOW;
}

enum model_mode mfu_mode_of(const struct mfu_question *q)
{
	if (q->work.mode)
		return q->work.mode;
	if (q->phase && strcmp(q->phase, "prefill") == 0)
		return MODE_PREFILL;
	if (q->phase && strcmp(q->phase, "decode") == 0)
		return MODE_DECODE;
	return MODE_NONE;
}

/* What options must not say together. */
struct refusal {
	bool applies;
	const char *message, *hint; /* no hint: NULL */
};

/* ERR_USAGE of the first that applies. */
static int refuse(const struct refusal *all, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (!all[i].applies)
			continue;
		err_set(e, ERR_USAGE, "%s", all[i].message);
		return all[i].hint ? err_hint(e, "%s", all[i].hint) : -1;
	}
	return 0;
}

static void add_missing(struct buf *b, bool is_there, const char *option)
{
	if (!is_there)
		buf_addf(b, "%s%s", b->len ? " and " : "", option);
}

/* What the shape of one batch needs; `what` asks for it. */
static int check_work(const struct mfu_question *q, bool decode, bool seq, const char *what,
		      struct err *e)
{
	struct buf missing = {0};

	add_missing(&missing, q->work.batch, "--batch N");
	add_missing(&missing, !seq || q->work.seq, "--seq N");
	add_missing(&missing, !decode || q->work.new_tokens, "--new-tokens N");
	if (!missing.len)
		return 0;
	err_set(e, ERR_USAGE, "%s needs %s", what, missing.s);
	buf_free(&missing);
	return err_hint(e, "--batch: concurrent sequences; --seq: length of each, for decode the "
			   "length before it starts; --new-tokens: decode steps per sequence");
}

static const char *mode_word(enum model_mode mode)
{
	return mode == MODE_TRAIN ? "train" : mode == MODE_DECODE ? "decode" : "prefill";
}

/* Whether what was done in a phase can be what --mode says. */
static int check_phase(const struct mfu_question *q, struct err *e)
{
	const enum model_mode mode = mfu_mode_of(q);

	if (!q->phase || (!q->model && !mode))
		return 0;
	if (q->model && !phase_counts(q->phase)) {
		err_set(e, ERR_USAGE, "the phase '%s' has none of the FLOPs that --model counts",
			q->phase);
		return err_hint(e,
				"--phase forward or backward measures a training pass, --mode "
				"train without --phase whole steps; use --flops N --phase '%s' if "
				"you know the FLOPs",
				q->phase);
	}
	if (!mode || mfu_share_of(q->phase, mode))
		return 0;
	err_set(e, ERR_USAGE, "--phase %s contradicts --mode %s", q->phase, mode_word(mode));
	return err_hint(e, "--phase prefill and decode need no --mode; backward needs --mode "
			   "train, forward works with any");
}

/* A request has both a prompt and new tokens, whichever part of it is asked for. */
static int check_new_tokens(const struct mfu_question *q, struct err *e)
{
	if (!q->work.new_tokens || q->work.mode != MODE_TRAIN)
		return 0;
	err_set(e, ERR_USAGE, "--new-tokens applies to decode, not to --mode train");
	return err_hint(e, "--seq sets the sequence length");
}

static int check_model(const struct mfu_question *q, const struct scope *p, struct err *e)
{
	const enum model_mode mode = mfu_mode_of(q);
	const struct refusal all[] = {
		{q->per == PER_TOKEN,
		 "--per token applies to --flops N: a model's FLOPs depend on the token's position",
		 NULL},
		{mode == MODE_NONE && mfu_time_of(q, p) != TIME_STAGES,
		 "--model needs --mode prefill, decode or train, to know what ran in that time",
		 NULL},
		{q->work.recompute && mode != MODE_TRAIN,
		 "--recompute applies to training: use it with --mode train", NULL},
		{q->work.all_logits && mode != MODE_PREFILL && mode != MODE_NONE,
		 "--lm-head applies to prefill: decode and training compute all logits", NULL},
	};

	if (refuse(all, ARRAY_LEN(all), e) < 0)
		return -1;
	return check_work(q, mode == MODE_DECODE, true,
			  mode == MODE_DECODE  ? "--model with --mode decode"
			  : mode == MODE_TRAIN ? "--model with --mode train"
					       : "--model",
			  e);
}

/* With FLOPs that are given the shape of a batch tells tokens, and nothing else. */
static int check_number(const struct mfu_question *q, struct err *e)
{
	const struct model_work *w = &q->work;
	const enum model_mode mode = mfu_mode_of(q);
	const bool decode = mode == MODE_DECODE || (!mode && w->new_tokens);
	const struct refusal all[] = {
		{w->recompute || w->all_logits,
		 "--recompute and --lm-head apply to --model, not to --flops", NULL},
		{w->mode && q->per != PER_TOKEN,
		 "--mode applies to --model or --per token, not to --flops", NULL},
		{!mode && w->seq && w->new_tokens,
		 "--flops with both --seq and --new-tokens is ambiguous: which of them counts the "
		 "tokens?",
		 "give only one, or add --phase prefill or decode"},
	};

	if (refuse(all, ARRAY_LEN(all), e) < 0)
		return -1;
	if (q->per == PER_TOKEN || w->batch || w->seq || w->new_tokens)
		return check_work(q, decode, !decode,
				  q->per == PER_TOKEN ? "--per token" : "to count tokens, --flops",
				  e);
	return 0;
}

static int check_time(const struct mfu_question *q, const struct scope *p, struct err *e)
{
	const struct refusal all[] = {
		{q->range && q->phase,
		 "--range and --phase both select the time to measure: give one", NULL},
		{q->per == PER_RANGE && !q->range && !q->phase,
		 "--per range needs --range NAME or --phase NAME",
		 "gpuwhy ranges lists the ranges of a trace, gpuwhy phases its phases"},
		{q->per == PER_STEP && (q->range || q->phase),
		 "--per step measures steps, --range and --phase measure ranges: give one",
		 "if each range is one step, use --per range"},
		{p->marker && !p->in_iteration && (q->range || q->phase),
		 "--marker selects steps, --range and --phase select ranges: give one", NULL},
		{q->shared && mfu_time_of(q, p) == TIME_WINDOW && !mfu_window_is_step(q, p),
		 "--shared applies to ranges or steps of several processes: the FLOPs of a window "
		 "always belong to all of them",
		 NULL},
	};

	return refuse(all, ARRAY_LEN(all), e);
}

/* Counters know kernels, and no ranges. */
static int check_counters(const struct mfu_question *q, const struct scope *p, struct err *e)
{
	const struct refusal all[] = {
		{q->per || mfu_time_of(q, p) != TIME_WINDOW,
		 "--ncu counts what ran in a window: it takes no --per, --range, --phase or "
		 "--marker",
		 "select the window with --trim FROM TO or --iteration N"},
		{q->work.mode || q->work.batch || q->work.seq || q->work.new_tokens ||
			 q->work.recompute || q->work.all_logits,
		 "--ncu counts what ran: --mode, --batch, --seq, --new-tokens, --recompute and "
		 "--lm-head apply to --model only",
		 NULL},
	};

	return refuse(all, ARRAY_LEN(all), e);
}

int mfu_question_check(const struct mfu_question *q, const struct scope *p, struct err *e)
{
	const struct refusal all[] = {
		{!q->model && !q->ncu.count && q->flops == 0,
		 "mfu needs to know the FLOPs: --flops N, --model config.json or --ncu FILE",
		 "gpuwhy mfu TRACE --model config.json --batch 1 --seq 2048 --new-tokens 64; or "
		 "--flops 2.5T --per step"},
		{(q->model != NULL) + (q->flops > 0) + (q->ncu.count > 0) > 1,
		 "--flops, --model and --ncu each give the FLOPs: use one", NULL},
		{!q->model && !q->dtype && q->peak_tflops == 0,
		 "mfu needs --dtype to select the peak: fp32, tf32, fp16, bf16, fp8, …",
		 "or give the dense peak of one GPU with --peak-tflops X"},
	};

	if (refuse(all, ARRAY_LEN(all), e) < 0 || check_time(q, p, e) < 0 || check_phase(q, e) < 0)
		return -1;
	if (q->ncu.count)
		return check_counters(q, p, e);
	if (check_new_tokens(q, e) < 0)
		return -1;
	return q->model ? check_model(q, p, e) : check_number(q, e);
}

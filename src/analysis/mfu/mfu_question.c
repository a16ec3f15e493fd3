/* What do the options of mfu say? */
#include "analysis/mfu/mfu_question.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#define MOST_FLOPS 1e30
#define MOST_COUNT 1000000000 /* sums over as many positions stay exact */

static int bad_value(const char *name, const char *value, const char *wanted, struct err *e)
{
	return err_set(e, ERR_USAGE, "--%s takes %s, not '%s'", name, wanted, value);
}

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

static int set_flops(struct mfu_question *q, const char *name, const char *value, struct err *e)
{
	char *end;
	double n;

	if (!read_number(value, &n, &end) || magnitude(end) == 0)
		return bad_value(name, value, "a number like 1e12 or 2.5T", e);
	q->flops = n * magnitude(end);
	if (!(q->flops >= 1 && q->flops <= MOST_FLOPS))
		return bad_value(name, value, "a number from 1 to 1e30", e);
	return 0;
}

static int set_peak(struct mfu_question *q, const char *name, const char *value, struct err *e)
{
	char *end;

	if (!read_number(value, &q->peak_tflops, &end) || *end ||
	    !(q->peak_tflops >= 1e-3 && q->peak_tflops <= 1e9))
		return bad_value(name, value, "TFLOP/s of one GPU, like 989.5", e);
	return 0;
}

static int set_count(uint64_t *to, const char *name, const char *value, struct err *e)
{
	char *end;

	errno = 0;
	*to = strtoull(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end || errno || !*to || *to > MOST_COUNT)
		return bad_value(name, value, "a whole number from 1 to 1,000,000,000", e);
	return 0;
}

/* The number of a word among "a|b|c", from 1; 0: it is none of them. */
static unsigned find_word(const char *words, const char *value)
{
	const size_t len = strlen(value);

	for (unsigned i = 1; *words; i++) {
		size_t n = strcspn(words, "|");

		if (n == len && strncmp(words, value, n) == 0)
			return i;
		words += n + (words[n] == '|');
	}
	return 0;
}

static int set_mode(struct mfu_question *q, const char *value, struct err *e)
{
	q->work.mode = (enum model_mode)find_word("prefill|decode|train", value);
	return q->work.mode ? 0 : bad_value("mode", value, "prefill, decode or train", e);
}

static int set_per(struct mfu_question *q, const char *value, struct err *e)
{
	q->per = (enum mfu_per)find_word("step|token|range|window", value);
	return q->per ? 0 : bad_value("per", value, "step, token, range or window", e);
}

static int set_recompute(struct mfu_question *q, const char *value, struct err *e)
{
	unsigned n = find_word("none|selective|full", value);

	if (!n)
		return bad_value("recompute", value, "none, selective or full", e);
	q->work.recompute = (enum recompute)(n - 1);
	return 0;
}

static int set_head(struct mfu_question *q, const char *value, struct err *e)
{
	unsigned n = find_word("last|all", value);

	q->work.all_logits = n == 2;
	return n ? 0 : bad_value("lm-head", value, "last or all", e);
}

static int set_dtype(struct mfu_question *q, const char *value, struct err *e)
{
	q->dtype = dtype_find(str_of(value));
	if (q->dtype)
		return 0;
	return bad_value("dtype", value, "fp64, fp32, tf32, fp16, bf16, fp8, int8 or fp4", e);
}

static int set_text(const char **to, const char *name, const char *value, const char *wanted,
		    struct err *e)
{
	*to = value;
	return *value ? 0 : bad_value(name, value, wanted, e);
}

bool mfu_question_is_asked(const struct mfu_question *q)
{
	const struct model_work *w = &q->work;

	return q->flops > 0 || q->per || q->model || q->ncu || q->phase || q->range || q->dtype ||
	       q->peak_tflops > 0 || q->shared || w->mode || w->batch || w->seq || w->new_tokens ||
	       w->recompute || w->all_logits;
}

int mfu_question_set(struct mfu_question *q, const char *name, const char *value, struct err *e)
{
	if (strcmp(name, "flops") == 0)
		return set_flops(q, name, value, e);
	if (strcmp(name, "peak-tflops") == 0)
		return set_peak(q, name, value, e);
	if (strcmp(name, "batch") == 0)
		return set_count(&q->work.batch, name, value, e);
	if (strcmp(name, "seq") == 0)
		return set_count(&q->work.seq, name, value, e);
	if (strcmp(name, "new-tokens") == 0)
		return set_count(&q->work.new_tokens, name, value, e);
	if (strcmp(name, "mode") == 0)
		return set_mode(q, value, e);
	if (strcmp(name, "per") == 0)
		return set_per(q, value, e);
	if (strcmp(name, "recompute") == 0)
		return set_recompute(q, value, e);
	if (strcmp(name, "lm-head") == 0)
		return set_head(q, value, e);
	if (strcmp(name, "dtype") == 0)
		return set_dtype(q, value, e);
	if (strcmp(name, "model") == 0)
		return set_text(&q->model, name, value, "a file name", e);
	if (strcmp(name, "phase") == 0)
		return set_text(&q->phase, name, value, "the name of a phase", e);
	return set_text(&q->range, name, value, "the name of a range", e);
}

/* Why is there nothing to measure? */
#include "analysis/mfu/mfu_rows.h"

#include "base/buf.h"

int mfu_no_range(const struct mfu_stage *s, const struct trace *t, const struct scope *p,
		 const struct mfu_question *q, struct err *e)
{
	const char *what = q->range ? "range" : "phase";
	const char *name = q->range ? q->range : q->phase;

	if (s->elsewhere)
		err_set(e, ERR_INPUT,
			"none of the %llu instances of the %s '%s' of '%s'%s launched work on "
			"device %u",
			(unsigned long long)s->elsewhere, what, name, t->path,
			p->has_trim ? " that are entirely inside that window" : "", p->device);
	else if (s->cut)
		err_set(e, ERR_INPUT,
			"no instance of the %s '%s' is entirely inside that window of '%s'", what,
			name, t->path);
	else if (s->open)
		err_set(e, ERR_INPUT,
			"the %s '%s' of '%s' was never closed: its duration is unknown", what, name,
			t->path);
	else
		err_set(e, ERR_INPUT, "'%s' has no NVTX range that %s '%s'%s", t->path,
			q->range ? "matches" : "matches the phase", name,
			p->has_pid || p->has_trim ? ", with these filters" : "");
	return err_hint(e, q->range ? "gpuwhy ranges lists the ranges"
				    : "--phase-map FILE maps ranges to phases, --range NAME "
				      "selects ranges by name; gpuwhy ranges lists them");
}

/* What there is of a stage, and why it does not count: "it cuts 1 of 'prefill'". */
static void add_missed(struct buf *b, const struct mfu_row *row, const struct scope *p)
{
	const struct mfu_stage *s = &row->stage;

	if (s->cut)
		buf_addf(b, "%sit cuts %llu of '%s'", b->len ? ", " : "",
			 (unsigned long long)s->cut, row->name);
	if (s->open)
		buf_addf(b, "%s%llu of '%s' never closed", b->len ? ", " : "",
			 (unsigned long long)s->open, row->name);
	if (s->elsewhere)
		buf_addf(b, "%s%llu of '%s' launched nothing on device %u", b->len ? ", " : "",
			 (unsigned long long)s->elsewhere, row->name, p->device);
}

static const char *stages_asked(const struct mfu_rows *rows, const struct mfu_question *q)
{
	const enum model_mode mode = mfu_mode_of(q);

	return rows->is_training_found			     ? "training step"
	       : mode == MODE_DECODE			     ? "decode"
	       : mode == MODE_PREFILL || !q->work.new_tokens ? "prefill"
							     : "prefill or decode";
}

static int refuse_window(const struct mfu_rows *rows, const char *missed, const struct trace *t,
			 const struct mfu_question *q, struct err *e)
{
	err_set(e, ERR_USAGE,
		"no %s is entirely inside that window of '%s'%s%s%s: the window then counts as one "
		"stage, and --model needs --mode prefill, decode or train",
		stages_asked(rows, q), t->path, *missed ? " (" : "", missed, *missed ? ")" : "");
	if (rows->is_training_found)
		return err_hint(e, "--mode train treats that time as one; gpuwhy iters lists the "
				   "steps of the run");
	return err_hint(
		e,
		"--mode says what ran in that time%s; gpuwhy timings lists the stages of the run",
		q->work.new_tokens ? "" : ", --new-tokens N also looks for decodes");
}

static int refuse_run(const struct mfu_rows *rows, const char *missed, const struct trace *t,
		      const struct mfu_question *q, struct err *e)
{
	if (*missed)
		err_set(e, ERR_INPUT, "no %s of '%s' can be measured: %s", stages_asked(rows, q),
			t->path, missed);
	else
		err_set(e, ERR_INPUT,
			"nothing in '%s' shows where a %s begins and ends: no NVTX range has a "
			"matching name",
			t->path, stages_asked(rows, q));
	e->absent = true;
	return err_hint(e,
			"select ranges with --range NAME (gpuwhy ranges lists them), or treat a "
			"time as one with --trim FROM TO or --per window, each with --mode%s%s",
			q->work.mode ? "" : "; --mode train measures training steps",
			q->work.new_tokens || q->work.mode
				? ""
				: "; --new-tokens N also looks for decodes");
}

int mfu_no_stages(const struct mfu_rows *rows, const struct trace *t, const struct scope *p,
		  const struct mfu_question *q, struct err *e)
{
	struct buf missed = {0};
	int result;

	buf_adds(&missed, "");
	for (size_t i = 0; i < rows->missed_count; i++)
		add_missed(&missed, &rows->missed[i], p);
	result = p->has_trim ? refuse_window(rows, missed.s, t, q, e)
			     : refuse_run(rows, missed.s, t, q, e);
	buf_free(&missed);
	return result;
}

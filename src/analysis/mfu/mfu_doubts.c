/* Can what was said of the work, and what came out, be; and why is there nothing to measure? */
#include "analysis/mfu/mfu_answer.h"
#include "analysis/mfu/mfu_rows.h"
#include "base/buf.h"
#include "text/units.h"

int mfu_no_range(const struct mfu_part *s, const struct trace *t, const struct scope *p,
		 const struct mfu_question *q, struct err *e)
{
	const char *what = q->range ? "range" : "phase";
	const char *name = q->range ? q->range : q->phase;

	if (s->on_other_devices)
		err_set(e, ERR_INPUT,
			"none of the %llu instances of the %s '%s' of '%s'%s launched work on "
			"device %u",
			(unsigned long long)s->on_other_devices, what, name, t->path,
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

/* What there is of a part, and why it does not count: "it cuts 1 of 'prefill'". */
static void add_missed(struct buf *b, const struct mfu_row *row, const struct scope *p)
{
	const struct mfu_part *s = &row->part;

	if (s->cut)
		buf_addf(b, "%sit cuts %llu '%s'", b->len ? ", " : "", (unsigned long long)s->cut,
			 row->name);
	if (s->open)
		buf_addf(b, "%s%llu '%s' never closed", b->len ? ", " : "",
			 (unsigned long long)s->open, row->name);
	if (s->on_other_devices)
		buf_addf(b, "%s%llu '%s' launched nothing on device %u", b->len ? ", " : "",
			 (unsigned long long)s->on_other_devices, row->name, p->device);
}

static const char *parts_asked(const struct mfu_rows *rows, const struct mfu_question *q)
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
		"instance, and --model needs --mode prefill, decode or train",
		parts_asked(rows, q), t->path, *missed ? " (" : "", missed, *missed ? ")" : "");
	if (rows->is_training_found)
		return err_hint(e, "--mode train treats the window as one training step; gpuwhy "
				   "iters lists the steps of the run");
	return err_hint(e,
			"set --mode to what ran in that window%s; gpuwhy timings lists the phases "
			"of the run",
			q->work.new_tokens ? ""
					   : ", or add --new-tokens N to look for decodes too");
}

static int refuse_run(const struct mfu_rows *rows, const char *missed, const struct trace *t,
		      const struct mfu_question *q, struct err *e)
{
	if (*missed)
		err_set(e, ERR_INPUT, "no %s of '%s' can be measured: %s", parts_asked(rows, q),
			t->path, missed);
	else
		err_set(e, ERR_INPUT,
			"nothing in '%s' shows where a %s begins and ends: no NVTX range has a "
			"matching name",
			t->path, parts_asked(rows, q));
	e->absent = true;
	return err_hint(
		e,
		"select ranges with --range NAME (gpuwhy ranges lists them), or treat a window as "
		"one instance with --trim FROM TO or --per window, in each case with --mode%s%s",
		q->work.mode ? "" : "; --mode train measures training steps",
		q->work.new_tokens || q->work.mode ? ""
						   : "; --new-tokens N also looks for decodes");
}

int mfu_no_parts(const struct mfu_rows *rows, const struct trace *t, const struct scope *p,
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

/* A model that learned its positions has no others. */
static void warn_too_long(const struct mfu_answer *a)
{
	const struct model_work *w = &a->q->work;
	const uint64_t longest = a->rows.has_model ? a->rows.model.longest : 0;
	const unsigned long long length = w->seq + w->new_tokens;

	if (longest && length > longest)
		report_warning(a->report,
			       "the model supports %llu positions, but a sequence has %llu: --seq "
			       "or --new-tokens is wrong, or the config belongs to another model",
			       (unsigned long long)longest, length);
}

/* Whether `found` may be the steps of a decode: the first new token may be the prefill's. */
static bool fits_steps(uint64_t found, uint64_t steps)
{
	return found == steps || found + 1 == steps;
}

/* A window that is said to be one of something, and has several. */
static void note_in_window(const struct mfu_answer *a)
{
	const struct model_work *w = &a->q->work;
	const size_t found = a->rows.in_window;

	if (found < 2 || (w->mode == MODE_DECODE && fits_steps(found, w->new_tokens)))
		return;
	report_note(a->report,
		    "--mode treats the window as one %s, but it contains %zu: %s measures each of "
		    "them.",
		    a->rows.work_names[0], found,
		    w->mode == MODE_TRAIN ? "--per step" : "--trim without --mode");
}

/* How many ranges of the part are inside its instances: false where one has less than two. */
static bool find_inside(const struct mfu_part *s, uint32_t *ret_least, uint32_t *ret_most)
{
	*ret_least = UINT32_MAX;
	*ret_most = 0;
	for (size_t i = 0; i < s->count; i++) {
		const uint32_t inside = s->instances[i].inside;

		*ret_least = inside < *ret_least ? inside : *ret_least;
		*ret_most = inside > *ret_most ? inside : *ret_most;
	}
	return s->count && *ret_least > 1;
}

/* An instance is one step, and not all of a decode, where there are many more than prefills. */
static void note_single_steps(const struct mfu_answer *a, const struct mfu_row *prefill,
			      const struct mfu_row *decode)
{
	const struct mfu_part *s = &decode->part;
	const struct mfu_part *p = prefill ? &prefill->part : NULL;
	const uint64_t before = p ? p->count + p->cut + p->open + p->on_other_devices : 0;
	struct buf b = {0};

	if (decode->steps < 2)
		return;
	/* The window may have the decode, and not the prefill, of a request in each process. */
	if (prefill ? s->count <= before + s->processes
		    : s->count < 3 || !fits_steps(s->count, decode->steps))
		return;
	if (prefill)
		buf_addf(&b, "For %llu '%s' there", (unsigned long long)before, prefill->name);
	report_note(a->report,
		    "%s are %zu '%s', each counted as %llu steps (--new-tokens): if each is one "
		    "step, use --new-tokens 1.",
		    prefill ? b.s : "There", s->count, decode->name,
		    (unsigned long long)decode->steps);
	buf_free(&b);
}

/* Tokens a second are as right as --new-tokens is. */
static void note_steps(const struct mfu_answer *a, size_t i)
{
	const struct mfu_row *row = &a->rows.rows[i];
	uint32_t least, most;
	struct buf b = {0};

	if (!row->steps)
		return;
	if (!find_inside(&row->part, &least, &most)) {
		note_single_steps(a, i ? &a->rows.rows[0] : NULL, row);
		return;
	}
	if (fits_steps(least, row->steps) && fits_steps(most, row->steps))
		return;
	buf_addf(&b, "%u", least);
	if (most > least)
		buf_addf(&b, " to %u", most);
	report_note(a->report,
		    "Each '%s' contains %s ranges of the same name, but --new-tokens gives %llu "
		    "step%s: if those ranges are its steps, tokens/s and FLOPs are wrong.",
		    row->name, b.s, (unsigned long long)row->steps, row->steps == 1 ? "" : "s");
	buf_free(&b);
}

/* A step that is taken for one of training does three times the FLOPs of a prefill. */
static void warn_no_training(const struct mfu_answer *a)
{
	if (a->rows.inference)
		report_warning(
			a->report,
			"--mode train treats each step as a training step (%s), but range names "
			"show %zu prefills and decodes and no backward pass: is this training?",
			a->rows.steps, a->rows.inference);
}

/* Names are a guess, and --mode is not: but both cannot be. */
static void warn_of_names(const struct mfu_answer *a)
{
	const char *told = a->rows.told;

	if (told && mfu_share_of(told, a->q->work.mode) != SHARE_ALL)
		report_warning(a->report,
			       "--mode treats each '%s' as one %s, but its name indicates the "
			       "phase '%s': --phase '%s' measures it as such",
			       a->q->range, a->rows.work_names[0], told, told);
}

/* FLOPs are of an instance, and not of what it does on one device. */
static void warn_of_devices(const struct mfu_answer *a)
{
	for (size_t i = 0; i < a->rows.count; i++) {
		const struct mfu_row *row = &a->rows.rows[i];

		if (row->devices > 1)
			report_warning(a->report,
				       "'%s' runs on %u devices, but all its FLOPs are assigned to "
				       "device %u, so its MFU is too high; leave out --device to "
				       "count all devices",
				       row->name, row->devices, a->p->device);
	}
}

/* The shape of a batch beside FLOPs that are given could be taken to change them. */
static void note_given(const struct mfu_answer *a)
{
	if (a->q->flops > 0 && a->q->per != PER_TOKEN && a->q->work.batch)
		report_note(
			a->report,
			"FLOPs are as given: --batch, --seq and --new-tokens only count tokens.");
}

void mfu_doubt_said(const struct mfu_answer *a)
{
	warn_too_long(a);
	warn_no_training(a);
	warn_of_names(a);
	warn_of_devices(a);
	note_given(a);
	note_in_window(a);
	for (size_t i = 0; i < a->rows.count; i++)
		note_steps(a, i);
}

/* How much more does not matter from some size on. */
static void add_impossible(struct buf *b, double pct)
{
	const bool absurd = pct >= UTILISATION_ABSURD;

	buf_adds(b, absurd ? "more than " : "");
	units_add_grouped(b, absurd ? UTILISATION_ABSURD : pct, absurd ? 0 : 1);
}

void mfu_doubt_reached(const struct mfu_answer *a, size_t place)
{
	struct buf b = {0};

	for (size_t i = 0; i < a->rows.count; i++) {
		const struct mfu_highest *highest = &a->highest[i];

		if (highest->pct <= 100)
			continue;
		buf_addf(&b, "%s'%s' ", b.len ? ", " : "", a->rows.rows[i].name);
		add_impossible(&b, highest->pct);
		buf_addf(&b, " %% (%s)", highest->figure);
	}
	if (b.len) {
		report_warning(a->report,
			       "more than 100 %% of the peak is impossible, but the result is %s: "
			       "--batch, --seq, --new-tokens, --flops, --dtype or the choice of "
			       "range does not match what ran",
			       b.s);
		report_move_last(a->report, place);
	}
	buf_free(&b);
}

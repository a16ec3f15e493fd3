/* gpuwhy fleet --scaling: what is lost on the way from few ranks to many? */
#include "commands/fleet/fleet.h"

#include "base/mem.h"
#include "fleet/part_file.h"
#include "fleet/slurm/gather.h"
#include "text/shell_words.h"

#include <stdlib.h>

static const char usage[] = "gpuwhy fleet --scaling ONE… -- MANY…";

static int check_words(const struct invocation *inv, struct err *e)
{
	const struct fleet_options *o = inv->args;

	if (o->slurm.slurm)
		err_set(e, ERR_USAGE, "--scaling reads captures and parts here, not by --slurm");
	else if (o->scaling.how.weak && o->scaling.how.strong)
		err_set(e, ERR_USAGE, "--weak and --strong exclude each other");
	else if (!inv->has_dashes)
		err_set(e, ERR_USAGE,
			"fleet --scaling needs two jobs: '--' stands between few ranks and many");
	else if (!inv->words_after || inv->words_after == inv->words.count)
		err_set(e, ERR_USAGE, "fleet --scaling needs captures %s '--'",
			inv->words_after ? "before" : "after");
	else
		return 0;
	return err_hint(e, o->slurm.slurm ? "fleet map makes parts anywhere; %s takes them" : "%s",
			usage);
}

int scaling_check_unasked(const struct invocation *inv, struct err *e)
{
	const struct fleet_options *o = inv->args;
	const struct scaling_args *how = &o->scaling.how;

	if (inv->words_after && inv->words_after < inv->words.count)
		err_set(e, ERR_USAGE, "fleet reads one job; '--' stands between two");
	else if (how->weak || how->strong || how->anyway)
		err_set(e, ERR_USAGE, "--%s is for --scaling",
			how->weak     ? "weak"
			: how->strong ? "strong"
				      : "anyway");
	else
		return 0;
	return err_hint(e, "%s compares two", usage);
}

/* A folder of parts has no captures in it. */
static int read_files(struct fleet_parts *p, const struct invocation *inv, const char *const *words,
		      size_t count, struct err *e)
{
	struct err ignored = {0};
	struct fleet_files files;
	bool parts = false;
	int result = fleet_files_find(&files, words, count, false, e);

	if (result < 0 && e->code == ERR_INPUT) {
		fleet_files_free(&files);
		parts = fleet_files_find(&files, words, count, true, &ignored) == 0;
		result = parts ? 0 : -1;
	}
	if (result == 0)
		result = parts ? fleet_parts_read(p, &files, inv, e)
			       : fleet_parts_make(p, &files, inv, e);
	fleet_files_free(&files);
	return result;
}

static int read_side(const struct invocation *inv, const char *const *words, size_t count,
		     struct fleet_parts **ret, struct report *r, struct err *e)
{
	*ret = fleet_parts_new(r);
	if (count == 1 && gather_is_folder(words[0]))
		return fleet_parts_gather(*ret, words[0], inv, e);
	return read_files(*ret, inv, words, count, e);
}

static int study_side(struct fleet_parts *p, const char *side, const struct fleet_options *o,
		      struct report *r, struct fleet_answer **ret, struct err *e)
{
	const struct fleet_args args = {
		.strict = o->strict, .losses = p->losses, .loss_count = p->loss_count};
	double there;

	fleet_parts_settle(p);
	fleet_add_head(r, p, side);
	if (fleet_answer_make(p->refs, p->count, &args, r, ret, e) < 0)
		return -1;
	there = (*ret)->job.world ? 1 - (double)(*ret)->job.missing / (double)(*ret)->job.world : 1;
	r->coverage = r->has_coverage && r->coverage < there ? r->coverage : there;
	r->has_coverage = true;
	fleet_count_losses(r, p);
	return 0;
}

static void free_scaling(void *what)
{
	scaling_free(what);
	free(what);
}

/* What a user types for the capture of a job's first rank; NULL: a part was given in its place. */
static const char *name_first(struct report *r, const struct fleet_parts *p,
			      const struct fleet_answer *job)
{
	const size_t at = (size_t)(job->job.parts[0].part - p->all);
	const char *path = p->paths ? p->paths[at] : NULL;
	struct buf b = {0};

	if (!path || part_is_file(path))
		return NULL;
	word_add_quoted(&b, path);
	return report_take_text(r, &b);
}

static void name_sides(struct invocation *inv, struct fleet_parts *const sides[SCALING_SIDES],
		       struct fleet_answer *const jobs[SCALING_SIDES], struct scaling_names *ret)
{
	const size_t after = inv->words_after, before = inv->words.count - after;
	struct buf b = {0};

	words_add_quoted(&b, inv->words.all + before, after);
	ret->many = report_take_text(&inv->report, &b);
	for (int i = 0; i < SCALING_SIDES; i++)
		ret->first[i] = name_first(&inv->report, sides[i], jobs[i]);
}

static int compare(struct invocation *inv, struct fleet_parts *const sides[SCALING_SIDES],
		   struct err *e)
{
	static const char *const names[SCALING_SIDES] = {"one", "many"};
	const struct fleet_options *o = inv->args;
	struct scaling *s = mem_zalloc(1, sizeof(*s));
	struct fleet_answer *jobs[SCALING_SIDES];
	struct scaling_names named;

	report_on_free(&inv->report, free_scaling, s);
	for (int i = 0; i < SCALING_SIDES; i++) {
		if (study_side(sides[i], names[i], o, &inv->report, &jobs[i], e) < 0)
			return -1;
	}
	if (scaling_make(s, jobs[ONE], jobs[MANY], &o->scaling.how, e) < 0)
		return -1;
	name_sides(inv, sides, jobs, &named);
	scaling_report(&inv->report, jobs[MANY], s, &o->scaling.how, &named);
	if (o->out_dir && fleet_folder_write(inv, NULL, e) < 0)
		return -1;
	return invocation_present(inv, e);
}

int fleet_scaling_run(struct invocation *inv, struct err *e)
{
	const size_t after = inv->words_after, before = inv->words.count - after;
	struct fleet_parts *sides[SCALING_SIDES];

	if (check_words(inv, e) < 0 || fleet_folder_check(inv, e) < 0 ||
	    read_side(inv, inv->words.all, before, &sides[ONE], &inv->report, e) < 0 ||
	    read_side(inv, inv->words.all + before, after, &sides[MANY], &inv->report, e) < 0)
		return -1;
	return compare(inv, sides, e);
}

const struct option_group fleet_scaling_options = OPTIONS(
	struct fleet_scaling_args,
	OPT_FLAG("scaling", struct fleet_scaling_args, scaling,
		 "compare a job on few ranks (before --) with one on many: what is lost"),
	OPT_FLAG("weak", struct fleet_scaling_args, how.weak,
		 "--scaling: a rank has as much to do on many ranks as on few; else kernels tell"),
	OPT_FLAG("strong", struct fleet_scaling_args, how.strong,
		 "--scaling: all ranks together have as much to do; else kernels tell"),
	OPT_FLAG("anyway", struct fleet_scaling_args, how.anyway,
		 "--scaling: compare jobs on different GPUs, or of other kernels"));

/* gpuwhy fleet: which rank of a job is slow, why, and what would the job gain? */
#include "commands/fleet/fleet.h"

#include "fleet/slurm/gather.h"
#include "report/present.h"
#include "text/decimal.h"

#include <stdio.h>
#include <string.h>

static const char *const verbs[] = {"map", "reduce"};

static int answer(struct invocation *inv, struct fleet_parts *p, struct err *e)
{
	const struct fleet_options *o = inv->args;
	struct fleet_args args = {.rows = o->rows,
				  .strict = o->strict,
				  .has_pages = o->rank_reports,
				  .link_bytes_per_s = 1e9 * o->link_gb_per_s,
				  .losses = p->losses,
				  .loss_count = p->loss_count};

	/* Files have all rows, unless somebody wants fewer; people then see the first of each
	 * table. */
	if (!o->rows.has_limit)
		args.rows.limit = 0;
	fleet_parts_settle(p);
	fleet_add_head(&inv->report, p, NULL);
	if (fleet_reduce(p->refs, p->count, &args, &inv->report, e) < 0)
		return -1;
	fleet_count_losses(&inv->report, p);
	if (o->out_dir && fleet_folder_write(inv, p, e) < 0)
		return -1;
	if (o->rows.limit)
		fleet_cut_tables(&inv->report, o->rows.limit, o->out_dir != NULL);
	/* It has the paths that somebody typed: what programs read, and --out keeps, has none. */
	if (presenter_find(invocation_format(inv))->for_people)
		fleet_add_next(&inv->report, p);
	return invocation_present(inv, e);
}

/* Both words and folders of them; `read`: they are parts already. */
static int tell_job(struct invocation *inv, const char *const *words, size_t count, bool read,
		    struct err *e)
{
	struct fleet_parts *p = fleet_parts_new(&inv->report);
	struct fleet_files files;
	int result;

	invocation_default_limit(inv);
	if (fleet_folder_check(inv, e) < 0 || (read && fleet_parts_check(inv->args, e) < 0))
		return -1;
	if (read && count == 1 && gather_is_folder(words[0]))
		return fleet_parts_gather(p, words[0], inv, e) < 0 ? -1 : answer(inv, p, e);
	result = fleet_files_find(&files, words, count, read, e);
	if (result == 0)
		result = read ? fleet_parts_read(p, &files, inv, e)
			      : fleet_parts_make(p, &files, inv, e);
	fleet_files_free(&files);
	return result == 0 ? answer(inv, p, e) : -1;
}

static int run(struct invocation *inv, struct err *e)
{
	const char *const *words = inv->words.all;
	const size_t count = inv->words.count;
	const bool maps = count && strcmp(words[0], verbs[0]) == 0;
	const bool reduces = count && strcmp(words[0], verbs[1]) == 0;
	const struct fleet_options *o = inv->args;

	if (o->rank_reports && (maps || o->slurm.slurm || o->scaling.scaling || !o->out_dir)) {
		err_set(e, ERR_USAGE,
			"--rank-reports needs the captures of one job that can be read here, and "
			"--out");
		return err_hint(e, "gpuwhy fleet captures/ --out job --rank-reports");
	}
	if (o->scaling.scaling)
		return fleet_scaling_run(inv, e);
	if (scaling_check_unasked(inv, e) < 0)
		return -1;
	if (count && strcmp(words[0], "pack") == 0)
		return fleet_slurm_pack(words + 1, count - 1, e);
	if (count && o->slurm.slurm)
		return fleet_slurm_run(inv, words, count, e);
	if (maps)
		return fleet_map_run(inv, words + 1, count - 1, e);
	if (count > (size_t)reduces)
		return tell_job(inv, words + reduces, count - reduces, reduces, e);
	err_set(e, ERR_USAGE, "fleet%s needs %s", reduces ? " reduce" : "",
		reduces ? "parts" : "captures");
	return err_hint(e, reduces ? "gpuwhy fleet reduce parts/ --out job"
				   : "gpuwhy fleet captures/ --out job");
}

static void complete(char *const *words, size_t count, offer_word *offer, void *ctx)
{
	for (size_t i = 0; count == 1 && i < ARRAY_LEN(verbs); i++)
		offer(ctx, verbs[i]);
	offer(ctx, count > 1 && strcmp(words[0], verbs[1]) == 0 ? ":any" : ":files");
}

/* 512M, 8G; a number alone is bytes. */
static int set_memory(void *args, const char *name, const char *value, struct err *e)
{
	static const char units[] = "KMGT";
	struct fleet_options *o = args;
	const char *unit, *text = value;
	unsigned shift = 0;
	uint64_t n = 0;

	for (; *value >= '0' && *value <= '9' && n < UINT32_MAX; value++)
		n = n * 10 + (uint64_t)(*value - '0');
	unit = *value ? strchr(units, *value) : NULL;
	if (unit)
		shift = 10 * (unsigned)(unit - units + 1);
	if (!n || (*value && (!unit || value[1])) || n > UINT64_MAX >> shift)
		return err_set(e, ERR_USAGE, "--%s: '%s' is no size above 0, such as 8G or 512M",
			       name, text);
	o->max_memory = n << shift;
	return 0;
}

/* More than any link carries: who writes more means gigabits. */
static const double MOST_GB_PER_S = 10000;

static int set_link(void *args, const char *name, const char *value, struct err *e)
{
	struct fleet_options *o = args;
	const double gb_per_s = strtod(value, NULL);

	if (!decimal_is_plain(value) || !(gb_per_s > 0 && gb_per_s <= MOST_GB_PER_S))
		return option_bad_value(name, value,
					"gigabytes a second, more than 0 and at most 10000", e);
	o->link_gb_per_s = gb_per_s;
	return 0;
}

static const struct option_word span_words[] = {
	{"warm", SPAN_WARM}, {"gpu", SPAN_GPU}, {"all", SPAN_ALL}, {NULL, 0}};

static const struct option_group fleet_options = OPTIONS(
	struct fleet_options,
	OPT_FILE("out", struct fleet_options, out_dir, "DIR", "a folder's name", ACCESS_WRITES,
		 "also write report.html, report.md, report.json and tables to DIR"),
	OPT_FLAG("force", struct fleet_options, force, "replace DIR if it is an earlier answer"),
	OPT_FLAG("rank-reports", struct fleet_options, rank_reports,
		 "with --out, a page for each capture, too, as `gpuwhy report` makes it"),
	OPT_FILE("ranks", struct fleet_options, ranks, "FILE", "a list of ranks", ACCESS_READS,
		 "lines 'RANK FILE [PROCESS]' that say which rank a capture is of"),
	OPT_FLAG("strict", struct fleet_options, strict,
		 "a missing rank or a file that cannot be read is an error"),
	OPT_CUSTOM("max-memory", "SIZE", set_memory,
		   "memory that reading captures may take; a quarter of the machine's"),
	OPT_WORD("span", struct fleet_options, scope.span, span_words,
		 "of each rank its warm steps, first to last GPU work, or the whole capture"),
	OPT_REGEX("marker", struct fleet_options, scope.marker,
		  "NVTX ranges or marks that define the steps"),
	OPT_REGEX("label", struct fleet_options, scope.label,
		  "NVTX ranges that name the rank, in a group"),
	OPT_CUSTOM("link", "GB_PER_S", set_link,
		   "what a rank's link to others carries each way, where that is not NVLink"),
	OPT_INCLUDE(struct fleet_options, comm, struct comm_args, comm_options),
	OPT_INCLUDE(struct fleet_options, scaling, struct fleet_scaling_args,
		    fleet_scaling_options),
	OPT_INCLUDE(struct fleet_options, slurm, struct slurm_args, slurm_options),
	OPT_INCLUDE(struct fleet_options, rows, struct row_choice, limit_options));

const struct command command_fleet = {
	.name = "fleet",
	.operand = "DIR|TRACE… | map TRACE -o PART | reduce DIR|PART… | --scaling ONE… -- MANY…",
	.summary = "all captures of a job as one answer: which rank is slow",
	.detail = "A folder stands for the captures in it: *.sqlite, *.sqlite.zst, *.nsys-rep. "
		  "Captures "
		  "are read several at once; what is kept of each is small. One that cannot be "
		  "read "
		  "is left out with a warning; --strict makes that an error.\n\n"
		  "map makes a part of one capture, wherever that lies; reduce answers from parts "
		  "alone, the same as from the captures. Ranks are known from labels, NCCL, range "
		  "names, "
		  "file names such as job_rank3.sqlite, or --ranks FILE.\n\n"
		  "--scaling compares the same program on few ranks and on many: the efficiency, "
		  "and what of a step is lost to communication, stragglers, imbalance, compute, "
		  "copies and the host.\n\n"
		  "--slurm has the captures read on a cluster's nodes, a task each, and follows "
		  "that: what fails is tried again or told, and the same command goes on with a "
		  "job that it was stopped at. All it needs is sbatch and a folder that all nodes "
		  "see; --dry-run shows the scripts.",
	.example = "gpuwhy fleet captures/ --out job",
	.options = &fleet_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.has_sides = true,
	.complete = complete,
	.run = run,
};

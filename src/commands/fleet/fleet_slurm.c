/* How is a cluster asked, and what becomes of its answer here? */
#include "commands/fleet/fleet.h"

#include "base/file.h"
#include "base/progress.h"
#include "cli/output.h"
#include "cli/say.h"
#include "commands/fleet/fleet_result.h"
#include "fleet/slurm/pack.h"
#include "fleet/slurm/slurm.h"
#include "input/interrupt.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOSSES_TOLD = 10, ANSWER_BYTES_MAX = 1 << 30 };

static int check_options(const void *args, const char *command, struct err *e)
{
	const struct slurm_args *a = args;

	(void)command;
	if (!a->slurm && (a->dry_run || a->parts || a->sbatch_args.count))
		return err_set(e, ERR_USAGE,
			       "--dry-run, --sbatch-arg and --parts apply to fleet --slurm");
	/* sbatch would take it for the script. */
	if (a->sbatch_args.count && a->sbatch_args.all[0][0] != '-') {
		err_set(e, ERR_USAGE, "'%s' is no option of sbatch", a->sbatch_args.all[0]);
		return err_hint(e, "such as --sbatch-arg=--partition=cpu");
	}
	return 0;
}

const struct option_group slurm_options = {
	.options =
		(const struct option[]){
			OPT(OPTION_FLAG, "slurm",
			    "read the captures on a Slurm cluster: sbatch of PATH",
			    OPT_MEMBER(struct slurm_args, slurm, bool), .access = ACCESS_RUNS),
			OPT_LIST("sbatch-arg", struct slurm_args, sbatch_args, "ARG",
				 "an option of sbatch", ACCESS_RUNS,
				 "pass ARG on to sbatch: --sbatch-arg=--partition=cpu; may be "
				 "given again"),
			OPT_FILE("parts", struct slurm_args, parts, "DIR", "a folder's name",
				 ACCESS_WRITES,
				 "keep list, scripts and parts of --slurm in DIR, which all nodes "
				 "see; NAME.parts"),
			OPT(OPTION_COUNT, "at-once",
			    "of --slurm, captures that are read at the same time",
			    OPT_MEMBER(struct slurm_args, at_once, uint64_t), .value = "N",
			    .least = 1, .most = 100000, .wanted = "a number of tasks",
			    .initial = "64"),
			OPT_FLAG("dry-run", struct slurm_args, dry_run,
				 "print what --slurm would write and submit"),
			OPT_END()},
	.size = sizeof(struct slurm_args),
	.check = check_options,
};

static const char *absolute_path(struct arena *a, const char *path)
{
	SCOPED char *cwd = path[0] == '/' ? NULL : getcwd(NULL, 0);

	return cwd ? arena_printf(a, "%s/%s", cwd, path) : path;
}

static const char *without_slashes(struct arena *a, const char *path)
{
	struct str s = str_of(path);

	while (s.len > 1 && s.s[s.len - 1] == '/')
		s.len--;
	return arena_str(a, s).s;
}

/* "." and "a/.." end in no name to be called after; NULL: the path has one, or leads nowhere. */
static const char *path_of_nameless(struct arena *a, const char *path)
{
	const char *last = str_last_part(path);
	const bool nameless = strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
	SCOPED char *real = nameless ? realpath(path, NULL) : NULL;

	return real ? arena_strdup(a, real) : NULL;
}

/* Beside the result, or in this folder, called after what was asked about. */
static const char *folder_for(struct arena *a, const struct fleet_options *o, const char *word)
{
	const char *name = without_slashes(a, o->out_dir ? o->out_dir : word);
	const char *real = path_of_nameless(a, name);

	if (o->slurm.parts)
		return o->slurm.parts;
	/* In a folder that was named as "." it would lie among the captures. */
	if (real)
		return arena_printf(a, "%s.parts", real);
	return arena_printf(a, "%s.parts", o->out_dir ? name : str_last_part(name));
}

static void add_pair(struct string_list *words, const char *name, const char *value)
{
	if (!value)
		return;
	string_list_add(words, name);
	string_list_add(words, value);
}

/* What a part depends on. */
static void add_map_words(struct string_list *words, struct arena *a, const struct invocation *inv)
{
	static const char *const spans[] = {
		[SPAN_WARM] = "warm", [SPAN_GPU] = "gpu", [SPAN_ALL] = "all"};
	const struct fleet_options *o = inv->args;

	add_pair(words, "--span", spans[o->scope.span]);
	add_pair(words, "--marker", o->scope.marker);
	add_pair(words, "--label", o->scope.label);
	add_pair(words, "--comm", o->comm.comm);
	add_pair(words, "--nsys", inv->input.nsys);
	if (o->max_memory)
		add_pair(
			words, "--max-memory",
			arena_printf(a, "%lluK", (unsigned long long)(o->max_memory + 1023) >> 10));
}

/* What the answer depends on besides the parts. */
static void add_reduce_words(struct string_list *words, struct arena *a,
			     const struct invocation *inv, const struct style *style)
{
	const struct fleet_options *o = inv->args;

	add_pair(words, "--format", invocation_format(inv));
	add_pair(words, "--color", style->colour ? "always" : "never");
	if (o->rows.has_limit)
		add_pair(words, "--limit",
			 arena_printf(a, "%llu", (unsigned long long)o->rows.limit));
	if (o->ranks)
		add_pair(words, "--ranks", absolute_path(a, o->ranks));
	if (o->link_gb_per_s > 0)
		add_pair(words, "--link", arena_printf(a, "%.9f", o->link_gb_per_s));
	if (o->strict)
		string_list_add(words, "--strict");
}

static void tell(void *ctx, const char *text)
{
	(void)ctx;
	progress_clear();
	fprintf(stderr, "%s\n", text);
}

static void tell_losses(const struct slurm_outcome *o)
{
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < o->loss_count && i < LOSSES_TOLD; i++) {
		buf_clear(&b);
		buf_addf(&b, "%s is left out: %s", str_last_part(o->losses[i].file),
			 o->losses[i].reason);
		say_warning(b.s);
	}
	if (o->loss_count <= LOSSES_TOLD)
		return;
	buf_clear(&b);
	buf_addf(&b, "%zu more are left out", o->loss_count - LOSSES_TOLD);
	say_warning(b.s);
}

static int pass_on(const struct invocation *inv, const char *path, struct err *e)
{
	SCOPED_BUF b = {0};
	struct output out;

	if (file_read(&b, path, ANSWER_BYTES_MAX, e) < 0 ||
	    output_open(&out, inv->output.path, e) < 0)
		return -1;
	if (out.sink.write(out.sink.ctx, b.s, b.len) == 0)
		return output_close(&out, true, e);
	err_set_errno(e, "cannot write the answer");
	e->output = true;
	output_close(&out, false, e);
	return -1;
}

static int follow(struct invocation *inv, const struct slurm_request *q, struct err *e)
{
	const struct fleet_options *o = inv->args;
	struct slurm_outcome outcome;
	int result = slurm_run(q, &outcome, e);

	tell_losses(&outcome);
	if (result == 0 && outcome.folder)
		result = fleet_result_place(outcome.folder, o->out_dir, o->force, e);
	if (result == 0)
		result = pass_on(inv, outcome.answer, e);
	slurm_outcome_free(&outcome);
	return result;
}

/* An interrupt ends the program when it has been said what goes on. */
static int follow_held(struct invocation *inv, const struct slurm_request *q, struct err *e)
{
	int result;

	interrupt_hold();
	result = follow(inv, q, e);
	if (interrupt_pending())
		say_error(e);
	interrupt_release();
	return result;
}

static int show_plan(const struct slurm_request *q, struct err *e)
{
	SCOPED_BUF b = {0};

	if (slurm_add_plan(&b, q, e) < 0)
		return -1;
	fwrite(b.s, 1, b.len, stdout);
	return 0;
}

static int run_files(struct invocation *inv, const struct fleet_files *files, const char *word,
		     struct err *e)
{
	const struct fleet_options *o = inv->args;
	struct arena a = {0};
	char self[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	/* The answer is read here, wherever it is made. */
	const char *to = inv->output.path;
	const struct output place = {.fd = !to || strcmp(to, "-") == 0 ? STDOUT_FILENO : -1,
				     .path = to};
	const struct style style = output_style(&place, inv->output.colour);
	struct slurm_request q = {.gpuwhy = self,
				  .columns = style.width,
				  .folder = folder_for(&a, o, word),
				  .files = files->all.all,
				  .count = files->all.count,
				  .wants_folder = o->out_dir != NULL,
				  .sbatch_words = o->slurm.sbatch_args,
				  .at_once = o->slurm.at_once,
				  .tell = tell};
	int result;

	if (len < 0)
		return err_set_errno(e, "cannot find this program");
	self[len] = '\0';
	add_map_words(&q.map_words, &a, inv);
	add_reduce_words(&q.reduce_words, &a, inv, &style);
	result = o->slurm.dry_run ? show_plan(&q, e) : follow_held(inv, &q, e);
	string_list_free(&q.map_words);
	string_list_free(&q.reduce_words);
	arena_free(&a);
	return result;
}

int fleet_slurm_run(struct invocation *inv, const char *const *words, size_t count, struct err *e)
{
	struct fleet_files files;
	int result;

	if (fleet_folder_check(inv, e) < 0)
		return -1;
	result = fleet_files_find(&files, words, count, false, e);
	if (result == 0)
		result = fleet_files_spare(&files, inv->output.path, e);
	if (result == 0)
		result = run_files(inv, &files, words[0], e);
	fleet_files_free(&files);
	return result;
}

int fleet_slurm_pack(const char *const *words, size_t count, struct err *e)
{
	uint64_t group;
	struct work w;
	int result;

	if (count != 2)
		return err_set(e, ERR_USAGE, "fleet pack needs a job's folder and a number");
	if (option_parse_number("pack", words[1], 0, UINT32_MAX, "a number", &group, e) < 0)
		return -1;
	result = work_read(&w, words[0], e);
	if (result == 0)
		result = pack_write(&w, group, e);
	work_free(&w);
	return result;
}

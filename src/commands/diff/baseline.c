/* gpuwhy baseline: which runs are later ones held against? */
#include "commands/diff/baseline_args.h"

#include "baseline/folder.h"
#include "cli/now.h"
#include "commands/diff/spare_files.h"
#include "text/nearest.h"

static const struct verb {
	const char *name, *takes;
	bool has_name, has_traces;
	int (*run)(const struct baseline_request *q, struct err *e);
} verbs[] = {
	{"save", " NAME TRACE…", true, true, baseline_run_save},
	{"list", "", false, false, baseline_run_list},
	{"show", " NAME", true, false, baseline_run_show},
	{"check", " NAME TRACE…", true, true, baseline_run_check},
	{"update", " NAME TRACE…", true, true, baseline_run_update},
};

static int find_verb(const struct string_list *words, const struct verb **ret, struct err *e)
{
	const char *word = words->count ? words->all[0] : "list";
	struct nearest n = {word, NULL, 3};

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		*ret = &verbs[i];
		if (strcmp(word, verbs[i].name) == 0)
			return 0;
		nearest_try(&n, verbs[i].name);
	}
	err_set(e, ERR_USAGE, "baseline has no action '%s'", word);
	if (n.found)
		return err_hint(e, "did you mean 'baseline %s'?", n.found);
	return err_hint(e, "gpuwhy baseline save | list | show | check | update");
}

static int check_words(const struct invocation *inv, const struct verb *v, struct err *e)
{
	const struct baseline_args *a = inv->args;
	const size_t words = inv->words.count ? inv->words.count - 1 : 0, wanted = v->has_name;

	if (words < wanted + v->has_traces)
		return err_set(e, ERR_USAGE, "missing argument: gpuwhy baseline %s%s", v->name,
			       v->takes);
	if (!v->has_traces && words > wanted)
		return err_set(e, ERR_USAGE, "unexpected argument '%s': gpuwhy baseline %s%s",
			       inv->words.all[wanted + 1], v->name, v->takes);
	if (a->force && v->run != baseline_run_save)
		return err_set(e, ERR_USAGE, "--force applies to baseline save");
	if ((a->accept || a->reason) && v->run != baseline_run_update)
		return err_set(e, ERR_USAGE, "--accept and --reason apply to baseline update");
	if ((a->gate.junit || a->gate.sarif || a->gate.github || a->gate.on_unknown) &&
	    v->run != baseline_run_check)
		return err_set(e, ERR_USAGE,
			       "--junit, --sarif, --github and --on-unknown apply to baseline "
			       "check");
	return 0;
}

/* Its answer may go anywhere but over what it is made of. */
static int check_output(const struct baseline_request *q, struct err *e)
{
	SCOPED char *path = q->name ? baseline_path(q->name) : NULL;
	const char *const written[] = {q->inv->output.path}, *const others[] = {path};
	const struct spare_files files = {written, ARRAY_LEN(written), q->paths, q->count,
					  others,  ARRAY_LEN(others)};

	return spare_files(&files, e);
}

static int run(struct invocation *inv, struct err *e)
{
	struct baseline_request q = {.inv = inv, .args = inv->args};
	const struct verb *v;

	if (find_verb(&inv->words, &v, e) < 0 || check_words(inv, v, e) < 0 ||
	    now_text(q.today, sizeof(q.today), "%Y-%m-%d", e) < 0)
		return -1;
	if (v->has_traces && invocation_settle_words(inv, 2, e) < 0)
		return -1;
	if (v->has_name) {
		q.name = inv->words.all[1];
		q.paths = inv->words.all + 2;
		q.count = inv->words.count - 2;
		if (baseline_check_name(q.name, e) < 0)
			return -1;
	}
	return check_output(&q, e) < 0 ? -1 : v->run(&q, e);
}

/* After the command an action, after that a name of those that there are. */
static void complete(char *const *words, size_t count, offer_word *offer, void *ctx)
{
	struct string_list names;
	struct arena arena = {0};
	struct err ignored;

	if (count == 1) {
		for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
			offer(ctx, verbs[i].name);
	} else if (count == 2 && strcmp(words[0], "list") != 0) {
		if (baseline_list(&names, &arena, &ignored) == 0) {
			for (size_t i = 0; i < names.count; i++)
				offer(ctx, names.all[i]);
		}
		string_list_free(&names);
	}
	arena_free(&arena);
}

static const struct option_group baseline_options =
	OPTIONS(struct baseline_args,
		OPT_FLAG("force", struct baseline_args, force,
			 "save: take the place of an earlier baseline of that name"),
		OPT_FLAG("accept", struct baseline_args, accept,
			 "update: these runs are the new usual, slower or faster"),
		OPT_TEXT("reason", struct baseline_args, reason, "TEXT", "a reason",
			 "update --accept: why; it is kept in the file"),
		OPT_INCLUDE(struct baseline_args, gate, struct gate_args, gate_run_options));

const struct command command_baseline = {
	.name = "baseline",
	.operand = "save NAME TRACE… | list | show NAME | check NAME TRACE… | update NAME TRACE…",
	.summary = "keep runs that later ones are held against, as a small file",
	.detail = "A baseline is ./" BASELINE_FOLDER
		  "/NAME.json: the steps of each run and where their time went, the GPU, driver "
		  "and versions; no trace, no host, no arguments. Keep it in version control.\n\n"
		  "update appends runs of the same GPU, driver and options. Slower ones, and those "
		  "that launch other kernels, are refused, and faster ones left out, unless "
		  "--accept --reason TEXT makes them the new usual: they then take the place of "
		  "the earlier runs, and the reason is kept. check is gate without rules.",
	.example = "gpuwhy baseline save main base1.sqlite base2.sqlite base3.sqlite",
	.options = &baseline_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.complete = complete,
	.run = run,
};

/* gpuwhy runs: what was captured so far, how large it is, and what of it may go. */
#include "commands/runs/capture_runs.h"

#include "base/mem.h"
#include "text/nearest.h"

static const struct verb {
	const char *name, *takes;
	size_t least, most;
	int (*run)(struct invocation *inv, const struct run_list *l, const char *word,
		   struct err *e);
} verbs[] = {
	{"list", "", 0, 0, capture_runs_list},
	{"show", " ID|latest", 1, 1, capture_runs_show},
	{"prune", " --keep N", 0, 0, capture_runs_prune},
	{"compress", " [ID|latest]", 0, 1, capture_runs_compress},
};

static int find_verb(const struct string_list *o, const struct verb **ret, struct err *e)
{
	const char *word = o->count ? o->all[0] : "list";
	struct nearest n = {word, NULL, 3};

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		*ret = &verbs[i];
		if (strcmp(word, verbs[i].name) == 0)
			return 0;
		nearest_try(&n, verbs[i].name);
	}
	err_set(e, ERR_USAGE, "runs has no action '%s'", word);
	if (n.found)
		return err_hint(e, "did you mean 'runs %s'?", n.found);
	return err_hint(e, "gpuwhy runs list | show ID | prune --keep N | compress");
}

static int check_words(const struct invocation *inv, const struct verb *v, struct err *e)
{
	const struct runs_args *a = inv->args;
	const struct string_list *o = &inv->words;
	size_t words = o->count ? o->count - 1 : 0;

	if (words < v->least)
		return err_set(e, ERR_USAGE, "missing argument: gpuwhy runs %s%s", v->name,
			       v->takes);
	if (words > v->most)
		return err_set(e, ERR_USAGE, "unexpected argument '%s': gpuwhy runs %s%s",
			       o->all[v->most + 1], v->name, v->takes);
	if (a->has_keep && v->run != capture_runs_prune)
		return err_set(e, ERR_USAGE, "--keep applies to runs prune");
	if (a->dry_run && v->run != capture_runs_prune && v->run != capture_runs_compress)
		return err_set(e, ERR_USAGE, "--dry-run applies to runs prune and compress");
	return 0;
}

/* The usual folder comes with the first run; one that was named should be there. */
static int read_runs(struct run_list *l, const char *named, struct err *e)
{
	if (run_list_read(l, named ? named : "runs", e) < 0)
		return -1;
	if (!named || !l->missing)
		return 0;
	err_set(e, ERR_INPUT, "there is no folder '%s'", named);
	return err_hint(e,
			"--runs DIR is the folder that gpuwhy profile --runs DIR stores runs in");
}

void capture_runs_warn_damaged(struct report *r, const struct run_list *l, const char *is)
{
	for (size_t i = 0; i < l->damaged_count; i++)
		report_warning(r, "%s %s: %s", l->damaged[i].name, is, l->damaged[i].why.message);
}

/* What cannot be read may be what "latest" means. */
static void warn_of_later(struct report *r, const struct run_list *l, const char *word)
{
	const struct kept_run *latest;
	struct err ignored;

	if (!word || strcmp(word, "latest") != 0 || run_list_find(l, word, &latest, &ignored) < 0)
		return;
	for (size_t i = 0; i < l->damaged_count; i++) {
		if (damaged_run_may_follow(&l->damaged[i], latest))
			report_warning(r, "%s may be newer, but is skipped: %s", l->damaged[i].name,
				       l->damaged[i].why.message);
	}
}

static int run(struct invocation *inv, struct err *e)
{
	const struct runs_args *a = inv->args;
	const struct string_list *o = &inv->words;
	const char *word = o->count > 1 ? o->all[1] : NULL;
	const struct verb *v;
	struct run_list l;
	int result;

	if (find_verb(o, &v, e) < 0 || check_words(inv, v, e) < 0)
		return -1;
	result = read_runs(&l, a->root, e);
	if (result == 0)
		result = v->run(inv, &l, word, e);
	if (result == 0) {
		warn_of_later(&inv->report, &l, word);
		result = invocation_present(inv, e);
	}
	run_list_free(&l);
	return result;
}

static const struct option_group runs_options =
	OPTIONS(struct runs_args,
		{.type = OPTION_COUNT,
		 .name = "keep",
		 .value = "N",
		 OPT_GIVEN(struct runs_args, keep, has_keep, uint64_t),
		 .most = UINT32_MAX,
		 .help = "prune: keep the newest N"},
		OPT_FILE("runs", struct runs_args, root, "DIR", "a folder", ACCESS_WRITES,
			 "folder of the runs (default: runs)"),
		OPT_FLAG("dry-run", struct runs_args, dry_run, "only show what would be done"));

const struct command command_runs = {
	.name = "runs",
	.operand = "list | show ID|latest | prune --keep N | compress [ID|latest]",
	.summary = "list, show, prune or compress the runs stored by profile",
	.detail =
		"show prints a run's manifest.json. prune removes all but the newest N runs: only "
		"folders created by `profile`, and none whose run is still active. compress packs "
		"exports (.sqlite.zst, which gpuwhy opens directly) and removes raw data already "
		"converted to a report. An ID can be abbreviated as long as it is unique.",
	.example = "gpuwhy runs list",
	.options = &runs_options,
	.common = COMMON_OUTPUT,
	.has_words = true,
	.run = run,
};

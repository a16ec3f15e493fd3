/* How is Slurm asked? */
#include "fleet/slurm/cluster.h"

#include "input/process.h"
#include "input/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATIENCE_S 60

/* What ends badly, as squeue calls it. */
#define FAILED_STATES \
	"--states=BOOT_FAIL,CANCELLED,DEADLINE,FAILED,NODE_FAIL,OUT_OF_MEMORY,PREEMPTED,TIMEOUT"

static int find(const char *name, char **ret, struct err *e)
{
	if (program_find(name, ret, e) == 0)
		return 0;
	return err_hint(e, "run this where Slurm's programs are, such as a login node; --dry-run "
			   "shows what would be run");
}

int cluster_open(struct cluster *c, struct err *e)
{
	*c = (struct cluster){0};
	if (find("sbatch", &c->sbatch, e) < 0 || find("squeue", &c->squeue, e) < 0 ||
	    find("scontrol", &c->scontrol, e) < 0 || find("scancel", &c->scancel, e) < 0)
		return -1;
	return 0;
}

void cluster_close(struct cluster *c)
{
	free(c->sbatch);
	free(c->squeue);
	free(c->scontrol);
	free(c->scancel);
	*c = (struct cluster){0};
}

/* The last line that it printed says why, as a rule. */
static int refuse(const char *program, struct str said, struct err *e)
{
	const struct str text = str_trimmed(said);
	const char *line = text.len ? memrchr(text.s, '\n', text.len) : NULL;
	const struct str last = {line ? line + 1 : text.s,
				 line ? (size_t)(text.s + text.len - line - 1) : text.len};

	if (!last.len)
		return err_set(e, ERR_SYSTEM, "%s failed and said nothing", program);
	return err_set(e, ERR_SYSTEM, "%s failed: %.*s", program, STR_FMT(last));
}

/* `answers`: what goes to stdout is the answer; else both are, together. */
static int ask(const char *const *argv, bool answers, struct buf *ret, struct err *e)
{
	const struct process p = {
		.argv = (char *const *)argv, .answers = answers, .timeout_s = PATIENCE_S};
	const char *name = str_last_part(argv[0]);
	struct process_end end;
	int result = process_run(&p, &end, e);

	if (result == 0 && end.timed_out)
		result = err_set(e, ERR_SYSTEM, "%s does not answer", name);
	else if (result == 0 && end.status != 0)
		result = refuse(name, buf_str(&end.said), e);
	buf_addstr(ret, buf_str(&end.said));
	process_end_free(&end);
	return result;
}

uint32_t cluster_array_max(const struct cluster *c)
{
	const char *const words[] = {c->scontrol, "show", "config", NULL};
	SCOPED_BUF said = {0};
	struct err ignored;

	ask(words, true, &said, &ignored);
	return cluster_parse_array_max(buf_str(&said));
}

int cluster_submit(const struct cluster *c, const struct string_list *words, uint64_t *ret_id,
		   struct err *e)
{
	struct string_list argv = {0};
	SCOPED_BUF said = {0};
	int result;

	string_list_add(&argv, c->sbatch);
	for (size_t i = 0; i < words->count; i++)
		string_list_add(&argv, words->all[i]);
	result = ask(argv.all, false, &said, e);
	if (result < 0)
		err_hint(e, "--dry-run shows what is submitted; --sbatch-arg=--partition=NAME and "
			    "the like give sbatch what it needs");
	else if (!cluster_parse_id(buf_str(&said), ret_id))
		result = err_set(e, ERR_SYSTEM, "sbatch does not say which job it submitted");
	string_list_free(&argv);
	return result;
}

/* Why it fails is no answer: it is asked once more, for all that it prints. */
static int refuse_in_words(const char *const *argv, struct err *e)
{
	SCOPED_BUF said = {0};
	struct err why = {0};

	if (ask(argv, false, &said, &why) < 0)
		*e = why;
	return err_hint(e, "sinfo tells whether Slurm answers at all; the same command goes on "
			   "with what is there");
}

static void add_names(struct buf *b, const struct string_list *names)
{
	buf_adds(b, "--name=");
	for (size_t i = 0; i < names->count; i++)
		buf_addf(b, "%s%s", i ? "," : "", names->all[i]);
}

int cluster_find_jobs(const struct cluster *c, const struct string_list *names, bool failed,
		      struct cluster_jobs *ret, struct err *e)
{
	SCOPED_BUF said = {0}, named = {0}, user = {0};
	const char *words[] = {c->squeue,
			       "--noheader",
			       NULL,
			       NULL,
			       "--format=%F|%K|%T|%j|%N|%r",
			       failed ? FAILED_STATES : NULL,
			       NULL};

	*ret = (struct cluster_jobs){0};
	add_names(&named, names);
	buf_addf(&user, "--user=%u", (unsigned)getuid());
	words[2] = named.s;
	words[3] = user.s;
	if (ask(words, true, &said, e) < 0)
		return refuse_in_words(words, e);
	cluster_parse_jobs(ret, arena_str(&ret->arena, buf_str(&said)));
	return 0;
}

void cluster_find_ends(const struct cluster *c, uint64_t id, struct cluster_ends *ret)
{
	char job[32];
	const char *const words[] = {c->scontrol, "--oneliner", "show", "job", job, NULL};
	SCOPED_BUF said = {0};
	struct err ignored;

	*ret = (struct cluster_ends){0};
	snprintf(job, sizeof(job), "%llu", (unsigned long long)id);
	ask(words, true, &said, &ignored);
	cluster_parse_ends(ret, arena_str(&ret->arena, buf_str(&said)));
}

void cluster_begin_now(const struct cluster *c, const struct cluster_job *j)
{
	char job[64];
	const char *const words[] = {c->scontrol, "update", job, "StartTime=now", NULL};
	SCOPED_BUF said = {0};
	struct err ignored;

	snprintf(job, sizeof(job), "JobId=%llu_%u", (unsigned long long)j->id, j->task);
	ask(words, true, &said, &ignored);
}

void cluster_cancel(const struct cluster *c, uint64_t id)
{
	char job[32];
	const char *const words[] = {c->scancel, "--quiet", job, NULL};
	SCOPED_BUF said = {0};
	struct err ignored;

	snprintf(job, sizeof(job), "%llu", (unsigned long long)id);
	ask(words, true, &said, &ignored);
}

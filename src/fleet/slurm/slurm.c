/* How does a cluster read the captures of a job? */
#include "fleet/slurm/slurm.h"

#include "base/file.h"
#include "fleet/slurm/job.h"
#include "fleet/slurm/scripts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { STATUS_BYTES_MAX = 1 << 16 };

void job_tell(const struct job *j, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (!j->q->tell)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	j->q->tell(j->q->ctx, text);
}

size_t job_look(struct job *j)
{
	size_t open = 0;

	for (size_t i = 0; i < j->w->count; i++) {
		struct task *t = &j->tasks[i];

		t->done = t->done || work_has_part(j->w, i);
		open += !t->done && !t->given_up;
	}
	return open;
}

static int write_scripts(const struct slurm_request *q, const struct work *w, struct err *e)
{
	const struct script_places places = {.gpuwhy = q->gpuwhy, .folder = w->folder};
	SCOPED_BUF map = {0}, pack = {0}, reduce = {0};

	script_add_map(&map, &places, &q->map_words);
	script_add_pack(&pack, &places);
	script_add_reduce(&reduce, &places, &q->reduce_words, q->wants_folder);
	if (work_write(w, MAP_SCRIPT, buf_str(&map), e) < 0 ||
	    work_write(w, REDUCE_SCRIPT, buf_str(&reduce), e) < 0)
		return -1;
	return submit_packs(w->count) ? work_write(w, PACK_SCRIPT, buf_str(&pack), e) : 0;
}

static int begin(struct job *j, struct err *e)
{
	const uint32_t most = cluster_array_max(j->c);

	if (!most)
		return err_set(e, ERR_SYSTEM, "this cluster has no job arrays: MaxArraySize is 0");
	j->chunk = most < ARRAY_MOST ? most : ARRAY_MOST;
	j->tasks = arena_zalloc(&j->arena, j->w->count, sizeof(*j->tasks));
	if (job_adopt(j, e) < 0 || work_write_list(j->w, e) < 0 || write_scripts(j->q, j->w, e) < 0)
		return -1;
	job_look(j);
	job_recall(j);
	return 0;
}

/* The reduce is there from the start, so that the cluster comes to its end without us. */
static int read_captures(struct job *j, struct err *e)
{
	bool news = true;

	while (news) {
		if (!j->map_count && job_look(j) && job_submit_maps(j, e) < 0)
			return -1;
		if (job_submit_reduce(j, e) < 0 || job_wait_maps(j, e) < 0 ||
		    job_judge(j, &news, e) < 0)
			return -1;
		j->map_count = 0;
	}
	return 0;
}

/* What the reduce said where it failed: an error as it would be here. */
static int take_failure(struct str said, struct err *e)
{
	const char *message = memmem(said.s, said.len, "gpuwhy: ", 8);
	const struct str rest = message ? str_of(message + 8) : said;
	const long code = strtol(said.s, NULL, 10);
	const struct str line = {rest.s, strcspn(rest.s, "\n")};

	return err_set(e, code == ERR_INPUT || code == ERR_USAGE ? (enum err_code)code : ERR_SYSTEM,
		       "%.*s", STR_FMT(line));
}

/* 0: there is an answer; 1: no word of it, another try may help. */
static int check_reduce(const struct job *j, struct err *e)
{
	SCOPED_BUF path = {0}, said = {0};
	struct err ignored;

	buf_addf(&path, "%s/reduce.%llu.status", j->w->folder, (unsigned long long)j->reduce);
	if (file_read(&said, path.s, STATUS_BYTES_MAX, &ignored) < 0 ||
	    !str_starts(buf_str(&said), "exit "))
		return 1;
	if (strtol(said.s + 5, NULL, 10) == 0)
		return 0;
	return take_failure((struct str){said.s + 5, said.len - 5}, e);
}

static int reduce(struct job *j, struct err *e)
{
	for (int tries = 1;; tries++) {
		int found;

		if (job_wait_reduce(j, e) < 0)
			return -1;
		found = check_reduce(j, e);
		if (found <= 0)
			return found;
		if (tries == TRIES_MAX)
			break;
		if (job_submit_reduce(j, e) < 0)
			return -1;
	}
	err_set(e, ERR_SYSTEM, "job %llu made no answer and left no word",
		(unsigned long long)j->reduce);
	return err_hint(e, "look at %s/log; the same command tries again", j->w->folder);
}

static void tell_outcome(const struct job *j, struct slurm_outcome *o)
{
	o->answer = arena_printf(&o->arena, "%s/" ANSWER_NAME ".%llu", j->w->folder,
				 (unsigned long long)j->reduce);
	if (j->q->wants_folder)
		o->folder = arena_printf(&o->arena, "%s/" RESULT_NAME ".%llu", j->w->folder,
					 (unsigned long long)j->reduce);
	o->losses = arena_zalloc(&o->arena, j->w->count, sizeof(*o->losses));
	for (size_t i = 0; i < j->w->count; i++) {
		if (j->tasks[i].done)
			continue;
		o->losses[o->loss_count++] =
			(struct slurm_loss){.file = arena_strdup(&o->arena, j->w->items[i].file),
					    .reason = arena_strdup(&o->arena, j->tasks[i].reason)};
	}
}

static int follow(struct job *j, struct slurm_outcome *ret, struct err *e)
{
	if (work_open(j->w, e) < 0 || begin(j, e) < 0 || read_captures(j, e) < 0 ||
	    reduce(j, e) < 0)
		return -1;
	tell_outcome(j, ret);
	return 0;
}

int slurm_run(const struct slurm_request *q, struct slurm_outcome *ret, struct err *e)
{
	struct work w = {.lock = -1};
	struct cluster c = {0};
	struct job j = {.q = q, .w = &w, .c = &c};
	int result = -1;

	*ret = (struct slurm_outcome){0};
	if (cluster_open(&c, e) == 0 &&
	    work_plan(&w, q->folder, q->files, q->count, &q->map_words, e) == 0)
		result = follow(&j, ret, e);
	free(j.maps);
	arena_free(&j.arena);
	cluster_close(&c);
	work_free(&w);
	return result;
}

void slurm_outcome_free(struct slurm_outcome *o)
{
	arena_free(&o->arena);
	*o = (struct slurm_outcome){0};
}

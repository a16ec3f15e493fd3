/* How does a cluster read the captures of a job? */
#include "fleet/slurm/slurm.h"

#include "base/file.h"
#include "fleet/slurm/follow.h"
#include "fleet/slurm/scripts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define HINT "  hint: "

enum { STATUS_BYTES_MAX = 1 << 16 };

void follow_tell(const struct follow *f, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (!f->q->tell)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	f->q->tell(f->q->ctx, text);
}

size_t follow_look(struct follow *f)
{
	size_t open = 0;

	for (size_t i = 0; i < f->w->count; i++) {
		struct task *t = &f->tasks[i];

		t->done = t->done || work_has_part(f->w, i);
		open += !t->done && !t->given_up;
	}
	return open;
}

static int write_scripts(const struct slurm_request *q, const struct work *w, struct err *e)
{
	const struct script_places places = {.gpuwhy = q->gpuwhy, .folder = w->folder};
	const struct script_reduce last = {
		.words = &q->reduce_words, .folder = q->wants_folder, .columns = q->columns};
	SCOPED_BUF map = {0}, pack = {0}, reduce = {0};

	script_add_map(&map, &places, &q->map_words);
	script_add_pack(&pack, &places);
	script_add_reduce(&reduce, &places, &last);
	if (work_write(w, MAP_SCRIPT, buf_str(&map), e) < 0 ||
	    work_write(w, REDUCE_SCRIPT, buf_str(&reduce), e) < 0)
		return -1;
	return submit_packs(w->count) ? work_write(w, PACK_SCRIPT, buf_str(&pack), e) : 0;
}

static int begin(struct follow *f, struct err *e)
{
	const uint32_t most = cluster_array_max(f->c);

	if (!most)
		return err_set(e, ERR_SYSTEM, "this cluster has no job arrays: MaxArraySize is 0");
	f->chunk = most < ARRAY_MOST ? most : ARRAY_MOST;
	if (follow_adopt(f, e) < 0 || work_write_list(f->w, e) < 0 ||
	    write_scripts(f->q, f->w, e) < 0)
		return -1;
	work_drop_damaged(f->w);
	follow_look(f);
	follow_recall(f);
	return 0;
}

/* The reduce is there from the start, so that the cluster comes to its end without us. */
static int read_captures(struct follow *f, struct err *e)
{
	bool news = true;

	while (news) {
		if (!f->map_count && follow_look(f) && follow_submit_maps(f, e) < 0)
			return -1;
		if (follow_submit_reduce(f, e) < 0 || follow_wait_maps(f, e) < 0 ||
		    follow_judge(f, &news, e) < 0)
			return -1;
		f->map_count = 0;
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

	const char *hint = strstr(rest.s, HINT);

	err_set(e, code == ERR_INPUT || code == ERR_USAGE ? (enum err_code)code : ERR_SYSTEM,
		"%.*s", STR_FMT(line));
	return hint ? err_hint(e, "%.*s", (int)strcspn(hint + strlen(HINT), "\n"),
			       hint + strlen(HINT))
		    : -1;
}

/* 0: there is an answer; 1: no word of it, another try may help. */
static int check_reduce(const struct follow *f, struct err *e)
{
	SCOPED_BUF path = {0}, said = {0};
	struct err ignored;

	buf_addf(&path, "%s/reduce.%llu.status", f->w->folder, (unsigned long long)f->reduce);
	if (file_read(&said, path.s, STATUS_BYTES_MAX, &ignored) < 0 ||
	    !str_starts(buf_str(&said), "exit "))
		return 1;
	if (strtol(said.s + 5, NULL, 10) == 0)
		return 0;
	return take_failure((struct str){said.s + 5, said.len - 5}, e);
}

static int reduce(struct follow *f, struct err *e)
{
	for (int tries = 1;; tries++) {
		int found;

		if (follow_wait_reduce(f, e) < 0)
			return -1;
		found = check_reduce(f, e);
		if (found <= 0)
			return found;
		if (tries == TRIES_MAX)
			break;
		if (follow_submit_reduce(f, e) < 0)
			return -1;
	}
	err_set(e, ERR_SYSTEM, "Slurm job %llu made no answer and left no word",
		(unsigned long long)f->reduce);
	return err_hint(e, "look at %s/log; the same command tries again", f->w->folder);
}

/* Who runs the cluster may want to know where. */
static const char *reason_of(const struct task *t, struct arena *a)
{
	return t->node ? arena_printf(a, "%s (on %s)", t->reason, t->node)
		       : arena_strdup(a, t->reason);
}

static void tell_losses(const struct follow *f, struct slurm_outcome *o)
{
	o->losses = arena_zalloc(&o->arena, f->w->count, sizeof(*o->losses));
	for (size_t i = 0; i < f->w->count; i++) {
		if (f->tasks[i].done)
			continue;
		o->losses[o->loss_count++] =
			(struct slurm_loss){.file = arena_strdup(&o->arena, f->w->items[i].file),
					    .reason = reason_of(&f->tasks[i], &o->arena)};
	}
}

static void tell_places(const struct follow *f, struct slurm_outcome *o)
{
	const unsigned long long id = f->reduce;

	o->answer = arena_printf(&o->arena, "%s/" ANSWER_NAME ".%llu", f->w->folder, id);
	if (f->q->wants_folder)
		o->folder = arena_printf(&o->arena, "%s/" RESULT_NAME ".%llu", f->w->folder, id);
}

/* Of a job that never began nothing is left behind. */
static int open_and_read(struct follow *f, struct err *e)
{
	if (work_open(f->w, e) == 0 && begin(f, e) == 0 && read_captures(f, e) == 0)
		return 0;
	if (!f->map_count && !f->pack && !f->reduce)
		work_undo(f->w);
	return -1;
}

/* Why captures are left out is told whether the rest makes an answer or not. */
static int follow(struct follow *f, struct slurm_outcome *ret, struct err *e)
{
	f->tasks = arena_zalloc(&f->arena, f->w->count, sizeof(*f->tasks));
	if (open_and_read(f, e) < 0)
		return -1;
	tell_losses(f, ret);
	if (reduce(f, e) < 0)
		return -1;
	tell_places(f, ret);
	return 0;
}

int slurm_run(const struct slurm_request *q, struct slurm_outcome *ret, struct err *e)
{
	struct work w = {.lock = -1};
	struct cluster c = {0};
	struct follow f = {.q = q, .w = &w, .c = &c};
	int result = -1;

	*ret = (struct slurm_outcome){0};
	if (cluster_open(&c, e) == 0 &&
	    work_plan(&w, q->folder, q->files, q->count, &q->map_words, e) == 0)
		result = follow(&f, ret, e);
	free(f.maps);
	arena_free(&f.arena);
	cluster_close(&c);
	work_free(&w);
	return result;
}

void slurm_outcome_free(struct slurm_outcome *o)
{
	arena_free(&o->arena);
	*o = (struct slurm_outcome){0};
}

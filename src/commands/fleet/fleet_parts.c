/* What does each file of a job say, and which cannot say anything? */
#include "commands/fleet/fleet.h"

#include "base/progress.h"
#include "base/sort.h"
#include "commands/fleet/fleet_pool.h"
#include "fleet/file_ranks.h"
#include "fleet/part_file.h"
#include "fleet/part_make.h"
#include "fleet/peers.h"
#include "fleet/process_ranks.h"
#include "fleet/slurm/gather.h"
#include "text/text.h"
#include "traces/traces.h"

#include <string.h>
#include <unistd.h>

int fleet_parts_check(const struct fleet_options *o, struct err *e)
{
	const char *asked = o->scope.span     ? "span"
			    : o->scope.marker ? "marker"
			    : o->scope.label  ? "label"
			    : o->comm.comm    ? "comm"
			    : o->max_memory   ? "max-memory"
			    : o->rank_reports ? "rank-reports"
					      : NULL;

	if (!asked)
		return 0;
	err_set(e, ERR_USAGE, "--%s needs captures, and these are parts", asked);
	return o->rank_reports ? err_hint(e, "name the captures: gpuwhy fleet captures/ --out job "
					     "--rank-reports")
			       : err_hint(e,
					  "make the parts again: gpuwhy fleet map TRACE -o PART "
					  "--%s …",
					  asked);
}

static int open_capture(struct trace **ret, const char *path, struct fleet_pool *pool,
			const struct invocation *inv, struct err *e)
{
	const struct fleet_options *o = inv->args;
	int result;

	pthread_mutex_lock(&pool->opening);
	result = capture_open(ret, path, &inv->input, o->comm.comm, e);
	pthread_mutex_unlock(&pool->opening);
	return result;
}

static int make_one(struct part *ret, const char *path, struct fleet_pool *pool,
		    const struct invocation *inv, struct err *e)
{
	const struct fleet_options *o = inv->args;
	const struct part_question q = {.file = str_last_part(path), .scope = o->scope};
	struct trace *t = NULL;
	uint64_t bytes = 0;
	int result;

	/* Somebody who has some parts already names them beside captures. */
	if (part_is_file(path))
		return fleet_parts_check(o, e) < 0 ? -1 : part_read(ret, path, e);
	result = open_capture(&t, path, pool, inv, e);
	if (result == 0)
		result = fleet_pool_take(pool, t, &bytes, e);
	if (result == 0)
		result = part_make(ret, t, &q, e);
	if (result == 0)
		fleet_variables_apply(ret, path);
	trace_close(t);
	mem_give_back();
	fleet_pool_give_back(pool, bytes);
	return result;
}

static int read_one(struct part *ret, const char *path, struct fleet_pool *pool,
		    const struct invocation *inv, struct err *e)
{
	(void)pool;
	(void)inv;
	return part_read(ret, path, e);
}

/* What went wrong without the folders that the file lies in: results tell nothing of a machine. */
static const char *reason_of(struct arena *arena, const char *path, const char *message)
{
	const size_t folders = (size_t)(str_last_part(path) - path);
	SCOPED_BUF b = {0};
	const char *at;

	while (folders && (at = strstr(message, path))) {
		buf_add(&b, message, (size_t)(at - message));
		message = at + folders;
	}
	buf_adds(&b, message);
	return text_valid(arena, buf_str(&b));
}

static int by_file(const void *a, const void *b, void *ctx)
{
	const struct fleet_loss *x = a, *y = b;
	const int order = strcmp(x->file, y->file);

	(void)ctx;
	return order ? order : strcmp(x->reason, y->reason);
}

/* The order of parts in answers: by rank, then by file. */
static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct part *x = *(const struct part *const *)a, *y = *(const struct part *const *)b;
	const uint32_t p = x->member_count ? x->members[0].rank : UINT32_MAX;
	const uint32_t q = y->member_count ? y->members[0].rank : UINT32_MAX;

	(void)ctx;
	return p != q ? (p > q) - (p < q) : strcmp(x->file, y->file);
}

typedef int part_source(struct part *ret, const char *path, struct fleet_pool *pool,
			const struct invocation *inv, struct err *e);

/* What became of a file. */
struct outcome {
	struct part part;
	bool is_lost;
	struct err why; /* of what is lost; else it may hold what was forgiven */
};

struct making {
	const struct fleet_files *files;
	part_source *source;
	struct fleet_pool pool;
	const struct invocation *inv;
	struct outcome *of; /* by file */
};

/* Only what is wrong with the file itself is passed over, also that nobody may read it. */
static int make_part(void *ctx, size_t file, struct err *e)
{
	struct making *m = ctx;
	const char *path = m->files->all.all[file];
	struct outcome *o = &m->of[file];
	int result = 0;

	if (m->source(&o->part, path, &m->pool, m->inv, &o->why) < 0) {
		o->is_lost = true;
		part_free(&o->part);
		if (o->why.code != ERR_INPUT && access(path, R_OK) == 0) {
			*e = o->why;
			result = -1;
		}
	}
	progress_step();
	return result;
}

/* In the order of files, whichever was ready first. */
static int add_outcomes(struct fleet_parts *p, const struct making *m, struct err *e)
{
	for (size_t i = 0; i < m->files->all.count; i++) {
		const char *path = m->files->all.all[i];
		struct outcome *o = &m->of[i];

		if (o->is_lost) {
			p->losses[p->loss_count++] =
				(struct fleet_loss){arena_strdup(&p->arena, str_last_part(path)),
						    reason_of(&p->arena, path, o->why.message)};
			continue;
		}
		p->all[p->count] = o->part;
		o->part = (struct part){0};
		p->paths[p->count] = arena_strdup(&p->arena, path);
		p->refs[p->count] = &p->all[p->count];
		p->count++;
		if (p->ranks.count &&
		    rank_list_apply(&p->ranks, &p->all[p->count - 1], path, e) < 0)
			return -1;
	}
	return 0;
}

/* Where nothing is left, the first says why. */
static int refuse_all(const struct making *m, struct err *e)
{
	*e = m->of[0].why;
	return m->files->all.count > 1 ? err_wrap(e, "none of the %zu files can be used; the first",
						  m->files->all.count)
				       : -1;
}

static int add_files(struct fleet_parts *p, const struct fleet_files *files, part_source *source,
		     const struct invocation *inv, struct err *e)
{
	const struct fleet_options *o = inv->args;
	const size_t count = files->all.count;
	struct making m = {files, source, .inv = inv, .of = mem_zalloc(count, sizeof(*m.of))};
	int result;

	fleet_pool_start(&m.pool, o->max_memory);
	result = fleet_pool_run(&m.pool, files->all.all, count, make_part, &m, e);
	fleet_pool_end(&m.pool);
	if (result == 0)
		result = add_outcomes(p, &m, e);
	if (result == 0 && !p->count)
		result = refuse_all(&m, e);
	for (size_t i = 0; i < count; i++)
		part_free(&m.of[i].part);
	free(m.of);
	return result;
}

/* Names of all files together may tell ranks that nothing else did. */
static int put_in_order(struct fleet_parts *p, struct err *e)
{
	file_ranks_apply(p->all, p->count);
	sort_stable(p->refs, p->count, sizeof(void *), by_rank, NULL);
	sort_stable(p->losses, p->loss_count, sizeof(*p->losses), by_file, NULL);
	return p->ranks.count ? rank_list_check(&p->ranks, p->all, p->count, e) : 0;
}

static int fill(struct fleet_parts *p, const struct fleet_files *files, part_source *source,
		const struct invocation *inv, const char *what, struct err *e)
{
	const struct fleet_options *o = inv->args;
	const size_t count = files->all.count;
	int result;

	*p = (struct fleet_parts){.all = mem_zalloc(count, sizeof(*p->all)),
				  .paths = mem_zalloc(count, sizeof(*p->paths)),
				  .refs = mem_alloc(count, sizeof(void *)),
				  .losses = mem_zalloc(count, sizeof(*p->losses))};
	if (fleet_files_spare(files, inv->output.path, e) < 0 ||
	    (o->ranks && rank_list_read(&p->ranks, o->ranks, e) < 0))
		return -1;
	progress_hold(what, count);
	result = add_files(p, files, source, inv, e);
	progress_release();
	return result == 0 ? put_in_order(p, e) : -1;
}

int fleet_parts_make(struct fleet_parts *ret, const struct fleet_files *files,
		     const struct invocation *inv, struct err *e)
{
	return fill(ret, files, make_one, inv, "captures", e);
}

int fleet_parts_read(struct fleet_parts *ret, const struct fleet_files *files,
		     const struct invocation *inv, struct err *e)
{
	return fill(ret, files, read_one, inv, "parts", e);
}

static int apply_ranks(struct fleet_parts *p, const char *path, struct err *e)
{
	if (rank_list_read(&p->ranks, path, e) < 0)
		return -1;
	for (size_t i = 0; i < p->count; i++) {
		if (rank_list_apply(&p->ranks, &p->all[i], NULL, e) < 0)
			return -1;
	}
	return 0;
}

int fleet_parts_gather(struct fleet_parts *ret, const char *folder, const struct invocation *inv,
		       struct err *e)
{
	const struct fleet_options *o = inv->args;
	struct gathered g;
	const int result = gather_read(&g, folder, e);

	*ret = (struct fleet_parts){.all = g.parts,
				    .refs = mem_alloc(g.part_count, sizeof(void *)),
				    .count = g.part_count,
				    .losses = g.losses,
				    .loss_count = g.loss_count,
				    .arena = g.arena};
	for (size_t i = 0; i < ret->count; i++)
		ret->refs[i] = &ret->all[i];
	if (result < 0 || (o->ranks && apply_ranks(ret, o->ranks, e) < 0))
		return -1;
	if (put_in_order(ret, e) < 0)
		return -1;
	if (ret->count)
		return 0;
	err_set(e, ERR_INPUT, "no part of the job was made");
	return ret->loss_count ? err_hint(e, "the first: %s: %s", ret->losses[0].file,
					  ret->losses[0].reason)
			       : -1;
}

void fleet_parts_settle(struct fleet_parts *p)
{
	process_ranks_apply(p->all, p->count);
	sort_stable(p->refs, p->count, sizeof(void *), by_rank, NULL);
	peers_apply(p->all, p->count);
}

static void free_parts(void *what)
{
	fleet_parts_free(what);
	free(what);
}

struct fleet_parts *fleet_parts_new(struct report *r)
{
	struct fleet_parts *p = mem_zalloc(1, sizeof(*p));

	report_on_free(r, free_parts, p);
	return p;
}

void fleet_parts_free(struct fleet_parts *p)
{
	for (size_t i = 0; i < p->count; i++)
		part_free(&p->all[i]);
	free(p->all);
	free(p->paths);
	free(p->refs);
	free(p->losses);
	rank_list_free(&p->ranks);
	arena_free(&p->arena);
	*p = (struct fleet_parts){0};
}

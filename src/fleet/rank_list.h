/*
 * --ranks FILE: which rank each capture, or each process of one, is of. A line for each:
 *
 *	# rank, file, process where the file has several
 *	0 node1_gpu0.sqlite
 *	1 node1_all.sqlite 4711
 */
#ifndef FLEET_RANK_LIST_H
#define FLEET_RANK_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "fleet/part.h"

struct given_rank {
	uint32_t rank;
	struct str file; /* its name, with or without folders and its ending */
	bool has_pid;
	uint32_t pid;
	bool used;
};

struct rank_list {
	struct given_rank *all;
	size_t count;
	const char *path;
	struct arena arena;
};

/* ERR_INPUT where a line is none, or names a rank twice. For rank_list_free() in any case. */
int rank_list_read(struct rank_list *ret, const char *path, struct err *e);
void rank_list_free(struct rank_list *l);
/*
 * Members that the list names get their rank; a file of several needs processes. `path` is the
 * capture's, which tells files of one name apart; or NULL.
 */
int rank_list_apply(struct rank_list *l, struct part *p, const char *path, struct err *e);
/*
 * After all parts, and what else tells their ranks: ERR_INPUT where a line names nothing that there
 * is, or nothing says a rank of one of them.
 */
int rank_list_check(const struct rank_list *l, const struct part *parts, size_t count,
		    struct err *e);

#endif

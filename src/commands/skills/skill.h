/*
 * Skills: questions that have a name. Every analysis is one; so is SQL that ships with the program
 * and SQL that users wrote.
 */
#ifndef COMMANDS_SKILL_H
#define COMMANDS_SKILL_H

#include "cli/command.h"
#include "commands/skills/skill_file.h"

/* What `gpuwhy skill` is told. */
struct skill_args {
	struct row_choice rows;	   /* --limit, --max-rows */
	struct string_list params; /* "key=value" */
	struct string_list paths;  /* folders with skills of the user's own */
	double timeout_s;	   /* 0: none */
};

static inline const struct skill_args *skill_args(const struct invocation *inv)
{
	return inv->args;
}

/* One of the two is set. */
struct skill {
	const struct analysis *analysis;
	const struct skill_file *file;
};

/* A file in a folder of skills that is none, and why. */
struct bad_skill {
	char *path;
	struct err why;
};

struct skill_set {
	struct skill_file *files; /* shipped ones first, then users', as they are found */
	size_t file_count, file_cap;
	struct bad_skill *bad;
	size_t bad_count, bad_cap;
	bool lacks_folder; /* that --skill-path names; then `lacking` says why */
	struct err lacking;
};

/* skill_set.c */

/*
 * Finds the skills that are no analyses: those that ship, then in the folders that --skill-path
 * names,
 * ./.gpuwhy/skills and the user's own folder. Of two with one name the first counts.
 */
void skill_set_read(struct skill_set *s, const struct string_list *paths);
/* The same for the user's own folder alone. */
void skill_set_read_own(struct skill_set *s);
/* The same for those that ship. */
void skill_set_read_shipped(struct skill_set *s);
void skill_set_free(struct skill_set *s);
/* Those whose SQL is none become bad ones. */
void skill_set_check(struct skill_set *s);
/* A file's SQL, as far as can be told without a trace: ERR_INPUT where something is wrong with it.
 */
int skill_check_sql(const struct skill_file *f, const char *where, struct err *e);
/* The file of that name, or NULL. */
const struct skill_file *skill_set_file(const struct skill_set *s, const char *name);
/*
 * The skill of that name or alias. ERR_USAGE with one that is nearly called so; ERR_INPUT where it
 * is none after all, or a folder that --skill-path names is not there; ERR_SYSTEM where either
 * cannot be read.
 */
int skill_set_find(const struct skill_set *s, const char *name, struct skill *ret, struct err *e);
/* $XDG_CONFIG_HOME/gpuwhy/skills; false: the user has no folder. */
bool skill_own_folder(struct buf *b);
/* Whether an analysis, or a skill that ships, is called so; also by an alias. */
bool skill_is_built_in(const char *name);

/* Analyses have names that others gave them. The analysis of that name or alias, or NULL. */
const struct analysis *skill_analysis(const char *name);
/* What else the analysis is called: "top_kernels", or NULL. */
const char *skill_alias_of(const struct analysis *a);
/* The alias i, or NULL after the last. */
const char *skill_alias_at(size_t i);

/* skill_list.c: the answers of `skill list` and `skill info`. */
void skill_list_report(const struct skill_set *s, struct report *r);
void skill_info_report(const struct skill *s, struct report *r);

/* skill_run.c: `skill run`; the trace is inv->trace_path. */
int skill_run(struct invocation *inv, const struct skill *s, struct err *e);
/*
 * The same of one that is SQL, for a server: inv->trace is open, and `stop` ends it. NULL: the
 * trace is inv->trace_path.
 */
int skill_answer_file(struct invocation *inv, const struct skill_file *f, bool (*stop)(void),
		      struct err *e);

/* The same of one that ships, by its name, from a trace that is open, into `r`. */
int skill_answer_shipped(const char *name, struct trace *t, struct report *r, struct err *e);

/* skill_own.c: the user's own skills, by what comes after the verb. */
int skill_add(struct invocation *inv, const char *const *words, struct err *e);
int skill_remove(struct invocation *inv, const char *const *words, struct err *e);
/* The path of a file, and a trace or NULL: then as far as can be told without one. */
int skill_check(struct invocation *inv, const char *const *words, struct err *e);

/* skill.c: what may come after `skill`, "list" and so on; NULL after the last. */
const char *skill_verb_at(size_t i);

/* skill_complete.c: what may come after `skill`; the last of the words is there in part. */
void skill_complete(char *const *words, size_t count, offer_word *offer, void *ctx);

#endif

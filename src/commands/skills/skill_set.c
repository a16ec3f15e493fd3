/* Which skills are there? */
#include "commands/skills/skill.h"

#include "base/file.h"
#include "base/mem.h"
#include "cli/config_folder.h"
#include "commands/query/query_run.h"
#include "commands/skills/skill_files.h"
#include "text/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

static const struct {
	const char *alias, *name;
} aliases[] = {
	{"top_kernels", "kernels"},	   {"memory_transfers", "memory"},
	{"nvtx_kernel_map", "nvtx"},	   {"gpu_idle_gaps", "idle"},
	{"nccl_breakdown", "nccl"},	   {"kernel_launch_overhead", "launches"},
	{"thread_utilization", "threads"}, {"schema_inspect", "schema"},
};

const struct analysis *skill_analysis(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		if (strcmp(aliases[i].alias, name) == 0)
			name = aliases[i].name;
	}
	return analysis_find(name, false);
}

const char *skill_alias_of(const struct analysis *a)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		if (strcmp(aliases[i].name, a->name) == 0)
			return aliases[i].alias;
	}
	return NULL;
}

const char *skill_alias_at(size_t i)
{
	return i < ARRAY_LEN(aliases) ? aliases[i].alias : NULL;
}

enum { MOST_FILES = 1000 };

static const struct {
	const char *name, *text;
} shipped[] = {
	{"copies_by_range", skill_copies_by_range},
	{"first_vs_steady", skill_first_vs_steady},
	{"kernel_stragglers", skill_kernel_stragglers},
};

bool skill_is_built_in(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(shipped); i++) {
		if (strcmp(shipped[i].name, name) == 0)
			return true;
	}
	return skill_analysis(name) != NULL;
}

static void add_bad(struct skill_set *s, const char *path, const struct err *why)
{
	MEM_GROW(s->bad, s->bad_cap, s->bad_count + 1);
	s->bad[s->bad_count++] = (struct bad_skill){mem_strdup(path), *why};
}

const struct skill_file *skill_set_file(const struct skill_set *s, const char *name)
{
	for (size_t i = 0; i < s->file_count; i++) {
		if (strcmp(s->files[i].name, name) == 0)
			return &s->files[i];
	}
	return NULL;
}

static int check_name(const struct skill_set *s, const struct skill_file *file, struct err *e)
{
	const struct skill_file *other = skill_set_file(s, file->name);

	if (skill_is_built_in(file->name))
		return err_set(e, ERR_INPUT, "%s: '%s' is the name of a built-in skill", file->path,
			       file->name);
	if (other)
		return err_set(e, ERR_INPUT,
			       "%s: %s also defines a skill '%s', and takes precedence", file->path,
			       other->path, file->name);
	return 0;
}

static void keep_file(struct skill_set *s, const struct skill_file *file)
{
	MEM_GROW(s->files, s->file_cap, s->file_count + 1);
	s->files[s->file_count++] = *file;
}

static void read_file(struct skill_set *s, const char *path)
{
	struct skill_file file;
	struct err e;

	if (skill_file_read(&file, path, &e) == 0 && check_name(s, &file, &e) == 0) {
		keep_file(s, &file);
		return;
	}
	skill_file_free(&file);
	add_bad(s, path, &e);
}

static int is_sql(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 4 && strcmp(entry->d_name + len - 4, ".sql") == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Folders that are not there are fine, unless somebody named them. */
static void read_folder(struct skill_set *s, const char *folder, bool must_be)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_sql, compare_names);
	struct buf path = {0};
	struct err e;

	if (count < 0 && (must_be || errno != ENOENT)) {
		file_cannot_read(folder, &e);
		add_bad(s, folder, &e);
		if (must_be && !s->lacks_folder)
			s->lacking = e;
		s->lacks_folder |= must_be;
	}
	for (int i = 0; i < count; i++) {
		buf_clear(&path);
		buf_addf(&path, "%s/%s", folder, entries[i]->d_name);
		if (i < MOST_FILES)
			read_file(s, path.s);
		free(entries[i]);
	}
	if (count > MOST_FILES) {
		err_set(&e, ERR_INPUT, "'%s' has more than %d skills: the others are left out",
			folder, MOST_FILES);
		add_bad(s, folder, &e);
	}
	free(entries);
	buf_free(&path);
}

bool skill_own_folder(struct buf *b)
{
	return config_folder_add(b, "skills");
}

void skill_set_read_shipped(struct skill_set *s)
{
	*s = (struct skill_set){0};
	for (size_t i = 0; i < ARRAY_LEN(shipped); i++) {
		struct skill_file file;
		struct err e;

		if (skill_file_parse(&file, str_of(shipped[i].text), shipped[i].name, &e) == 0) {
			keep_file(s, &file);
		} else {
			skill_file_free(&file);
			add_bad(s, shipped[i].name, &e);
		}
	}
}

void skill_set_read(struct skill_set *s, const struct string_list *paths)
{
	struct buf own = {0};

	skill_set_read_shipped(s);
	for (size_t i = 0; i < paths->count; i++)
		read_folder(s, paths->all[i], true);
	read_folder(s, ".gpuwhy/skills", false);
	if (skill_own_folder(&own))
		read_folder(s, own.s, false);
	buf_free(&own);
}

void skill_set_read_own(struct skill_set *s)
{
	struct buf own = {0};

	*s = (struct skill_set){0};
	if (skill_own_folder(&own))
		read_folder(s, own.s, false);
	buf_free(&own);
}

int skill_check_sql(const struct skill_file *f, const char *where, struct err *e)
{
	if (query_check(where, f->text, f->columns, f->column_count, e) == 0)
		return 0;
	if (e->code == ERR_USAGE)
		e->code = ERR_INPUT;
	return -1;
}

void skill_set_check(struct skill_set *s)
{
	size_t kept = 0;
	struct err e;

	for (size_t i = 0; i < s->file_count; i++) {
		struct skill_file *f = &s->files[i];

		if (!f->path || skill_check_sql(f, f->path, &e) == 0) {
			s->files[kept++] = *f;
			continue;
		}
		add_bad(s, f->path, &e);
		skill_file_free(f);
	}
	s->file_count = kept;
}

void skill_set_free(struct skill_set *s)
{
	for (size_t i = 0; i < s->file_count; i++)
		skill_file_free(&s->files[i]);
	for (size_t i = 0; i < s->bad_count; i++)
		free(s->bad[i].path);
	free(s->files);
	free(s->bad);
	*s = (struct skill_set){0};
}

/* A file called NAME.sql that is no skill: why it is none is what its author wants to know. */
static const struct bad_skill *find_bad(const struct skill_set *s, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < s->bad_count; i++) {
		const char *file = str_last_part(s->bad[i].path);

		if (strncmp(file, name, len) == 0 && strcmp(file + len, ".sql") == 0)
			return &s->bad[i];
	}
	return NULL;
}

static int not_found(const struct skill_set *s, const char *name, struct err *e)
{
	struct nearest n = {name, NULL, strlen(name) / 3 + 2};

	for (size_t i = 0; analysis_at(i); i++) {
		if (!analysis_at(i)->nsys)
			nearest_try(&n, analysis_at(i)->name);
	}
	for (size_t i = 0; skill_alias_at(i); i++)
		nearest_try(&n, skill_alias_at(i));
	for (size_t i = 0; i < s->file_count; i++)
		nearest_try(&n, s->files[i].name);
	err_set(e, ERR_USAGE, "there is no skill '%s'", name);
	if (n.found)
		return err_hint(e, "did you mean '%s'?", n.found);
	return err_hint(e, "gpuwhy skill list shows them");
}

int skill_set_find(const struct skill_set *s, const char *name, struct skill *ret, struct err *e)
{
	const struct bad_skill *bad = find_bad(s, name);

	if (s->lacks_folder) {
		*e = s->lacking;
		return -1;
	}
	*ret = (struct skill){skill_analysis(name), NULL};
	if (!ret->analysis)
		ret->file = skill_set_file(s, name);
	if (ret->file && ret->file->path)
		return skill_check_sql(ret->file, ret->file->path, e);
	if (ret->analysis || ret->file)
		return 0;
	if (!bad)
		return not_found(s, name, e);
	*e = bad->why;
	return -1;
}

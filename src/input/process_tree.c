/* Which processes belong to a run, and which of them are the profiler's? */
#include "input/process_tree.h"

#include "base/file.h"
#include "base/idmap.h"
#include "base/mem.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STAT_BYTES = 1024, DEEPEST = 4096 };

struct listing {
	struct process_entry *all;
	size_t count, cap;
	struct idmap by_pid;
};

static ssize_t read_proc(const char *pid, const char *file, char *text, size_t size)
{
	char path[384];
	SCOPED_FD fd = -1;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, size - 1);
	if (got >= 0)
		text[got] = '\0';
	return got;
}

/* Names of programs may hold anything, parentheses too: what follows the last one counts. */
static bool parse_stat(const char *pid, struct process_entry *ret)
{
	char text[STAT_BYTES], state, *after;
	int parent, group, session;

	if (read_proc(pid, "stat", text, sizeof(text)) <= 0)
		return false;
	after = strrchr(text, ')');
	if (!after || sscanf(after + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4)
		return false;
	*ret = (struct process_entry){atoi(pid), parent, group, session};
	/* One that has ended is only waited for. */
	return state != 'Z' && state != 'X';
}

static void list_all(struct listing *l)
{
	SCOPED_DIR *dir = opendir("/proc");
	const struct dirent *entry;
	struct process_entry one;

	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || !parse_stat(entry->d_name, &one))
			continue;
		MEM_GROW(l->all, l->cap, l->count + 1);
		idmap_add(&l->by_pid, (uint64_t)one.pid, (uint32_t)l->count);
		l->all[l->count++] = one;
	}
}

static bool descends(const struct listing *l, const struct process_entry *one, pid_t root)
{
	pid_t parent = one->parent;

	for (int depth = 0; depth < DEEPEST && parent != root; depth++) {
		uint32_t at = idmap_get(&l->by_pid, (uint64_t)parent);

		if (at == IDMAP_NONE)
			return false;
		parent = l->all[at].parent;
	}
	return parent == root;
}

void process_tree_read(pid_t root, struct process_tree *ret)
{
	struct listing l = {0};

	*ret = (struct process_tree){0};
	list_all(&l);
	for (size_t i = 0; i < l.count; i++) {
		if (!descends(&l, &l.all[i], root))
			continue;
		MEM_GROW(ret->all, ret->cap, ret->count + 1);
		ret->all[ret->count++] = l.all[i];
	}
	free(l.all);
	idmap_free(&l.by_pid);
}

void process_tree_free(struct process_tree *t)
{
	free(t->all);
	*t = (struct process_tree){0};
}

/* As NVIDIA calls them: a user's nsys_sweep or ncu-bench is none. */
static const char names[] =
	"nsys nsys-launcher nsight-sys-service QdstrmImporter ncu TreeLauncherSubreaper "
	"TreeLauncherTargetInjectionHelper TreeLauncherTargetLdPreloadHelper";

/* By its number, by its program's exact name, or by the folder its program lies in. */
static bool profiler_has(const struct profiler *p, pid_t pid)
{
	char link[64], path[PATH_MAX];
	size_t folder = p->folder ? strlen(p->folder) : 0;
	ssize_t len;

	if (pid == p->pid)
		return true;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0)
		return false;
	path[len] = '\0';
	if (str_is_listed(str_of(str_last_part(path)), names))
		return true;
	return folder && strncmp(path, p->folder, folder) == 0 && path[folder] == '/';
}

/* Signal 0 only counts. */
static size_t signal_all(pid_t root, int signal_number, const struct profiler *spare,
			 pid_t but_group)
{
	struct process_tree t;
	size_t sent = 0;

	process_tree_read(root, &t);
	for (size_t i = 0; i < t.count; i++) {
		pid_t pid = t.all[i].pid;

		if (t.all[i].group == but_group || (spare && profiler_has(spare, pid)))
			continue;
		sent += kill(pid, signal_number) == 0;
	}
	process_tree_free(&t);
	return sent;
}

size_t process_tree_signal(pid_t root, int signal_number, const struct profiler *spare)
{
	return signal_all(root, signal_number, spare, -1);
}

size_t process_tree_signal_beyond(pid_t root, int signal_number, const struct profiler *spare)
{
	return signal_all(root, signal_number, spare, getpgrp());
}

bool process_tree_lives(pid_t root, const struct profiler *spare)
{
	return signal_all(root, 0, spare, -1) > 0;
}

/* Fields 14 and 15 of stat, counted behind the name. */
static double cpu_s_of(pid_t pid)
{
	char number[24], text[STAT_BYTES], *after;
	unsigned long user, system;

	snprintf(number, sizeof(number), "%d", (int)pid);
	if (read_proc(number, "stat", text, sizeof(text)) <= 0)
		return 0;
	after = strrchr(text, ')');
	if (!after || sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			     &user, &system) != 2)
		return 0;
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

double process_tree_cpu_s(pid_t root)
{
	struct process_tree t;
	double sum = 0;

	process_tree_read(root, &t);
	for (size_t i = 0; i < t.count; i++)
		sum += cpu_s_of(t.all[i].pid);
	process_tree_free(&t);
	return sum;
}

static pid_t first_in_session(const char *children, pid_t session)
{
	char *end;

	for (long pid; (pid = strtol(children, &end, 10)) > 0; children = end) {
		if (getsid((pid_t)pid) == session)
			return (pid_t)pid;
	}
	return 0;
}

/* Children are those of a thread. */
pid_t process_tree_child(pid_t parent)
{
	char path[64], file[320], text[STAT_BYTES], number[24];
	const struct dirent *entry;
	SCOPED_DIR *dir = NULL;
	pid_t found = 0;

	snprintf(number, sizeof(number), "%d", (int)parent);
	snprintf(path, sizeof(path), "/proc/%s/task", number);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), "task/%s/children", entry->d_name);
		if (read_proc(number, file, text, sizeof(text)) > 0)
			found = first_in_session(text, getsid(0));
	}
	return found;
}

/*
 * .../2025.3.2 of .../2025.3.2/target-linux-x64/nsys, .../nsight-systems of
 * .../nsight-systems/nsys. In /usr/bin there is more than a profiler.
 */
char *profiler_find_folder(const char *path)
{
	SCOPED char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	const char *folder;

	if (!slash)
		return NULL;
	*slash = '\0';
	folder = str_last_part(real);
	if (strncmp(folder, "nsight-", 7) == 0)
		return mem_strdup(real);
	slash = strrchr(real, '/');
	if (strncmp(folder, "target-linux-", 13) != 0 || slash == real)
		return NULL;
	*slash = '\0';
	return mem_strdup(real);
}

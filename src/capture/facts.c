/* What does a run depend on beside its files? */
#include "capture/facts.h"

#include "base/mem.h"
#include "capture/run_folder.h"
#include "input/ask.h"
#include "input/program.h"

#include <ctype.h>
#include <stdlib.h>

enum { MOST_GPUS = 64 };

static struct str first_line(const struct buf *b)
{
	return (struct str){buf_str(b).s, strcspn(buf_str(b).s, "\n")};
}

/* SHA-1 or SHA-256. */
static bool is_commit(struct str s)
{
	return (s.len == 40 || s.len == 64) && strspn(s.s, "0123456789abcdef") == s.len;
}

/* Where the repository of the folder begins; false: that is not known. */
static bool ask_top(char *git, const char *folder, struct buf *ret)
{
	char *top[] = {git, "-C", (char *)folder, "rev-parse", "--show-toplevel", NULL};

	if (!ask_program(top, ret) || !ret->len)
		return false;
	ret->len = first_line(ret).len;
	ret->s[ret->len] = '\0';
	return true;
}

/* Whether the path is of what lies inside the folder, or that itself. */
static bool lies_in(const char *path, const struct buf *folder)
{
	return strncmp(path, folder->s, folder->len) == 0 &&
	       (path[folder->len] == '/' || !path[folder->len]);
}

/*
 * What git is to leave out: folders in `root` that are called as runs are, and nothing else of it.
 * False where there is nothing to leave out: git refuses what is outside of its repository.
 */
static bool leave_out_runs(char *git, const char *folder, const char *root, struct buf *ret)
{
	SCOPED char *real = realpath(root, NULL);
	SCOPED_BUF top = {0};
	bool inside = real && ask_top(git, folder, &top) && lies_in(real, &top);

	if (inside) {
		buf_adds(ret, ":(exclude,glob)");
		for (const char *at = real; *at; at++) {
			if (strchr("*?[\\", *at))
				buf_addc(ret, '\\');
			buf_addc(ret, *at);
		}
		buf_adds(ret, "/" RUN_GLOB "/**");
	}
	return inside;
}

/* Whether git, asked for the status, tells of changes. What it cannot tell is not clean. */
static bool has_changes(char *const *status)
{
	SCOPED_BUF said = {0};

	return !ask_program(status, &said) || said.len;
}

/* Whether anything differs from the commit: of runs only what git tracks counts. */
static bool is_dirty(char *git, const char *folder, const char *root)
{
	SCOPED_BUF runs = {0};
	const bool leaves_out = leave_out_runs(git, folder, root, &runs);
	char *without_runs[] = {
		git,	  "-C",		 (char *)folder, "-c", "core.fsmonitor=false",
		"status", "--porcelain", "--",		 ":/", leaves_out ? runs.s : NULL,
		NULL};
	char *tracked[] = {
		git,	  "-C",		 (char *)folder,	 "-c", "core.fsmonitor=false",
		"status", "--porcelain", "--untracked-files=no", NULL};

	return has_changes(without_runs) || (leaves_out && has_changes(tracked));
}

void facts_ask_git(struct facts *f, struct arena *a, const char *folder, const char *root)
{
	SCOPED char *git = program_find_absolute("git");
	SCOPED_BUF said = {0};
	char *commit[] = {git, "-C", (char *)folder, "rev-parse", "--verify", "HEAD", NULL};

	if (git && ask_program(commit, &said) && is_commit(first_line(&said))) {
		f->git_commit = arena_str(a, first_line(&said)).s;
		f->git_dirty = is_dirty(git, folder, root);
	}
}

/* "NVIDIA H200, 143771, 580.65.06" */
static void read_gpu(struct facts *f, struct arena *a, char *line)
{
	char *name = strsep(&line, ","), *memory = strsep(&line, ","), *driver = line;
	long long megabytes;

	if (!memory || !driver)
		return;
	megabytes = strtoll(memory, NULL, 10);
	driver += strspn(driver, " ");
	f->driver = arena_strdup(a, driver);
	f->gpus[f->gpu_count++] = (struct gpu_fact){
		.name = arena_strdup(a, name),
		.memory_bytes = megabytes > 0 && megabytes < 1LL << 40 ? megabytes << 20 : -1,
	};
}

/* "CUDA Version: 13.0" in what nvidia-smi prints by itself. */
static void read_cuda(struct facts *f, struct arena *a, const struct buf *said)
{
	const char *at = strstr(buf_str(said).s, "CUDA Version:");

	if (!at)
		return;
	at += strlen("CUDA Version:");
	at += strspn(at, " ");
	if (isdigit((unsigned char)*at))
		f->cuda = arena_str(a, (struct str){at, strspn(at, "0123456789.")}).s;
}

static void ask_nvidia_smi(struct facts *f, struct arena *a)
{
	SCOPED char *smi = program_find_absolute("nvidia-smi");
	char *query[] = {smi, "--query-gpu=name,memory.total,driver_version",
			 "--format=csv,noheader,nounits", NULL};
	char *plain[] = {smi, NULL};
	SCOPED_BUF said = {0}, about = {0};
	char *rest, *line;

	f->gpus = arena_zalloc(a, MOST_GPUS, sizeof(*f->gpus));
	if (smi && ask_program(query, &said) && said.len) {
		rest = said.s;
		while (f->gpu_count < MOST_GPUS && (line = strsep(&rest, "\n")))
			read_gpu(f, a, line);
		if (ask_program(plain, &about))
			read_cuda(f, a, &about);
	}
}

const char *facts_nsys_version(struct arena *a, struct str said)
{
	for (size_t i = 0; i < said.len; i++) {
		size_t len = 0;

		while (i + len < said.len &&
		       (isdigit((unsigned char)said.s[i + len]) || (len && said.s[i + len] == '.')))
			len++;
		if (len > 4 && memchr(said.s + i, '.', len))
			return arena_str(a, (struct str){said.s + i, len}).s;
		i += len;
	}
	return NULL;
}

void facts_ask_machine(struct facts *f, struct arena *a, const char *nsys)
{
	char *version[] = {(char *)nsys, "--version", NULL};
	SCOPED_BUF said = {0};

	*f = (struct facts){0};
	ask_nvidia_smi(f, a);
	if (ask_program(version, &said))
		f->nsys_version = facts_nsys_version(a, buf_str(&said));
}

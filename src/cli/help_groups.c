/* Which commands belong together in `gpuwhy --help`, and how does one begin with them? */
#include "cli/help_groups.h"

#include "base/mem.h"

/* Each command once. What no group names is at the end, so that nothing is hidden. */
static const struct help_group groups[] = {
	{"Start", "overview analyze ask timeline tui web report info doctor",
	 "gpuwhy trace.sqlite"},
	{"Why: what costs time, and what to do", "findings idle code sync launches api",
	 "gpuwhy findings trace.sqlite --iteration 12"},
	{"Where: time by GPU, kernel, range, step",
	 "summary workload iters phases timings kernels memory graphs nvtx suggest ranges tree "
	 "search ops "
	 "threads "
	 "processes categories",
	 "gpuwhy kernels trace.sqlite --by stream --limit 10"},
	{"Compare: did it get faster, and because of what", "diff baseline gate",
	 "gpuwhy diff before.sqlite after.sqlite"},
	{"Multi-GPU: ranks and communication",
	 "fleet ranks overlap nccl stragglers window streams stages",
	 "gpuwhy stragglers job.sqlite --limit 10"},
	{"Capture and hardware limits", "profile runs inspect metrics ncu roofline mfu",
	 "gpuwhy profile -- python train.py"},
	{"Export and SQL",
	 "viewer export export-csv export-json markdown stats query schema skill mcp",
	 "gpuwhy export trace.sqlite -o trace.pftrace"},
};

const struct help_group *help_group_at(size_t i)
{
	return i < ARRAY_LEN(groups) ? &groups[i] : NULL;
}

static bool names(const struct help_group *g, const char *command)
{
	const size_t len = strlen(command);

	for (const char *at = g->commands; (at = strstr(at, command)); at += len) {
		if ((at == g->commands || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	}
	return false;
}

const struct help_group *help_group_of(const char *command)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		if (names(&groups[i], command))
			return &groups[i];
	}
	return NULL;
}

bool help_group_next(const char **at, struct buf *ret)
{
	size_t len = strcspn(*at, " ");

	buf_clear(ret);
	buf_add(ret, *at, len);
	*at += len;
	*at += **at == ' ';
	return len > 0;
}

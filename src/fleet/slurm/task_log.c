/* Was a task ended because it took too much memory? */
#include "fleet/slurm/task_log.h"

#include "base/file.h"

enum { END_BYTES = 1 << 14 };

/* "slurmstepd: error: StepId=1.batch exceeded memory limit (…), being killed", "… oom-kill …" */
bool task_log_text_tells_memory(struct str text)
{
	return str_holds(text, "slurmstepd") &&
	       (str_holds(text, "exceeded memory limit") || str_holds(text, "oom-kill") ||
		str_holds(text, "oom_kill"));
}

bool task_log_tells_memory(const struct work *w, const struct map_job *m, size_t item)
{
	SCOPED_BUF path = {0}, text = {0};
	struct err ignored;

	buf_addf(&path, "%s/log/map-%llu_%zu.txt", w->folder, (unsigned long long)m->id,
		 item - m->first);
	return file_read_end(&text, path.s, 0, END_BYTES, &ignored) == 0 &&
	       task_log_text_tells_memory(buf_str(&text));
}

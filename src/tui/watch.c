/* Has a trace changed since it was opened? */
#include "tui/watch.h"

#include "base/mem.h"

#include <sys/stat.h>

static struct watched_trace look_at(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return (struct watched_trace){.is_told = true};
	return (struct watched_trace){.device = st.st_dev,
				      .inode = st.st_ino,
				      .bytes = st.st_size,
				      .changed_ns = st.st_mtim.tv_sec * INT64_C(1000000000) +
						    st.st_mtim.tv_nsec};
}

struct watched_trace *watch_begin(const struct traces *t)
{
	struct watched_trace *all = mem_alloc(t->count, sizeof(*all));

	for (size_t i = 0; i < t->count; i++)
		all[i] = look_at(t->all[i].trace->path);
	return all;
}

bool watch_tell(struct watched_trace *w, const struct traces *t, struct buf *b)
{
	for (size_t i = 0; i < t->count; i++) {
		const char *path = t->all[i].trace->path;
		const struct watched_trace now = look_at(path);

		if (w[i].is_told || (now.device == w[i].device && now.inode == w[i].inode &&
				     now.bytes == w[i].bytes && now.changed_ns == w[i].changed_ns))
			continue;
		buf_addf(b, "%s %s since it was opened: what is shown may be old",
			 str_last_part(path), now.is_told ? "is gone" : "has changed");
		w[i].is_told = true;
		return true;
	}
	return false;
}

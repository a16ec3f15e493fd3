/* By what does a question tell rows apart: "per stream", "on which GPU"? */
#include "ask/question/question.h"

#include "base/mem.h"

/* What people call it, and the word of --by. */
static const struct {
	const char *said, *by;
} groups[] = {
	{"stream", "stream"}, {"gpu", "device"}, {"device", "device"}, {"process", "process"},
	{"rank", "rank"},     {"rang", "range"}, {"kernel", "kernel"}, {"phase", "phase"},
};

static const char *group_of(const struct question *q, size_t i)
{
	for (size_t g = 0; i < q->words.count && g < ARRAY_LEN(groups); g++) {
		if (!q->words.all[i].is_quoted && strcmp(q->words.all[i].stem, groups[g].said) == 0)
			return groups[g].by;
	}
	return NULL;
}

/* "which nvtx range", "per cuda stream": what describes a group is none. */
static size_t group_after(const struct question *q, size_t i)
{
	return i + (i + 1 < q->words.count &&
				    str_is_listed(str_of(q->words.all[i + 1].text),
						  "nvtx cuda single") &&
				    group_of(q, i + 2)
			    ? 2
			    : 1);
}

void question_find_group(struct question *q)
{
	static const char which[] = "which what", each[] = "per by each every";

	for (size_t i = 0; i < q->words.count && !q->group; i++) {
		const struct str word = str_of(q->words.all[i].text);
		const bool is_each = str_is_listed(word, each);

		const bool is_of = words_at(&q->words, i, "stream of") ||
				   words_at(&q->words, i, "stream id of");

		if (!is_each && !str_is_listed(word, which) && !is_of)
			continue;
		q->group = is_of ? "stream" : group_of(q, group_after(q, i));
		q->is_each_group = is_each && q->group;
	}
}

/* Whether what is told apart is something of its own: kernels of a name, copies. */
static bool has_subject(const struct question *q)
{
	return q->names.are_kernels || q->names_kernels ||
	       q->work.kinds & (WORK_COPY | WORK_MEMSET);
}

const char *question_group(const struct question *q)
{
	const bool is_place =
		q->group && (strcmp(q->group, "stream") == 0 || strcmp(q->group, "device") == 0);

	if (!q->group || q->streams.count || (is_place && !has_subject(q)) ||
	    (strcmp(q->group, "device") == 0 && q->devices.count))
		return NULL;
	return q->group;
}

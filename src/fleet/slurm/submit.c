/* What is sbatch told? */
#include "fleet/slurm/submit.h"

#include "fleet/slurm/scripts.h"

const char *submit_map_name(struct arena *a, const struct work *w, size_t first)
{
	return arena_printf(a, "gpuwhy-%s-map-%zu", w->id, first);
}

const char *submit_pack_name(struct arena *a, const struct work *w)
{
	return arena_printf(a, "gpuwhy-%s-pack", w->id);
}

const char *submit_reduce_name(struct arena *a, const struct work *w)
{
	return arena_printf(a, "gpuwhy-%s-reduce", w->id);
}

bool submit_add_indices(struct buf *b, const bool *wanted, size_t count, uint64_t at_once)
{
	const size_t begin = b->len;

	for (size_t i = 0; i < count; i++) {
		const size_t from = i;

		if (!wanted[i])
			continue;
		while (i + 1 < count && wanted[i + 1])
			i++;
		buf_addf(b, "%s%zu", b->len > begin ? "," : "", from);
		if (i > from)
			buf_addf(b, "-%zu", i);
	}
	if (b->len == begin)
		return false;
	buf_addf(b, "%%%llu", (unsigned long long)at_once);
	return true;
}

/* What the user says comes after what he may change, and before what must be as it is. */
static void add_common(struct string_list *words, struct arena *a, const struct work *w,
		       const struct slurm_request *q, const char *name)
{
	string_list_add(words, "--nodes=1");
	string_list_add(words, "--ntasks=1");
	string_list_add(words, "--requeue");
	for (size_t i = 0; i < q->sbatch_words.count; i++)
		string_list_add(words, q->sbatch_words.all[i]);
	string_list_add(words, "--parsable");
	string_list_addf(words, a, "--job-name=%s", name);
	string_list_addf(words, a, "--chdir=%s", w->folder);
}

bool submit_map_words(struct string_list *words, struct arena *a, const struct work *w,
		      const struct slurm_request *q, const struct map_choice *c)
{
	const size_t left = w->count - c->first, count = left < c->chunk ? left : c->chunk;
	SCOPED_BUF indices = {0};

	if (!submit_add_indices(&indices, c->wanted + c->first, count, c->at_once))
		return false;
	add_common(words, a, w, q, submit_map_name(a, w, c->first));
	if (c->whole_memory)
		string_list_add(words, "--mem=0");
	string_list_addf(words, a, "--array=%s", indices.s);
	string_list_add(words, "--output=log/map-%A_%a.txt");
	string_list_addf(words, a, "%s/" MAP_SCRIPT, w->folder);
	string_list_addf(words, a, "%zu", c->first);
	return true;
}

static void add_after(struct string_list *words, struct arena *a, const char *after)
{
	if (*after)
		string_list_addf(words, a, "--dependency=%s", after);
}

void submit_pack_words(struct string_list *words, struct arena *a, const struct work *w,
		       const struct slurm_request *q, size_t packs, const char *after)
{
	add_common(words, a, w, q, submit_pack_name(a, w));
	add_after(words, a, after);
	string_list_addf(words, a, "--array=0-%zu%%%llu", packs - 1,
			 (unsigned long long)q->at_once);
	string_list_add(words, "--output=log/pack-%A_%a.txt");
	string_list_addf(words, a, "%s/" PACK_SCRIPT, w->folder);
}

void submit_reduce_words(struct string_list *words, struct arena *a, const struct work *w,
			 const struct slurm_request *q, const char *after)
{
	add_common(words, a, w, q, submit_reduce_name(a, w));
	add_after(words, a, after);
	string_list_add(words, "--output=log/reduce-%j.txt");
	string_list_addf(words, a, "%s/" REDUCE_SCRIPT, w->folder);
}

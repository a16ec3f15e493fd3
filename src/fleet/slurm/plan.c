/* What would be run, for who wants to see it first, or to run it himself? */
#include "fleet/slurm/scripts.h"
#include "fleet/slurm/submit.h"
#include "text/shell_words.h"

static void add_file(struct buf *b, const struct work *w, const char *name)
{
	buf_addf(b, "==> %s/%s <==\n", w->folder, name);
}

static void add_list(struct buf *b, const struct work *w)
{
	add_file(b, w, "list");
	for (size_t i = 0; i < w->count; i++)
		buf_addf(b, "%s\t%s\n", w->items[i].key, w->items[i].file);
	buf_addc(b, '\n');
}

static void add_scripts(struct buf *b, const struct work *w, const struct slurm_request *q)
{
	const struct script_places places = {.gpuwhy = q->gpuwhy, .folder = w->folder};
	const struct script_reduce last = {
		.words = &q->reduce_words, .folder = q->wants_folder, .columns = q->columns};

	add_file(b, w, MAP_SCRIPT);
	script_add_map(b, &places, &q->map_words);
	buf_addc(b, '\n');
	if (submit_packs(w->count)) {
		add_file(b, w, PACK_SCRIPT);
		script_add_pack(b, &places);
		buf_addc(b, '\n');
	}
	add_file(b, w, REDUCE_SCRIPT);
	script_add_reduce(b, &places, &last);
	buf_addc(b, '\n');
}

/* The numbers of jobs are known when these are submitted: a shell has them in variables. */
static void add_command(struct buf *b, const char *name, struct string_list *words,
			const char *after)
{
	buf_addf(b, "%s=$(sbatch", name);
	for (size_t i = 0; i < words->count; i++) {
		const struct str word = str_of(words->all[i]);

		buf_addc(b, ' ');
		if (*after && str_starts(word, "--dependency=") && str_ends(word, after))
			buf_addf(b, "\"%s\"", word.s);
		else
			word_add_quoted(b, word.s);
	}
	buf_adds(b, ")\n");
	string_list_free(words);
}

/* Of all captures; *ret_after: when all of them are over. */
static void add_maps(struct buf *b, const struct work *w, const struct slurm_request *q,
		     struct arena *a, struct buf *ret_after)
{
	SCOPED bool *wanted = mem_alloc(w->count, sizeof(*wanted));
	struct map_choice c = {.wanted = wanted, .chunk = ARRAY_MOST, .at_once = q->at_once};
	struct string_list words = {0};

	memset(wanted, 1, w->count * sizeof(*wanted));
	buf_adds(ret_after, "afterany");
	for (size_t n = 1; c.first < w->count; c.first += c.chunk, n++) {
		const char *name = arena_printf(a, "map%zu", n);

		submit_map_words(&words, a, w, q, &c);
		add_command(b, name, &words, "");
		buf_addf(ret_after, ":$%s", name);
	}
}

static void add_commands(struct buf *b, const struct work *w, const struct slurm_request *q,
			 struct arena *a)
{
	const size_t packs = submit_packs(w->count);
	SCOPED_BUF maps = {0};
	struct string_list words = {0};
	const char *after;

	buf_adds(b, "==> submitted <==\n");
	add_maps(b, w, q, a, &maps);
	if (packs) {
		submit_pack_words(&words, a, w, q, packs, maps.s);
		add_command(b, "pack", &words, maps.s);
	}
	after = packs ? "afterany:$pack" : maps.s;
	submit_reduce_words(&words, a, w, q, after);
	add_command(b, "reduce", &words, after);
}

int slurm_add_plan(struct buf *b, const struct slurm_request *q, struct err *e)
{
	struct arena a = {0};
	struct work w;
	int result = work_plan(&w, q->folder, q->files, q->count, &q->map_words, e);

	if (result == 0) {
		add_list(b, &w);
		add_scripts(b, &w, q);
		add_commands(b, &w, q, &a);
	}
	arena_free(&a);
	work_free(&w);
	return result;
}

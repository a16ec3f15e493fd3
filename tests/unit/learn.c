/*
 * What do words say of the analysis that is meant? Reads questions of tests/ask and writes
 * src/ask/route/learned.def; a question that leads elsewhere moves the weights of its words, a
 * little, until most lead home (an averaged perceptron).
 *
 *   learn FILE.json… > src/ask/route/learned.def
 *   learn --check FILE.json…      how many of each file are right when it is left out
 *   learn --gate FILE.json…       how many are sure, and wrong, by how far the first has to lead
 */
#include "ask/respell.h"
#include "ask/route/learned.h"
#include "ask/route/route.h"
#include "base/mem.h"
#include "commands/ask/asked_besides.h"
#include "text/json_read.h"
#include "text/strtab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { GATES = 11, ROUNDS = 10, STRIDE = 7919, LEAST_SAID = 2, LINE = 88, EXAMPLES = 1000 };
/* Found by --check: how far one question moves its words, how far ahead the right one has to be,
 * and below what a weight is none. */
static const double RATE = 0.3, AHEAD = 8, LEAST_WEIGHT = 0.2;
/* Leads that --gate tries. */
static const double GATE_FIRST = 1.0, GATE_STEP = 0.1;

struct asked {
	size_t file;
	struct buf text;
	struct question question;
	bool *is_right;	 /* by document */
	double *scores;	 /* by document, without what is learned */
	uint32_t *words; /* by number */
	size_t word_count;
};

struct learner {
	struct corpus corpus;
	struct asked *all;
	size_t count, cap;
	struct strtab words;
	struct arena arena;
	size_t *analysis_of; /* by document */
	const char **names;  /* of analyses */
	size_t analyses;
	float *weights, *sums; /* by word, then analysis */
};

static void number_analyses(struct learner *l)
{
	const struct corpus *c = &l->corpus;

	l->analysis_of = mem_alloc(c->count, sizeof(*l->analysis_of));
	l->names = mem_alloc(c->count, sizeof(*l->names));
	for (size_t d = 0; d < c->count; d++) {
		if (!d || c->documents[d].analysis != c->documents[d - 1].analysis)
			l->names[l->analyses++] = c->documents[d].analysis->name;
		l->analysis_of[d] = l->analyses - 1;
	}
}

static bool lists(const struct json *names, const char *name)
{
	for (size_t i = 0; i < json_read_length(names); i++) {
		if (str_eq(json_read_string(json_read_element(names, i)), str_of(name)))
			return true;
	}
	return false;
}

/* Its words and scores; which documents are right is for the caller. */
static struct asked *add_text(struct learner *l, struct str text, size_t file)
{
	struct asked *a;

	MEM_GROW(l->all, l->cap, l->count + 1);
	a = &l->all[l->count++];
	*a = (struct asked){.file = file};
	respell(&a->text, text, &l->corpus, NULL, NULL);
	question_read(&a->question, buf_str(&a->text));
	a->scores = mem_zalloc(l->corpus.count, sizeof(*a->scores));
	route_score(a->scores, &l->corpus, &a->question, NULL, NULL);
	a->is_right = mem_zalloc(l->corpus.count, sizeof(*a->is_right));
	a->words = mem_alloc(a->question.words.count + 1, sizeof(*a->words));
	for (size_t i = 0; i < a->question.words.count; i++) {
		if (learned_counts(&a->question, i))
			a->words[a->word_count++] = strtab_keep(
				&l->words, &l->arena, str_of(a->question.words.all[i].stem));
	}
	return a;
}

static void add_question(struct learner *l, const struct json *entry, size_t file)
{
	const struct json *right = json_read_member(entry, "analyses");
	struct asked *a;

	if (!json_read_length(right))
		return;
	a = add_text(l, json_read_string(json_read_member(entry, "question")), file);
	for (size_t d = 0; d < l->corpus.count; d++)
		a->is_right[d] = lists(right, l->corpus.documents[d].analysis->name);
}

/* What topics ask themselves goes on to lead to them. */
static void add_examples(struct learner *l)
{
	const struct corpus *c = &l->corpus;

	for (size_t x = 0; x < c->example_count; x++) {
		const struct analysis *right = c->documents[c->examples[x].document].analysis;
		struct asked *a = add_text(l, c->examples[x].text, EXAMPLES);

		for (size_t d = 0; d < c->count; d++)
			a->is_right[d] = c->documents[d].analysis == right;
	}
}

static int read_file(struct learner *l, const char *path, size_t file, struct err *e)
{
	struct json *document;

	if (json_read_file(&document, path, e) < 0)
		return -1;
	for (size_t i = 0; i < json_read_length(document); i++)
		add_question(l, json_read_element(document, i), file);
	json_read_free(document);
	return 0;
}

static double score(const struct learner *l, const struct asked *a, size_t document)
{
	double sum = a->scores[document];

	for (size_t i = 0; i < a->word_count; i++)
		sum += l->weights[a->words[i] * l->analyses + l->analysis_of[document]];
	return sum;
}

/* The best document that is right, or wrong. */
static size_t best(const struct learner *l, const struct asked *a, bool is_right, double *ret_score)
{
	size_t found = 0;

	*ret_score = -INFINITY;
	for (size_t d = 0; d < l->corpus.count; d++) {
		const double s = a->is_right[d] == is_right ? score(l, a, d) : -INFINITY;

		if (s > *ret_score) {
			*ret_score = s;
			found = d;
		}
	}
	return found;
}

static void move(struct learner *l, const struct asked *a, size_t document, double by)
{
	for (size_t i = 0; i < a->word_count; i++)
		l->weights[a->words[i] * l->analyses + l->analysis_of[document]] +=
			(float)(by / sqrt((double)a->word_count));
}

static void learn_from(struct learner *l, const struct asked *a)
{
	double right, wrong;
	const size_t home = best(l, a, true, &right), astray = best(l, a, false, &wrong);

	if (right >= wrong + AHEAD)
		return;
	move(l, a, home, RATE);
	move(l, a, astray, -RATE);
}

/* Words that few say, and weights that hardly matter, are left out. */
static void prune(struct learner *l, size_t left_out, double rounds)
{
	size_t *said = mem_zalloc(l->words.count, sizeof(*said));

	for (size_t i = 0; i < l->count; i++) {
		for (size_t w = 0; l->all[i].file != left_out && w < l->all[i].word_count; w++)
			said[l->all[i].words[w]]++;
	}
	for (size_t k = 0; k < l->words.count * l->analyses; k++) {
		const double mean = l->sums[k] / rounds;

		l->weights[k] = said[k / l->analyses] >= LEAST_SAID && fabs(mean) >= LEAST_WEIGHT
					? (float)mean
					: 0;
	}
	free(said);
}

/* From all files but one; SIZE_MAX: from all. */
static void learn(struct learner *l, size_t left_out)
{
	const size_t size = l->words.count * l->analyses;
	double rounds = 0;

	free(l->weights);
	free(l->sums);
	l->weights = mem_zalloc(size, sizeof(*l->weights));
	l->sums = mem_zalloc(size, sizeof(*l->sums));
	for (size_t round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < l->count; i++) {
			const struct asked *a = &l->all[(i * STRIDE + round * 31) % l->count];

			if (a->file != left_out)
				learn_from(l, a);
		}
		/* Early rounds have not seen enough. */
		for (size_t k = 0; round >= ROUNDS / 2 && k < size; k++)
			l->sums[k] += l->weights[k];
		rounds += round >= ROUNDS / 2;
	}
	prune(l, left_out, rounds);
}

static double share_right(const struct learner *l, size_t file)
{
	size_t right = 0, all = 0;

	for (size_t i = 0; i < l->count; i++) {
		double good, bad;

		if (l->all[i].file != file)
			continue;
		best(l, &l->all[i], true, &good);
		best(l, &l->all[i], false, &bad);
		right += good > bad;
		all++;
	}
	return all ? 100.0 * (double)right / (double)all : 0;
}

static void check(struct learner *l, char **paths, size_t count)
{
	for (size_t f = 0; f < count; f++) {
		double without;

		learn(l, f);
		without = share_right(l, f);
		memset(l->weights, 0, l->words.count * l->analyses * sizeof(*l->weights));
		printf("%s: %.1f %% right, %.1f %% with what the others teach\n", paths[f],
		       share_right(l, f), without);
	}
}

/* Of questions that led, or did not lead, to the right analysis, those that are sure of it. */
struct gate {
	size_t right, wrong, all;
};

/* By how far the first one has to lead; each file as it is answered when the others teach. */
static void add_gate(struct learner *l, size_t file, struct gate *gates)
{
	double *scores = mem_alloc(l->corpus.count, sizeof(*scores));

	for (size_t i = 0; i < l->count; i++) {
		const struct asked *a = &l->all[i];
		struct route r;
		bool is_right;

		if (a->file != file)
			continue;
		for (size_t d = 0; d < l->corpus.count; d++)
			scores[d] = score(l, a, d);
		route_rank(&r, &l->corpus, &a->question, scores, NULL, NULL);
		is_right = a->is_right[r.all[0].document - l->corpus.documents];
		for (size_t g = 0; g < GATES; g++) {
			const bool is_sure = route_is_sure(&r, GATE_FIRST + GATE_STEP * (double)g);

			gates[g].right += is_sure && is_right;
			gates[g].wrong += is_sure && !is_right;
			gates[g].all++;
		}
	}
	free(scores);
}

static void check_gate(struct learner *l, size_t files)
{
	struct gate gates[GATES] = {0};

	for (size_t f = 0; f < files; f++) {
		learn(l, f);
		add_gate(l, f, gates);
	}
	for (size_t g = 0; g < GATES; g++)
		printf("lead %.1f: %.1f %% sure and wrong, %.1f %% sure and right\n",
		       GATE_FIRST + GATE_STEP * (double)g,
		       100.0 * (double)gates[g].wrong / (double)gates[g].all,
		       100.0 * (double)gates[g].right / (double)gates[g].all);
}

static void write_analysis(const struct learner *l, size_t analysis)
{
	SCOPED_BUF b = {0};
	size_t begin = 0;

	for (size_t w = 0; w < l->words.count; w++) {
		const float weight = l->weights[w * l->analyses + analysis];

		if (weight == 0)
			continue;
		if (b.len - begin > LINE) {
			buf_adds(&b, "\"\n\t\"");
			begin = b.len;
		}
		buf_addf(&b, "%.*s %.2g ", STR_FMT(l->words.items[w]), (double)weight);
	}
	if (b.len)
		printf("LEARNED(%s,\n\t\"%s\")\n", l->names[analysis], b.s);
}

static void write_all(struct learner *l)
{
	learn(l, SIZE_MAX);
	printf("/* LEARNED(analysis, \"stem weight …\"): written by build/unit/learn. */\n");
	for (size_t a = 0; a < l->analyses; a++)
		write_analysis(l, a);
}

int main(int argc, char **argv)
{
	const bool checks = argc > 1 && strcmp(argv[1], "--check") == 0;
	const bool gates = argc > 1 && strcmp(argv[1], "--gate") == 0;
	const int first = checks || gates ? 2 : 1;
	struct learner l = {0};
	struct err e = {0};

	corpus_make(&l.corpus, asked_besides);
	number_analyses(&l);
	add_examples(&l);
	for (int i = first; i < argc; i++) {
		if (read_file(&l, argv[i], (size_t)(i - first), &e) < 0) {
			fprintf(stderr, "learn: %s\n", e.message);
			return 1;
		}
	}
	if (checks)
		check(&l, argv + first, (size_t)(argc - first));
	else if (gates)
		check_gate(&l, (size_t)(argc - first));
	else
		write_all(&l);
	return 0;
}

/* Can two sides be compared at all? */
#include "diff/comparable.h"

#include "base/buf.h"
#include "base/sort.h"
#include "diff/same_period.h"
#include "text/units.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Facts that are texts. */
static const struct fact {
	const char *what, *means;
	size_t offset; /* in struct run_facts */
	bool forbids;
	bool may_be_unknown; /* and is then no hindrance */
} texts[] = {
	{"GPU model", "another GPU is no change of the program", offsetof(struct run_facts, gpu),
	 true, true},
	{"recorded events", "recording more costs the program time",
	 offsetof(struct run_facts, recorded), false, false},
	{"export schema", "older exports lack columns", offsetof(struct run_facts, schema), false,
	 true},
	{"profiler", "profilers differ in what they cost", offsetof(struct run_facts, tool), false,
	 true},
	{"driver", "a new driver may be the change", offsetof(struct run_facts, driver), false,
	 true},
	{"CUDA", "a new library may be the change", offsetof(struct run_facts, cuda), false, true},
};

static const char *text_of(const struct account *a, const struct fact *f)
{
	const char *text;

	memcpy(&text, (const char *)&a->facts + f->offset, sizeof(text));
	return text;
}

static int by_text(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All values of a side, each once, in an order of their own. */
static const char *values_of(const struct side_runs *side, const struct fact *fact,
			     struct arena *arena)
{
	const char **values = arena_alloc(arena, side->run_count, sizeof(*values));
	struct buf b = {0};
	const char *text = "";

	for (size_t r = 0; r < side->run_count; r++)
		values[r] = text_of(side->runs[r], fact);
	sort_stable(values, side->run_count, sizeof(*values), by_text, NULL);
	for (size_t r = 0; r < side->run_count; r++) {
		if (values[r][0] && (!r || strcmp(values[r], values[r - 1]) != 0))
			buf_addf(&b, "%s%s", b.len ? "; " : "", values[r]);
	}
	if (b.len)
		text = arena_strdup(arena, b.s);
	buf_free(&b);
	return text;
}

void hindrances_add(struct hindrances *h, struct hindrance x)
{
	if (h->count == HINDRANCES_MAX)
		return;
	h->all[h->count++] = x;
	h->forbids |= x.forbids;
}

static void compare_texts(struct hindrances *h, const struct sides *s, struct arena *arena)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char *before = values_of(&s->of[BEFORE], &texts[i], arena);
		const char *after = values_of(&s->of[AFTER], &texts[i], arena);

		if (strcmp(before, after) == 0 ||
		    (texts[i].may_be_unknown && (!before[0] || !after[0])))
			continue;
		hindrances_add(h, (struct hindrance){texts[i].what,
						     {before, after},
						     texts[i].means,
						     texts[i].forbids});
	}
}

/* "1", or "1 to 8" where runs of a side differ. */
static const char *count_of(const struct side_runs *side, bool gpus, struct arena *arena)
{
	uint32_t least = UINT32_MAX, most = 0;

	for (size_t r = 0; r < side->run_count; r++) {
		const struct run_facts *f = &side->runs[r]->facts;
		const uint32_t n = gpus ? f->gpus : f->processes;

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	return least == most ? arena_printf(arena, "%u", most)
			     : arena_printf(arena, "%u to %u", least, most);
}

/* None at all: nobody counted them. */
static bool counts_differ(const char *const counts[SIDES])
{
	return strcmp(counts[BEFORE], counts[AFTER]) != 0 && strcmp(counts[BEFORE], "0") != 0 &&
	       strcmp(counts[AFTER], "0") != 0;
}

static bool communicates(const struct side_runs *side)
{
	for (size_t i = 0; i < side->leaf_count; i++) {
		if (side->leaves[i].key->class == LEAF_COMM)
			return true;
	}
	return false;
}

/* Jobs may have as many ranks as each other, though not all of them were recorded. */
static bool add_ranks(struct hindrances *h, const struct sides *s, const char *const ranks[SIDES])
{
	const bool alone = strcmp(ranks[BEFORE], "1") == 0 || strcmp(ranks[AFTER], "1") == 0;

	if (!counts_differ(ranks) || !communicates(&s->of[BEFORE]) || !communicates(&s->of[AFTER]))
		return false;
	hindrances_add(
		h, (struct hindrance){"ranks recorded",
				      {ranks[BEFORE], ranks[AFTER]},
				      alone ? "the capture of one rank does not say how many there "
					      "are, nor whether this one bounds the steps"
					    : "either some are missing, or steps share the work in "
					      "another way",
				      false});
	return true;
}

static void compare_counts(struct hindrances *h, const struct sides *s, struct arena *arena)
{
	const char *const gpus[SIDES] = {count_of(&s->of[BEFORE], true, arena),
					 count_of(&s->of[AFTER], true, arena)};
	const char *const processes[SIDES] = {count_of(&s->of[BEFORE], false, arena),
					      count_of(&s->of[AFTER], false, arena)};

	if (add_ranks(h, s, processes))
		return;
	if (counts_differ(gpus))
		hindrances_add(h, (struct hindrance){"GPUs at work",
						     {gpus[BEFORE], gpus[AFTER]},
						     "steps share the work in another way",
						     false});
	/* A process for each GPU is the same said twice. */
	if (counts_differ(processes) && (strcmp(gpus[BEFORE], processes[BEFORE]) != 0 ||
					 strcmp(gpus[AFTER], processes[AFTER]) != 0))
		hindrances_add(h, (struct hindrance){"processes at work",
						     {processes[BEFORE], processes[AFTER]},
						     "steps share the work in another way",
						     false});
}

/* Some of a side's runs may have no steps: then it has none. */
static bool has_steps(const struct side_runs *side)
{
	for (size_t r = 0; r < side->run_count; r++) {
		if (side->runs[r]->is_window)
			return false;
	}
	return true;
}

/* Whether any run of a side has graphs that hide their kernels. */
static bool hides_kernels(const struct side_runs *side)
{
	for (size_t r = 0; r < side->run_count; r++) {
		if (strcmp(side->runs[r]->facts.graphs, "whole") == 0)
			return true;
	}
	return false;
}

static void compare_graphs(struct hindrances *h, const struct sides *s)
{
	static const char *const words[] = {"by their kernels, or none", "as a whole"};
	const bool before = hides_kernels(&s->of[BEFORE]), after = hides_kernels(&s->of[AFTER]);

	if (before != after)
		hindrances_add(
			h, (struct hindrance){"CUDA graphs recorded",
					      {words[before], words[after]},
					      "whole graphs hide their kernels: record both with "
					      "--cuda-graph-trace=node",
					      true});
}

static void compare_steps(struct hindrances *h, const struct sides *s)
{
	static const char *const words[] = {"a window without steps", "steps"};
	const bool before = has_steps(&s->of[BEFORE]), after = has_steps(&s->of[AFTER]);

	if (before != after)
		hindrances_add(h, (struct hindrance){"what is timed",
						     {words[before], words[after]},
						     "a step is not compared with a window",
						     true});
}

static const char repeating_kernels[] = "repetitions of kernels"; /* of any period */

/* What a step is, without how many there are: "ranges 'step N'". */
const char *step_definition_of(const struct account *a)
{
	const char *text = a->how ? a->how : "";

	text += strspn(text, "0123456789 ");
	if (strncmp(text, "to ", 3) == 0)
		text += 3 + strspn(text + 3, "0123456789 ");
	return strncmp(text, "repetitions", 11) == 0 ? repeating_kernels : text;
}

/* In a capture of a step or two other kernels repeat than in a longer one: those of a layer. */
static struct hindrance other_period(const struct account *before, const struct account *after)
{
	if (strcmp(step_definition_of(before), repeating_kernels) != 0 ||
	    periods_are_alike(before, after))
		return (struct hindrance){0};
	return (struct hindrance){"what a step is",
				  {before->how, after->how},
				  "kernels repeat in another period, and steps are not the same "
				  "work: name those that both have with --range NAME or --marker "
				  "REGEX",
				  true};
}

/* Of two runs: what tells the steps of one and not those of the other. Nothing: they are alike. */
static struct hindrance other_definition(const struct account *before, const struct account *after)
{
	const char *x = step_definition_of(before), *y = step_definition_of(after);
	const bool forbids = !steps_launch_alike(before, after);

	if (before->is_window || after->is_window)
		return (struct hindrance){0};
	if (strcmp(x, y) == 0)
		return other_period(before, after);
	/* Ranges may have another name: what they launch tells whether they are the same. */
	return (struct hindrance){"what a step is",
				  {x, y},
				  forbids ? "steps of two definitions are not the same work: name "
					    "those that both have with --range NAME or --marker "
					    "REGEX"
					  : "steps are told in two ways, and launch about as much",
				  forbids};
}

/* What forbids counts most, whichever runs come first. */
static struct hindrance graver(struct hindrance found, struct hindrance other)
{
	return !found.what || (other.forbids && !found.forbids) ? other : found;
}

/* The first run of one side stands for it; each of the other is held against it. */
static void compare_definitions(struct hindrances *h, const struct sides *s)
{
	const struct side_runs *b = &s->of[BEFORE], *a = &s->of[AFTER];
	struct hindrance found = {0};

	for (size_t r = 0; r < a->run_count; r++)
		found = graver(found, other_definition(b->runs[0], a->runs[r]));
	for (size_t r = 1; r < b->run_count; r++)
		found = graver(found, other_definition(b->runs[r], a->runs[0]));
	if (found.what)
		hindrances_add(h, found);
}

static const char *name_ops(const struct account *a, struct arena *arena)
{
	return arena_printf(arena, "%.0f", ops_of_step(a));
}

/* Of two captures without steps one may be of a step and the other of many. */
static struct hindrance other_window(const struct account *before, const struct account *after,
				     struct arena *arena)
{
	if (!before->is_window || !after->is_window || periods_are_alike(before, after))
		return (struct hindrance){0};
	return (struct hindrance){"GPU ops of the window",
				  {name_ops(before, arena), name_ops(after, arena)},
				  "the windows are not the same work: name steps with --range NAME "
				  "or --marker REGEX, or windows with --trim-before and "
				  "--trim-after",
				  true};
}

static void compare_windows(struct hindrances *h, const struct sides *s, struct arena *arena)
{
	const struct side_runs *b = &s->of[BEFORE], *a = &s->of[AFTER];
	struct hindrance found = {0};

	for (size_t r = 0; r < a->run_count; r++)
		found = graver(found, other_window(b->runs[0], a->runs[r], arena));
	for (size_t r = 1; r < b->run_count; r++)
		found = graver(found, other_window(b->runs[r], a->runs[0], arena));
	if (found.what)
		hindrances_add(h, found);
}

bool steps_are_unlike(const struct sides *s)
{
	struct hindrances h = {0};

	compare_steps(&h, s);
	compare_definitions(&h, s);
	return h.forbids;
}

struct str step_range_of(const struct account *a)
{
	static const char begin[] = "ranges '";
	const struct str text = str_of(step_definition_of(a));
	const size_t len = sizeof(begin) - 1;

	if (a->is_window || !str_starts(text, begin) || text.len <= len + 1)
		return (struct str){0};
	return (struct str){text.s + len, text.len - len - 1};
}

/* For each step: each run counts the same. */
static double pauses_of_step(const struct side_runs *s)
{
	double ns = 0;

	for (size_t r = 0; r < s->run_count; r++)
		ns += (double)s->runs[r]->pauses_ns / (double)s->runs[r]->step_count;
	return ns / (double)s->run_count;
}

static const char *name_pauses(double ns, struct arena *arena)
{
	SCOPED_BUF b = {0};

	units_add_ns(&b, ns);
	return arena_printf(arena, "%s a step", b.s);
}

/* An evaluation is none of a step; what holds one side up and not the other may be a change. */
static void compare_pauses(struct hindrances *h, const struct sides *s, double tolerance,
			   struct arena *arena)
{
	const double before = pauses_of_step(&s->of[BEFORE]), after = pauses_of_step(&s->of[AFTER]);
	const double step_ns = account_step_ns(s->of[BEFORE].runs[0]);

	if (fabs(after - before) <= tolerance * step_ns)
		return;
	hindrances_add(h,
		       (struct hindrance){"pauses between steps",
					  {name_pauses(before, arena), name_pauses(after, arena)},
					  "they are left out, as an evaluation is; gpuwhy iters "
					  "tells of them",
					  false});
}

/* How far steps reach in any run of a side; with pauses that were left out. */
static const char *reach_of(const struct side_runs *s, bool ret_any[STEP_REACHES], bool *ret_pauses)
{
	static const char *const words[STEP_REACHES] = {"no time between steps counts",
							"pauses between steps are left out",
							"pauses between steps count"};
	int most = 0;

	*ret_pauses = false;
	for (size_t r = 0; r < s->run_count; r++) {
		const struct account *a = s->runs[r];

		ret_any[a->reach] = true;
		*ret_pauses |= a->reach == REACH_NEXT && a->pauses;
		most = (int)a->reach > most ? (int)a->reach : most;
	}
	return words[most];
}

/* Captures are read alike; what a baseline keeps is as it was saved. */
static void compare_reach(struct hindrances *h, const struct sides *s)
{
	bool any[SIDES][STEP_REACHES] = {{false}}, pauses[SIDES];
	const char *const words[SIDES] = {reach_of(&s->of[BEFORE], any[BEFORE], &pauses[BEFORE]),
					  reach_of(&s->of[AFTER], any[AFTER], &pauses[AFTER])};
	bool differ = false;

	for (int side = 0; side < SIDES; side++) {
		differ |= any[side][REACH_OWN] && (any[!side][REACH_NEXT] || any[!side][REACH_ALL]);
		differ |= pauses[side] && any[!side][REACH_ALL];
	}
	if (differ)
		hindrances_add(h, (struct hindrance){
					  "how far steps reach",
					  {words[BEFORE], words[AFTER]},
					  "a step of one side is not that of the other: save the "
					  "baseline again",
					  true});
}

/* Steps of the run that has fewest; SIZE_MAX: more than their own time counts, or one has none. */
static size_t fewest_of_own(const struct side_runs *s)
{
	size_t fewest = ENOUGH_STEPS;

	for (size_t r = 0; r < s->run_count; r++) {
		const size_t steps = account_steps_to_tell(s->runs[r]);

		if (s->runs[r]->is_window || s->runs[r]->reach != REACH_OWN)
			return SIZE_MAX;
		fewest = steps < fewest ? steps : fewest;
	}
	return fewest;
}

static const char *name_fewest(size_t steps, struct arena *arena)
{
	return steps < ENOUGH_STEPS
		       ? arena_printf(arena, "%zu step%s", steps, steps == 1 ? "" : "s")
		       : "3 steps or more";
}

/* A loader that stalls after each step is found in no capture of one. */
static void compare_few(struct hindrances *h, const struct sides *s, struct arena *arena)
{
	const size_t before = fewest_of_own(&s->of[BEFORE]), after = fewest_of_own(&s->of[AFTER]);

	if (before == after || before == SIZE_MAX || after == SIZE_MAX)
		return;
	hindrances_add(h, (struct hindrance){
				  "time between steps",
				  {name_fewest(before, arena), name_fewest(after, arena)},
				  "what usually lies between is not known of both, and none of it "
				  "is compared",
				  false});
}

void hindrances_find(struct hindrances *ret, const struct sides *s, const struct likeness *like,
		     struct arena *arena)
{
	*ret = (struct hindrances){0};
	compare_steps(ret, s);
	compare_definitions(ret, s);
	compare_windows(ret, s, arena);
	hindrances_add_programs(ret, s, like, arena);
	compare_graphs(ret, s);
	compare_texts(ret, s, arena);
	compare_counts(ret, s, arena);
	compare_reach(ret, s);
	compare_few(ret, s, arena);
	compare_pauses(ret, s, like->tolerance, arena);
}

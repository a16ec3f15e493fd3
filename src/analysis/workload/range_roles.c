/* What does a range's name say that it does? */
#include "analysis/workload/range_roles.h"

#include "base/mem.h"

#include <stdlib.h>

enum { ENGINES = 3, LONGEST_NAME = 4096 };

/*
 * Steps of engines: `mark` is in all of their names, the groups say how many requests are in their
 * prefill, how many get a token, how many tokens are looked at for that, and in which mode it is.
 */
static const struct {
	enum sign engine;
	const char *mark, *pattern;
	const char *context, *tokens, *mode; /* groups; NULL: there is none. "batch" is in all. */
} engines[ENGINES] = {
	{SIGN_VLLM, "_generation_",
	 "context_(?<context>\\d+)\\(\\d+\\)_generation_(?<batch>\\d+)\\((?<tokens>\\d+)\\)",
	 "context", "tokens", NULL},
	{SIGN_SGLANG, "step[", "step\\[(?<mode>[A-Z_]+) bs=(?<batch>\\d+)", NULL, NULL, "mode"},
	{SIGN_TENSORRT_LLM, "_forward_step",
	 "_forward_step(?: \\d+)?: (?<context>\\d+) ctx reqs,(?: \\d+ ctx tokens,)? "
	 "(?<batch>\\d+) gen reqs",
	 "context", NULL, NULL},
};

/* SGLang's modes; others, such as IDLE, make no token. */
static const struct {
	const char *mode;
	enum role role;
} modes[] = {
	{"DECODE", ROLE_DECODE},	 {"EXTEND", ROLE_PREFILL}, {"PREFILL", ROLE_PREFILL},
	{"MIXED", ROLE_MIXED},		 {"VERIFY", ROLE_VERIFY},  {"TARGET_VERIFY", ROLE_VERIFY},
	{"SPLIT_PREFILL", ROLE_PREFILL},
};

/* A size, not a count of batches: "batch 3" may be the third. */
static const char batch_size[] = "(?<![a-z])(?:batch ?[=:] ?|batch[ _]?size ?[=:_ ] ?|bs ?[=:_ ]? "
				 "?)(?<batch>\\d+)(?![\\d.])";

/* Phases of the map that mean something here, by their names. */
static const struct {
	const char *phase;
	enum role role;
} phases[] = {
	{"prefill", ROLE_PREFILL},   {"decode", ROLE_DECODE},	    {"sampling", ROLE_SAMPLING},
	{"backward", ROLE_BACKWARD}, {"optimizer", ROLE_OPTIMIZER},
};

static int compile(struct pattern **ret, const char *text, struct err *e)
{
	return pattern_compile(ret, str_of(text), PATTERN_ANY_CASE, e);
}

int range_roles_open(struct range_roles *r, const struct trace *t, const uint32_t *folded,
		     size_t folded_count, const char *phase_map, struct err *e)
{
	*r = (struct range_roles){.trace = t, .folded = folded};
	r->of_name = mem_zalloc(t->names.count, sizeof(*r->of_name));
	r->of_folded = mem_zalloc(folded_count, sizeof(*r->of_folded));
	for (size_t i = 0; i < ENGINES; i++) {
		if (compile(&r->engines[i], engines[i].pattern, e) < 0)
			return -1;
	}
	if (compile(&r->batch, batch_size, e) < 0)
		return -1;
	return phase_map_read(&r->phases, phase_map, e);
}

void range_roles_close(struct range_roles *r)
{
	for (size_t i = 0; i < ENGINES; i++)
		pattern_free(r->engines[i]);
	pattern_free(r->batch);
	phase_map_free(&r->phases);
	free(r->of_name);
	free(r->of_folded);
	*r = (struct range_roles){0};
}

/* The number that a group found; 0 where there is none, or too large to be one of requests. */
static int read_number(struct pattern *p, struct str name, const char *group, uint32_t *ret,
		       struct err *e)
{
	struct str digits = {0};
	uint64_t value = 0;

	*ret = 0;
	if (!group)
		return 0;
	if (pattern_capture(p, name, group, &digits, e) < 0)
		return -1;
	for (size_t i = 0; i < digits.len && value <= UINT32_MAX; i++)
		value = 10 * value + (uint64_t)(digits.s[i] - '0');
	*ret = value <= UINT32_MAX ? (uint32_t)value : 0;
	return 0;
}

static enum role role_of_mode(struct str mode)
{
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		if (str_eq(mode, str_of(modes[i].mode)))
			return modes[i].role;
	}
	return ROLE_NONE;
}

static enum role role_of_counts(uint32_t context, uint32_t batch, uint32_t tokens)
{
	if (context)
		return batch ? ROLE_MIXED : ROLE_PREFILL;
	if (!batch)
		return ROLE_NONE;
	return tokens > batch ? ROLE_VERIFY : ROLE_DECODE;
}

/* 1: it is a step of the engine; 0: it is not. */
static int read_engine(struct range_roles *r, size_t i, struct str name, struct range_role *ret,
		       struct err *e)
{
	struct pattern *p = r->engines[i];
	uint32_t context, tokens;
	struct str mode = {0};
	int found;

	if (!str_holds(name, engines[i].mark))
		return 0;
	found = pattern_match(p, name, e);
	if (found <= 0)
		return found;
	if (read_number(p, name, "batch", &ret->batch, e) < 0 ||
	    read_number(p, name, engines[i].context, &context, e) < 0 ||
	    read_number(p, name, engines[i].tokens, &tokens, e) < 0 ||
	    (engines[i].mode && pattern_capture(p, name, engines[i].mode, &mode, e) < 0))
		return -1;
	ret->engine = (uint8_t)engines[i].engine;
	ret->role = (uint8_t)(engines[i].mode ? role_of_mode(mode)
					      : role_of_counts(context, ret->batch, tokens));
	return 1;
}

/* "generate", "model.generate", "generate 3"; "generate_data" makes no tokens. */
static bool is_generate(struct str name)
{
	static const char word[] = "generate";
	const size_t n = sizeof(word) - 1;

	for (size_t i = 0; i + n <= name.len; i++) {
		const char before = i ? name.s[i - 1] : ' ';
		const char after = i + n < name.len ? name.s[i + n] : ' ';

		if (strncasecmp(name.s + i, word, n) == 0 && strchr(" .:", before) &&
		    strchr(" (", after) && after && before)
			return true;
	}
	return false;
}

/* "request 3", "Request: 7"; "recv_requests" handles them. */
static bool is_request(struct str name)
{
	return name.len >= 7 && strncasecmp(name.s, "request", 7) == 0 &&
	       (name.len == 7 || strchr(" _:#", name.s[7]));
}

static int read_words(struct range_roles *r, struct str name, struct range_role *ret, struct err *e)
{
	uint32_t phase;

	if (phase_map_find(&r->phases, name, &phase, e) < 0 ||
	    read_number(r->batch, name, "batch", &ret->batch, e) < 0)
		return -1;
	ret->role = is_generate(name) ? ROLE_GENERATE : is_request(name) ? ROLE_REQUEST : ROLE_NONE;
	for (size_t i = 0; phase != PHASE_NONE && i < ARRAY_LEN(phases); i++) {
		if (str_eq(r->phases.names[phase], str_of(phases[i].phase)))
			ret->role = (uint8_t)phases[i].role;
	}
	return 0;
}

static int read_name(struct range_roles *r, struct str name, struct range_role *ret, struct err *e)
{
	int found = 0;

	name.len = name.len < LONGEST_NAME ? name.len : LONGEST_NAME;
	*ret = (struct range_role){.engine = SIGNS};
	for (size_t i = 0; found == 0 && i < ENGINES; i++)
		found = read_engine(r, i, name, ret, e);
	if (found == 0)
		found = read_words(r, name, ret, e);
	return found < 0 ? -1 : 0;
}

/* Names that differ by counters differ in nothing else, but where a number means something. */
int range_role_find(struct range_roles *r, uint32_t name, const struct range_role **ret,
		    struct err *e)
{
	static const struct range_role none = {ROLE_NONE, SIGNS, 0};
	struct range_role *role = name == NAME_NONE ? NULL : &r->of_name[name], *first;

	*ret = role ? role : &none;
	if (!role || role->role != ROLE_UNKNOWN)
		return 0;
	first = &r->of_folded[r->folded[name]];
	if (first->role != ROLE_UNKNOWN && first->engine == SIGNS && !first->batch) {
		*role = *first;
		return 0;
	}
	if (read_name(r, trace_name(r->trace, name), role, e) < 0)
		return -1;
	*first = *role;
	return 0;
}

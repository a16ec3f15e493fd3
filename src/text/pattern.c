/* Is this pattern in that text? */
#include "text/pattern.h"

#include "base/mem.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
	LONGEST = 10000, /* bytes of a pattern */
	MOST_STEPS = 1000000,
	MOST_MEMORY_KIB = 16 * 1024,
	SHOWN = 200, /* bytes of a pattern in a message */
};

struct pattern {
	char *text;
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
};

static int bad_pattern(const char *text, int code, size_t offset, struct err *e)
{
	PCRE2_UCHAR message[256];

	if (pcre2_get_error_message(code, message, sizeof(message)) < 0)
		message[0] = '\0';
	return err_set(e, ERR_USAGE, "'%.*s' is not a regular expression: %s, at byte %zu", SHOWN,
		       text, (const char *)message, offset + 1);
}

static int compile(struct pattern *p, size_t len, unsigned flags, struct err *e)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
	size_t offset = 0;
	int code = 0;

	if (len > LONGEST)
		return err_set(e, ERR_USAGE, "a pattern of %zu bytes is too long: at most %d", len,
			       LONGEST);
	if (flags & PATTERN_ANY_CASE)
		options |= PCRE2_CASELESS;
	if (flags & PATTERN_LITERAL)
		options |= PCRE2_LITERAL;
	p->code = pcre2_compile((PCRE2_SPTR)p->text, len, options, &code, &offset, NULL);
	if (!p->code)
		return bad_pattern(p->text, code, offset, e);
	/* Where there is no such compiler, matching is merely slower. */
	pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	p->match = pcre2_match_data_create_from_pattern(p->code, NULL);
	p->limits = pcre2_match_context_create(NULL);
	if (!p->match || !p->limits)
		return err_set(e, ERR_SYSTEM, "out of memory");
	pcre2_set_match_limit(p->limits, MOST_STEPS);
	pcre2_set_heap_limit(p->limits, MOST_MEMORY_KIB);
	return 0;
}

int pattern_compile(struct pattern **ret, struct str text, unsigned flags, struct err *e)
{
	struct pattern *p = mem_zalloc(1, sizeof(*p));

	*ret = NULL;
	p->text = mem_alloc(text.len + 1, 1);
	if (text.len)
		memcpy(p->text, text.s, text.len);
	p->text[text.len] = '\0';
	if (compile(p, text.len, flags, e) < 0) {
		pattern_free(p);
		return -1;
	}
	*ret = p;
	return 0;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_match_context_free(p->limits);
	pcre2_match_data_free(p->match);
	pcre2_code_free(p->code);
	free(p->text);
	free(p);
}

int pattern_match(struct pattern *p, struct str subject, struct err *e)
{
	PCRE2_SPTR text = (PCRE2_SPTR)(subject.s ? subject.s : "");
	int found = pcre2_match(p->code, text, subject.len, 0, 0, p->match, p->limits);

	/* Compiled patterns have a small stack: a long name may need more. */
	if (found == PCRE2_ERROR_JIT_STACKLIMIT)
		found = pcre2_match(p->code, text, subject.len, 0, PCRE2_NO_JIT, p->match,
				    p->limits);
	if (found >= 0)
		return 1;
	if (found == PCRE2_ERROR_NOMATCH)
		return 0;
	err_set(e, ERR_USAGE, "the pattern '%.*s' takes too long to match a name of %zu bytes",
		SHOWN, p->text, subject.len);
	return err_hint(e, "nested repetition, as in (a+)+, is the usual reason");
}

unsigned pattern_groups(const struct pattern *p)
{
	uint32_t count = 0;

	pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &count);
	return count;
}

int pattern_capture(struct pattern *p, struct str subject, const char *group, struct str *ret,
		    struct err *e)
{
	int number = pcre2_substring_number_from_name(p->code, (PCRE2_SPTR)group);
	int found = pattern_match(p, subject, e);
	const size_t *ends = pcre2_get_ovector_pointer(p->match);

	*ret = STR_LIT("");
	if (number < 1)
		number = 1;
	if (found <= 0 || (unsigned)number > pattern_groups(p) || ends[2 * number] == PCRE2_UNSET ||
	    ends[2 * number + 1] < ends[2 * number])
		return found;
	*ret = (struct str){subject.s + ends[2 * number], ends[2 * number + 1] - ends[2 * number]};
	return found;
}

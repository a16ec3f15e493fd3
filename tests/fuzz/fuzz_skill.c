/* Does any text whatever make the reader of skills crash, hang or take what it did not say? */
#include "commands/skills/skill_file.h"

#include "base/mem.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A default is a value of its type, as -p would have to give it. */
static void check_param(const struct skill_file *s, const struct skill_param *p)
{
	struct sql_value v;

	if (skill_file_param(s, p->name) != p || !p->line)
		abort();
	if (p->has_default && !skill_value(p->type, str_of(p->default_text), &v))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* As large as it is, and no byte more: what reads on is found. */
	char *text = mem_alloc(size, 1);
	struct skill_file s;
	struct err e = {0};

	if (size)
		memcpy(text, data, size);
	if (skill_file_parse(&s, (struct str){text, size}, "fuzz.sql", &e) < 0) {
		if (!e.message[0] || e.code != ERR_INPUT)
			abort();
	} else {
		if (!s.name || !s.summary || s.text.len != size)
			abort();
		for (size_t i = 0; i < s.param_count; i++)
			check_param(&s, &s.params[i]);
	}
	skill_file_free(&s);
	free(text);
	return 0;
}

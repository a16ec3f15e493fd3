/* Which formats are there? */
#include "base/mem.h"
#include "report/presenters.h"

static const struct presenter *const presenters[] = {
	&presenter_text, &presenter_markdown, &presenter_json,
	&presenter_csv,	 &presenter_html,     &presenter_folded,
};

const struct presenter *presenter_at(size_t i)
{
	return i < ARRAY_LEN(presenters) ? presenters[i] : NULL;
}

const struct presenter *presenter_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(presenters); i++)
		if (strcmp(presenters[i]->name, name) == 0)
			return presenters[i];
	return NULL;
}

/* Which analyses are there? */
#include "analysis/analysis.h"
#include "base/mem.h"

#define ANALYSIS(name) extern const struct analysis analysis_##name;
#include "analysis/list.def"
#undef ANALYSIS

static const struct analysis *const analyses[] = {
#define ANALYSIS(name) &analysis_##name,
#include "analysis/list.def"
#undef ANALYSIS
};

const struct analysis *analysis_at(size_t i)
{
	return i < ARRAY_LEN(analyses) ? analyses[i] : NULL;
}

const struct analysis *analysis_find(const char *name, bool nsys)
{
	for (size_t i = 0; i < ARRAY_LEN(analyses); i++) {
		if (analyses[i]->nsys == nsys && strcmp(analyses[i]->name, name) == 0)
			return analyses[i];
	}
	return NULL;
}

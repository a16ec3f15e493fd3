/*
 * How a kind of program names its NVTX ranges: which of them is the step to look at, what the
 * communication launched inside others is for, and which stage of the model they are.
 *
 *     {"anchor": "regex of the range that is the window",
 *      "purposes": {"regex": "purpose", …},
 *      "stages": {"regex": "stage", "regex with a (group)": null, …}}
 *
 * Of the patterns the first that matches a name counts. A stage that is null is called what the
 * pattern's group `stage`, or its first, found: ".*(stage\\d_[fb])" finds the last marker of a name
 * that holds two.
 */
#ifndef ANALYSIS_PRESET_H
#define ANALYSIS_PRESET_H

#include "base/arena.h"
#include "base/err.h"
#include "text/pattern.h"

/* The same in --help: the last paragraph for every command that reads a preset. */
#define PRESET_HELP                                                                            \
	"A preset is JSON; every part is optional. Of the patterns, the first that matches a " \
	"range's name counts; a null stage is named by the text its group matches:\n"          \
	"  {\"anchor\": \"REGEX of the window's range\",\n"                                    \
	"   \"purposes\": {\"REGEX\": \"purpose\", …},\n"                                    \
	"   \"stages\": {\"REGEX\": \"stage\", \"REGEX with a (group)\": null, …}}"

struct preset_rule {
	struct pattern *pattern;
	struct str label; /* s NULL: what the pattern's group finds */
};

struct preset_rules {
	struct preset_rule *items;
	size_t count;
};

struct preset {
	struct arena arena;
	const char *name;
	const char *anchor; /* NULL: it names none */
	struct preset_rules purposes, stages;
};

/*
 * One that ships, or a file; NULL: the default one. ERR_INPUT where it is no preset, ERR_USAGE
 * where a pattern is none.
 */
int preset_read(struct preset *ret, const char *name, struct err *e);
void preset_free(struct preset *p);

/* What the rules make of a name: true, and the label, which lives as long as both. */
int preset_label(const struct preset_rules *rules, struct str name, bool *ret_found,
		 struct str *ret, struct err *e);

#endif

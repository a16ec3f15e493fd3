/* How Nsight Compute is asked to look at some launches of a program. */
#ifndef CAPTURE_NCU_REQUEST_H
#define CAPTURE_NCU_REQUEST_H

#include "text/shell_words.h"

#include <stdint.h>

/* NULL where the usual will do. */
struct ncu_settings {
	const char *set;	     /* of sections: roofline */
	const char *const *sections; /* more than the set has */
	size_t section_count;
	const char *metrics;	   /* more than those have, with commas */
	const char *clock_control; /* base */
	const char *cache_control; /* all */
	const char *replay_mode;   /* kernel */
	const char *const *extra;  /* further arguments of ncu */
	size_t extra_count;
};

struct ncu_request {
	const char *ncu;
	const struct ncu_settings *settings;
	const char *id;	     /* --kernel-id in place of a pattern, and nothing skipped; or NULL */
	const char *pattern; /* a regular expression of names */
	bool by_function;    /* these are functions' own names, not demangled ones */
	const char *range;   /* see ncu_range_add(); or NULL */
	uint64_t skip, count;
	const char *output; /* without its ending */
};

/* Further words are in the arena. */
void ncu_request_argv(const struct ncu_request *q, const char *const *command, size_t count,
		      struct arena *arena, struct string_list *ret);

/* Makes a CSV of a report: page is "raw" or "details". */
void ncu_import_argv(const char *ncu, const char *report, const char *page, const char *out,
		     struct arena *arena, struct string_list *ret);

/*
 * The --nvtx-include that means a push/pop range of this name: characters that ncu gives a meaning
 * are escaped. An empty domain is the default one.
 */
void ncu_range_add(struct buf *b, struct str domain, struct str name);

/* Asks ncu whether the device has a counter: that of a metric, without its suffixes. */
void ncu_query_argv(const char *ncu, struct str metric, struct arena *arena,
		    struct string_list *ret);
/* Whether what it said lists the counter. */
bool ncu_query_lists(struct str said, struct str metric);

#endif

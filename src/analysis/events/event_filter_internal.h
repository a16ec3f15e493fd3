/* What a filter is made of: event_filter_parse.c reads it, event_filter.c asks it. */
#ifndef ANALYSIS_EVENT_FILTER_INTERNAL_H
#define ANALYSIS_EVENT_FILTER_INTERNAL_H

#include "analysis/events/event_filter.h"
#include "text/pattern.h"

enum filter_op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_HAS, OP_HAS_NOT };

enum filter_node_kind { NODE_COMPARE, NODE_AND, NODE_OR, NODE_NOT };

struct filter_node {
	enum filter_node_kind kind;
	uint32_t left, right; /* of AND, OR; NOT has a left one */
	enum event_field field;
	enum filter_op op;
	bool is_whole; /* the value is a whole number, exactly */
	int64_t whole;
	double number;
	size_t text_begin; /* in the filter's strings, which move as they grow */
	struct str text;
	struct pattern *pattern;       /* of ~ and !~ */
	uint8_t *answers[TRACE_KINDS]; /* by number of the text: what was found out about it */
};

struct event_filter {
	char *text;
	struct buf strings; /* values in quotes, without them */
	struct filter_node *nodes;
	size_t count, cap;
	uint32_t root;
	uint64_t fields;
};

#endif

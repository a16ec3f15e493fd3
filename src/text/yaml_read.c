/* What does this small YAML document say? */
#include "text/yaml_read.h"

#include "base/file.h"

#include <yaml.h>

struct reading {
	yaml_parser_t parser;
	const char *name;
	struct arena *arena;
	struct err *e;
	size_t nodes;
};

/* What is open: a mapping or list, and where its next child goes. */
struct level {
	struct yaml_node *node;
	struct yaml_node **end;
	const char *key; /* read, and its value is not yet; NULL: none */
	size_t key_line;
};

const char *yaml_kind_name(enum yaml_kind kind)
{
	static const char *const names[] = {"a value", "a list", "a mapping"};

	return names[kind];
}

static int refuse(const struct reading *r, size_t line, const char *what)
{
	return err_set(r->e, ERR_USAGE, "'%s', line %zu: %s", r->name, line, what);
}

static size_t line_of(const yaml_event_t *event)
{
	return event->start_mark.line + 1;
}

/* Anchors make a few lines stand for billions of nodes, and tags make values of other types. */
static int check_plain(const struct reading *r, const yaml_event_t *event)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
		break;
	default:
		break;
	}
	if (anchor || event->type == YAML_ALIAS_EVENT)
		return refuse(r, line_of(event), "anchors and aliases are not supported");
	return tag ? refuse(r, line_of(event), "tags are not supported") : 0;
}

static int scalar_text(const struct reading *r, const yaml_event_t *event, const char **ret)
{
	const struct str s = {(const char *)event->data.scalar.value, event->data.scalar.length};

	if (s.len && memchr(s.s, 0, s.len))
		return refuse(r, line_of(event), "there is a zero byte in the text");
	*ret = arena_str(r->arena, s).s;
	return 0;
}

static int take_key(const struct reading *r, struct level *l, const yaml_event_t *event)
{
	if (event->type != YAML_SCALAR_EVENT)
		return refuse(r, line_of(event), "a key has to be a word");
	if (scalar_text(r, event, &l->key) < 0)
		return -1;
	l->key_line = line_of(event);
	for (const struct yaml_node *n = l->node->first; n; n = n->next) {
		if (strcmp(n->key, l->key) == 0)
			return err_set(r->e, ERR_USAGE, "'%s', line %zu: '%s' is there twice",
				       r->name, l->key_line, l->key);
	}
	return 0;
}

static struct yaml_node *add_node(struct reading *r, struct level *l, const yaml_event_t *event,
				  enum yaml_kind kind)
{
	struct yaml_node *n = arena_zalloc(r->arena, 1, sizeof(*n));

	n->kind = kind;
	n->line = l->key ? l->key_line : line_of(event);
	n->key = l->key;
	l->key = NULL;
	*l->end = n;
	l->end = &n->next;
	r->nodes++;
	return n;
}

/* One event. *depth is that of the level that is open. */
static int take_event(struct reading *r, const yaml_event_t *event, struct level *levels,
		      size_t *depth)
{
	struct level *l = &levels[*depth];
	struct yaml_node *n;

	if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT) {
		--*depth;
		return 0;
	}
	if (l->node && l->node->kind == YAML_KIND_MAP && !l->key)
		return take_key(r, l, event);
	if (r->nodes == YAML_MOST_NODES)
		return refuse(r, line_of(event), "the document is too long");
	if (event->type == YAML_SCALAR_EVENT) {
		n = add_node(r, l, event, YAML_KIND_VALUE);
		return scalar_text(r, event, &n->text);
	}
	if (*depth == YAML_DEEPEST)
		return refuse(r, line_of(event), "the document is nested too deeply");
	n = add_node(r, l, event,
		     event->type == YAML_MAPPING_START_EVENT ? YAML_KIND_MAP : YAML_KIND_LIST);
	levels[++*depth] = (struct level){.node = n, .end = &n->first};
	return 0;
}

static int next_event(struct reading *r, yaml_event_t *event)
{
	if (yaml_parser_parse(&r->parser, event))
		return 0;
	return refuse(r,
		      (r->parser.problem_mark.line ? r->parser.problem_mark.line
						   : r->parser.context_mark.line) +
			      1,
		      r->parser.problem ? r->parser.problem : "this is no YAML");
}

/* The document's events, up to the end of the stream. */
static int read_events(struct reading *r, struct yaml_node **ret)
{
	struct level levels[YAML_DEEPEST + 1] = {{.end = ret}};
	size_t depth = 0, documents = 0;
	bool ends = false;

	while (!ends) {
		yaml_event_t event;
		int result;

		if (next_event(r, &event) < 0)
			return -1;
		result = check_plain(r, &event);
		if (result == 0 && event.type == YAML_DOCUMENT_START_EVENT && documents++)
			result = refuse(r, line_of(&event), "a second document begins");
		else if (result == 0 && event.type >= YAML_SCALAR_EVENT)
			result = take_event(r, &event, levels, &depth);
		ends = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
		if (result < 0)
			return -1;
	}
	return *ret ? 0 : refuse(r, 1, "the document is empty");
}

int yaml_read_text(const struct yaml_node **ret, struct str text, const char *name,
		   struct arena *arena, struct err *e)
{
	struct reading r = {.name = name, .arena = arena, .e = e};
	struct yaml_node *root = NULL;
	int result;

	*ret = NULL;
	if (!yaml_parser_initialize(&r.parser))
		return err_set(e, ERR_SYSTEM, "not enough memory");
	/* A byte order mark, which some editors write, is no part of the document. */
	if (str_starts(text, "\xef\xbb\xbf"))
		text = (struct str){text.s + 3, text.len - 3};
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.s, text.len);
	result = read_events(&r, &root);
	yaml_parser_delete(&r.parser);
	*ret = root;
	return result;
}

int yaml_read_file(const struct yaml_node **ret, const char *path, struct arena *arena,
		   struct err *e)
{
	SCOPED_BUF b = {0};

	*ret = NULL;
	if (file_read_stream(&b, path, YAML_LARGEST_BYTES, e) < 0)
		return -1;
	return yaml_read_text(ret, buf_str(&b), path, arena, e);
}

/*
 * Small YAML documents that users write: rules. Mappings, lists and plain values, as a tree whose
 * nodes know their lines. What would make one document mean two things, or a short one a long one,
 * is refused: anchors, aliases, tags, several documents, a key that comes twice. libyaml is known
 * to yaml_read.c alone.
 */
#ifndef TEXT_YAML_READ_H
#define TEXT_YAML_READ_H

#include "base/arena.h"
#include "base/err.h"

enum {
	YAML_LARGEST_BYTES = 1 << 18,
	YAML_DEEPEST = 8,
	YAML_MOST_NODES = 5000,
};

enum yaml_kind { YAML_KIND_VALUE, YAML_KIND_LIST, YAML_KIND_MAP };

struct yaml_node {
	enum yaml_kind kind;
	size_t line;			/* counts from 1 */
	const char *key;		/* in a map; else NULL */
	const char *text;		/* of a value; has no zero in it */
	struct yaml_node *first, *next; /* inside it, in order; beside it */
};

/*
 * The document, in the arena. ERR_USAGE that names file and line where it is no such YAML: who
 * writes rules is told what is wrong with them. What file_read_stream() says where it cannot be
 * read.
 */
int yaml_read_file(const struct yaml_node **ret, const char *path, struct arena *arena,
		   struct err *e);
/* The same for text; `name` stands for the file in messages. */
int yaml_read_text(const struct yaml_node **ret, struct str text, const char *name,
		   struct arena *arena, struct err *e);

/* "a value", "a list", "a mapping": for messages. */
const char *yaml_kind_name(enum yaml_kind kind);

#endif

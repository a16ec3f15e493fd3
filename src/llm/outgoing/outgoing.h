/*
 * Answers as a model is sent them: on one line, without what it has no use for; texts without what
 * is not seen, cut where they are long, with aliases in place of names where these are given.
 */
#ifndef LLM_OUTGOING_OUTGOING_H
#define LLM_OUTGOING_OUTGOING_H

#include "llm/outgoing/aliases.h"
#include "text/json_read.h"

/* `a` may be NULL in all of these: names leave as they are. */
void outgoing_add(struct buf *b, struct aliases *a, const struct json *answer);
void outgoing_add_error(struct buf *b, struct aliases *a, const struct json *error);
/* A JSON string of what the model itself wrote, which may be long. */
void outgoing_add_expression(struct buf *b, struct str text);
/* A member before the brace that ends an object; nothing where the text is empty. */
void outgoing_add_member(struct buf *object, struct aliases *a, const char *key, struct str text);

#endif

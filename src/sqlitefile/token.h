/* The words of a CREATE TABLE statement. */
#ifndef SQLITEFILE_TOKEN_H
#define SQLITEFILE_TOKEN_H

#include "base/arena.h"

enum token_kind {
	TOKEN_END,
	TOKEN_WORD,    /* a keyword, a bare name or a number */
	TOKEN_QUOTED,  /* "x" [x] `x` 'x' */
	TOKEN_COMMENT, /* -- to the end of its line */
	TOKEN_MARK,    /* one character of anything else */
};

struct token {
	enum token_kind kind;
	struct str raw;
	bool starts_line; /* there is a line break before it */
};

struct lexer {
	const char *next;
	const char *end;
};

struct token token_next(struct lexer *l);
/* A bare word, in any case: quoted names are never keywords. */
bool token_is_word(const struct token *t, const char *word);
bool token_is_mark(const struct token *t, char mark);
/* The name that a word or quoted token spells. */
const char *token_name(struct arena *a, const struct token *t);

#endif

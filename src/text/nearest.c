/* How near is a name to a word that was mistyped? */
#include "text/nearest.h"

#include "base/mem.h"
#include "text/text.h"

#include <string.h>
#include <strings.h>

/* No name that somebody types is longer. */
enum { LONGEST_NAME = 200 };

static void keep_nearer(struct nearest *n, const char *candidate, size_t distance)
{
	if (distance < n->distance) {
		n->distance = distance;
		n->found = candidate;
	}
}

void nearest_try(struct nearest *n, const char *candidate)
{
	const size_t distance = text_distance(n->word, candidate);

	/* So far are words that have nothing in common. */
	if (distance < strlen(n->word) || distance < strlen(candidate))
		keep_nearer(n, candidate, distance);
}

static char *lower(const char *s)
{
	char *copy = mem_strdup(s);

	for (char *c = copy; *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
	return copy;
}

static size_t letters_apart(const char *word, const char *name)
{
	SCOPED char *a = lower(word), *b = lower(name);

	return text_distance(a, b);
}

void nearest_try_name(struct nearest *n, const char *candidate)
{
	const size_t len = strlen(n->word);
	const char *rest = candidate + len;

	if (strlen(candidate) > LONGEST_NAME)
		return;
	if (len < 2 || strncasecmp(candidate, n->word, len) != 0)
		keep_nearer(n, candidate, NEAREST_BEGINS + letters_apart(n->word, candidate));
	else
		keep_nearer(n, candidate, strcmp(rest, "_ns") == 0 ? 0 : rest[0] == '_' ? 1 : 2);
}

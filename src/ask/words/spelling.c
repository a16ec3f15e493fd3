/* How far is one word from another, as fingers go wrong? */
#include "ask/words/spelling.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The row of a table of distances that belongs to letter i of a; rows are used in turn. */
static size_t fill_row(size_t rows[3][SPELLING_LONGEST + 1], const char *a, const char *b, size_t i,
		       size_t b_len)
{
	size_t *row = rows[i % 3];
	const size_t *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
	size_t best = row[0] = i;

	for (size_t j = 1; j <= b_len; j++) {
		const size_t same = a[i - 1] == b[j - 1] ? 0 : 1;

		row[j] = least(above[j - 1] + same, least(above[j], row[j - 1]) + 1);
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
			row[j] = least(row[j], before[j - 2] + 1);
		best = least(best, row[j]);
	}
	return best;
}

size_t spelling_distance(const char *a, const char *b, size_t most)
{
	const size_t a_len = strlen(a), b_len = strlen(b);
	size_t rows[3][SPELLING_LONGEST + 1] = {{0}};

	if (a_len > SPELLING_LONGEST || b_len > SPELLING_LONGEST || a_len > b_len + most ||
	    b_len > a_len + most)
		return most + 1;
	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		if (fill_row(rows, a, b, i, b_len) > most)
			return most + 1;
	}
	return least(rows[a_len % 3][b_len], most + 1);
}

size_t spelling_tolerance(size_t length)
{
	return length < 4 ? 0 : length < 8 ? 1 : 2;
}

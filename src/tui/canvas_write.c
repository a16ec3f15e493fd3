/* How does a screen read as a file? */
#include "tui/canvas.h"

static const char role_letters[] = ".dhscxegABCDEFGH";

_Static_assert(sizeof(role_letters) == ROLE_COUNT + 1, "each role has a letter");

void canvas_write(const struct canvas *c, struct buf *b)
{
	for (int row = 0; row < c->rows; row++) {
		const size_t line = b->len;

		for (int col = 0; col < c->cols; col++)
			buf_adds(b, canvas_at(c, row, col)->text);
		while (b->len > line && b->s[b->len - 1] == ' ')
			b->len--;
		buf_addc(b, '\n');
	}
}

/* Those that differ from the ground of the terminal get two letters. */
static void write_looks(const struct canvas *c, struct buf *b, char (*letter)(struct look))
{
	for (int row = 0; row < c->rows; row++) {
		const size_t line = b->len;

		for (int col = 0; col < c->cols; col++)
			buf_addc(b, letter(canvas_at(c, row, col)->look));
		while (b->len > line && b->s[b->len - 1] == '.')
			b->len--;
		buf_addc(b, '\n');
	}
}

static char ink_letter(struct look look)
{
	return role_letters[look.ink];
}

static char ground_letter(struct look look)
{
	return role_letters[look.ground];
}

static char mark_letter(struct look look)
{
	return ".brRuUvV"[look.marks & 7];
}

static bool has_any(const struct canvas *c, char (*letter)(struct look))
{
	for (size_t i = 0; i < (size_t)c->rows * (size_t)c->cols; i++) {
		if (letter(c->cells[i].look) != '.')
			return true;
	}
	return false;
}

void canvas_write_looks(const struct canvas *c, struct buf *b)
{
	static const struct {
		const char *title;
		char (*letter)(struct look);
	} blocks[] = {
		{"ink: d dim, h head, s status, c cursor, x hit, e error, g good, A-H classes",
		 ink_letter},
		{"ground", ground_letter},
		{"marks: b bold, r reverse, u underline", mark_letter},
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
		if (!has_any(c, blocks[i].letter))
			continue;
		buf_addf(b, "--- %s\n", blocks[i].title);
		write_looks(c, b, blocks[i].letter);
	}
}

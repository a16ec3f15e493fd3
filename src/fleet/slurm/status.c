/* What did a task say about a capture that it made no part of? */
#include "fleet/slurm/status.h"

#include "base/file.h"
#include "text/text.h"

#include <stdlib.h>
#include <unistd.h>

enum { STATUS_BYTES_MAX = 1 << 16, REASON_BYTES_MAX = 1024 };

static char *status_name(const struct work *w, size_t item)
{
	struct buf b = {0};

	buf_addf(&b, "parts/%s.status", w->items[item].key);
	return b.s;
}

static struct str after(struct str s, const char *prefix)
{
	const size_t len = strlen(prefix);

	return str_starts(s, prefix) ? (struct str){s.s + len, s.len - len} : (struct str){0};
}

static bool read_fate(struct str line, enum fate *ret)
{
	const struct str code = after(line, "exit "), word = after(line, "fate ");

	if (code.len) {
		const long n =
			strtol(code.s, NULL, 10); /* a line break or the text's end follows */

		*ret = fate_of_exit_code((int)n);
		return n > 0 && n < 256;
	}
	*ret = fate_of_word(word);
	return word.len != 0;
}

/* Where the capture lies is no part of an answer: its path becomes its name. */
static void add_without_path(struct buf *b, struct str text, const char *file)
{
	const size_t folder = (size_t)(str_last_part(file) - file);

	while (text.len) {
		const char *at = memmem(text.s, text.len, file, strlen(file));
		const size_t before = at ? (size_t)(at - text.s) : text.len;
		const size_t skipped = before + (at ? folder : 0);

		buf_add(b, text.s, before);
		text.s += skipped;
		text.len -= skipped;
		if (at) {
			buf_add(b, text.s, strlen(file) - folder);
			text.s += strlen(file) - folder;
			text.len -= strlen(file) - folder;
		}
	}
}

/* What gpuwhy said for the user, of all that was printed; empty: nothing. */
static struct str find_message(struct str rest)
{
	while (rest.len) {
		const struct str said = after(str_next_line(&rest), "gpuwhy: ");

		if (said.len && !str_starts(said, "warning: "))
			return said;
	}
	return (struct str){0};
}

bool status_parse(struct str bytes, const char *file, struct arena *a, struct status *ret)
{
	const struct str first = str_next_line(&bytes);
	struct str said;
	SCOPED_BUF b = {0};

	if (!read_fate(first, &ret->fate))
		return false;
	said = find_message(bytes);
	if (ret->fate == FATE_SYSTEM && str_eq(said, str_of(fate_text(FATE_NO_MEMORY)))) {
		ret->fate = FATE_NO_MEMORY;
		said.len = 0;
	}
	if (ret->fate != FATE_BAD_CAPTURE || !said.len)
		buf_addf(&b, "%s%s", fate_text(ret->fate), said.len ? ": " : "");
	add_without_path(&b, said, file);
	if (b.len > REASON_BYTES_MAX)
		b.len = REASON_BYTES_MAX;
	ret->reason = text_valid(a, buf_str(&b));
	return true;
}

bool status_read(const struct work *w, size_t item, struct arena *a, struct status *ret)
{
	SCOPED char *name = status_name(w, item), *path = file_in(w->folder, name);
	SCOPED_BUF b = {0};
	struct err ignored;

	return file_read(&b, path, STATUS_BYTES_MAX, &ignored) == 0 &&
	       status_parse(buf_str(&b), w->items[item].file, a, ret);
}

int status_write(const struct work *w, size_t item, enum fate f, struct err *e)
{
	SCOPED char *name = status_name(w, item);
	SCOPED_BUF b = {0};

	buf_addf(&b, "fate %s\n", fate_word(f));
	return work_write(w, name, buf_str(&b), e);
}

void status_remove(const struct work *w, size_t item)
{
	SCOPED char *name = status_name(w, item), *path = file_in(w->folder, name);

	unlink(path);
}

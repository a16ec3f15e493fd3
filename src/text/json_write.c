/* How does a document look in JSON? */
#include "text/json_write.h"

#include "text/decimal.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

static void begin_member(struct json_writer *w, const char *key)
{
	if (w->depth) {
		buf_adds(w->out, w->has_members[w->depth - 1] ? ",\n" : "\n");
		w->has_members[w->depth - 1] = true;
		buf_addn(w->out, ' ', 2 * (size_t)w->depth);
	}
	if (key) {
		text_add_json(w->out, str_of(key));
		buf_adds(w->out, ": ");
	}
}

void json_write_open(struct json_writer *w, const char *key, char bracket)
{
	begin_member(w, key);
	buf_addc(w->out, bracket);
	w->has_members[w->depth++] = false;
}

void json_write_close(struct json_writer *w, char bracket)
{
	w->depth--;
	if (w->has_members[w->depth]) {
		buf_addc(w->out, '\n');
		buf_addn(w->out, ' ', 2 * (size_t)w->depth);
	}
	buf_addc(w->out, bracket);
	if (!w->depth)
		buf_addc(w->out, '\n');
}

void json_write_str(struct json_writer *w, const char *key, struct str s)
{
	begin_member(w, key);
	text_add_json(w->out, s);
}

void json_write_text(struct json_writer *w, const char *key, const char *s)
{
	if (s)
		json_write_str(w, key, str_of(s));
	else
		json_write_null(w, key);
}

void json_write_int(struct json_writer *w, const char *key, int64_t n)
{
	begin_member(w, key);
	decimal_add_int(w->out, n);
}

void json_write_real(struct json_writer *w, const char *key, double x)
{
	if (!isfinite(x)) {
		json_write_null(w, key);
		return;
	}
	begin_member(w, key);
	units_add_real(w->out, x);
}

void json_write_bool(struct json_writer *w, const char *key, bool b)
{
	begin_member(w, key);
	buf_adds(w->out, b ? "true" : "false");
}

void json_write_ints(struct json_writer *w, const char *key, const int64_t *n, size_t count)
{
	begin_member(w, key);
	buf_addc(w->out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_addc(w->out, ',');
		decimal_add_int(w->out, n[i]);
	}
	buf_addc(w->out, ']');
}

void json_write_reals(struct json_writer *w, const char *key, const double *x, size_t count)
{
	begin_member(w, key);
	buf_addc(w->out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_addc(w->out, ',');
		if (isfinite(x[i]))
			units_add_real(w->out, x[i]);
		else
			buf_adds(w->out, "null");
	}
	buf_addc(w->out, ']');
}

void json_write_null(struct json_writer *w, const char *key)
{
	begin_member(w, key);
	buf_adds(w->out, "null");
}

/* Which events does a stream hold? */
#include "llm/sse.h"

static void take_field(struct sse *s, struct str name, struct str value)
{
	if (str_eq(name, STR_LIT("data"))) {
		if (s->has_data)
			buf_addc(&s->data, '\n');
		buf_addstr(&s->data, value);
		s->has_data = true;
	} else if (str_eq(name, STR_LIT("event")) && value.len < SSE_NAME_MOST) {
		memcpy(s->event, value.s, value.len);
		s->event[value.len] = '\0';
	}
}

static int end_event(struct sse *s, sse_fn *take, void *ctx, struct err *e)
{
	const int result = s->has_data ? take(ctx, s->event, buf_str(&s->data), e) : 0;

	buf_clear(&s->data);
	s->event[0] = '\0';
	s->has_data = false;
	return result;
}

/* An empty line ends an event; one that begins with a colon is a comment. */
static int end_line(struct sse *s, sse_fn *take, void *ctx, struct err *e)
{
	const struct str line = buf_str(&s->line);
	const char *colon = line.len ? memchr(line.s, ':', line.len) : NULL;
	struct str name = line, value = {"", 0};

	if (!line.len)
		return end_event(s, take, ctx, e);
	if (colon) {
		name.len = (size_t)(colon - line.s);
		value = (struct str){colon + 1, line.len - name.len - 1};
		if (value.len && value.s[0] == ' ')
			value = (struct str){value.s + 1, value.len - 1};
	}
	take_field(s, name, value);
	buf_clear(&s->line);
	return 0;
}

int sse_feed(struct sse *s, const char *bytes, size_t len, sse_fn *take, void *ctx, struct err *e)
{
	for (size_t i = 0; i < len; i++) {
		const char c = bytes[i];
		const bool is_second = c == '\n' && s->after_cr;

		s->after_cr = c == '\r';
		if (is_second)
			continue;
		if (c == '\n' || c == '\r') {
			if (end_line(s, take, ctx, e) < 0)
				return -1;
			continue;
		}
		if (s->line.len + s->data.len >= s->most)
			return err_set(e, ERR_INPUT, "an event is longer than %zu bytes", s->most);
		buf_addc(&s->line, c);
	}
	return 0;
}

void sse_free(struct sse *s)
{
	buf_free(&s->line);
	buf_free(&s->data);
}

/* What is asked, and how does a failure read? */
#include "http/request.h"

#include "http/live.h"
#include "input/pack.h"
#include "text/json_write.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Less than that is not worth packing. */
enum { PACK_LEAST = 1024 };

const char *request_value(const struct request *r, const char *name)
{
	for (size_t i = 0; i < r->value_count; i++) {
		if (strcmp(r->values[i].name, name) == 0)
			return r->values[i].value;
	}
	return NULL;
}

const char *request_value_twice(const struct request *r)
{
	for (size_t i = 0; i < r->value_count; i++) {
		const char *name = r->values[i].name;

		if (*name && request_value(r, name) != r->values[i].value)
			return name;
	}
	return NULL;
}

static int parse_int(const char *name, const char *text, int64_t least, int64_t most,
		     char **ret_end, int64_t *ret, struct err *e)
{
	long long n;

	errno = 0;
	n = strtoll(text, ret_end, 10);
	if (errno || *ret_end == text || !strchr("-0123456789", *text) || n < least || n > most)
		return err_set(e, ERR_USAGE,
			       "%s takes a whole number from %" PRId64 " to %" PRId64
			       ", not '%.40s'",
			       name, least, most, text);
	*ret = n;
	return 0;
}

int request_need_int(const struct request *r, const char *name, int64_t least, int64_t most,
		     int64_t *ret, struct err *e)
{
	const char *text = request_value(r, name);
	char *end;

	if (!text)
		return err_set(e, ERR_USAGE, "%s needs %s=NUMBER", r->path, name);
	if (parse_int(name, text, least, most, &end, ret, e) < 0)
		return -1;
	return *end ? err_set(e, ERR_USAGE, "%s takes a whole number, not '%.40s'", name, text) : 0;
}

int request_int(const struct request *r, const char *name, int64_t least, int64_t most,
		int64_t otherwise, int64_t *ret, struct err *e)
{
	*ret = otherwise;
	return request_value(r, name) ? request_need_int(r, name, least, most, ret, e) : 0;
}

int request_numbers(const struct request *r, const char *name, size_t *ret, size_t most,
		    struct err *e)
{
	const char *text = request_value(r, name);
	size_t count = 0;
	int64_t n = 0;
	char *end;

	if (!text || !*text)
		return err_set(e, ERR_USAGE, "%s needs %s=NUMBER,NUMBER…", r->path, name);
	for (;; text = end + 1) {
		if (count == most)
			return err_set(e, ERR_USAGE, "%s takes %zu numbers at most", name, most);
		if (parse_int(name, text, 0, UINT32_MAX, &end, &n, e) < 0)
			return -1;
		ret[count++] = (size_t)n;
		if (!*end)
			return (int)count;
		if (*end != ',')
			return err_set(e, ERR_USAGE, "%s takes numbers with commas between", name);
	}
}

/* A browser that waits keeps its side open; one that has gone away has ended it. */
bool request_is_abandoned(const struct request *r)
{
	struct pollfd look = {.fd = r->connection, .events = POLLRDHUP};

	if (r->live)
		return !live_is_wanted(r->live);
	return r->connection >= 0 && poll(&look, 1, 0) > 0;
}

void reply_free(struct reply *r)
{
	buf_free(&r->body);
	*r = (struct reply){0};
}

int reply_status(const struct err *e)
{
	return e->code == ERR_USAGE ? 400 : e->code == ERR_SYSTEM ? 500 : 422;
}

static const char *code_of(int status)
{
	return status == 400   ? "usage"
	       : status == 401 ? "token"
	       : status == 403 ? "foreign"
	       : status == 404 ? "unknown"
	       : status == 422 ? "absent"
	       : status == 503 ? "busy"
	       : status >= 500 ? "system"
			       : "request";
}

void reply_fail(struct reply *r, int status, const struct err *e)
{
	struct json_writer w = {.out = &r->body};

	reply_free(r);
	r->status = status ? status : reply_status(e);
	r->type = "application/json";
	json_write_open(&w, NULL, '{');
	json_write_open(&w, "error", '{');
	json_write_text(&w, "code", code_of(r->status));
	json_write_text(&w, "message", e->message);
	json_write_text(&w, "hint", *e->hint ? e->hint : NULL);
	json_write_close(&w, '}');
	json_write_close(&w, '}');
}

void reply_refuse(struct reply *r, int status, const char *fmt, ...)
{
	struct err e = {0};
	va_list args;

	va_start(args, fmt);
	vsnprintf(e.message, sizeof(e.message), fmt, args);
	va_end(args);
	reply_fail(r, status, &e);
}

void reply_pack(struct reply *r)
{
	struct buf packed = {0};

	if (r->body.len >= PACK_LEAST && !r->is_packed && gzip_add(&packed, buf_str(&r->body)) &&
	    packed.len < r->body.len) {
		const struct buf plain = r->body;

		r->body = packed;
		packed = plain;
		r->is_packed = true;
	}
	buf_free(&packed);
}

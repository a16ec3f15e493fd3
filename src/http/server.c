/* How do requests come in, and replies go out? */
#include "http/server.h"

#include "base/clock.h"
#include "base/mem.h"
#include "http/links.h"
#include "http/live.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * A browser has 6 connections to a server. Those that say nothing for a while are ended, as are
 * those that need long to say what they want. Before all places are taken the oldest that has not
 * shown the token makes way: somebody who opens many, again and again, keeps nobody out.
 */
enum {
	MOST_CONNECTIONS = 256, /* of a socket; of all of them: */
	CROWD = 192,
	QUIET_SECONDS = 15,
	ASK_SECONDS = 20,
	HEADER_BYTES = 32768,
	MOST_VALUES = 64,
	MOST_PASSED_OVER = 1 << 20, /* bytes of a body that is too long */
	BACKLOG = 64,
	PORT_TRIES = 16,
	PIECE_BYTES = 1 << 14, /* of a stream of events */
};

struct server {
	int sockets[2]; /* of IPv4 and IPv6, or of the file system */
	struct MHD_Daemon *daemons[2];
	size_t count;
	uint16_t port;
	char *path; /* of the socket; NULL: it has a port */
	struct links links;
	struct server_use use;
	_Atomic int64_t last_asked_ns;
};

/* A request on its way: MHD keeps it with the connection. */
struct exchange {
	struct server *server;
	struct MHD_Connection *connection;
	struct link_wait *link;
	struct request request;
	struct request_value values[MOST_VALUES];
	struct buf body;
	size_t body_bytes; /* of all of it, also where that is too long */
	struct reply reply;
	struct admission how;
	bool is_answered;
	bool is_apart;	  /* a worker has it, or had it */
	struct live live; /* what it sends meanwhile; only then */
};

static struct server *server_new(void)
{
	struct server *s = mem_zalloc(1, sizeof(*s));

	links_begin(&s->links, CROWD);
	return s;
}

/* errno stays what it is. */
static void forget_bound(const struct sockaddr *address)
{
	const int why = errno;

	if (address->sa_family == AF_UNIX)
		unlink(((const struct sockaddr_un *)address)->sun_path);
	errno = why;
}

static int open_socket(const struct sockaddr *address, socklen_t length)
{
	const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;

	if (fd < 0)
		return -1;
	if (address->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (address->sa_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, address, length) == 0) {
		if (listen(fd, BACKLOG) == 0)
			return fd;
		forget_bound(address);
	}
	close(fd);
	return -1;
}

/* false: errno says why. */
static bool add_ipv4(struct server *s, uint16_t port)
{
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
	socklen_t length = sizeof(four);

	four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->sockets[0] = open_socket((const struct sockaddr *)&four, sizeof(four));
	if (s->sockets[0] < 0)
		return false;
	s->count = 1;
	if (getsockname(s->sockets[0], (struct sockaddr *)&four, &length) < 0)
		return false;
	s->port = ntohs(four.sin_port);
	return true;
}

/*
 * A machine without IPv6 has the one socket. But where somebody else listens there, "localhost"
 * would lead to them, and so would a browser's token.
 */
static bool add_ipv6(struct server *s)
{
	const struct sockaddr_in6 six = {.sin6_family = AF_INET6,
					 .sin6_port = htons(s->port),
					 .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	const int fd = open_socket((const struct sockaddr *)&six, sizeof(six));

	if (fd >= 0)
		s->sockets[s->count++] = fd;
	return fd >= 0 || errno != EADDRINUSE;
}

static bool listen_both(struct server *s, uint16_t port)
{
	if (add_ipv4(s, port) && add_ipv6(s))
		return true;
	if (s->count)
		close(s->sockets[0]);
	s->count = 0;
	return false;
}

int server_listen_port(struct server **ret, uint16_t port, struct err *e)
{
	struct server *s = server_new();

	*ret = s;
	for (int i = 0; i < (port ? 1 : PORT_TRIES); i++) {
		if (listen_both(s, port))
			return 0;
	}
	err_set_errno(e, "cannot listen on 127.0.0.1 and ::1, port %u", port);
	return port ? err_hint(e, "without --port any free one is taken") : -1;
}

/* Somebody's file is not a socket that was left behind. */
static const char *taken_hint(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISSOCK(st.st_mode)
		       ? "it is there already, and is no socket: choose another path"
		       : "it is there already: remove it if no gpuwhy uses it";
}

int server_listen_path(struct server **ret, const char *path, struct err *e)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct server *s = server_new();
	mode_t before;

	*ret = s;
	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(e, ERR_USAGE, "a socket's path has at most %zu bytes: '%s'",
			       sizeof(address.sun_path) - 1, path);
	strcpy(address.sun_path, path);
	/* Nobody else may ever connect, not even before a chmod(). */
	before = umask(0177);
	s->sockets[0] = open_socket((const struct sockaddr *)&address, sizeof(address));
	umask(before);
	if (s->sockets[0] < 0) {
		const bool is_there = errno == EADDRINUSE;

		err_set_errno(e, "cannot listen on '%s'", path);
		return is_there ? err_hint(e, "%s", taken_hint(path)) : -1;
	}
	s->count = 1;
	s->path = mem_strdup(path);
	return 0;
}

uint16_t server_port(const struct server *s)
{
	return s->port;
}

int64_t server_last_asked_ns(const struct server *s)
{
	return atomic_load(&s->last_asked_ns);
}

/* One that is there twice may be read differently by who looks at it and who acts on it. */
static enum MHD_Result note_header(void *ctx, enum MHD_ValueKind kind, const char *name,
				   const char *value)
{
	struct request *r = ctx;
	const struct {
		const char *name, **value;
	} known[] = {{"Host", &r->host},
		     {"Origin", &r->origin},
		     {"Authorization", &r->authorization},
		     {"Content-Type", &r->content_type},
		     {"MCP-Protocol-Version", &r->mcp_version},
		     {"Mcp-Method", &r->mcp_method},
		     {"Mcp-Name", &r->mcp_name},
		     {"Mcp-Session-Id", &r->mcp_session}};

	(void)kind;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (strcasecmp(name, known[i].name) != 0)
			continue;
		r->is_ambiguous |= *known[i].value != NULL;
		*known[i].value = value ? value : "";
	}
	if (strcasecmp(name, "Prefer") == 0)
		r->takes_errors = value && strcmp(value, "errors=answer") == 0;
	if (strcasecmp(name, "Accept-Encoding") == 0)
		r->takes_gzip = value && strstr(value, "gzip");
	if (strcasecmp(name, "Accept") == 0)
		r->takes_events = value && strcasestr(value, "text/event-stream");
	return MHD_YES;
}

static enum MHD_Result note_value(void *ctx, enum MHD_ValueKind kind, const char *name,
				  const char *value)
{
	struct exchange *x = ctx;

	(void)kind;
	if (x->request.value_count == MOST_VALUES) {
		x->request.has_too_many_values = true;
		return MHD_NO;
	}
	x->values[x->request.value_count++] =
		(struct request_value){name ? name : "", value ? value : ""};
	return MHD_YES;
}

static struct link_wait *link_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static struct exchange *begin(struct server *s, struct MHD_Connection *c, const char *path,
			      const char *method)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct exchange *x = mem_zalloc(1, sizeof(*x));

	x->server = s;
	x->connection = c;
	x->link = link_of(c);
	x->request = (struct request){.method = method,
				      .path = path,
				      .values = x->values,
				      .connection = info ? info->connect_fd : -1};
	MHD_get_connection_values(c, MHD_HEADER_KIND, note_header, &x->request);
	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, note_value, x);
	return x;
}

static void add_headers(struct MHD_Response *out, const struct reply *r)
{
	/* What a reply is not to be used for, whatever is in it. */
	static const char *const always[][2] = {
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"X-Frame-Options", "DENY"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
	};
	/* The report is shown in a frame that may run no script. */
	static const char page_policy[] =
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
		"img-src 'self' data: blob:; frame-src blob:; base-uri 'none'; form-action 'none'; "
		"frame-ancestors 'none'";
	static const char data_policy[] = "default-src 'none'; frame-ancestors 'none'";

	for (size_t i = 0; i < ARRAY_LEN(always); i++)
		MHD_add_response_header(out, always[i][0], always[i][1]);
	MHD_add_response_header(out, "Content-Security-Policy",
				r->is_page ? page_policy : data_policy);
	MHD_add_response_header(out, "Content-Type", r->type);
	MHD_add_response_header(out, "Cache-Control",
				r->is_constant ? "private, max-age=86400, immutable" : "no-store");
	if (r->is_packed)
		MHD_add_response_header(out, "Content-Encoding", "gzip");
	if (*r->mcp_session)
		MHD_add_response_header(out, "Mcp-Session-Id", r->mcp_session);
	if (r->status == 401)
		MHD_add_response_header(out, "WWW-Authenticate", "Bearer");
	if (r->status == 405)
		MHD_add_response_header(out, "Allow", r->allow ? r->allow : "GET, POST");
}

static void sleep_on(void *ctx)
{
	struct exchange *x = ctx;

	MHD_suspend_connection(x->connection);
}

static void wake_up(void *ctx)
{
	struct exchange *x = ctx;

	x->is_answered = true;
	MHD_resume_connection(x->connection);
}

static ssize_t next_piece(void *ctx, uint64_t at, char *bytes, size_t room)
{
	struct exchange *x = ctx;
	const long taken = live_take(&x->live, bytes, room, sleep_on);

	(void)at;
	return taken < 0 ? MHD_CONTENT_READER_END_OF_STREAM : taken;
}

/* Whoever answers may still be at it: its reply is not looked at. */
static enum MHD_Result send_events(struct exchange *x)
{
	static const struct reply head = {.status = 200, .type = "text/event-stream"};
	struct MHD_Response *out = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
								     next_piece, x, NULL);
	enum MHD_Result result;

	if (!out)
		return MHD_NO;
	add_headers(out, &head);
	result = MHD_queue_response(x->connection, (unsigned)head.status, out);
	MHD_destroy_response(out);
	return result;
}

static enum MHD_Result send_reply(struct exchange *x)
{
	struct reply *r = &x->reply;
	const unsigned status = (unsigned)r->status;
	struct MHD_Response *out;
	enum MHD_Result result;

	out = MHD_create_response_from_buffer(r->body.len, r->body.s, MHD_RESPMEM_MUST_FREE);
	if (!out)
		return MHD_NO;
	r->body = (struct buf){0};
	add_headers(out, r);
	/* What was not read of a refused request would be taken for the next. */
	if (status >= 400)
		MHD_add_response_header(out, "Connection", "close");
	result = MHD_queue_response(x->connection, status, out);
	MHD_destroy_response(out);
	return result;
}

static void answer(void *ctx)
{
	struct exchange *x = ctx;

	/* Nobody is left to read it. */
	if (request_is_abandoned(&x->request))
		reply_refuse(&x->reply, 503, "nobody waits any more");
	else
		x->server->use.answer(x->server->use.ctx, &x->request, &x->reply);
	if (x->request.takes_gzip)
		reply_pack(&x->reply);
}

static void free_exchange(struct exchange *x)
{
	if (x->is_apart)
		live_free(&x->live);
	buf_free(&x->body);
	reply_free(&x->reply);
	free(x);
}

static void answer_apart(void *ctx)
{
	struct exchange *x = ctx;

	answer(x);
	if (!live_end(&x->live))
		free_exchange(x);
}

static void refuse_length(struct exchange *x)
{
	reply_refuse(&x->reply, 413, "a request has at most %d bytes", SERVER_MOST_BODY);
}

/* All of it is there. */
static enum MHD_Result go_on(struct exchange *x)
{
	links_set_waiting(&x->server->links, x->link, false);
	if (x->body_bytes > SERVER_MOST_BODY) {
		refuse_length(x);
		return send_reply(x);
	}
	x->request.body = buf_str(&x->body);
	if (!x->how.workers) {
		answer(x);
		return send_reply(x);
	}
	x->is_apart = true;
	live_begin(&x->live, x->request.connection, wake_up, x);
	x->request.live = &x->live;
	MHD_suspend_connection(x->connection);
	if (workers_add(x->how.workers, answer_apart, x))
		return MHD_YES;
	reply_refuse(&x->reply, 503, "too much is asked at once: ask again in a moment");
	(void)live_end(&x->live);
	return MHD_YES;
}

/* By the headers alone; one in chunks tells its length when it is there. */
static bool is_too_long(struct MHD_Connection *c)
{
	const char *length = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Content-Length");

	return length && strtoull(length, NULL, 10) > SERVER_MOST_BODY;
}

/* Whom the token is not known to does not keep the server from being idle. */
static bool admit(struct exchange *x)
{
	struct server *s = x->server;

	if (!s->use.admit(s->use.ctx, &x->request, &x->reply, &x->how))
		return false;
	if (x->how.has_token) {
		links_trust(&s->links, x->link);
		atomic_store(&s->last_asked_ns, clock_now_ns());
	}
	if (!is_too_long(x->connection))
		return true;
	refuse_length(x);
	return false;
}

/*
 * One in chunks is longer than it may be when all of it is there: a reply can be sent then, and not
 * before. What goes on for longer than that is cut off.
 */
static bool take_body(struct exchange *x, const char *bytes, size_t len)
{
	x->body_bytes += len;
	if (x->body_bytes <= SERVER_MOST_BODY)
		buf_add(&x->body, bytes, len);
	return x->body_bytes <= MOST_PASSED_OVER;
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *c, const char *path,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_len, void **kept)
{
	struct server *s = ctx;
	struct exchange *x = *kept;

	(void)version;
	if (!x) {
		*kept = x = begin(s, c, path, method);
		return admit(x) ? MHD_YES : send_reply(x);
	}
	if (x->is_answered)
		return live_is_begun(&x->live) ? send_events(x) : send_reply(x);
	if (!*upload_len)
		return go_on(x);
	if (!take_body(x, upload, *upload_len))
		return MHD_NO;
	*upload_len = 0;
	return MHD_YES;
}

static void end_exchange(void *ctx, struct MHD_Connection *c, void **kept,
			 enum MHD_RequestTerminationCode why)
{
	struct exchange *x = *kept;

	(void)ctx;
	(void)c;
	(void)why;
	if (!x)
		return;
	links_set_waiting(&x->server->links, x->link, true);
	*kept = NULL;
	if (!x->is_apart || live_leave(&x->live))
		free_exchange(x);
}

static void note_link(void *ctx, struct MHD_Connection *c, void **kept,
		      enum MHD_ConnectionNotificationCode what)
{
	struct server *s = ctx;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (what == MHD_CONNECTION_NOTIFY_CLOSED)
		links_remove(&s->links, *kept);
	else
		*kept = info ? links_add(&s->links, info->connect_fd) : NULL;
}

/* A byte of 0 would end the text before what comes after it: it is no character of ours. */
static size_t unescape(void *ctx, struct MHD_Connection *c, char *text)
{
	static const char other[] = {'\xef', '\xbf', '\xbd'}; /* U+FFFD, as long as %00 */

	(void)ctx;
	(void)c;
	for (char *at = text; (at = strstr(at, "%00"));)
		memcpy(at, other, sizeof(other));
	return MHD_http_unescape(text);
}

int server_start(struct server *s, const struct server_use *use, struct err *e)
{
	s->use = *use;
	atomic_store(&s->last_asked_ns, clock_now_ns());
	for (size_t i = 0; i < s->count; i++) {
		s->daemons[i] = MHD_start_daemon(
			MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
			handle, s, MHD_OPTION_LISTEN_SOCKET, s->sockets[i],
			MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
			MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)QUIET_SECONDS,
			MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES,
			MHD_OPTION_NOTIFY_COMPLETED, end_exchange, NULL,
			MHD_OPTION_NOTIFY_CONNECTION, note_link, s, MHD_OPTION_UNESCAPE_CALLBACK,
			unescape, NULL, MHD_OPTION_END);
		if (!s->daemons[i])
			return err_set(e, ERR_SYSTEM, "the server cannot be started");
	}
	return 0;
}

void server_end_slow(struct server *s)
{
	links_end_slow(&s->links, ASK_SECONDS * INT64_C(1000000000));
}

void server_forget(const struct server *s)
{
	if (s->path)
		unlink(s->path);
}

void server_stop(struct server *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		if (s->daemons[i])
			MHD_stop_daemon(s->daemons[i]);
		else
			close(s->sockets[i]);
	}
	server_forget(s);
	free(s->path);
	links_end(&s->links);
	free(s);
}

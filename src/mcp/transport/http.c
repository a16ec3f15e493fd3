/* Who asks by HTTP, do the headers say what the message does, and how is it answered? */
#include "mcp/transport/http.h"

#include "mcp/work.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Calls may wait for one another; what takes no time must not wait for them. */
enum { THREADS = WORK_SEATS + 4, MOST_WAITING = 64 };

int mcp_http_begin(struct mcp_http *h, struct mcp *m, struct err *e)
{
	*h = (struct mcp_http){.mcp = m, .threads = workers_start(THREADS, MOST_WAITING)};
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->change, NULL);
	for (int i = 0; i < WORK_SEATS; i++)
		h->workers[i].mcp = m;
	if (!http_calls_begin(&h->calls) || !h->threads)
		return err_set(e, ERR_SYSTEM, "no thread is to be had");
	return guard_begin(&h->guard, e);
}

void mcp_http_end(struct mcp_http *h)
{
	workers_free(h->threads);
	http_calls_end(&h->calls);
	for (int i = 0; i < WORK_SEATS; i++)
		open_traces_close(&h->workers[i].traces);
	pthread_cond_destroy(&h->change);
	pthread_mutex_destroy(&h->lock);
}

static bool is_json(const char *type)
{
	static const char json[] = "application/json";

	return type && strncasecmp(type, json, strlen(json)) == 0 &&
	       (!type[strlen(json)] || strchr("; ", type[strlen(json)]));
}

bool mcp_http_admit(void *http, const struct request *r, struct reply *ret,
		    struct admission *ret_how)
{
	struct mcp_http *h = http;

	*ret_how = (struct admission){.workers = h->threads, .has_token = true};
	if (!guard_admit(&h->guard, r, false, ret)) {
		if (ret->status == 401)
			reply_refuse(ret, 401,
				     "the token is missing or wrong: send the header Authorization "
				     "that gpuwhy mcp --http printed");
	} else if (strcmp(r->path, "/mcp") != 0) {
		reply_refuse(ret, 404, "there is no '%.80s' here: POST to /mcp", r->path);
	} else if (strcmp(r->method, "POST") != 0) {
		reply_refuse(ret, 405, "messages are sent with POST");
		ret->allow = "POST";
	} else if (!is_json(r->content_type)) {
		reply_refuse(ret, 415, "a message is application/json");
	}
	return !ret->status;
}

/* Where a message says what Mcp-Name says. */
static struct str name_of(const struct message *m)
{
	const bool is_uri = str_eq(m->method, str_of("resources/read"));
	const bool has_name = is_uri || str_eq(m->method, str_of("tools/call")) ||
			      str_eq(m->method, str_of("prompts/get"));

	return has_name ? message_text(m, is_uri ? "uri" : "name") : (struct str){"", 0};
}

static int refuse_header(const char *name, const char *said, struct str meant, struct rpc_error *e)
{
	if (!said)
		return rpc_fail(e, RPC_HEADERS, "the header %s is missing", name);
	return rpc_fail(e, RPC_HEADERS, "the header %s says '%.80s', the message '%.*s'", name,
			said, (int)(meant.len < 80 ? meant.len : 80), meant.s);
}

/* What stands between may act on the headers: they must say the same. */
static int check_headers(const struct request *r, const struct message *m, struct rpc_error *e)
{
	const struct str name = name_of(m);

	if (!m->revision || !m->revision->is_stateless)
		return 0;
	if (!r->mcp_version || strcmp(r->mcp_version, m->revision->name) != 0)
		return refuse_header("MCP-Protocol-Version", r->mcp_version,
				     str_of(m->revision->name), e);
	if (!r->mcp_method || !str_eq(str_of(r->mcp_method), m->method))
		return refuse_header("Mcp-Method", r->mcp_method, m->method, e);
	if (name.len && (!r->mcp_name || !str_eq(str_of(r->mcp_name), name)))
		return refuse_header("Mcp-Name", r->mcp_name, name, e);
	return 0;
}

/* Of a reply that is an error; the code stands where message_add_error() puts it. */
static int status_of(struct str reply)
{
	static const char before[] = "\"error\":{\"code\":";
	const char *at = memmem(reply.s, reply.len, before, strlen(before));
	const size_t head = strlen("{\"jsonrpc\":\"2.0\",\"id\":,") + ID_MOST_BYTES * 6;

	/* Further on it is part of a result. */
	if (!at || (size_t)(at - reply.s) > head || !str_holds(reply, before) ||
	    memmem(reply.s, (size_t)(at - reply.s), "\"result\":", 9))
		return 200;
	return strncmp(at + strlen(before), "-32601", 6) == 0 ? 404 : 400;
}

static bool is_waited_for(void *ctx)
{
	return !request_is_abandoned(ctx);
}

/* The first that is free, whose traces are open most likely. */
static int take_worker(struct mcp_http *h)
{
	int found = -1;

	pthread_mutex_lock(&h->lock);
	while (found < 0) {
		for (int i = 0; i < WORK_SEATS && found < 0; i++)
			found = h->is_busy[i] ? -1 : i;
		if (found < 0)
			pthread_cond_wait(&h->change, &h->lock);
	}
	h->is_busy[found] = true;
	pthread_mutex_unlock(&h->lock);
	return found;
}

static void leave_worker(struct mcp_http *h, int worker)
{
	pthread_mutex_lock(&h->lock);
	h->is_busy[worker] = false;
	pthread_cond_signal(&h->change);
	pthread_mutex_unlock(&h->lock);
}

/* Several at once: one that computes for somebody who has gone away keeps nobody waiting. */
static void work(struct mcp_http *h, const struct request *r, struct http_call *call,
		 struct buf *out)
{
	const int worker = take_worker(h);

	work_sit(worker);
	work_begin(is_waited_for, (void *)r);
	if (http_calls_seat(&h->calls, call, worker) && !request_is_abandoned(r))
		mcp_work(&h->workers[worker], call->message, out);
}

/* Its answer is not to be sent: nobody waits for it. */
static void answer_cancelled(const struct request *r, const struct message *m, struct reply *ret)
{
	struct rpc_error e = {0};

	buf_clear(&ret->body);
	if (r->takes_events) {
		/* A stream of nothing: an answer would be one. */
		ret->type = "text/event-stream";
		buf_adds(&ret->body, ": cancelled\n\n");
		return;
	}
	rpc_fail(&e, RPC_INTERNAL, "it was cancelled");
	message_add_error(&ret->body, buf_str(&m->id), &e);
}

/* The answer is the last event where there were others. */
static void end_events(struct live *live, bool is_wanted, struct buf *answer)
{
	SCOPED_BUF event = {0};

	if (is_wanted && answer->len) {
		http_event_add(&event, buf_str(answer));
		live_send(live, buf_str(&event));
	}
	buf_clear(answer);
}

static void answer_work(struct mcp_http *h, const struct request *r, const struct message *m,
			struct reply *ret)
{
	struct http_call call = {.message = m, .live = r->takes_events ? r->live : NULL};
	bool is_wanted;

	snprintf(call.session, sizeof(call.session), "%s", r->mcp_session ? r->mcp_session : "");
	http_calls_add(&h->calls, &call);
	work(h, r, &call, &ret->body);
	is_wanted = http_calls_remove(&h->calls, &call);
	/* Another's call may be given up by its seat from here on. */
	work_begin(NULL, NULL);
	leave_worker(h, call.seat);
	if (call.live && live_is_begun(call.live))
		end_events(call.live, is_wanted, &ret->body);
	else if (!is_wanted)
		answer_cancelled(r, m, ret);
}

/* Whoever begins is given a name: by it its requests are told from those of others. */
static void name_session(const struct message *m, struct reply *ret)
{
	struct guard random;
	struct err ignored = {0};

	_Static_assert(sizeof(ret->mcp_session) > TOKEN_LENGTH, "a name has its room");
	if (str_eq(m->method, str_of("initialize")) && ret->status == 200 &&
	    guard_begin(&random, &ignored) == 0)
		strcpy(ret->mcp_session, random.token);
}

/* A client of an older revision says which in a header, once it has been told by initialize. */
static int begin_session(struct mcp_session *s, const struct request *r, struct reply *ret)
{
	const struct revision *said = r->mcp_version ? revision_find(str_of(r->mcp_version)) : NULL;

	if (r->mcp_version && !said) {
		struct rpc_error e = {0};

		buf_adds(&e.data, "{\"requested\":\"unknown\",\"supported\":[");
		for (size_t i = 0; revision_at(i); i++)
			buf_addf(&e.data, "%s\"%s\"", i ? "," : "", revision_at(i)->name);
		buf_adds(&e.data, "]}");
		rpc_fail(&e, RPC_REVISION, "MCP-Protocol-Version: '%.40s' is not spoken here",
			 r->mcp_version);
		message_add_error(&ret->body, (struct str){"", 0}, &e);
		buf_free(&e.data);
		ret->status = 400;
		return -1;
	}
	if (said && !said->is_stateless)
		s->revision = said;
	else if (!said)
		s->revision = revision_for_initialize(str_of("2025-06-18"));
	return 0;
}

void mcp_http_answer(void *http, const struct request *r, struct reply *ret)
{
	struct mcp_http *h = http;
	struct mcp_session session = {0};
	struct rpc_error e = {0};
	struct message m;
	enum mcp_step step;

	ret->type = "application/json";
	if (begin_session(&session, r, ret) < 0)
		return;
	step = mcp_take(h->mcp, &session, r->body, &m, &ret->body);
	if (check_headers(r, &m, &e) < 0) {
		buf_clear(&ret->body);
		message_add_error(&ret->body, buf_str(&m.id), &e);
	} else if (step == MCP_WORK) {
		answer_work(h, r, &m, ret);
	} else if (step == MCP_CANCEL) {
		http_calls_cancel(&h->calls, r->mcp_session ? r->mcp_session : "", buf_str(&m.id));
	}
	ret->status = ret->body.len ? status_of(buf_str(&ret->body)) : 202;
	name_session(&m, ret);
	message_free(&m);
}

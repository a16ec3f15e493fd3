/* Which request is it, in which revision, and who answers it? */
#include "mcp/mcp.h"

#include "base/mem.h"
#include "base/version.h"
#include "mcp/prompts.h"
#include "mcp/resources.h"
#include "mcp/tools_call.h"
#include "text/text.h"

static const char version_key[] = "io.modelcontextprotocol/protocolVersion";
static const char capabilities_key[] = "io.modelcontextprotocol/clientCapabilities";

/* Lists do not change while a server runs, but for files that come and go. */
enum { LIST_TTL_MS = 60000, FILES_TTL_MS = 0 };

static const char server_info[] =
	"{\"name\":\"gpuwhy\",\"title\":\"gpuwhy\",\"version\":\"" GPUWHY_VERSION "\"}";
static const char capabilities[] =
	"\"capabilities\":{\"tools\":{},\"resources\":{},\"prompts\":{}}";

void mcp_begin(struct mcp *m)
{
	*m = (struct mcp){0};
	kept_calls_begin(&m->kept);
}

void mcp_free(struct mcp *m)
{
	kept_calls_free(&m->kept);
	roots_free(&m->roots);
}

/* A request that takes no time. Its session may change by it. */
typedef int quick_fn(const struct mcp *m, struct mcp_session *s, const struct message *request,
		     struct buf *members, struct rpc_error *e);
/* One that reads. */
typedef int work_fn_of(struct mcp_worker *w, const struct message *request, struct buf *members,
		       struct rpc_error *e);

static void add_instructions(struct buf *b)
{
	buf_adds(b, ",\"instructions\":");
	text_add_json(b, str_of(mcp_instructions));
}

static int initialize(const struct mcp *m, struct mcp_session *s, const struct message *request,
		      struct buf *members, struct rpc_error *e)
{
	const struct json *asked =
		request->params ? json_read_member(request->params, "protocolVersion") : NULL;

	(void)m;
	if (!asked || json_read_kind(asked) != JSON_KIND_TEXT)
		return rpc_fail(e, RPC_PARAMS, "initialize needs protocolVersion, a text");
	s->revision = revision_for_initialize(json_read_string(asked));
	buf_addf(members, "\"protocolVersion\":\"%s\",%s,\"serverInfo\":%s", s->revision->name,
		 capabilities, server_info);
	add_instructions(members);
	return 0;
}

static void add_revisions(struct buf *b)
{
	const struct revision *r;

	buf_addc(b, '[');
	for (size_t i = 0; (r = revision_at(i)); i++)
		buf_addf(b, "%s\"%s\"", i ? "," : "", r->name);
	buf_addc(b, ']');
}

static int discover(const struct mcp *m, struct mcp_session *s, const struct message *request,
		    struct buf *members, struct rpc_error *e)
{
	(void)m;
	(void)s;
	(void)request;
	(void)e;
	buf_adds(members, "\"supportedVersions\":");
	add_revisions(members);
	buf_addf(members, ",%s", capabilities);
	add_instructions(members);
	return 0;
}

static int ping(const struct mcp *m, struct mcp_session *s, const struct message *request,
		struct buf *members, struct rpc_error *e)
{
	(void)m;
	(void)s;
	(void)request;
	(void)members;
	(void)e;
	return 0;
}

/* All lists are of one page: what begins elsewhere is no page of theirs. */
static int refuse_cursor(const struct message *request, struct rpc_error *e)
{
	const struct json *cursor =
		request->params ? json_read_member(request->params, "cursor") : NULL;

	return cursor ? rpc_fail(e, RPC_PARAMS, "the list has one page: leave the cursor out") : 0;
}

static int list_tools(const struct mcp *m, struct mcp_session *s, const struct message *request,
		      struct buf *members, struct rpc_error *e)
{
	(void)s;
	if (refuse_cursor(request, e) < 0)
		return -1;
	tools_list(m, members);
	return 0;
}

static int list_templates(const struct mcp *m, struct mcp_session *s, const struct message *request,
			  struct buf *members, struct rpc_error *e)
{
	(void)m;
	(void)s;
	if (refuse_cursor(request, e) < 0)
		return -1;
	resource_templates_list(members);
	return 0;
}

static int list_prompts(const struct mcp *m, struct mcp_session *s, const struct message *request,
			struct buf *members, struct rpc_error *e)
{
	(void)m;
	(void)s;
	if (refuse_cursor(request, e) < 0)
		return -1;
	prompts_list(members);
	return 0;
}

static int get_prompt(const struct mcp *m, struct mcp_session *s, const struct message *request,
		      struct buf *members, struct rpc_error *e)
{
	(void)m;
	(void)s;
	return prompts_get(request, members, e);
}

static int list_resources(struct mcp_worker *w, const struct message *request, struct buf *members,
			  struct rpc_error *e)
{
	if (refuse_cursor(request, e) < 0)
		return -1;
	resources_list(w->mcp, members);
	return 0;
}

enum { OLD = 1, STATELESS = 2, ALL = OLD | STATELESS, NOT_KEPT = -1 };

static const struct method {
	const char *name;
	int revisions;
	quick_fn *quick; /* one of the two */
	work_fn_of *work;
	int ttl_ms; /* how long a client may keep the answer; NOT_KEPT: it is no such thing */
} methods[] = {
	{"initialize", OLD, initialize, NULL, NOT_KEPT},
	{"ping", OLD, ping, NULL, NOT_KEPT},
	{"server/discover", STATELESS, discover, NULL, LIST_TTL_MS},
	{"tools/list", ALL, list_tools, NULL, LIST_TTL_MS},
	{"tools/call", ALL, NULL, tools_call, NOT_KEPT},
	{"resources/list", ALL, NULL, list_resources, FILES_TTL_MS},
	{"resources/templates/list", ALL, list_templates, NULL, LIST_TTL_MS},
	{"resources/read", ALL, NULL, resources_read, FILES_TTL_MS},
	{"prompts/list", ALL, list_prompts, NULL, LIST_TTL_MS},
	{"prompts/get", ALL, get_prompt, NULL, NOT_KEPT},
};

static const struct method *find_method(const struct message *m)
{
	const int of = m->revision && m->revision->is_stateless ? STATELESS : OLD;

	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (str_eq(m->method, str_of(methods[i].name)) && methods[i].revisions & of)
			return &methods[i];
	}
	return NULL;
}

static int refuse_revision(struct str asked, struct rpc_error *e)
{
	buf_adds(&e->data, "{\"requested\":");
	text_add_json(&e->data, asked);
	buf_adds(&e->data, ",\"supported\":");
	add_revisions(&e->data);
	buf_addc(&e->data, '}');
	return rpc_fail(e, RPC_REVISION, "revision '%.*s' of the protocol is not spoken here",
			(int)(asked.len < 40 ? asked.len : 40), asked.s);
}

/* What a request that says its revision itself must have. */
static int check_meta(const struct message *m, struct rpc_error *e)
{
	const struct json *has = json_read_member(m->meta, capabilities_key);

	if (!m->revision->is_stateless || (has && json_read_kind(has) == JSON_KIND_OBJECT))
		return 0;
	return rpc_fail(e, RPC_PARAMS, "params._meta needs %s, an object", capabilities_key);
}

static bool needs_no_revision(const struct message *m)
{
	return str_eq(m->method, str_of("initialize")) || str_eq(m->method, str_of("ping"));
}

static int settle_revision(const struct mcp_session *s, struct message *m, struct rpc_error *e)
{
	const struct json *said = m->meta ? json_read_member(m->meta, version_key) : NULL;

	m->revision = s->revision;
	if (!said && (s->revision || needs_no_revision(m)))
		return 0;
	if (!said)
		return rpc_fail(e, RPC_PARAMS,
				"begin with initialize, or say the revision in params._meta: %s "
				"and %s",
				version_key, capabilities_key);
	if (json_read_kind(said) != JSON_KIND_TEXT)
		return rpc_fail(e, RPC_PARAMS, "%s takes a text", version_key);
	m->revision = revision_find(json_read_string(said));
	if (!m->revision)
		return refuse_revision(json_read_string(said), e);
	return check_meta(m, e);
}

/* What every result of the newest revision has beside its own. */
static void add_frame(struct buf *members, const struct message *m, const struct method *method)
{
	if (!m->revision || !m->revision->is_stateless)
		return;
	buf_addf(members,
		 "%s\"resultType\":\"complete\",\"_meta\":{"
		 "\"io.modelcontextprotocol/serverInfo\":%s}",
		 members->len ? "," : "", server_info);
	if (method->ttl_ms != NOT_KEPT)
		buf_addf(members, ",\"ttlMs\":%d,\"cacheScope\":\"private\"", method->ttl_ms);
}

static void reply(struct buf *out, const struct message *m, const struct method *method, int result,
		  struct buf *members, struct rpc_error *e)
{
	if (result < 0) {
		message_add_error(out, buf_str(&m->id), e);
		return;
	}
	add_frame(members, m, method);
	message_add_result(out, buf_str(&m->id), buf_str(members));
}

/* The id of the request that a notification of its end is about. */
static enum mcp_step take_cancel(struct message *m)
{
	const struct json *id = m->params ? json_read_member(m->params, "requestId") : NULL;
	int64_t whole;

	buf_clear(&m->id);
	if (id && json_read_kind(id) == JSON_KIND_TEXT)
		text_add_json(&m->id, json_read_string(id));
	else if (id && json_read_kind(id) == JSON_KIND_NUMBER && json_read_whole(id, &whole))
		buf_addf(&m->id, "%lld", (long long)whole);
	return m->id.len ? MCP_CANCEL : MCP_DONE;
}

/* NULL: there is none, and the error says so. */
static const struct method *settle_method(const struct mcp_session *s, struct message *r,
					  struct rpc_error *e)
{
	const struct method *method;

	if (settle_revision(s, r, e) < 0)
		return NULL;
	method = find_method(r);
	if (!method)
		rpc_fail(e, RPC_NO_METHOD, "there is no method '%.*s' here",
			 (int)(r->method.len < 80 ? r->method.len : 80), r->method.s);
	return method;
}

static enum mcp_step take_request(const struct mcp *m, struct mcp_session *s, struct message *r,
				  struct buf *out, struct rpc_error *e)
{
	const struct method *method = settle_method(s, r, e);
	SCOPED_BUF members = {0};

	if (method && method->work)
		return MCP_WORK;
	if (method)
		reply(out, r, method, method->quick(m, s, r, &members, e), &members, e);
	else
		message_add_error(out, buf_str(&r->id), e);
	return MCP_DONE;
}

enum mcp_step mcp_take(const struct mcp *m, struct mcp_session *s, struct str line,
		       struct message *ret, struct buf *out)
{
	struct rpc_error e = {0};
	enum mcp_step step = MCP_DONE;

	if (message_read(ret, line, &e) < 0)
		message_add_error(out, buf_str(&ret->id), &e);
	else if (!ret->id.len && str_eq(ret->method, str_of("notifications/cancelled")))
		step = take_cancel(ret);
	else if (ret->id.len && ret->method.len)
		step = take_request(m, s, ret, out, &e);
	buf_free(&e.data);
	return step;
}

void mcp_work(struct mcp_worker *w, const struct message *request, struct buf *out)
{
	const struct method *method = find_method(request);
	struct rpc_error e = {0};
	SCOPED_BUF members = {0};
	const int result = method->work(w, request, &members, &e);

	reply(out, request, method, result, &members, &e);
	buf_free(&e.data);
}

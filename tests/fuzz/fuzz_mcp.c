/*
 * Does any line make the server of agents misbehave? The bytes are lines as a client sends them;
 * they are answered without a connection, on a root with one small trace. In lines, the revision
 * that requests say themselves is put in for $, so that what is behind it is reached. Whatever
 * comes back is one line of JSON, of a size that is promised.
 */
#include "base/file.h"
#include "base/mem.h"
#include "mcp/mcp.h"
#include "mcp/page.h"
#include "mcp/transport/lines.h"
#include "mcp/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4096, LONGEST_LINE = 2048, LIST_BYTES = 60000 };

static const char root_path[] = "tests/fuzz/corpus/trace";
static const char meta[] = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
			   "\"io.modelcontextprotocol/clientCapabilities\":{}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *why)
{
	fprintf(stderr, "fuzz_mcp: %s\n", why);
	abort();
}

static struct mcp_worker *open_server(void)
{
	static struct mcp m;
	static struct mcp_worker worker = {.mcp = &m};
	struct err e = {0};

	if (m.roots.all.count)
		return &worker;
	mcp_begin(&m);
	if (roots_add(&m.roots, root_path, &e) < 0)
		fail(e.message);
	return &worker;
}

struct talk {
	struct mcp_worker *worker;
	struct mcp_session session;
};

/* Lists are as long as they are; answers are not longer than a page. */
static void check(struct str line, bool is_answer)
{
	struct json *read;
	struct err e = {0};

	if (!line.len)
		return;
	if (memchr(line.s, '\n', line.len))
		fail("a line with an end in it");
	if (line.len > (is_answer ? (size_t)PAGE_MOST_CHARACTERS * 2 : LIST_BYTES))
		fail("a line that is too long");
	if (json_read_text(&read, line, "the reply", &e) < 0)
		fail(e.message);
	json_read_free(read);
}

static void take(void *ctx, struct str line)
{
	struct talk *t = ctx;
	SCOPED_BUF reply = {0};
	struct message m;
	const enum mcp_step step = mcp_take(t->worker->mcp, &t->session, line, &m, &reply);

	if (step == MCP_WORK) {
		work_begin(NULL, NULL);
		mcp_work(t->worker, &m, &reply);
	}
	if (step == MCP_CANCEL && !m.id.len)
		fail("the end of nothing");
	check(buf_str(&reply), step == MCP_WORK);
	message_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct talk t = {.worker = open_server()};
	struct lines l = {.most = LONGEST_LINE};
	SCOPED_BUF text = {0};

	if (size > MOST_BYTES)
		return 0;
	for (size_t i = 0; i < size; i++) {
		if (data[i] == '$')
			buf_adds(&text, meta);
		else
			buf_addc(&text, (char)data[i]);
	}
	/* In pieces, as a pipe has them. */
	for (size_t at = 0; at < text.len; at += 7)
		lines_feed(&l, text.s + at, text.len - at < 7 ? text.len - at : 7, take, &t);
	lines_end(&l, take, &t);
	return 0;
}

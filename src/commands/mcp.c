/* gpuwhy mcp: the Model Context Protocol, for agents that ask about traces. */
#include "mcp/mcp.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/config_folder.h"
#include "cli/say.h"
#include "mcp/client_config.h"
#include "mcp/memory.h"
#include "mcp/transport/http.h"
#include "mcp/transport/stdio.h"
#include "mcp/work.h"
#include "sqlitefile/sqlitefile.h"
#include "text/json_write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct mcp_args {
	struct string_list roots;
	bool http, allow_run, once;
	uint64_t port;
	uint64_t memory_mb;	/* 0: as much as the machine has for it */
	enum mcp_client client; /* --print-config */
};

/* What still goes on does not look whether anybody waits for it: nobody does. */
static _Noreturn void end_at_once(void)
{
	sqlitefile_remove_copies();
	_exit(0);
}

/*
 * What anything else in the program, or in a library, may print goes to standard error: there is
 * nothing but messages on standard output.
 */
static int take_output(int *ret, struct err *e)
{
	fflush(stdout);
	*ret = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (*ret < 0)
		return err_set_errno(e, "standard output");
	(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	return 0;
}

static int serve_streams(struct mcp *m, bool once, struct err *e)
{
	bool is_idle;
	int out;

	if (take_output(&out, e) < 0 || stdio_serve(m, STDIN_FILENO, out, once, &is_idle, e) < 0)
		return -1;
	if (!is_idle)
		end_at_once();
	close(out);
	return 0;
}

/* For clients that read it there: nobody else may. */
static int write_token_file(const char *path, const struct mcp_http *h, unsigned port,
			    struct err *e)
{
	SCOPED_BUF text = {0}, url = {0};
	struct json_writer w = {.out = &text};
	SCOPED_FD fd = -1;

	buf_addf(&url, "http://127.0.0.1:%u/mcp", port);
	json_write_open(&w, NULL, '{');
	json_write_text(&w, "url", url.s);
	json_write_text(&w, "token", h->guard.token);
	json_write_close(&w, '}');
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || file_write_all(fd, text.s, text.len) < 0)
		return err_set_errno(e, "cannot write '%s'", path);
	return 0;
}

static int tell(const struct mcp_http *h, unsigned port, const char *file, struct err *e)
{
	fprintf(stderr, "both are in %s, for clients; Ctrl+C ends it\n", file);
	printf("http://127.0.0.1:%u/mcp\nAuthorization: Bearer %s\n", port, h->guard.token);
	if (fflush(stdout) != 0)
		return err_set_errno(e, "standard output");
	return 0;
}

static void wait_for_end(struct server *server, const sigset_t *signals)
{
	const struct timespec second = {1, 0};

	while (sigtimedwait(signals, NULL, &second) <= 0)
		server_end_slow(server);
}

/* Threads that are begun later leave these signals to the one that waits for them. */
static void block_signals(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGHUP);
	pthread_sigmask(SIG_BLOCK, ret, NULL);
}

/* ~/.local/state/gpuwhy/mcp/PORT.json */
static int token_path(struct buf *b, unsigned port, struct err *e)
{
	SCOPED_BUF folder = {0};

	if (!state_folder_add(&folder, "mcp"))
		return err_set(e, ERR_SYSTEM, "there is no home folder to keep the token in");
	if (file_make_folders(folder.s, 0700) < 0)
		return err_set_errno(e, "cannot make '%s'", folder.s);
	buf_addf(b, "%s/%u.json", folder.s, port);
	return 0;
}

static int serve_port(struct mcp_http *h, struct server *server, const sigset_t *signals,
		      struct err *e)
{
	const struct server_use use = {mcp_http_admit, mcp_http_answer, h};
	const unsigned port = server_port(server);
	SCOPED_BUF kept = {0};
	const char *path;
	int result;

	if (token_path(&kept, port, e) < 0)
		return -1;
	path = buf_str(&kept).s;
	if (write_token_file(path, h, port, e) < 0)
		return -1;
	result = server_start(server, &use, e);
	if (result == 0)
		result = tell(h, port, path, e);
	if (result == 0)
		wait_for_end(server, signals);
	unlink(path);
	return result;
}

static int serve_http(struct mcp *m, uint16_t port, struct err *e)
{
	struct server *server = NULL;
	struct mcp_http h;
	sigset_t signals;
	int result;

	block_signals(&signals);
	if (server_listen_port(&server, port, e) < 0) {
		server_stop(server);
		return -1;
	}
	result = mcp_http_begin(&h, m, e);
	if (result == 0)
		result = serve_port(&h, server, &signals, e);
	work_end_all();
	if (result == 0 && !workers_are_idle(h.threads))
		end_at_once();
	server_stop(server);
	mcp_http_end(&h);
	return result;
}

static int add_roots(struct mcp *m, const struct mcp_args *o, struct err *e)
{
	for (size_t i = 0; i < o->roots.count; i++) {
		if (roots_add(&m->roots, o->roots.all[i], e) < 0)
			return -1;
	}
	return o->roots.count ? 0 : roots_add(&m->roots, ".", e);
}

static int serve(const struct mcp_args *o, struct err *e)
{
	struct mcp *m = mem_zalloc(1, sizeof(*m));
	int result;

	mcp_begin(m);
	result = add_roots(m, o, e);
	m->may_run = o->allow_run;
	work_set_memory(o->memory_mb ? o->memory_mb << 20 : memory_machine_bytes() / 4);
	/* Nothing is drawn; what is being done can be asked for. */
	progress_stop();
	progress_watch();
	/* How many cores there are is found here, before several threads ask. */
	(void)parallel_workers();
	if (result == 0)
		result = o->http ? serve_http(m, (uint16_t)o->port, e)
				 : serve_streams(m, o->once, e);
	mcp_free(m);
	free(m);
	return result;
}

/* The command line as the client is to run it, from wherever it runs it. */
static int print_config(const struct mcp_args *o, struct err *e)
{
	struct string_list words = {0};
	struct mcp m;
	SCOPED_BUF text = {0};
	char self[4096];
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int result;

	mcp_begin(&m);
	result = add_roots(&m, o, e);
	if (result == 0) {
		self[len > 0 ? len : 0] = '\0';
		string_list_add(&words, len > 0 ? self : "gpuwhy");
		string_list_add(&words, "mcp");
		for (size_t i = 0; i < m.roots.all.count; i++) {
			string_list_add(&words, "--root");
			string_list_add(&words, m.roots.all.all[i]);
		}
		if (o->allow_run)
			string_list_add(&words, "--allow-run");
		client_config_add(&text, o->client, &words);
		fprintf(stderr, "put this into %s:\n", client_config_place(o->client));
		fputs(text.s, stdout);
	}
	string_list_free(&words);
	mcp_free(&m);
	return result;
}

static int run(struct invocation *inv, struct err *e)
{
	const struct mcp_args *o = inv->args;

	if (inv->trace_path) {
		err_set(e, ERR_USAGE, "mcp takes no trace: agents name them");
		return err_hint(e, "gpuwhy mcp --root FOLDER");
	}
	return o->client ? print_config(o, e) : serve(o, e);
}

static int check(const void *args, const char *command, struct err *e)
{
	const struct mcp_args *o = args;

	(void)command;
	return o->port && !o->http ? err_set(e, ERR_USAGE, "--port is for --http") : 0;
}

static const struct option_word client_words[] = {{"claude", CLIENT_CLAUDE},
						  {"cursor", CLIENT_CURSOR},
						  {"vscode", CLIENT_VSCODE},
						  {"codex", CLIENT_CODEX},
						  {NULL, 0}};

static const struct option options[] = {
	OPT_LIST("root", struct mcp_args, roots, "DIR", "a folder", ACCESS_READS,
		 "folder whose traces may be read; repeatable; the current one where none is "
		 "given"),
	OPT_FLAG("http", struct mcp_args, http,
		 "serve HTTP on 127.0.0.1, with a token, in place of standard input and output"),
	OPT_COUNT("port", struct mcp_args, port, 1, 65535, "a port",
		  "with --http: this port; any free one otherwise"),
	OPT_FLAG("once", struct mcp_args, once,
		 "answer what is on standard input to its end, however long that takes; a server "
		 "otherwise ends with its client"),
	OPT_FLAG("allow-run", struct mcp_args, allow_run,
		 "also offer the tool `profile`, which runs any command"),
	OPT_COUNT("call-memory", struct mcp_args, memory_mb, 1, UINT32_MAX, "a number of MB",
		  "give up a call that takes more than N MB of memory; a quarter of the machine's "
		  "where none is given"),
	OPT_WORD("print-config", struct mcp_args, client, client_words,
		 "print what to put into the configuration of a client, and end"),
	OPT_END(),
};
static const struct option_group mcp_options = {options, sizeof(struct mcp_args), check, NULL};

const struct command command_mcp = {
	.name = "mcp",
	.summary = "answer agents by the Model Context Protocol",
	.detail = "Reads messages from standard input and writes answers to standard output, as "
		  "clients such as Claude Code, Cursor, VS Code and Codex expect it. Tools: "
		  "traces, findings, every analysis, read-only SQL, windows of the timeline, "
		  "comparisons; each answer is the JSON of the command of that name. Only files "
		  "below the roots are read, and nothing is written. See docs/mcp.md.",
	.example = "gpuwhy mcp --print-config claude",
	.options = &mcp_options,
	.run = run,
};

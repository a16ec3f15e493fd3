/* gpuwhy web: the timeline and all answers in a browser, served by this program alone. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/say.h"
#include "commands/shown.h"
#include "http/server.h"
#include "sqlitefile/sqlitefile.h"
#include "text/shell_words.h"
#include "traces/link.h"
#include "web/browser.h"
#include "web/routes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct web_args {
	struct shown_args shown;
	const char *listen, *at;
	uint64_t port;
	double idle_s;
	bool open;
};

enum { MOMENT_NS = 50000000 }; /* nobody notices */

static const char unix_prefix[] = "unix:";

static int listen_on(const struct web_args *o, struct server **ret, struct err *e)
{
	if (!o->listen)
		return server_listen_port(ret, (uint16_t)o->port, e);
	if (strncmp(o->listen, unix_prefix, strlen(unix_prefix)) != 0 ||
	    !o->listen[strlen(unix_prefix)]) {
		err_set(e, ERR_USAGE, "--listen takes unix:PATH, not '%s'", o->listen);
		return err_hint(e, "--port N chooses a port of 127.0.0.1; no other machine can "
				   "reach it");
	}
	return server_listen_path(ret, o->listen + strlen(unix_prefix), e);
}

/* A place may come from anybody: what is no part of a URL's fragment is escaped. */
static void add_place(struct buf *b, const char *at)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-_.%=&,";

	for (at += *at == '#'; *at; at++) {
		if (strchr(plain, *at))
			buf_addc(b, *at);
		else
			buf_addf(b, "%%%02X", (unsigned char)*at);
	}
}

static void add_url(struct buf *b, const struct server *s, const struct site *site,
		    const struct web_args *o)
{
	const unsigned port = server_port(s);

	buf_addf(b, "http://127.0.0.1:%u/#token=%s", port ? port : 8080, site->guard.token);
	if (o->at) {
		buf_addc(b, '&');
		add_place(b, o->at);
	}
}

/* Whoever types it there is in another folder. */
static void tell_ssh(const char *path)
{
	SCOPED char *real = realpath(path, NULL);
	SCOPED_BUF from_to = {0};
	SCOPED_BUF word = {0};

	buf_addf(&from_to, "8080:%s", real ? real : path);
	word_add_quoted(&word, from_to.s);
	fprintf(stderr, "on your own machine: ssh -L %s HOST, then open the URL\n", word.s);
}

/* Standard output is read by scripts, too: the URL is there at once, alone on its line. */
static int tell(const struct server *s, const char *url, const struct web_args *o, struct err *e)
{
	if (!server_port(s))
		tell_ssh(o->listen + strlen(unix_prefix));
	printf("%s\n", url);
	if (fflush(stdout) != 0)
		return err_set_errno(e, "standard output");
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "Ctrl+C ends it\n");
	return 0;
}

/* Until somebody ends it, or nobody has asked for anything for long. */
static void wait_for_end(struct server *s, struct handed_page *page, double idle_s,
			 const sigset_t *signals)
{
	for (;;) {
		const struct timespec second = {1, 0};
		const double quiet_s = (double)(clock_now_ns() - server_last_asked_ns(s)) / 1e9;

		if (sigtimedwait(signals, NULL, &second) > 0)
			return;
		server_end_slow(s);
		browser_look(page);
		if (idle_s > 0 && quiet_s > idle_s) {
			fprintf(stderr, "gpuwhy: nobody has asked for anything for a while: the "
					"end (--idle)\n");
			return;
		}
	}
}

static int serve(struct server *server, struct site *site, const struct web_args *o,
		 const sigset_t *signals, struct err *e)
{
	const struct server_use use = {routes_admit, routes_answer, site};
	struct handed_page *page = NULL;
	SCOPED_BUF url = {0};
	int result;

	add_url(&url, server, site, o);
	/*
	 * The first thing that the reader does: what is asked then waits behind it. A trace that is
	 * seen to be damaged in a moment is no page; one that is found to be later says so in it.
	 */
	if (site_begin_reading(site, e) < 0 ||
	    site_wait_until(site, clock_now_ns() + MOMENT_NS, e) < 0 ||
	    server_start(server, &use, e) < 0 || tell(server, url.s, o, e) < 0)
		return -1;
	result = o->open ? browser_open(url.s, &page, e) : 0;
	if (result == 0)
		wait_for_end(server, page, o->idle_s, signals);
	browser_forget(page);
	return result;
}

/* Threads that are begun later leave these signals to the one that waits for them. */
static void block_signals(sigset_t *ret)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

	sigemptyset(ret);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		struct sigaction now;

		/* What is ignored stays so: nohup, and jobs that a script has begun with &. */
		if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(ret, ends[i]);
	}
	pthread_sigmask(SIG_BLOCK, ret, NULL);
}

/* A sum over millions of rows does not look whether somebody waits for it: nobody waits for it. */
static _Noreturn void end_at_once(struct server *server, int code)
{
	sqlitefile_remove_copies();
	server_forget(server);
	_exit(code);
}

static int run_site(struct invocation *inv, struct server *server, struct shown *shown,
		    struct err *e)
{
	const struct web_args *o = inv->args;
	struct string_list words = {0};
	struct site site = {.ncu = shown->ncu, .input = &inv->input, .comm = o->shown.comm.comm};
	sigset_t signals;
	int result;

	block_signals(&signals);
	string_list_add(&words, "gpuwhy");
	string_list_add(&words, "web");
	for (size_t i = 0; i < inv->words.count; i++) {
		if (shown->compares && inv->words.count - i == inv->words_after)
			string_list_add(&words, "--");
		string_list_add(&words, inv->words.all[i]);
	}
	site.aligns_steps = shown->compares;
	site.command = words.all;
	site.command_count = words.count;
	site_open(&site, &shown->traces);
	result = site_start(&site, e);
	if (result == 0)
		result = serve(server, &site, o, &signals, e);
	if (!site_end(&site)) {
		if (result < 0)
			say_error(e);
		end_at_once(server, result < 0 ? (int)e->code : 0);
	}
	server_stop(server);
	site_close(&site);
	string_list_free(&words);
	return result;
}

/* A slip in a place that somebody sent: what is right of it is shown all the same. */
static void warn_of_unknown(const char *at)
{
	SCOPED_BUF b = {0};
	struct err ignored = {0};
	struct link place;

	if (at && link_parse(&place, at, &ignored) == 0 && place.unknown) {
		buf_adds(&b, "--at: nothing is known of '");
		link_add_escaped(&b, place.unknown);
		buf_adds(&b, "'; a place has w=FROM,TO, sel=FROM,TO, row, tab, find, hide, pin, "
			     "fold, align");
		say_warning(b.s);
	}
	if (at)
		link_free(&place);
}

static int run(struct invocation *inv, struct err *e)
{
	const struct web_args *o = inv->args;
	struct server *server = NULL;
	struct shown shown;
	int result;

	if (!inv->words.count)
		return invocation_open_trace(inv, e);
	warn_of_unknown(o->at);
	if (invocation_settle_words(inv, 0, e) < 0)
		return -1;
	result = shown_open(&shown, inv, &o->shown, e);
	if (result == 0)
		result = listen_on(o, &server, e);
	if (result == 0) {
		progress_watch();
		result = run_site(inv, server, &shown, e);
	} else {
		server_stop(server);
	}
	shown_close(&shown);
	return result;
}

static int check(const void *args, const char *command, struct err *e)
{
	const struct web_args *a = args;
	struct link at = {0};
	int result;

	(void)command;
	if (a->listen && a->port)
		return err_set(e, ERR_USAGE, "--listen and --port: one of them");
	if (a->listen && a->open)
		return err_set(e, ERR_USAGE,
			       "--open needs a port: a browser opens no socket of a "
			       "file system");
	if (!a->at)
		return 0;
	result = link_parse(&at, a->at, e);
	link_free(&at);
	return result;
}

static const struct option_group web_options = {
	.options =
		(const struct option[]){
			OPT_INCLUDE(struct web_args, shown, struct shown_args, shown_options),
			OPT_COUNT("port", struct web_args, port, 1, 65535, "a port",
				  "listen on port N of 127.0.0.1 (default: any that is free)"),
			OPT_TEXT("listen", struct web_args, listen, "unix:PATH", "unix:PATH",
				 "listen on a socket that only you may use, for ssh -L"),
			OPT_FLAG("open", struct web_args, open, "open it in the browser"),
			OPT_TEXT("at", struct web_args, at, "PLACE", "a place",
				 "begin at a place that Y in the timeline told"),
			{.type = OPTION_SECONDS,
			 .name = "idle",
			 .value = "SECONDS",
			 OPT_MEMBER(struct web_args, idle_s, double),
			 .initial = "28800",
			 .help = "end when nobody has asked for anything for so long"},
			OPT_END(),
		},
	.size = sizeof(struct web_args),
	.check = check,
};

const struct command command_web = {
	.name = "web",
	.operand = "TRACE…",
	.summary = "the timeline and all answers in a browser, from a server on this machine",
	.detail = "Prints one URL and serves it on 127.0.0.1 until Ctrl+C. The URL holds a token: "
		  "whoever has it can read the trace, and nobody else. On a remote machine use "
		  "ssh -L PORT:127.0.0.1:PORT with --port, or --listen unix:PATH. Several traces "
		  "are shown "
		  "as one job; A -- B are two runs, whose first warm steps begin together; "
		  "either may be a job.",
	.example = "gpuwhy web trace.sqlite --open",
	.options = &web_options,
	.common = COMMON_TRACE,
	.has_words = true,
	.has_sides = true,
	.own_format = true,
	.run = run,
};

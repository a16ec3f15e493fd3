/* When is a model asked, and what if it has no answer? */
#include "commands/ask/model.h"

#include "base/progress.h"
#include "cli/config_folder.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "llm/prompt.h"
#include "report/answer.h"
#include "text/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_OTHERWISE = 80, WIDEST = 120, MODEL_LINE_COLUMNS = 2 };

static int check(const void *args, const char *command, struct err *e)
{
	const struct model_args *o = args;

	(void)command;
	if (!o->llm && (o->model || o->dry_run || o->redacts))
		return err_set(e, ERR_USAGE, "--model, --dry-run and --redact-names are for --llm");
	return 0;
}

/* Servers must not let others set it: it sends what the trace holds elsewhere. */
static const struct option options[] = {
	OPT(OPTION_TEXT, "llm",
	    "have a model word the answer: its server's address, or config for that of the "
	    "configuration file",
	    OPT_MEMBER(struct model_args, llm, const char *), .value = "URL",
	    .wanted = "an address", .access = ACCESS_RUNS),
	OPT_TEXT("model", struct model_args, model, "NAME", "a model's name",
		 "with --llm: the model to ask"),
	OPT_FLAG("dry-run", struct model_args, dry_run,
		 "with --llm: print what would be sent first, and send nothing"),
	OPT_FLAG("redact-names", struct model_args, redacts,
		 "with --llm: send aliases in place of kernel, range and path names"),
	OPT_END(),
};
const struct option_group model_options = {options, sizeof(struct model_args), check, NULL};

static size_t terminal_width(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_col)
		return WIDTH_OTHERWISE;
	return w.ws_col < WIDEST ? w.ws_col : WIDEST;
}

/* Lines of their own: whoever reads along sees where one ends. */
static void print_sentences(void *ctx, struct str text)
{
	SCOPED_BUF safe = {0}, wrapped = {0};

	(void)ctx;
	progress_stop();
	text_add_safe(&safe, str_trimmed(text));
	if (!safe.len)
		return;
	text_add_wrapped(&wrapped, buf_str(&safe), terminal_width() - MODEL_LINE_COLUMNS, 0);
	for (const char *at = wrapped.s, *end; at; at = end ? end + 1 : NULL) {
		end = strchr(at, '\n');
		(void)printf("%s%.*s\n", MODEL_LINE, (int)(end ? end - at : (long)strlen(at)), at);
	}
	(void)fflush(stdout);
}

/* A person at a terminal reads along; a pager, a file and a program want all of it. */
static bool is_read_along(const struct invocation *inv)
{
	return isatty(STDOUT_FILENO) && !inv->output.path &&
	       strcmp(invocation_format(inv), "text") == 0;
}

static int begin(struct model_job *ret, struct model_settings *s, struct invocation *inv,
		 const struct model_args *o, const struct model_question *q, struct err *e)
{
	SCOPED_BUF file = {0};
	const bool has_file = config_folder_add(&file, "llm.json");

	if (settings_read(s, o->llm, o->model, has_file ? file.s : NULL, e) < 0)
		return -1;
	*ret = (struct model_job){.settings = s,
				  .trace = inv->trace,
				  .path = inv->trace_path,
				  .question = q->text ? q->text : model_diagnosis,
				  .window = q->window,
				  .redacts = o->redacts || s->redacts};
	return 0;
}

/* The answer without a model, with what became of that. */
static int fall_back(struct invocation *inv, const struct model_question *q,
		     const struct model_settings *s, const struct err *failure, struct report *r,
		     struct err *e)
{
	struct answer_model *model;
	struct report_answer *answer;

	if (q->plain(inv, q->text, q->memory, r, e) < 0)
		return -1;
	report_warning(r, "the model %s has no answer (%s): this is the answer without one",
		       s->model, failure->message);
	report_move_last(r, 0);
	if (!r->answer)
		return 0;
	model = arena_zalloc(&r->arena, 1, sizeof(*model));
	answer = arena_alloc(&r->arena, 1, sizeof(*answer));
	*model = (struct answer_model){.name = arena_strdup(&r->arena, s->model),
				       .failure = arena_strdup(&r->arena, failure->message)};
	*answer = *r->answer;
	answer->model = model;
	r->answer = answer;
	return 0;
}

int model_ask(struct invocation *inv, const struct model_args *o, const struct model_question *q,
	      struct report *r, struct err *e)
{
	struct model_settings s = {0};
	struct model_talk *own = NULL;
	struct err failure = {0};
	struct model_job job;
	int result = begin(&job, &s, inv, o, q, e);

	if (result == 0 && is_read_along(inv)) {
		pager_end();
		job.tell = print_sentences;
	}
	if (result == 0 && model_answer(q->talk ? q->talk : &own, &job, r, &failure) < 0)
		result = fall_back(inv, q, &s, &failure, r, e);
	model_talk_free(own);
	settings_free(&s);
	return result;
}

int model_show_request(struct invocation *inv, const struct model_args *o,
		       const struct model_question *q, struct err *e)
{
	struct model_settings s = {0};
	struct output out;
	struct model_job job;
	SCOPED_BUF request = {0};
	int result = begin(&job, &s, inv, o, q, e);

	if (result == 0)
		result = model_add_request(&request, &job, e);
	settings_free(&s);
	if (result < 0 || output_open(&out, inv->output.path, e) < 0)
		return -1;
	if (out.sink.write(out.sink.ctx, request.s, request.len) < 0)
		result = err_set_errno(e, "the output");
	return output_close(&out, result == 0, e) < 0 ? -1 : result;
}

/* What secrets has nsys written down, and where? */
#include "base/mem.h"
#include "capture/secrets.h"
#include "cli/say.h"
#include "commands/runs/profile.h"
#include "sqlitefile/rewrite.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMED = 3, FOLDER_FOR_ALL = 0777 }; /* NAMED: of the secrets that are told */

/* Where nsys exports environments and arguments to. */
static const struct sqlite_place places[] = {
	{"META_DATA_CAPTURE", "value", "name"}, {"TARGET_INFO_SYSTEM_ENV", "value", "name"},
	{"DIAGNOSTIC_EVENT", "text", "text"},	{"PROCESSES", "name", "name"},
	{"StringIds", "value", NULL},
};

static bool hides_word(const struct run_record *r, size_t i)
{
	return strcmp(r->argv[i], r->shown.all[i]) != 0;
}

static bool clean_argument(const struct run_record *r, struct str text, struct buf *ret)
{
	for (size_t i = 0; i < r->argc; i++) {
		if (!hides_word(r, i) || !str_eq(text, str_of(r->argv[i])))
			continue;
		buf_adds(ret, r->shown.all[i]);
		return true;
	}
	return false;
}

/* A text that has one is another; names of ranges are left alone, which are in StringIds. */
static bool clean_known(const struct run_record *r, struct str text, struct buf *ret)
{
	buf_clear(ret);
	buf_addstr(ret, text);
	known_secrets_hide(&r->known, ret);
	return !str_eq(buf_str(ret), text);
}

/* "PROCESS_0:ENVIRONMENT_VARIABLE", "DeviceEnvironment"; several with NULs between them. */
static bool is_environment(struct str label, struct str text)
{
	return str_holds(label, "ENVIRONMENT") || str_holds(label, "Environment") ||
	       (text.len && memchr(text.s, '\0', text.len));
}

static bool clean_text(void *ctx, struct str label, struct str text, struct buf *ret)
{
	const struct run_record *r = ctx;
	bool cleaned;

	if (str_holds(label, "ARGUMENT"))
		return clean_argument(r, text, ret);
	if (!is_environment(label, text))
		return label.len && clean_known(r, text, ret);
	cleaned = secrets_hide_variables(ret, text);
	/* What may be written down can have another's value in it. */
	known_secrets_hide(&r->known, ret);
	return cleaned || !str_eq(buf_str(ret), text);
}

int profile_clean_export(const struct run_record *r, const char *trace, struct err *e)
{
	uint64_t changed;

	return sqlitefile_rewrite(trace, places, ARRAY_LEN(places), clean_text, (void *)r, &changed,
				  e);
}

static void add_name(struct buf *b, size_t *count, struct str name)
{
	if (*count < NAMED)
		buf_addf(b, "%s%.*s", *count ? ", " : "", STR_FMT(name));
	++*count;
}

/* Names of variables, and how many words of the command. Returns how many secrets there are. */
static size_t list_secrets(struct buf *b, const struct run_record *r)
{
	size_t count = 0, words = 0;

	for (char **entry = environ; *entry; entry++) {
		const struct str name = {*entry, strcspn(*entry, "=")};

		if ((*entry)[name.len] && secret_variable(name, str_of(*entry + name.len + 1)))
			add_name(b, &count, name);
	}
	for (size_t i = 0; i < r->argc; i++)
		words += hides_word(r, i);
	if (count > NAMED)
		buf_addf(b, " and %zu more", count - NAMED);
	if (words)
		buf_addf(b, "%s%zu word%s of the command", count ? ", " : "", words,
			 words == 1 ? "" : "s");
	return count + words;
}

/* Whether nobody else may read it from now on. */
static bool guard(const struct running *u, const char *name)
{
	struct buf path = {0};
	bool done;

	buf_addf(&path, "%s/nsys/%s", u->folder.path, name);
	done = chmod(path.s, S_IRUSR | S_IWUSR) == 0;
	buf_free(&path);
	return done;
}

static void set_folder_mode(const struct running *u, mode_t mode)
{
	char *folder = run_folder_file(&u->folder, "nsys");

	chmod(folder, mode);
	free(folder);
}

void profile_guard_folder(struct running *u)
{
	struct buf ignored = {0};

	u->has_secrets = list_secrets(&ignored, u->record) > 0;
	buf_free(&ignored);
	if (u->has_secrets)
		set_folder_mode(u, S_IRWXU);
}

void profile_guard_reports(struct running *u, const struct nsys_output *out)
{
	const mode_t usual = umask(0);
	size_t open = 0;

	umask(usual);
	if (!u->has_secrets)
		return;
	for (size_t i = 0; i < out->report_count; i++)
		open += !guard(u, out->reports[i]);
	for (size_t i = 0; i < out->stream_count; i++)
		open += !guard(u, out->streams[i]);
	u->has_streams = out->stream_count > 0;
	if (open)
		say_warning("the permissions of nsys's report, which contains the program's "
			    "environment, could not be changed: nsys/ is therefore readable only "
			    "by you");
	else
		set_folder_mode(u, FOLDER_FOR_ALL & ~usual);
}

void profile_tell_secrets(const struct running *u)
{
	const struct run_record *r = u->record;
	struct buf b = {0};
	size_t kept = 0;

	for (size_t i = 0; i < r->report_count; i++)
		kept += r->reports[i].report != NULL;
	if (!u->has_secrets || u->job->repeated || !(kept || u->has_streams))
		return;
	buf_adds(&b, "nsys stores the program's environment and command in its report, ");
	list_secrets(&b, r);
	buf_addf(&b, " included: do not share %s; run.sqlite and report/ contain none of these%s",
		 kept ? "*.nsys-rep" : "*.qdstrm",
		 kept && !profile_args(u->inv)->drop_report
			 ? "; --drop-report deletes the .nsys-rep after export"
			 : "");
	say_warning(b.s);
	buf_free(&b);
}

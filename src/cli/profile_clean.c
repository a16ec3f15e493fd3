/* What secrets has nsys written down, and where? */
#include "base/mem.h"
#include "capture/manifest_write.h"
#include "capture/secret_environment.h"
#include "cli/profile.h"
#include "cli/say.h"
#include "sqlitefile/rewrite.h"

#include <sys/stat.h>
#include <unistd.h>

enum { NAMED = 3 }; /* of the secrets that are told */

/* Where nsys exports environments and arguments to. */
static const struct sqlite_place places[] = {
	{"META_DATA_CAPTURE", "value", "name"},
	{"TARGET_INFO_SYSTEM_ENV", "value", "name"},
	{"StringIds", "value", NULL},
};

/* The command as it is, and as it may be shown. */
struct cleaner {
	const struct run_record *record;
	struct arena arena;
	struct words shown;
};

static void cleaner_start(struct cleaner *c, const struct run_record *r)
{
	*c = (struct cleaner){.record = r};
	manifest_shown_words(r->argv, r->argc, r->settings, r->setting_count, &c->arena, &c->shown);
}

static void cleaner_free(struct cleaner *c)
{
	words_free(&c->shown);
	arena_free(&c->arena);
}

static bool hides_word(const struct cleaner *c, size_t i)
{
	return strcmp(c->record->argv[i], c->shown.all[i]) != 0;
}

static bool clean_argument(const struct cleaner *c, struct str text, struct buf *ret)
{
	for (size_t i = 0; i < c->record->argc; i++) {
		if (!hides_word(c, i) || !str_eq(text, str_of(c->record->argv[i])))
			continue;
		buf_adds(ret, c->shown.all[i]);
		return true;
	}
	return false;
}

/* "PROCESS_0:ARGUMENT_2", "PROCESS_0:ENVIRONMENT_VARIABLE", "DeviceEnvironment"; NULs in a text. */
static bool clean_text(void *ctx, struct str label, struct str text, struct buf *ret)
{
	if (str_holds(label, "ARGUMENT"))
		return clean_argument(ctx, text, ret);
	return (str_holds(label, "ENVIRONMENT") || str_holds(label, "Environment") ||
		(text.len && memchr(text.s, '\0', text.len))) &&
	       secrets_hide_variables(ret, text);
}

int profile_clean_export(const struct run_record *r, const char *trace, struct err *e)
{
	struct cleaner c;
	uint64_t changed;
	int result;

	cleaner_start(&c, r);
	result = sqlitefile_rewrite(trace, places, ARRAY_LEN(places), clean_text, &c, &changed, e);
	cleaner_free(&c);
	return result;
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
	struct cleaner c;
	size_t count = 0, words = 0;

	for (char **entry = environ; *entry; entry++) {
		const struct str name = {*entry, strcspn(*entry, "=")};

		if ((*entry)[name.len] && secret_variable(name, str_of(*entry + name.len + 1)))
			add_name(b, &count, name);
	}
	cleaner_start(&c, r);
	for (size_t i = 0; i < r->argc; i++)
		words += hides_word(&c, i);
	cleaner_free(&c);
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

void profile_guard_reports(struct running *u, const struct nsys_output *out)
{
	struct buf ignored = {0};
	size_t open = 0;

	u->has_secrets = list_secrets(&ignored, u->record) > 0;
	buf_free(&ignored);
	if (!u->has_secrets)
		return;
	for (size_t i = 0; i < out->report_count; i++)
		open += !guard(u, out->reports[i]);
	for (size_t i = 0; i < out->stream_count; i++)
		open += !guard(u, out->streams[i]);
	u->has_streams = out->stream_count > 0;
	if (open)
		say_warning("others may be able to read nsys's report, in which the program's "
			    "environment is: its mode could not be changed");
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
	buf_adds(&b, "nsys keeps the program's environment and command in what it records, ");
	list_secrets(&b, r);
	buf_addf(&b,
		 " included: do not pass %s on, only run.sqlite and report/, which have none of "
		 "it%s",
		 kept ? "*.nsys-rep" : "*.qdstrm",
		 kept ? "; --drop-report removes it once it is exported" : "");
	say_warning(b.s);
	buf_free(&b);
}

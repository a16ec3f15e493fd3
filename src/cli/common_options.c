/* Where does an answer go, and what does every command take? */
#include "cli/common_options.h"

#include "base/parallel.h"
#include "input/input.h"
#include "report/present.h"

/* What there is instead depends on the command. */
static int set_format(void *args, const char *name, const char *value, struct err *e)
{
	struct output_args *a = args;

	(void)name;
	(void)e;
	if (presenter_find(value))
		a->format = value;
	else
		a->unknown_format = value;
	return 0;
}

static const char *format_of(size_t i, bool trees)
{
	for (size_t k = 0; presenter_at(k); k++) {
		if ((trees || !presenter_at(k)->trees_only) && i-- == 0)
			return presenter_at(k)->name;
	}
	return NULL;
}

static const char *format_at(size_t i)
{
	return format_of(i, false);
}

static const char *tree_format_at(size_t i)
{
	return format_of(i, true);
}

static int set_output(void *args, const char *name, const char *value, struct err *e)
{
	struct output_args *a = args;

	if (!value[0])
		return option_bad_value(name, value, "a file name", e);
	a->path = strcmp(value, "-") == 0 ? NULL : value;
	return 0;
}

static const struct option_word colours[] = {
	{"auto", COLOUR_AUTO}, {"always", COLOUR_ALWAYS}, {"never", COLOUR_NEVER}, {NULL, 0}};

const struct option_group colour_options =
	OPTIONS(struct output_args,
		OPT_WORD_VALUE("color", struct output_args, colour, "WHEN", colours,
			       "auto (default), always or never; NO_COLOR is honoured"));

const struct option_group file_options =
	OPTIONS(struct output_args, OPT_OUTPUT(set_output, "write to FILE instead of the terminal"),
		OPT_FLAG("no-pager", struct output_args, no_pager,
			 "print long answers to the terminal at once"));

#define OPT_FORMAT(at, h)                                                                    \
	OPT(OPTION_CUSTOM, "format", h, .letter = 'f', .value = "FORMAT", .set = set_format, \
	    .word_at = (at))

#define BY_ENDING "default: by FILE's ending"

const struct option_group output_options = OPTIONS(
	struct output_args, OPT_FORMAT(format_at, "text, markdown, json, csv or html; " BY_ENDING),
	OPT_SAME(file_options), OPT_SAME(colour_options));

const struct option_group tree_output_options =
	OPTIONS(struct output_args,
		OPT_FORMAT(tree_format_at, "text, markdown, json, csv, html or folded; " BY_ENDING),
		OPT_SAME(file_options), OPT_SAME(colour_options));

static int set_nsys(void *args, const char *name, const char *value, struct err *e)
{
	struct input_args *a = args;

	(void)e;
	a->nsys = value;
	a->nsys_option = name;
	return 0;
}

static int set_threads(void *args, const char *name, const char *value, struct err *e)
{
	uint64_t n;

	(void)args;
	if (option_parse_number(name, value, 1, PARALLEL_MAX, "1 or more", &n, e) < 0)
		return -1;
	parallel_set_workers((unsigned)n);
	return 0;
}

#define OPT_NSYS(n, h) OPT_CUSTOM_ACCESS(n, 0, "PATH", set_nsys, ACCESS_RUNS, h)

const struct option_group input_options =
	OPTIONS(struct input_args, OPT_NSYS("nsys", "the nsys to open .nsys-rep files with"),
		OPT_NSYS("nsys_cmd", NULL), /* as scripts of other tools have it */
		OPT_NSYS("nsys-cmd", NULL),
		OPT_CUSTOM("threads", "N", set_threads, "use N threads instead of all cores"));

const struct option_group help_options = OPTIONS(
	struct help_args, OPT_FLAG_LETTER("help", 'h', struct help_args, help, "show this help"));

const char *peek_format(char **argv)
{
	for (; argv && *argv && strcmp(*argv, "--") != 0; argv++) {
		const char *value = NULL;

		if (strncmp(*argv, "--format=", 9) == 0)
			value = *argv + 9;
		else if (strcmp(*argv, "--format") == 0 || strcmp(*argv, "-f") == 0)
			value = argv[1];
		if (value && presenter_find(value))
			return value;
	}
	return NULL;
}

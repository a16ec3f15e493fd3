/* What does a tool take and answer, as a JSON Schema? */
#include "mcp/tool.h"

#include "analysis/scope.h"
#include "base/mem.h"
#include "options/args.h"
#include "text/json_write.h"

/* Those that nearly every analysis has: others are listed by skill_list. */
static const struct option_group *const usual_options[] = {&scope_options, &row_options};

/* An option as the value that JSON has for it: what is no number or truth is a text. */
static const char *type_of(const struct option *o)
{
	switch (o->type) {
	case OPTION_FLAG:
		return "boolean";
	case OPTION_COUNT:
	case OPTION_ID:
		return "integer";
	default:
		return "string";
	}
}

static void add_option(struct json_writer *w, const struct option *o)
{
	SCOPED_BUF help = {0};

	option_add_help(&help, o);
	if (o->type == OPTION_WINDOW)
		buf_adds(&help, " (two numbers of seconds: \"1.5 2.5\")");
	json_write_open(w, o->name, '{');
	json_write_text(w, "type", type_of(o));
	json_write_str(w, "description", buf_str(&help));
	if (o->type == OPTION_WORD) {
		json_write_open(w, "enum", '[');
		for (const struct option_word *word = o->words; word->word; word++)
			json_write_text(w, NULL, word->word);
		json_write_close(w, ']');
	}
	json_write_close(w, '}');
}

static void add_options(struct json_writer *w)
{
	struct option_place p;

	json_write_open(w, "properties", '{');
	for (size_t g = 0; g < ARRAY_LEN(usual_options); g++) {
		for (size_t i = 0; group_option_at(usual_options[g], i, &p); i++) {
			if (p.opt->help && p.opt->access == ACCESS_NONE)
				add_option(w, p.opt);
		}
	}
	json_write_close(w, '}');
	json_write_bool(w, "additionalProperties", true);
}

static void add_words(struct json_writer *w, const char *const *words)
{
	json_write_open(w, "enum", '[');
	for (size_t i = 0; words[i]; i++)
		json_write_text(w, NULL, words[i]);
	json_write_close(w, ']');
}

static void add_texts(struct json_writer *w, const struct tool_param *p)
{
	json_write_open(w, "items", '{');
	json_write_text(w, "type", "string");
	json_write_close(w, '}');
	json_write_int(w, "minItems", p->least);
	json_write_int(w, "maxItems", p->most);
}

static void add_param(struct json_writer *w, const struct tool_param *p)
{
	static const char *const types[] = {[PARAM_TEXT] = "string",
					    [PARAM_INT] = "integer",
					    [PARAM_TEXTS] = "array",
					    [PARAM_OPTIONS] = "object"};

	json_write_open(w, p->name, '{');
	json_write_text(w, "type", types[p->type]);
	json_write_text(w, "description", p->help);
	if (p->type == PARAM_INT) {
		json_write_int(w, "minimum", p->least);
		json_write_int(w, "maximum", p->most);
	} else if (p->type == PARAM_TEXTS) {
		add_texts(w, p);
	} else if (p->type == PARAM_OPTIONS) {
		add_options(w);
	} else if (p->words) {
		add_words(w, p->words);
	}
	json_write_close(w, '}');
}

void schema_add_input(struct buf *b, const struct mcp_tool *t)
{
	struct json_writer w = {.out = b};

	json_write_open(&w, NULL, '{');
	json_write_text(&w, "type", "object");
	json_write_open(&w, "properties", '{');
	for (const struct tool_param *p = t->params; p->type; p++)
		add_param(&w, p);
	json_write_close(&w, '}');
	json_write_open(&w, "required", '[');
	for (const struct tool_param *p = t->params; p->type; p++) {
		if (p->is_required)
			json_write_text(&w, NULL, p->name);
	}
	json_write_close(&w, ']');
	json_write_bool(&w, "additionalProperties", false);
	json_write_close(&w, '}');
}

/*
 * As docs/answer.schema.json has it, without what that refers to. Values that may be of several
 * types say none; whole numbers beyond 2^53 are texts.
 */
static const char output[] =
	"{\"type\":\"object\",\"required\":[\"gpuwhy\",\"command\",\"trace\",\"window\","
	"\"coverage\","
	"\"notes\",\"warnings\",\"mcp\"],\"properties\":{"
	"\"gpuwhy\":{\"type\":\"object\",\"required\":[\"version\",\"schema\"]},"
	"\"tables\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"name\","
	"\"columns\","
	"\"rows\",\"total_rows\"],\"properties\":{\"name\":{\"type\":\"string\"},\"columns\":{"
	"\"type\":"
	"\"array\"},\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":["
	"\"key\"]}},"
	"\"total_rows\":{\"type\":\"integer\"}}}},"
	"\"findings\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"id\","
	"\"severity\",\"title\",\"evidence\",\"recommendation\"]}},"
	"\"notes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
	"\"warnings\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
	"\"error\":{\"type\":\"object\",\"required\":[\"message\",\"hint\",\"code\"]},"
	"\"mcp\":{\"type\":\"object\",\"required\":[\"tool\"],\"properties\":{"
	"\"tool\":{\"type\":\"string\"},"
	"\"id\":{\"type\":\"string\",\"description\":\"Of this answer, for evidence_get.\"},"
	"\"command\":{\"type\":\"string\",\"description\":\"Reproduces it in a shell.\"},"
	"\"next_cursor\":{\"type\":\"string\",\"description\":\"There is more: pass it as "
	"cursor.\"},"
	"\"left_out\":{\"type\":\"object\",\"description\":\"How many rows of which table are not "
	"here.\"},\"untrusted\":{\"type\":\"object\",\"description\":\"Columns whose texts come "
	"from the traced program.\"}}}}}";

void schema_add_output(struct buf *b)
{
	buf_adds(b, output);
}

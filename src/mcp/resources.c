/* What can be read beside answers? */
#include "mcp/resources.h"

#include "base/mem.h"
#include "cli/named_analysis.h"
#include "commands/query/query_tables.h"
#include "commands/skills/skill.h"
#include "mcp/answer_schema.h"
#include "mcp/json_line.h"
#include "mcp/page.h"
#include "mcp/report_files.h"
#include "text/json_write.h"
#include "text/text.h"

static const char skill_prefix[] = "gpuwhy://skills/";

/* The tables that SQL finds beside the trace's own. */
static int read_tables(struct buf *ret, struct err *e)
{
	struct json_writer w = {.out = ret};

	(void)e;
	json_write_open(&w, NULL, '{');
	for (size_t i = 0; i < QUERY_TABLES; i++) {
		json_write_open(&w, query_table_kinds[i].name, '[');
		for (size_t field = 0; field < EVENT_FIELDS; field++) {
			if (query_table_kinds[i].fields & EVENT_BIT(field))
				json_write_text(&w, NULL, event_columns[field].key);
		}
		json_write_close(&w, ']');
	}
	json_write_close(&w, '}');
	return 0;
}

static int read_answer_schema(struct buf *ret, struct err *e)
{
	(void)e;
	buf_adds(ret, answer_schema);
	return 0;
}

/* All of them, or one by its name. */
static int read_skill(const char *name, struct buf *ret, struct err *e)
{
	static const struct string_list none = {0};
	struct report r = {.command = "skill"};
	SCOPED_BUF pretty = {0};
	struct skill_set s;
	struct skill found;
	int result = 0;

	skill_set_read(&s, &none);
	if (name)
		result = skill_set_find(&s, name, &found, e);
	if (result == 0 && name)
		skill_info_report(&found, &r);
	else if (result == 0)
		skill_list_report(&s, &r);
	if (result == 0)
		result = report_add_json(&pretty, &r, 0, NULL, NULL, e);
	json_line_add_answer(ret, buf_str(&pretty), PAGE_BYTES);
	report_free(&r);
	skill_set_free(&s);
	return result;
}

static int read_skills(struct buf *ret, struct err *e)
{
	return read_skill(NULL, ret, e);
}

static const char json_type[] = "application/json", markdown_type[] = "text/markdown";

static const struct resource {
	const char *uri, *name, *title, *description;
	int (*read)(struct buf *ret, struct err *e);
} resources[] = {
	{"gpuwhy://schema/answer", "schema-answer", "The schema of answers",
	 "JSON Schema of what every tool answers, without `mcp`.", read_answer_schema},
	{"gpuwhy://schema/tables", "schema-tables", "Tables for SQL",
	 "Tables and columns that `query` finds beside the trace's own.", read_tables},
	{"gpuwhy://skills", "skills", "All skills", "What skill_run can run.", read_skills},
};

static void add_resource(struct json_writer *w, const char *uri, const char *name,
			 const char *title, const char *description, const char *type)
{
	json_write_open(w, NULL, '{');
	json_write_text(w, "uri", uri);
	json_write_text(w, "name", name);
	json_write_text(w, "title", title);
	json_write_text(w, "description", description);
	json_write_text(w, "mimeType", type);
}

struct listing {
	struct json_writer w;
	const struct roots *roots;
};

static void add_report_file(void *ctx, const char *uri, const struct root_file *f)
{
	struct listing *l = ctx;
	SCOPED_BUF name = {0};

	text_add_safe(&name, str_of(roots_shown(l->roots, f->path)));
	add_resource(&l->w, uri, name.s, name.s, "A report that gpuwhy has written.",
		     markdown_type);
	json_write_int(&l->w, "size", (int64_t)f->size_bytes);
	json_write_close(&l->w, '}');
}

void resources_list(const struct mcp *m, struct buf *members)
{
	struct listing l = {.w = {.out = members}, .roots = &m->roots};

	buf_adds(members, "\"resources\":");
	json_write_open(&l.w, NULL, '[');
	for (size_t i = 0; i < ARRAY_LEN(resources); i++) {
		add_resource(&l.w, resources[i].uri, resources[i].name, resources[i].title,
			     resources[i].description, json_type);
		json_write_close(&l.w, '}');
	}
	report_files_list(&m->roots, add_report_file, &l);
	json_write_close(&l.w, ']');
}

void resource_templates_list(struct buf *members)
{
	buf_addf(members,
		 "\"resourceTemplates\":[{\"uriTemplate\":\"%s{name}\",\"name\":\"skill\","
		 "\"title\":\"One skill\",\"description\":\"What a skill answers, and its "
		 "parameters.\",\"mimeType\":\"%s\"}]",
		 skill_prefix, json_type);
}

/* 1: there is no such resource. */
static int read_uri(const struct mcp *m, const char *uri, struct buf *ret, const char **ret_type,
		    struct err *e)
{
	*ret_type = json_type;
	for (size_t i = 0; i < ARRAY_LEN(resources); i++) {
		if (strcmp(uri, resources[i].uri) == 0)
			return resources[i].read(ret, e);
	}
	if (strncmp(uri, skill_prefix, strlen(skill_prefix)) == 0)
		return read_skill(uri + strlen(skill_prefix), ret, e);
	*ret_type = markdown_type;
	if (report_files_is_uri(uri))
		return report_files_read(&m->roots, uri, PAGE_MOST_CHARACTERS, ret, e);
	return 1;
}

int resources_read(struct mcp_worker *w, const struct message *request, struct buf *members,
		   struct rpc_error *e)
{
	const struct str uri = message_text(request, "uri");
	const enum rpc_code missing =
		request->revision->is_stateless ? RPC_PARAMS : RPC_NO_RESOURCE;
	const char *type;
	SCOPED_BUF text = {0};
	struct err why = {0};
	int result;

	if (!uri.len || memchr(uri.s, '\0', uri.len))
		return rpc_fail(e, RPC_PARAMS, "resources/read needs uri, a text");
	result = read_uri(w->mcp, uri.s, &text, &type, &why);
	if (result > 0)
		return rpc_fail(e, missing,
				"there is no resource of this URI: resources/list "
				"lists them");
	if (result < 0)
		return rpc_fail(e, missing, "%.400s", why.message);
	buf_adds(members, "\"contents\":[{\"uri\":");
	text_add_json(members, uri);
	buf_addf(members, ",\"mimeType\":\"%s\",\"text\":", type);
	text_add_json(members, buf_str(&text));
	buf_adds(members, "}]");
	return 0;
}

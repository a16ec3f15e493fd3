/* How is a client told of the server? */
#include "mcp/client_config.h"

#include "mcp/json_line.h"
#include "text/json_write.h"
#include "text/shell_words.h"
#include "text/text.h"

static const struct {
	const char *place;
	const char *servers; /* the member that lists servers; NULL: it is TOML */
	bool says_type;
} clients[] = {
	[CLIENT_CLAUDE] = {".mcp.json of the project (Claude Code; claude_desktop_config.json of "
			   "Claude Desktop)",
			   "mcpServers", false},
	[CLIENT_CURSOR] = {"~/.cursor/mcp.json, or .cursor/mcp.json of the project", "mcpServers",
			   false},
	[CLIENT_VSCODE] = {".vscode/mcp.json of the project", "servers", true},
	[CLIENT_CODEX] = {"~/.codex/config.toml", NULL, false},
};

const char *client_config_place(enum mcp_client client)
{
	return clients[client].place;
}

static void add_json(struct buf *b, enum mcp_client client, const struct string_list *words)
{
	struct json_writer w = {.out = b};

	json_write_open(&w, NULL, '{');
	json_write_open(&w, clients[client].servers, '{');
	json_write_open(&w, "gpuwhy", '{');
	if (clients[client].says_type)
		json_write_text(&w, "type", "stdio");
	json_write_text(&w, "command", words->all[0]);
	json_write_open(&w, "args", '[');
	for (size_t i = 1; i < words->count; i++)
		json_write_text(&w, NULL, words->all[i]);
	json_write_close(&w, ']');
	json_write_close(&w, '}');
	json_write_close(&w, '}');
	json_write_close(&w, '}');
}

/* A basic string of TOML is as JSON has it. */
static void add_toml(struct buf *b, const struct string_list *words)
{
	buf_adds(b, "[mcp_servers.gpuwhy]\ncommand = ");
	text_add_json(b, str_of(words->all[0]));
	buf_adds(b, "\nargs = [");
	for (size_t i = 1; i < words->count; i++) {
		buf_adds(b, i > 1 ? ", " : "");
		text_add_json(b, str_of(words->all[i]));
	}
	buf_adds(b, "]\n");
}

void client_config_add(struct buf *b, enum mcp_client client, const struct string_list *words)
{
	if (clients[client].servers)
		add_json(b, client, words);
	else
		add_toml(b, words);
}

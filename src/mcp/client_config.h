/* What a client has to be told to use the server: where, and as what. */
#ifndef MCP_CLIENT_CONFIG_H
#define MCP_CLIENT_CONFIG_H

#include "base/buf.h"
#include "base/string_list.h"

enum mcp_client { CLIENT_NONE, CLIENT_CLAUDE, CLIENT_CURSOR, CLIENT_VSCODE, CLIENT_CODEX };

/* A comment that says where it goes, then what goes there. `words`: the command line of it. */
void client_config_add(struct buf *b, enum mcp_client client, const struct string_list *words);
/* The place alone: "~/.cursor/mcp.json, or …". */
const char *client_config_place(enum mcp_client client);

#endif

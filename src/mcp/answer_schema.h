/* docs/answer.schema.json, as the build puts it into the program. */
#ifndef MCP_ANSWER_SCHEMA_H
#define MCP_ANSWER_SCHEMA_H

extern const char answer_schema[], answer_schema_sha256[];

#endif

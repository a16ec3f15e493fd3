/*
 * The style and the script of a page: src/report/html/page.css and page.js, and what the explorer
 * of a schema has of its own, schema.css and schema.js, made part of the program by tools/embed.
 * The hashes let a browser run these and nothing else.
 */
#ifndef REPORT_HTML_ASSETS_H
#define REPORT_HTML_ASSETS_H

extern const char html_style[], html_style_sha256[];
extern const char html_script[], html_script_sha256[];
extern const char html_schema_style[], html_schema_style_sha256[];
extern const char html_roofline_style[], html_roofline_style_sha256[]; /* of a picture alone */
extern const char html_schema_script[], html_schema_script_sha256[];

#endif

/*
 * The style and the script of a page: src/report/html/page.css and page.js, made part of the
 * program by tools/embed. The hashes let a browser run these and nothing else.
 */
#ifndef REPORT_HTML_ASSETS_H
#define REPORT_HTML_ASSETS_H

extern const char html_style[], html_style_sha256[];
extern const char html_script[], html_script_sha256[];

#endif

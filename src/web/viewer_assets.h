/* The page as parts of one file: made of the folder web/ when the program is built. */
#ifndef WEB_VIEWER_ASSETS_H
#define WEB_VIEWER_ASSETS_H

extern const char viewer_page[];   /* index.html without its script and styles */
extern const char viewer_style[];  /* all of them */
extern const char viewer_script[]; /* all modules */
/* For a policy: base64. */
extern const char viewer_page_sha256[], viewer_style_sha256[], viewer_script_sha256[];

#endif

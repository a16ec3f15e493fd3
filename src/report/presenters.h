/* Every presenter there is; each ends the file of its name. Those of rows alone are no formats of
 * their own: a command has them. */
#ifndef REPORT_PRESENTERS_H
#define REPORT_PRESENTERS_H

#include "report/present.h"

extern const struct presenter presenter_text;
extern const struct presenter presenter_markdown;
extern const struct presenter presenter_json;
extern const struct presenter presenter_csv;
extern const struct presenter presenter_html;
extern const struct presenter presenter_folded;
extern const struct presenter presenter_json_array, presenter_json_lines;

#endif

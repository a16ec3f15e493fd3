/* Days as people and files write them: "2026-11-15". Texts of days sort as the days do. */
#ifndef TEXT_DATE_H
#define TEXT_DATE_H

#include <stdbool.h>

/* Whether it is a day that there is. */
bool date_is_day(const char *text);

#endif

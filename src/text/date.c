/* Is this a day? */
#include "text/date.h"

#include <string.h>

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Of digits alone. */
static int number(const char *text, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len; i++)
		n = 10 * n + text[i] - '0';
	return n;
}

bool date_is_day(const char *text)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year, month, day;

	if (strlen(text) != 10 || strspn(text, "0123456789") != 4 || text[4] != '-' ||
	    strspn(text + 5, "0123456789") != 2 || text[7] != '-' ||
	    strspn(text + 8, "0123456789") != 2)
		return false;
	year = number(text, 4);
	month = number(text + 5, 2);
	day = number(text + 8, 2);
	return month >= 1 && month <= 12 && day >= 1 &&
	       day <= days[month - 1] + (month == 2 && is_leap(year));
}

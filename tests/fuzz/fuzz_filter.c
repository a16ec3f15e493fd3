/* Does any text whatever make the reader of filters crash, hang or eat memory? */
#include "analysis/events/event_filter.h"

#include "base/mem.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size + 1, 1);
	struct event_filter *filter;
	struct err e = {0};

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (event_filter_parse(&filter, text, &e) < 0 && (!e.message[0] || e.code != ERR_USAGE))
		abort();
	event_filter_free(filter);
	free(text);
	return 0;
}

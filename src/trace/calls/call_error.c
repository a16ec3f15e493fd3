/* What a CUDA API function returns, where that is no success. */
#include "trace/calls/call_error.h"

#include "base/mem.h"
#include "trace/trace.h"

enum { SUCCESS = 0, NOT_FOUND = 500, NOT_READY = 600 };

/* The runtime and the driver share their numbers, but for a few that the runtime has alone. */
static const struct {
	int64_t code;
	const char *text;
} errors[] = {
	{1, "invalid value"},
	{2, "out of memory"},
	{3, "not initialized"},
	{9, "invalid launch configuration"},
	{35, "the driver is older than the CUDA runtime"},
	{46, "all GPUs are busy or unavailable"},
	{98, "no such kernel for this GPU"},
	{100, "no CUDA device"},
	{101, "no such device"},
	{200, "invalid kernel image"},
	{201, "invalid context"},
	{209, "no kernel image for this GPU"},
	{218, "invalid PTX"},
	{222, "PTX newer than the driver"},
	{400, "invalid handle"},
	{700, "illegal address"},
	{701, "too many resources for a launch"},
	{702, "launch timed out"},
	{719, "launch failed"},
	{800, "not permitted"},
	{801, "not supported"},
	{802, "system not ready"},
	{803, "driver and its library differ"},
	{804, "forward compatibility is not supported on this GPU"},
	{999, "unknown"},
};

/* A query that finds nothing, or nothing yet, has done what it was for. */
bool call_error_is(int64_t code)
{
	return code != INT_NONE && code != SUCCESS && code != NOT_FOUND && code != NOT_READY;
}

const char *call_error_text(int64_t code)
{
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		if (errors[i].code == code)
			return errors[i].text;
	}
	return NULL;
}

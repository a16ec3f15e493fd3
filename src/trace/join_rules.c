/* Which columns of exports hold what means something else in each? */
#include "trace/join_rules.h"

#include "base/mem.h"

#include <string.h>
#include <strings.h>

static const struct {
	const char *table; /* NULL: of any */
	const char *column;
	enum join_kind kind;
} rules[] = {
	{NULL, "start", JOIN_TIME},
	{NULL, "end", JOIN_END},
	{NULL, "timestamp", JOIN_TIME},
	{"ANALYSIS_DETAILS", "duration", JOIN_SPAN},
	{"ANALYSIS_DETAILS", "stopTime", JOIN_SPAN},
	{"TARGET_INFO_SESSION_START_TIME", "utcEpochNs", JOIN_UTC},
	{NULL, "globalPid", JOIN_PROCESS},
	{NULL, "globalTid", JOIN_PROCESS},
	{NULL, "endGlobalTid", JOIN_PROCESS},
	{"TARGET_INFO_CUDA_DEVICE", "pid", JOIN_PID},
	{"StringIds", "id", JOIN_STRING},
	{NULL, "nameId", JOIN_STRING},
	{NULL, "textId", JOIN_STRING},
	{NULL, "jsonTextId", JOIN_STRING},
	{NULL, "demangledName", JOIN_STRING},
	{NULL, "shortName", JOIN_STRING},
	{NULL, "mangledName", JOIN_STRING},
	{NULL, "symbol", JOIN_STRING},
	{NULL, "module", JOIN_STRING},
	{NULL, "CpuInstruction", JOIN_STRING},
	{NULL, "sourceFile", JOIN_STRING},
	{NULL, "filenameId", JOIN_STRING},
	{NULL, "contentId", JOIN_STRING},
	{NULL, "callchainId", JOIN_STACK},
	{"CUDA_CALLCHAINS", "id", JOIN_STACK},
	{"OSRT_CALLCHAINS", "id", JOIN_STACK},
	{"SAMPLING_CALLCHAINS", "id", JOIN_STACK},
	{"COMPOSITE_EVENTS", "id", JOIN_STACK},
	{NULL, "gpuId", JOIN_GPU},
	{"TARGET_INFO_GPU", "id", JOIN_GPU},
	{"TARGET_INFO_CUDA_GPU", "id", JOIN_GPU},
	{"GPU_METRICS", "typeId", JOIN_METRICS},
	{"TARGET_INFO_GPU_METRICS", "typeId", JOIN_METRICS},
};

struct join_rule join_rule_of(const struct sqlite_table *t, size_t column)
{
	const char *name = t->columns[column].name;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		if (strcasecmp(rules[i].column, name) == 0 &&
		    (!rules[i].table || strcasecmp(rules[i].table, t->name) == 0))
			return (struct join_rule){rules[i].kind,
						  rules[i].kind == JOIN_END
							  ? sqlite_table_find_column(t, "start")
							  : -1};
	}
	return (struct join_rule){JOIN_AS_IS, -1};
}

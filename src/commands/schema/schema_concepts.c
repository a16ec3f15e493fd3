/* What must one know to read a table of an export? */
#include "commands/schema/schema_map.h"

#include "base/mem.h"
#include "report/html/html_text.h"

#include <strings.h>

/* A concept is beside each table that has one of its columns, or whose name begins as it says. */
static const struct concept {
	const char *title;
	const char *columns; /* with a space before and after each */
	const char *tables;  /* the beginning of a name; NULL: any table with such a column */
	const char *text;
}
concepts[] = {
	{"Timestamps", " start end timestamp rawTimestamp ", NULL,
	 "Nanoseconds since the capture began, on one clock for host and GPU. A start below 0 is "
	 "of "
	 "something that was open already. An empty end is a mark, or a range never closed."},
	{"StringIds", " value ", "StringIds",
	 "Every name is stored once, here. Columns such as shortName, demangledName, nameId and "
	 "textId hold its id: join them with StringIds.id to read the name."},
	{"Names by id", " shortName demangledName mangledName nameId textId ", NULL,
	 "A number of StringIds.id. A kernel has up to three: demangledName with template "
	 "arguments "
	 "and parameters, shortName the function alone, mangledName as the linker has it."},
	{"Correlation id", " correlationId ", NULL,
	 "The number that CUPTI gives a call and the GPU work that it launched: equal ids lead "
	 "from "
	 "a kernel or copy to its launch. Processes count on their own: join by process as well. "
	 "A graph launch has one id and many kernels."},
	{"globalTid and globalPid", " globalTid globalPid ", NULL,
	 "Process and thread in one number: pid = globalTid / 0x1000000 % 0x1000000, tid = "
	 "globalTid "
	 "% 0x1000000. The bits above name host and VM: compare the whole number."},
	{"Device, context, stream", " contextId streamId ", NULL,
	 "Ops on one stream run in order, on different streams they may overlap. A stream's number "
	 "is one within its context, a context's within its process; 7 is usually the default "
	 "stream. deviceId is the CUDA ordinal that this process sees."},
	{"CUDA graphs", " graphNodeId graphId graphExecId ", NULL,
	 "graphNodeId marks work that a graph launched, its upper bits the graph. It is there only "
	 "where nsys ran with --cuda-graph-trace=node; otherwise a launch is one row of "
	 "GRAPH_TRACE "
	 "without the kernels in it."},
	{"NVTX event types", " eventType ", "NVTX_EVENTS",
	 "59 is a push/pop range, which nests on its thread; 60 a start/end range, which may end "
	 "on "
	 "another; 34 a mark; 75 names a domain, 39 a thread. The text is in text, or in StringIds "
	 "by textId."},
	{"NVTX domains", " domainId ", "NVTX_EVENTS",
	 "Libraries have domains of their own, such as NCCL. The row of event type 75 with the "
	 "same "
	 "domainId, in the same process, has its name as text; 0 is the default domain."},
	{"Kinds of copies", " copyKind ", NULL,
	 "1 is host to device, 2 device to host, 8 device to device, 10 between GPUs, 11 and 12 "
	 "pages of managed memory. srcKind and dstKind say whether host memory is pageable (0) or "
	 "pinned (1): copies of pageable memory make the host wait."},
	{"Grid and block", " gridX blockX ", NULL,
	 "A launch is gridX · gridY · gridZ blocks of blockX · blockY · blockZ threads. A grid of "
	 "fewer blocks than the GPU has SMs leaves some of them empty."},
	{"Runtime and driver calls", " returnValue callchainId ", "CUPTI_ACTIVITY_KIND_RUNTIME",
	 "Calls of both interfaces, on the host: cuda… of the runtime, cu… of the driver. A "
	 "runtime "
	 "call may contain the driver's, under the same correlation id. returnValue 0 is success."},
	{"Enumerations", " label ", "ENUM_",
	 "What the numbers of a column mean: id is the number, name the constant, label the text "
	 "for "
	 "people."},
	{"Samples and call stacks", " stackDepth ", NULL,
	 "One row for each frame: stackDepth 0 is the innermost function, id names the stack."},
};

static bool has_word(const char *words, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = words; len && (at = strcasestr(at, word)); at++) {
		if (at > words && at[-1] == ' ' && at[len] == ' ')
			return true;
	}
	return false;
}

static bool concerns(const struct concept *c, const struct sqlite_table *t)
{
	if (c->tables && strncasecmp(t->name, c->tables, strlen(c->tables)) != 0)
		return false;
	for (size_t i = 0; i < t->column_count; i++) {
		if (has_word(c->columns, t->columns[i].name))
			return true;
	}
	return false;
}

void schema_add_concepts(struct buf *b, const struct schema_table *t)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(concepts); i++) {
		if (!concerns(&concepts[i], t->sql))
			continue;
		buf_adds(b, any ? "" : "<dl class=\"concepts\">\n");
		html_add_between(b, "<dt>", concepts[i].title, "</dt>");
		html_add_between(b, "<dd>", concepts[i].text, "</dd>\n");
		any = true;
	}
	buf_adds(b, any ? "</dl>\n" : "");
}

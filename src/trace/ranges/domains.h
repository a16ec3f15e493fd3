/* Domains of NVTX: libraries keep their ranges and marks apart by them. They are a process's own.
 */
#ifndef TRACE_DOMAINS_H
#define TRACE_DOMAINS_H

#include "base/idmap.h"
#include "trace/trace.h"

/* A zeroed struct knows of none. */
struct nvtx_domains {
	const struct trace *trace;
	struct idmap processes; /* their keys → numbers */
	struct idmap names;	/* process and domain → name */
};

/* Of what is loaded: types and names, and threads and domains where there are any. */
void nvtx_domains_find(struct nvtx_domains *d, const struct trace *t);
/* The name of the domain of a row, by number in trace->names; IDMAP_NONE: it has none. */
uint32_t nvtx_domain_name(struct nvtx_domains *d, uint64_t row);
void nvtx_domains_free(struct nvtx_domains *d);

#endif

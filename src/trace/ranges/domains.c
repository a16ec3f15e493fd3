/* What is the NVTX domain of a range or mark called? */
#include "trace/ranges/domains.h"

#include "trace/ranges/ranges.h"

/* Domains are numbered per process. */
static uint64_t domain_key(struct nvtx_domains *d, uint64_t row)
{
	const struct events *ev = &d->trace->events[TRACE_NVTX];
	const uint32_t thread = ev->thread ? ev->thread[row] : ID_NONE;
	const uint64_t key =
		thread == ID_NONE ? UINT64_MAX : d->trace->thread_keys.keys[thread] >> 24;
	const uint32_t process = idmap_add(&d->processes, key, (uint32_t)d->processes.count);

	return (uint64_t)process << 32 | (ev->domain ? ev->domain[row] : 0);
}

void nvtx_domains_find(struct nvtx_domains *d, const struct trace *t)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	*d = (struct nvtx_domains){.trace = t};
	for (uint64_t i = 0; i < ev->count; i++) {
		if (ev->event_type[i] == NVTX_DOMAIN && ev->name[i] != NAME_NONE)
			idmap_add(&d->names, domain_key(d, i), ev->name[i]);
	}
}

uint32_t nvtx_domain_name(struct nvtx_domains *d, uint64_t row)
{
	return d->names.count ? idmap_get(&d->names, domain_key(d, row)) : IDMAP_NONE;
}

void nvtx_domains_free(struct nvtx_domains *d)
{
	idmap_free(&d->processes);
	idmap_free(&d->names);
	*d = (struct nvtx_domains){0};
}

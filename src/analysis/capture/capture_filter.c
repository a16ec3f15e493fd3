/* Which events of a capture is `doctor` asked about? */
#include "analysis/capture/capture_filter.h"

int capture_filter_open(struct capture_filter *f, struct trace *t, const struct scope *p,
			struct err *e)
{
	*f = (struct capture_filter){.work = {.trace = t, .p = p}};
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if ((p->has_device &&
		     trace_require_column(t, (enum trace_kind)kind, COL_DEVICE, e) < 0) ||
		    (p->has_pid &&
		     trace_require_column(t, (enum trace_kind)kind, COL_PROCESS, e) < 0))
			return -1;
	}
	if (p->has_device && device_threads_read(t, p->device, &f->threads, e) < 0)
		return -1;
	return device_map_read(t, &f->work.devices, e);
}

void capture_filter_close(struct capture_filter *f)
{
	device_threads_free(&f->threads);
	gpu_work_close(&f->work);
}

bool capture_filter_thread(const struct capture_filter *f, uint32_t thread)
{
	const struct scope *p = f->work.p;

	if (p->has_device && !device_threads_has(&f->threads, thread))
		return false;
	return scope_has_thread(p, f->work.trace, thread);
}

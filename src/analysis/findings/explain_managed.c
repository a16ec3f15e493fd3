/* Rules about managed memory: who waits for its pages? */
#include "analysis/findings/explain.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "trace/ops/ops.h"
#include "trace/system/labels.h"

#include <stdlib.h>

enum {
	CAUSE_USER = 1, /* migrationCause: the program asked for the pages (prefetch) */
	SIZES = 64,	/* classes of sizes, by powers of two */
	COPIES_MIN = 8, /* of a size, whose throughput means something */
};

/* Pages that came because a kernel touched them, by start. */
struct faults {
	int64_t *start_ns, *bytes; /* bytes: of all up to this one, without it */
	size_t count;
};

/* How fast pages move, by their number at a time. */
struct throughput {
	int64_t bytes[SIZES], ns[SIZES];
	uint64_t count[SIZES];
};

/* Launches of one kernel. */
struct faulting {
	uint64_t count, clean; /* with pages that came meanwhile, and without */
	int64_t ns, clean_ns, longest_ns, longest_at_ns;
};

struct managed {
	struct explain *x;
	struct faults faults;
	struct throughput speed;
	int64_t bytes_back;	  /* carried to the host in the window: they had to come, too */
	struct faulting *by_name; /* one more: kernels without a name */
	uint64_t migrations;	  /* inside kernels */
	int64_t bytes;
	struct longest_parts where; /* launches with pages that came meanwhile */
};

static int size_class(int64_t bytes)
{
	return bytes > 0 ? 63 - __builtin_clzll((unsigned long long)bytes) : 0;
}

static void add_speed(struct throughput *s, int64_t bytes, int64_t ns)
{
	const int class = size_class(bytes);

	if (bytes <= 0 || ns <= 0)
		return;
	s->bytes[class] = sat_add(s->bytes[class], bytes);
	s->ns[class] = sat_add(s->ns[class], ns);
	s->count[class]++;
}

/* As a prefetch moves them, at the rate of the largest pieces seen. */
static double bytes_per_ns(const struct throughput *s)
{
	for (int class = SIZES - 1; class >= 0; class --) {
		if (s->count[class] >= COPIES_MIN)
			return (double)s->bytes[class] / (double)s->ns[class];
	}
	return 0;
}

static void read_pages(struct managed *m)
{
	const struct events *ev = &m->x->trace->events[TRACE_MEMCPYS];
	struct faults *f = &m->faults;
	int64_t bytes = 0;

	f->start_ns = mem_alloc(ev->count, sizeof(*f->start_ns));
	f->bytes = mem_alloc(ev->count + 1, sizeof(*f->bytes));
	for (uint64_t i = 0; i < ev->count; i++) {
		const int64_t n = ev->bytes && ev->bytes[i] > 0 ? ev->bytes[i] : 0;

		if (!copy_moves_pages(ev->copy_kind[i]) || !explain_op_ns(m->x, TRACE_MEMCPYS, i))
			continue;
		add_speed(&m->speed, n, ev->duration_ns[i]);
		if (ev->copy_kind[i] == COPY_PAGES_TO_HOST)
			m->bytes_back = sat_add(m->bytes_back, n);
		if (ev->copy_kind[i] != COPY_PAGES_TO_DEVICE ||
		    (ev->event_class && ev->event_class[i] == CAUSE_USER))
			continue;
		f->start_ns[f->count] = ev->start_ns[i];
		f->bytes[f->count++] = bytes;
		bytes = sat_add(bytes, n);
	}
	f->bytes[f->count] = bytes;
}

/* Pages that were fetched ahead, and carried back before any kernel could use them. */
struct unused {
	uint64_t count; /* times that pages were carried back so */
	int64_t bytes, ns;
	int64_t most_ns;  /* that they cost at once */
	struct span most; /* … from the first that was fetched to their return */
};

/* What was fetched ahead since the last kernel. */
struct fetched {
	int64_t since_ns, bytes, ns;
};

/* Where kernels end, so far as they begin before a time; they and times come in order. */
struct kernels_before {
	const struct events *ev;
	uint64_t next;
	int64_t end_ns;
};

static int64_t kernels_end(struct kernels_before *k, int64_t at_ns)
{
	for (; k->next < k->ev->count && k->ev->start_ns[k->next] <= at_ns; k->next++) {
		const int64_t end_ns = op_end_ns(k->ev, k->next);

		k->end_ns = end_ns > k->end_ns ? end_ns : k->end_ns;
	}
	return k->end_ns;
}

static void carry_back(struct unused *u, struct fetched *f, int64_t at_ns, int64_t bytes,
		       int64_t ns)
{
	const int64_t unused = bytes < f->bytes ? bytes : f->bytes;
	const int64_t cost = f->bytes > 0 ? sat_of_double(((double)f->ns / (double)f->bytes +
							   (double)ns / (double)bytes) *
							  (double)unused)
					  : 0;

	if (unused <= 0)
		return;
	u->count++;
	u->bytes = sat_add(u->bytes, unused);
	u->ns = sat_add(u->ns, cost);
	if (cost > u->most_ns) {
		u->most_ns = cost;
		u->most = (struct span){f->since_ns, sat_add(at_ns, ns)};
	}
	f->ns = sat_sub(f->ns, sat_of_double((double)f->ns * (double)unused / (double)f->bytes));
	f->bytes = sat_sub(f->bytes, unused);
}

static struct unused find_unused(const struct managed *m)
{
	const struct events *ev = &m->x->trace->events[TRACE_MEMCPYS];
	struct kernels_before kernels = {&m->x->trace->events[TRACE_KERNELS], 0, INT64_MIN};
	struct fetched fetched = {0};
	struct unused u = {0};

	for (uint64_t i = 0; i < ev->count; i++) {
		const int64_t ns = explain_op_ns(m->x, TRACE_MEMCPYS, i);
		const int64_t bytes = ev->bytes && ev->bytes[i] > 0 ? ev->bytes[i] : 0;

		if (!ns || !bytes || !copy_moves_pages(ev->copy_kind[i]))
			continue;
		if (kernels_end(&kernels, ev->start_ns[i]) > fetched.since_ns)
			fetched = (struct fetched){explain_op_start(m->x, TRACE_MEMCPYS, i), 0, 0};
		if (ev->copy_kind[i] == COPY_PAGES_TO_HOST) {
			carry_back(&u, &fetched, explain_op_start(m->x, TRACE_MEMCPYS, i), bytes,
				   ns);
		} else if (ev->event_class && ev->event_class[i] == CAUSE_USER) {
			fetched.bytes = sat_add(fetched.bytes, bytes);
			fetched.ns = sat_add(fetched.ns, ns);
		}
	}
	return u;
}

static void report_unused(struct explain *x, const struct unused *u)
{
	struct finding *f = find_cost(x, "unused_prefetch", u->ns,
				      "Prefetched pages are carried back to the host before any "
				      "kernel uses them");

	if (!f)
		return;
	f->confidence = CONFIDENCE_MEDIUM;
	f->how = "time of these migrations, there and back; no kernel runs in between";
	find_evidence(f, "bytes", UNIT_BYTES, cell_int(u->bytes));
	find_count(f, "migrations back to the host", u->count);
	find_evidence_over(f, "longest, there and back", UNIT_NS, cell_int(u->most_ns),
			   u->most.start_ns, u->most.end_ns);
	find_advice(f, "prefetch after the host's last access and just before the launch; remove "
		       "the prefetch of what the host still writes");
	f->unless = "a kernel of another process uses the pages in between";
}

/* Rows of an export lie in order of time; in one whose rows do not, nothing is claimed. */
static bool ascend(const int64_t *start_ns, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++) {
		if (start_ns[i] < start_ns[i - 1])
			return false;
	}
	return true;
}

static void add_kernel(struct managed *m, uint64_t row)
{
	const struct events *ev = &m->x->trace->events[TRACE_KERNELS];
	const uint32_t name = ev->name ? ev->name[row] : NAME_NONE;
	struct faulting *k =
		&m->by_name[name == NAME_NONE ? m->x->trace->names.count : (size_t)name];
	const int64_t ns = explain_op_ns(m->x, TRACE_KERNELS, row), from_ns = ev->start_ns[row];
	const int64_t *starts = m->faults.start_ns;
	size_t first, end;

	if (!ns)
		return;
	first = BISECT(0, m->faults.count, at, starts[at] < from_ns);
	end = BISECT(first, m->faults.count, at,
		     starts[at] < sat_add(from_ns, ev->duration_ns[row]));
	if (first == end) {
		k->clean++;
		k->clean_ns = sat_add(k->clean_ns, ns);
		return;
	}
	k->count++;
	k->ns = sat_add(k->ns, ns);
	longest_parts_add(&m->where, time_part_all(explain_op_span(m->x, TRACE_KERNELS, row)));
	if (ns > k->longest_ns) {
		k->longest_ns = ns;
		k->longest_at_ns = explain_op_start(m->x, TRACE_KERNELS, row);
	}
	m->migrations += end - first;
	m->bytes = sat_add(m->bytes, sat_sub(m->faults.bytes[end], m->faults.bytes[first]));
}

/* The time of launches with faults, less what the same kernel takes without. */
static int64_t lost_ns(const struct faulting *k)
{
	const double clean = k->clean ? (double)k->clean_ns / (double)k->clean : 0;
	const double ns = (double)k->ns - clean * (double)k->count;

	return ns > 0 ? sat_of_double(ns) : 0;
}

static void add_advice(struct finding *f)
{
	find_advice(f, "prefetch the data to the GPU before the launch (cudaMemPrefetchAsync), or "
		       "copy it explicitly from pinned memory");
	find_advice(f, "where host and GPU only read, cudaMemAdvise(…, ReadMostly) keeps a copy on "
		       "each side; data that only the GPU uses needs no managed memory");
	f->unless = "each page is touched only once, and nothing could overlap a prefetch";
}

static void find_faults(struct managed *m)
{
	struct explain *x = m->x;
	const size_t names = x->trace->names.count;
	const double speed = bytes_per_ns(&m->speed);
	const int64_t bytes = m->bytes > m->bytes_back ? m->bytes : m->bytes_back;
	const int64_t moving_ns = speed > 0 ? sat_of_double((double)bytes / speed) : 0;
	size_t top = names;
	int64_t ns = 0, with_ns = 0;
	uint64_t launches = 0;
	struct finding *f;

	for (size_t i = 0; i <= names; i++) {
		const struct faulting *k = &m->by_name[i];

		ns = sat_add(ns, lost_ns(k));
		with_ns = sat_add(with_ns, k->ns);
		launches += k->count;
		top = lost_ns(k) > lost_ns(&m->by_name[top]) ? i : top;
	}
	f = launches ? find_cost(x, "page_faults", sat_sub(ns, moving_ns),
				 "Page faults inside %s: pages of managed memory migrate while it "
				 "runs",
				 top < names ? find_kernel_code(x, (uint32_t)top) : "kernels")
		     : NULL;
	if (!f)
		return;
	f->how = "time of launches during which pages came, less their time without that, less "
		 "moving the same bytes at the rate of the largest pieces";
	find_places(f, &m->where);
	find_count(f, "launches with page faults", launches);
	find_time(f, "their time", with_ns);
	find_evidence_at(f, "longest launch", m->by_name[top].longest_ns,
			 m->by_name[top].longest_at_ns);
	find_count(f, "migrations inside them", m->migrations);
	find_evidence(f, "bytes", UNIT_BYTES, cell_int(bytes));
	find_time(f, "to move them at once", moving_ns);
	add_advice(f);
}

int explain_managed(struct explain *x, struct err *e)
{
	const struct events *copies = &x->trace->events[TRACE_MEMCPYS];
	const struct events *kernels = &x->trace->events[TRACE_KERNELS];
	struct managed m = {.x = x};

	if (trace_load(x->trace, TRACE_MEMCPYS, COL_BIT(COL_EVENT_CLASS), e) < 0)
		return -1;
	if (!copies->copy_kind || !copies->start_ns || !copies->duration_ns || !kernels->start_ns ||
	    !kernels->duration_ns)
		return 0;
	read_pages(&m);
	if (m.faults.count && ascend(m.faults.start_ns, m.faults.count)) {
		m.by_name = mem_zalloc(x->trace->names.count + 1, sizeof(*m.by_name));
		for (uint64_t i = 0; i < kernels->count; i++)
			add_kernel(&m, i);
		find_faults(&m);
	}
	if (copies->event_class && ascend(copies->start_ns, copies->count) &&
	    ascend(kernels->start_ns, kernels->count)) {
		const struct unused unused = find_unused(&m);

		report_unused(x, &unused);
	}
	free(m.by_name);
	longest_parts_free(&m.where);
	free(m.faults.start_ns);
	free(m.faults.bytes);
	return 0;
}

/* What it costs is known; whether it can be had back is not: somebody has to write the data. */
void explain_managed_host(struct explain *x, const struct time_total *s)
{
	struct finding *f = find_lost(x, "managed_host", time_total_worst(s),
				      "The GPU waits for host code that works on managed memory%s",
				      find_place(x, s));

	if (!f)
		return;
	f->how = find_idle_how;
	if (f->severity > SEVERITY_MEDIUM)
		f->severity = SEVERITY_MEDIUM;
	find_gaps(x, f, s);
	explain_code_add(x, f, s);
	explain_add_managed_faults(x, f, &x->managed, s);
	find_advice(f,
		    "let the GPU produce the data, or write the next input on the host while the "
		    "GPU works on this one: two buffers, and a prefetch for each");
	find_advice(f,
		    "pages that are on the GPU fault on the host, too: prefetch them to the host "
		    "(cudaCpuDeviceId) before it touches them");
	f->unless = "the host's work is the program's purpose";
}

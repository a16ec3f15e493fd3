/* Does host code that the GPU waits for take page faults? */
#include "analysis/findings/explain.h"

#include "analysis/numbers/owned_spans.h"
#include "base/bisect.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "trace/strings.h"

#include <stdlib.h>

/* Of the samples in a place: then that is what it does, or it is worth a word. */
static const double most = 0.5, worth_a_word = 0.1;

/* What a kernel runs while a thread's access to memory waits: entries, the work, clearing. */
static const char *const fault_functions[] = {
	"asm_exc_page_fault", "exc_page_fault",	     "page_fault",
	"async_page_fault",   "do_page_fault",	     "__do_page_fault",
	"do_user_addr_fault", "handle_mm_fault",     "__handle_mm_fault",
	"handle_pte_fault",   "do_anonymous_page",   "do_huge_pmd_anonymous_page",
	"do_fault",	      "do_cow_fault",	     "do_wp_page",
	"do_swap_page",	      "clear_page",	     "clear_page_erms",
	"clear_page_rep",     "clear_page_orig",     "clear_huge_page",
	"clear_subpage",      "folio_zero_user",     "el0_da",
	"do_mem_abort",	      "do_translation_fault"};

/* Compilers append to names: "do_anonymous_page.isra.0". */
static bool is_fault_function(struct str function)
{
	for (size_t i = 0; i < ARRAY_LEN(fault_functions); i++) {
		const size_t n = strlen(fault_functions[i]);

		if (str_starts(function, fault_functions[i]) &&
		    (function.len == n || function.s[n] == '.'))
			return true;
	}
	return false;
}

/* The kernel has no file that counts as a name, or it is "vmlinux". */
bool *explain_find_faulting(const struct explain *x)
{
	const struct stacks *s = &x->code.stacks;
	bool *found = mem_zalloc(s->frame_count, sizeof(*found));

	for (size_t i = 0; i < s->frame_count; i++) {
		const struct frame *f = &s->frames[i];

		found[i] = f->line == LINE_NATIVE && f->function != NAME_NONE &&
			   (f->file == NAME_NONE ||
			    str_holds(trace_name(x->trace, f->file), "vmlinux")) &&
			   is_fault_function(trace_name(x->trace, f->function));
	}
	return found;
}

static const struct place_samples *samples_of(const struct explain *x,
					      const struct time_total *stalls)
{
	const struct place_samples *p;

	if (!x->waits.places || !stalls->rows)
		return NULL;
	p = &x->waits.places[explain_place(x, stalls->sums->rows[stalls->top[0]].name)];
	return p->all >= EXPLAIN_SAMPLES_MIN ? p : NULL;
}

bool explain_takes_faults(const struct explain *x, const struct time_total *stalls)
{
	const struct place_samples *p = stalls->rows == 1 ? samples_of(x, stalls) : NULL;

	return p && (double)p->faulting >= most * (double)p->all;
}

/* Pages that the host touches for the first time, by its samples. */
static void add_first_touch(struct explain *x, struct finding *f, const struct time_total *stalls)
{
	const struct place_samples *p = samples_of(x, stalls);

	if (!p || (double)p->faulting < worth_a_word * (double)p->all)
		return;
	find_evidence(f,
		      arena_printf(&x->report->arena,
				   "CPU samples of the host %s that are in page faults",
				   stalls->rows == 1 ? "there" : "in the largest of them"),
		      UNIT_PERCENT, cell_real(100.0 * (double)p->faulting / (double)p->all));
	find_advice(f, "memory that is new to the process is mapped and cleared page by page at "
		       "its first touch: allocate it once and reuse it, touch it before the loop "
		       "(MAP_POPULATE), or use huge pages (madvise)");
	find_advice_for(x, f,
			"keep what is freed: MALLOC_TRIM_THRESHOLD_ and MALLOC_MMAP_THRESHOLD_ of "
			"glibc, or another allocator; buffers for the GPU from a pool of pinned "
			"memory (pin_memory)",
			"keep what is freed: M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of mallopt, or "
			"another allocator; buffers for the GPU from a pool of pinned memory");
}

int explain_read_faults(struct explain *x, struct err *e)
{
	static const char table[] = "CUDA_UM_CPU_PAGE_FAULT_EVENTS";
	struct managed_faults *m = &x->faults;

	if (process_events_read(x->trace, table, "CpuInstruction", &m->function, e) < 0 ||
	    process_events_read(x->trace, table, "sourceFile", &m->file, e) < 0 ||
	    process_events_read(x->trace, table, "sourceLine", &m->line, e) < 0)
		return -1;
	return m->function.count ? strings_load(x->trace, e) : 0;
}

void explain_faults_free(struct explain *x)
{
	cpu_events_free(&x->faults.function);
	cpu_events_free(&x->faults.file);
	cpu_events_free(&x->faults.line);
}

/* When some thread of a process has a gap: those of several GPUs and threads lie over each other.
 */
static void list_gaps(const struct explain *x, const struct stalls *gaps, uint32_t range,
		      bool any_range, struct owned_spans *ret)
{
	*ret = (struct owned_spans){0};
	for (size_t i = 0; i < gaps->count; i++) {
		const struct stall *g = &gaps->all[i];

		if (any_range || g->range == range)
			owned_spans_add(ret, x->trace->thread_keys.keys[g->thread] >> 24,
					(struct span){g->start_ns, g->end_ns});
	}
	owned_spans_join(ret);
}

/* Where in the code faults are, and how many in the place that has most. */
struct fault_places {
	struct idmap functions, places;
	uint64_t *counts;
	size_t cap, best; /* best: row of the place with most */
	uint64_t all, most;
};

static uint32_t id_at(const struct cpu_events *c, size_t row)
{
	const bool known = row < c->count && c->number[row] > 0 && c->number[row] < UINT32_MAX;

	return known ? (uint32_t)c->number[row] : 0;
}

static void add_fault(struct fault_places *p, const struct managed_faults *m, size_t row)
{
	const size_t known = p->places.count;
	const uint32_t function =
		idmap_number_pair(&p->functions, id_at(&m->function, row), id_at(&m->file, row));
	const uint32_t number = idmap_number_pair(&p->places, function, id_at(&m->line, row));

	if (number == known) {
		MEM_GROW(p->counts, p->cap, known + 1);
		p->counts[number] = 0;
	}
	p->all++;
	if (++p->counts[number] > p->most) {
		p->most = p->counts[number];
		p->best = row;
	}
}

/* "`fill` (grid.c:41)"; NULL: its function has no name. */
static const char *fault_code(struct explain *x, size_t row)
{
	const struct managed_faults *m = &x->faults;
	const uint32_t function = strings_number(x->trace, m->function.number[row]);
	const uint32_t line = id_at(&m->line, row);
	const uint32_t file =
		id_at(&m->file, row) ? strings_number(x->trace, m->file.number[row]) : NAME_NONE;
	const char *code;

	if (function == NAME_NONE || !trace_name(x->trace, function).len)
		return NULL;
	code = find_code(x, function_shown(trace_name(x->trace, function)));
	if (!line || file == NAME_NONE || !trace_name(x->trace, file).len)
		return code;
	return arena_printf(&x->report->arena, "%s (%.*s:%u)", code,
			    STR_FMT(place_base_name(trace_name(x->trace, file))), line);
}

bool explain_add_managed_faults(struct explain *x, struct finding *f, const struct stalls *gaps,
				const struct time_total *s)
{
	const struct cpu_events *faults = &x->faults.function;
	const uint32_t range = s->sums->rows[s->top[0]].name;
	struct fault_places p = {0};
	struct owned_spans spans;
	const char *code;

	list_gaps(x, gaps, range, s->rows > 1, &spans);
	for (size_t i = 0; i < faults->count; i++) {
		const struct span at = {faults->start_ns[i], faults->start_ns[i]};

		if (owned_spans_overlap(&spans, faults->thread[i] >> 24, at))
			add_fault(&p, &x->faults, i);
	}
	owned_spans_free(&spans);
	code = p.all ? fault_code(x, p.best) : NULL;
	if (p.all)
		find_count(f, "page faults of the host on managed memory there", p.all);
	if (code)
		find_evidence(f, "most of them in", UNIT_NAME, cell_text(code));
	free(p.counts);
	idmap_free(&p.functions);
	idmap_free(&p.places);
	return p.all > 0;
}

void explain_add_faults(struct explain *x, struct finding *f, const struct time_total *stalls)
{
	add_first_touch(x, f, stalls);
	if (explain_add_managed_faults(x, f, &x->stalls, stalls))
		find_advice(f, "pages of managed memory that are on the GPU, or nowhere yet, fault "
			       "on the host: prefetch them to the host (cudaCpuDeviceId) before it "
			       "touches them, or write into pinned memory and copy");
}

/* Do captures that were not taken together have anything in common? */
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sets.h"
#include "base/sort.h"
#include "trace/small_table.h"
#include "traces/traces.h"

#include <stdlib.h>
#include <string.h>

/* What captures may have in common. */
struct token {
	struct str text; /* of a kernel, or of a machine */
	uint32_t capture;
};

struct tokens {
	struct token *all;
	size_t count, cap;
};

static void add_token(struct tokens *x, struct str text, uint32_t capture)
{
	if (!text.len)
		return;
	MEM_GROW(x->all, x->cap, x->count + 1);
	x->all[x->count++] = (struct token){text, capture};
}

/* Each name once. */
static int add_kernels(struct tokens *x, struct trace *t, uint32_t capture, struct err *e)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	struct idmap seen = {0};

	if (trace_load(t, TRACE_KERNELS, COL_BIT(COL_NAME), e) < 0)
		return -1;
	for (uint64_t i = 0; i < ev->count; i++) {
		const size_t before = seen.count;

		idmap_add(&seen, ev->name[i], 0);
		if (seen.count > before)
			add_token(x, trace_name(t, ev->name[i]), capture);
	}
	idmap_free(&seen);
	return 0;
}

static int by_text(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return str_cmp(((const struct token *)a)->text, ((const struct token *)b)->text);
}

static void join_equal(struct tokens *x, uint32_t *sets)
{
	sort_stable(x->all, x->count, sizeof(*x->all), by_text, NULL);
	for (size_t i = 1; i < x->count; i++) {
		if (str_eq(x->all[i - 1].text, x->all[i].text))
			sets_join(sets, x->all[i - 1].capture, x->all[i].capture);
	}
	x->count = 0;
}

static int join_kernels(const struct traces *t, struct tokens *x, uint32_t *sets, struct err *e)
{
	for (uint32_t i = 0; i < t->count; i++) {
		if (add_kernels(x, t->all[i].trace, i, e) < 0)
			return -1;
	}
	join_equal(x, sets);
	return 0;
}

static int join_machines(const struct traces *t, struct tokens *x, uint32_t *sets, struct err *e)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct str host;

		if (trace_read_host(t->all[i].trace, &host, e) < 0)
			return -1;
		add_token(x, host, i);
	}
	join_equal(x, sets);
	return 0;
}

static int refuse(const struct traces *t, size_t stranger, struct err *e)
{
	err_set(e, ERR_INPUT,
		"these are captures of several programs: '%s' and '%s' have no kernel in common, "
		"are not of one machine, and were not taken at the same time, as far as they say",
		t->all[0].trace->path, t->all[stranger].trace->path);
	return err_hint(e,
			"give the captures of one job, each once; gpuwhy diff A -- B compares two "
			"programs");
}

int traces_check_strangers(const struct traces *t, struct err *e)
{
	uint32_t *sets = sets_new(t->count);
	struct tokens x = {0};
	int result = join_kernels(t, &x, sets, e);

	if (result == 0)
		result = join_machines(t, &x, sets, e);
	for (uint32_t i = 1; i < t->count && result == 0; i++) {
		if (sets_first(sets, i) != 0)
			result = refuse(t, i, e);
	}
	free(x.all);
	free(sets);
	return result;
}

/* Does any baseline whatever make its reader crash, hang, or take what does not add up? */
#include "baseline/baseline.h"

#include "base/mem.h"
#include "diff/diff.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read can be written, and is then read as the same. */
static void check_round_trip(const struct baseline *b)
{
	struct buf once = {0}, twice = {0};
	struct kept_baseline again;
	struct err e = {0};

	baseline_write(&once, b);
	if (baseline_read_text(&again, buf_str(&once), "again.json", &e) < 0)
		abort();
	baseline_write(&twice, &again.is);
	if (!str_eq(buf_str(&once), buf_str(&twice)))
		abort();
	baseline_free(&again);
	buf_free(&once);
	buf_free(&twice);
}

static void check_sums(const struct baseline *b)
{
	for (size_t r = 0; r < b->run_count; r++) {
		const struct account *a = b->runs[r];
		int64_t ns = 0;

		for (size_t i = 0; i < a->leaf_count; i++)
			ns += leaf_total(a, &a->leaves[i]).ns;
		if (ns != account_ns(a))
			abort();
	}
}

static void compare(const struct baseline *b)
{
	const struct diff_options o = {.compare = {.tolerance = 0.02, .seed = 1}};
	struct diff d;

	diff_make(&d, b->runs, 1, b->runs, b->run_count, &o);
	diff_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* As large as it is, and no byte more: what reads on is found. */
	char *text = mem_alloc(size, 1);
	struct kept_baseline k;
	struct err e = {0};

	if (size)
		memcpy(text, data, size);
	if (baseline_read_text(&k, (struct str){text, size}, "fuzz.json", &e) == 0) {
		check_sums(&k.is);
		check_round_trip(&k.is);
		compare(&k.is);
	} else if (!e.message[0] || e.code != ERR_INPUT) {
		abort();
	}
	baseline_free(&k);
	free(text);
	return 0;
}

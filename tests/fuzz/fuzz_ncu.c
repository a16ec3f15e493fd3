/* Does any text whatever, taken for a CSV of Nsight Compute's, make an answer crash or hang? */
#include "analysis/counters/kernel_pattern.h"
#include "analysis/counters/ncu_study.h"
#include "analysis/counters/roofline.h"
#include "everything.h"
#include "ncu/ncu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Formats in turn would take long: each input is told in one that depends on it. */
static size_t choose(const uint8_t *data, size_t size)
{
	size_t sum = size;

	for (size_t i = 0; i < size; i++)
		sum += data[i];
	return sum;
}

static void find_patterns(const struct ncu_groups *g)
{
	struct str first = g->all[0].name, last = g->all[g->count - 1].name;
	const struct kernel_pattern p = kernel_pattern_of(last, &first, 1);
	struct buf b = {0};

	kernel_pattern_add(&b, &p);
	kernel_pattern_finds(&p, first);
	buf_free(&b);
}

/* What `gpuwhy ncu` and `gpuwhy roofline` say of it. */
static void answer(const struct ncu_report *ncu, size_t which)
{
	const struct scope p = {0};
	struct report r = {.command = "ncu"};
	struct ncu_study s = {0};
	struct err e = {0};

	if (ncu_study_make(&s, ncu, NULL, &p, &e) < 0 ||
	    ncu_study_head(&s, "Fuzz", NULL, &p, &r, &e) < 0)
		abort();
	ncu_kernels_add(&s, 20, which & 1, &r);
	ncu_rules_add(&s, &r);
	if (roofline_add(&s, 20, &r, &e) < 0 && !e.message[0])
		abort();
	find_patterns(&s.groups);
	present(&r, which);
	report_free(&r);
	ncu_study_free(&s);
}

/* Read twice, as the pages of one profile are: launches must not double without end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str text = {(const char *)data, size};
	struct ncu_report r = {0};
	struct err e = {0};

	for (int i = 0; i < 2; i++) {
		size_t before = r.count;

		if (ncu_read_text(&r, text, "x.csv", &e) < 0 &&
		    (!e.message[0] || e.code != ERR_INPUT))
			abort();
		if (i && r.count > 2 * before)
			abort();
	}
	if (r.count)
		answer(&r, choose(data, size));
	ncu_free(&r);
	return 0;
}

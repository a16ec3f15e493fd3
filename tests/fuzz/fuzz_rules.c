/* Does any text whatever make the reader of rules crash, hang or take what it did not say? */
#include "gate/rules.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* As large as it is, and no byte more: what reads on is found. */
	char *text = mem_alloc(size, 1);
	struct rules r;
	struct err e = {0};

	if (size)
		memcpy(text, data, size);
	if (rules_read_text(&r, (struct str){text, size}, "fuzz.yml", 0.02, &e) == 0) {
		if (!r.count || !rules_step(&r) != r.step_is_off)
			abort();
		for (size_t i = 0; i < r.count; i++) {
			if (!(r.all[i].rel >= 0 && r.all[i].abs >= 0 && r.all[i].share >= 0) ||
			    r.all[i].kind >= RULE_KINDS)
				abort();
		}
	} else if (!e.message[0] || e.code != ERR_USAGE) {
		abort();
	}
	rules_free(&r);
	free(text);
	return 0;
}

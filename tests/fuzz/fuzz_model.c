/* Does any config.json whatever make the reader of models, or the counting, crash or hang? */
#include "analysis/model/model_flops.h"
#include "analysis/model/model_weights.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(const struct model *m)
{
	const struct model_work works[] = {
		{.mode = MODE_PREFILL, .batch = 1000000000, .seq = 1000000000},
		{.mode = MODE_DECODE, .batch = 3, .seq = 1000000000, .new_tokens = 1000000000},
		{.mode = MODE_TRAIN, .batch = 1, .seq = 1, .recompute = RECOMPUTE_FULL},
	};

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		struct arena arena = {0};
		struct model_flops f;

		model_flops_count(m, &works[i], &arena, &f);
		if (!(f.model > 0 && isfinite(f.hardware) && f.hardware >= f.model))
			abort();
		arena_free(&arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json *document;
	struct model m;
	struct err e = {0};

	if (json_read_text(&document, (struct str){(const char *)data, size}, "config.json", &e) <
	    0)
		return 0;
	if (model_read(&m, document, "config.json", &e) == 0)
		count(&m);
	else if (!e.message[0] || e.code != ERR_INPUT)
		abort();
	json_read_free(document);
	return 0;
}

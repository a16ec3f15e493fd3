/* Which of the FLOPs of some work does a phase do? */
#include "analysis/mfu/mfu_rows.h"
#include "base/mem.h"

static const struct {
	const char *phase;
	enum mfu_share of[MODE_TRAIN + 1];
} shares[] = {
	{"prefill", {[MODE_PREFILL] = SHARE_ALL}},
	{"decode", {[MODE_DECODE] = SHARE_ALL}},
	{"forward",
	 {[MODE_PREFILL] = SHARE_ALL, [MODE_DECODE] = SHARE_ALL, [MODE_TRAIN] = SHARE_FORWARD}},
	{"backward", {[MODE_TRAIN] = SHARE_BACKWARD}},
	{"optimizer", {0}},
	{"data loading", {0}},
};

enum mfu_share mfu_share_of(const char *phase, enum model_mode mode)
{
	for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
		if (strcmp(shares[i].phase, phase) == 0)
			return shares[i].of[mode];
	}
	return SHARE_ALL;
}

bool mfu_phase_counts(const char *phase)
{
	return mfu_share_of(phase, MODE_PREFILL) || mfu_share_of(phase, MODE_DECODE) ||
	       mfu_share_of(phase, MODE_TRAIN);
}

struct flops_source mfu_take_share(struct flops_source s, enum mfu_share share)
{
	const double forward = s.model / 3;

	if (share == SHARE_FORWARD)
		return (struct flops_source){"forward", forward, forward, 0, 0};
	if (share == SHARE_BACKWARD)
		return (struct flops_source){"backward", s.model - forward, s.hardware - forward, 0,
					     0};
	return s;
}

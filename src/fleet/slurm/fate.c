/* Why is there no part of a capture, and would another try help? */
#include "fleet/slurm/fate.h"

#include "base/mem.h"

static const struct {
	const char *word, *text;
	const char *states; /* of Slurm, which mean it */
	bool may_pass;	    /* the next try may be luckier */
} fates[] = {
	[FATE_UNKNOWN] = {"unknown", "its task ended without a word", "", true},
	[FATE_NODE_LOST] = {"node_lost", "its node was lost", "NODE_FAIL BOOT_FAIL", true},
	[FATE_NO_MEMORY] = {"out_of_memory", "out of memory", "OUT_OF_MEMORY", true},
	[FATE_NO_TIME] = {"out_of_time", "its time limit was reached", "TIMEOUT DEADLINE", false},
	[FATE_CANCELLED] = {"cancelled", "its task was cancelled", "CANCELLED REVOKED", false},
	[FATE_PREEMPTED] = {"preempted", "another job took its place", "PREEMPTED", true},
	[FATE_KILLED] = {"killed", "its task was killed", "", true},
	[FATE_BAD_CAPTURE] = {"bad_capture", "the capture cannot be used", "", false},
	[FATE_SYSTEM] = {"system", "the system refused it", "", true},
	[FATE_NO_PROGRAM] = {"no_program", "gpuwhy cannot be run on its node", "", false},
	[FATE_FAILED] = {"failed", "gpuwhy failed", "", false},
};
_Static_assert(ARRAY_LEN(fates) == FATES, "each fate is described");

enum fate fate_of_state(struct str state)
{
	for (size_t i = 0; i < FATES; i++) {
		if (state.len && str_is_listed(state, fates[i].states))
			return (enum fate)i;
	}
	return FATE_UNKNOWN;
}

enum fate fate_of_exit_code(int code)
{
	switch (code) {
	case 3:
		return FATE_BAD_CAPTURE;
	case 4:
		return FATE_SYSTEM;
	case 126:
	case 127:
		return FATE_NO_PROGRAM;
	default:
		return code > 128 ? FATE_KILLED : FATE_FAILED;
	}
}

const char *fate_word(enum fate f)
{
	return fates[f].word;
}

enum fate fate_of_word(struct str word)
{
	for (size_t i = 0; i < FATES; i++) {
		if (str_eq(word, str_of(fates[i].word)))
			return (enum fate)i;
	}
	return FATE_UNKNOWN;
}

const char *fate_text(enum fate f)
{
	return fates[f].text;
}

bool fate_may_pass(enum fate f)
{
	return fates[f].may_pass;
}

/* gpuwhy mfu --peaks: the peaks of GPUs that are known, without a trace. */
#ifndef CLI_PEAKS_H
#define CLI_PEAKS_H

#include "cli/command.h"

int peaks_run(struct invocation *inv, struct err *e);

#endif

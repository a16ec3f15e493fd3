/* Who waits for whom in a run, as a baseline keeps it: nothing where there is one rank. */
#ifndef BASELINE_KEPT_WAITS_H
#define BASELINE_KEPT_WAITS_H

#include "baseline/fields.h"
#include "diff/waits/run_waits.h"
#include "text/json_write.h"

/* As the member "waits" of a run. */
void kept_waits_write(struct json_writer *w, const struct run_waits *waits);
int kept_waits_read(const struct fields *f, const struct json *run, struct run_waits *ret);

#endif

/* A straggler as a finding, whoever tells it: `fleet`, or `findings` of a trace with several ranks.
 */
#ifndef FLEET_STRAGGLER_FINDING_H
#define FLEET_STRAGGLER_FINDING_H

#include "fleet/stragglers/stragglers.h"
#include "report/finding.h"

enum severity straggler_severity(const struct straggler *g);
/*
 * All but id, title, severity and what is recoverable, with room for three more pieces of evidence.
 * Texts live in the arena, or as long as the stragglers do.
 */
void straggler_fill_finding(const struct stragglers *s, const struct straggler *g,
			    struct arena *arena, struct finding *f);
/* The same of `unbalanced`. */
void imbalance_fill_finding(const struct stragglers *s, const struct straggler *g,
			    struct arena *arena, struct finding *f);

#endif

/* What is a finding called, and how does it get into a report? */
#include "report/finding.h"

static const char *const severities[] = {
	[SEVERITY_INFO] = "info",
	[SEVERITY_LOW] = "low",
	[SEVERITY_MEDIUM] = "medium",
	[SEVERITY_HIGH] = "high",
};

static const char *const confidences[] = {
	[CONFIDENCE_LOW] = "low",
	[CONFIDENCE_MEDIUM] = "medium",
	[CONFIDENCE_HIGH] = "high",
};

const char *severity_name(enum severity s)
{
	return severities[s];
}

const char *confidence_name(enum confidence c)
{
	return confidences[c];
}

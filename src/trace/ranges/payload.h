/*
 * What an NVTX range carries: a flat JSON object that Nsight Systems wrote, such as
 * {"NCCL communicator ID":68, "Message size [bytes]":2097152, "Reduction operation":"Sum"}.
 */
#ifndef TRACE_PAYLOAD_H
#define TRACE_PAYLOAD_H

#include "base/str.h"

#include <stdint.h>

/* The whole number under a key; false where there is none, or it does not fit. */
bool payload_number(struct str json, const char *key, uint64_t *ret);

#endif

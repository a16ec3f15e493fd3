/*
 * The metrics that figures are made from, as places in an array: one array for a launch, NAN where
 * the files do not have it. Which name goes to which place is told once for a column.
 */
#ifndef NCU_METRICS_H
#define NCU_METRICS_H

#include "ncu/ncu.h"
#include "ncu/number.h"

enum slot {
	SLOT_TIME,
	SLOT_TIME_AVG,
	SLOT_DRAM,
	SLOT_DRAM_READ,
	SLOT_DRAM_WRITE,
	SLOT_DRAM_RATE,
	SLOT_DRAM_READ_RATE,
	SLOT_DRAM_WRITE_RATE,
	SLOT_DRAM_PEAK, /* bytes a cycle */
	SLOT_DRAM_CLOCK,
	SLOT_SM_CLOCK,
	SLOT_SMSP_CLOCK,
	SLOT_SMSP_CYCLES,
	SLOT_SM_CYCLES,
	SLOT_CYCLES, /* the longest of the device */
	SLOT_SM_PCT,
	SLOT_MEMORY_PCT,
	SLOT_DRAM_PCT,
	SLOT_DRAM_OWN_PCT,
	SLOT_L2_PCT,
	SLOT_L1_PCT,
	SLOT_OCCUPANCY,
	SLOT_THEORETICAL,
	SLOT_LIMIT_WARPS, /* blocks; in the order of enum ncu_limiter */
	SLOT_LIMIT_REGISTERS,
	SLOT_LIMIT_SHARED,
	SLOT_LIMIT_BLOCKS,
	SLOT_LIMIT_BARRIERS,
	SLOT_REGISTERS,
	SLOT_SHARED,
	SLOT_SHARED_DYNAMIC,
	SLOT_SHARED_STATIC,
	SLOT_SHARED_DRIVER,
	SLOT_WAVES,
	SLOT_FLOPS_FP64, /* in the order of enum ncu_path */
	SLOT_FLOPS_FP32,
	SLOT_FLOPS_FP16,
	SLOT_TENSOR_INST, /* warp instructions of the tensor pipe */
	SLOT_TENSOR_HMMA,
	SLOT_TENSOR_BUSY, /* share of time that the tensor pipe is active */
	SLOT_FIXED,
};

/* How often something happened: by itself, by cycle, or by second. */
enum form { FORM_SUM, FORM_PER_CYCLE, FORM_PER_SECOND, FORMS };

enum { OP_ADD, OP_MUL, OP_FMA, OPS };

/* How much a metric of the tensor paths sums up: 0 all of a type, 7 one instruction of many. */
enum { LEVELS = 8 };

/* Peaks of a tensor path: of dense instructions, or of whatever it does best. */
enum { PEAK_DENSE_CYCLE, PEAK_DENSE_SECOND, PEAK_ANY_CYCLE, PEAK_ANY_SECOND, PEAKS };

enum {
	SLOT_OP = SLOT_FIXED, /* by precision (FP64, FP32, FP16), op, form */
	SLOT_FMA_PEAK = SLOT_OP + 3 * OPS * FORMS,
	SLOT_TENSOR = SLOT_FMA_PEAK + 3,
	SLOT_TENSOR_PEAK = SLOT_TENSOR + NCU_PATHS * LEVELS * FORMS,
	SLOTS = SLOT_TENSOR_PEAK + NCU_PATHS * PEAKS,
};

/* Counters by path: each operation of the plain ones by itself. */
enum { LACKING_TENSOR = 3 * OPS, LACKING_COUNTERS = LACKING_TENSOR + NCU_PATHS - NCU_TENSOR_FP64 };

static inline int slot_op(int precision, int op, enum form f)
{
	return SLOT_OP + (precision * OPS + op) * FORMS + (int)f;
}

static inline int slot_tensor(enum ncu_path p, int level, enum form f)
{
	return SLOT_TENSOR + ((int)p * LEVELS + level) * FORMS + (int)f;
}

static inline int slot_tensor_peak(enum ncu_path p, int peak)
{
	return SLOT_TENSOR_PEAK + (int)p * PEAKS + peak;
}

/* What a place does with a second value of one launch. */
enum combine { COMBINE_FIRST, COMBINE_ADD, COMBINE_MAX };

enum { METRICS_ADDING = 256 }; /* metrics of a file that add up, at most */

struct metric {
	int slot; /* -1: nobody needs it, or cannot use it */
	enum combine combine;
	double factor;
	int bit;	       /* of what adds up: a number of its own, so that it counts once */
	bool is_in_odd_unit;   /* it would be needed in another */
	struct str name, unit; /* as they are written; the caller's */
};

/* The place of a metric that is in this unit; names are those of the raw or of the details page. */
struct metric metric_find(struct str name, struct str unit);

void slots_clear(double *slots);
/* False where the value cannot be used: no figure is less than nothing, or without end. */
bool slots_put(double *slots, const struct metric *m, double value);
/* Takes over what is not known yet, or, `rather`, whatever the other one has. */
void slots_merge(double *slots, const double *from, bool rather);
/* Whether no place that both know has another value. */
bool slots_agree(const double *a, const double *b);
/* The launch's time. */
double slots_time(const double *slots);

/* All figures of a launch from what was read of it. */
void kernel_derive(struct ncu_kernel *k);

#endif

/* Which metrics are which of the figures that are needed? */
#include "ncu/metrics.h"

#include "base/mem.h"

#include <math.h>

static const struct known {
	const char *name;
	int slot;
	enum dimension dimension;
} known[] = {
	{"gpu__time_duration.sum", SLOT_TIME, DIM_TIME},
	{"gpu__time_duration.avg", SLOT_TIME_AVG, DIM_TIME},
	{"gpu__time_duration", SLOT_TIME, DIM_TIME},
	{"Duration", SLOT_TIME, DIM_TIME},
	{"dram__bytes.sum", SLOT_DRAM, DIM_BYTES},
	{"dram__bytes_read.sum", SLOT_DRAM_READ, DIM_BYTES},
	{"dram__bytes_write.sum", SLOT_DRAM_WRITE, DIM_BYTES},
	{"dram__bytes.sum.per_second", SLOT_DRAM_RATE, DIM_BYTES},
	{"Memory Throughput", SLOT_DRAM_RATE, DIM_BYTES},
	{"dram__bytes_read.sum.per_second", SLOT_DRAM_READ_RATE, DIM_BYTES},
	{"dram__bytes_write.sum.per_second", SLOT_DRAM_WRITE_RATE, DIM_BYTES},
	{"dram__bytes.sum.peak_sustained", SLOT_DRAM_PEAK, DIM_BYTES},
	{"dram__cycles_elapsed.avg.per_second", SLOT_DRAM_CLOCK, DIM_HZ},
	{"DRAM Frequency", SLOT_DRAM_CLOCK, DIM_HZ},
	{"sm__cycles_elapsed.avg.per_second", SLOT_SM_CLOCK, DIM_HZ},
	{"smsp__cycles_elapsed.avg.per_second", SLOT_SMSP_CLOCK, DIM_HZ},
	{"SM Frequency", SLOT_SM_CLOCK, DIM_HZ},
	{"smsp__cycles_elapsed.avg", SLOT_SMSP_CYCLES, DIM_PLAIN},
	{"sm__cycles_elapsed.avg", SLOT_SM_CYCLES, DIM_PLAIN},
	{"Elapsed Cycles", SLOT_CYCLES, DIM_PLAIN},
	{"sm__throughput.avg.pct_of_peak_sustained_elapsed", SLOT_SM_PCT, DIM_PERCENT},
	{"Compute (SM) Throughput", SLOT_SM_PCT, DIM_PERCENT},
	{"SOL SM", SLOT_SM_PCT, DIM_PERCENT},
	{"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", SLOT_MEMORY_PCT,
	 DIM_PERCENT},
	{"Memory Throughput", SLOT_MEMORY_PCT, DIM_PERCENT},
	{"SOL Memory", SLOT_MEMORY_PCT, DIM_PERCENT},
	{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", SLOT_DRAM_PCT, DIM_PERCENT},
	{"dram__throughput.avg.pct_of_peak_sustained_elapsed", SLOT_DRAM_OWN_PCT, DIM_PERCENT},
	{"DRAM Throughput", SLOT_DRAM_PCT, DIM_PERCENT},
	{"SOL DRAM", SLOT_DRAM_PCT, DIM_PERCENT},
	{"lts__throughput.avg.pct_of_peak_sustained_elapsed", SLOT_L2_PCT, DIM_PERCENT},
	{"L2 Cache Throughput", SLOT_L2_PCT, DIM_PERCENT},
	{"SOL L2 Cache", SLOT_L2_PCT, DIM_PERCENT},
	{"l1tex__throughput.avg.pct_of_peak_sustained_active", SLOT_L1_PCT, DIM_PERCENT},
	{"L1/TEX Cache Throughput", SLOT_L1_PCT, DIM_PERCENT},
	{"SOL L1/TEX Cache", SLOT_L1_PCT, DIM_PERCENT},
	{"sm__warps_active.avg.pct_of_peak_sustained_active", SLOT_OCCUPANCY, DIM_PERCENT},
	{"Achieved Occupancy", SLOT_OCCUPANCY, DIM_PERCENT},
	{"sm__maximum_warps_per_active_cycle_pct", SLOT_THEORETICAL, DIM_PERCENT},
	{"Theoretical Occupancy", SLOT_THEORETICAL, DIM_PERCENT},
	{"launch__occupancy_limit_warps", SLOT_LIMIT_WARPS, DIM_PLAIN},
	{"Block Limit Warps", SLOT_LIMIT_WARPS, DIM_PLAIN},
	{"launch__occupancy_limit_registers", SLOT_LIMIT_REGISTERS, DIM_PLAIN},
	{"Block Limit Registers", SLOT_LIMIT_REGISTERS, DIM_PLAIN},
	{"launch__occupancy_limit_shared_mem", SLOT_LIMIT_SHARED, DIM_PLAIN},
	{"Block Limit Shared Mem", SLOT_LIMIT_SHARED, DIM_PLAIN},
	{"launch__occupancy_limit_blocks", SLOT_LIMIT_BLOCKS, DIM_PLAIN},
	{"Block Limit SM", SLOT_LIMIT_BLOCKS, DIM_PLAIN},
	{"launch__occupancy_limit_barriers", SLOT_LIMIT_BARRIERS, DIM_PLAIN},
	{"Block Limit Barriers", SLOT_LIMIT_BARRIERS, DIM_PLAIN},
	{"launch__registers_per_thread", SLOT_REGISTERS, DIM_PLAIN},
	{"Registers Per Thread", SLOT_REGISTERS, DIM_PLAIN},
	{"launch__shared_mem_per_block", SLOT_SHARED, DIM_BYTES},
	{"Dynamic Shared Memory Per Block", SLOT_SHARED_DYNAMIC, DIM_BYTES},
	{"Static Shared Memory Per Block", SLOT_SHARED_STATIC, DIM_BYTES},
	{"Driver Shared Memory Per Block", SLOT_SHARED_DRIVER, DIM_BYTES},
	{"launch__waves_per_multiprocessor", SLOT_WAVES, DIM_PLAIN},
	{"Waves Per SM", SLOT_WAVES, DIM_PLAIN},
	{"flop_count_dp", SLOT_FLOPS_FP64, DIM_PLAIN},
	{"flop_count_sp", SLOT_FLOPS_FP32, DIM_PLAIN},
	{"flop_count_hp", SLOT_FLOPS_FP16, DIM_PLAIN},
	{"sm__inst_executed_pipe_tensor.sum", SLOT_TENSOR_INST, DIM_PLAIN},
	{"sm__inst_executed_pipe_tensor_op_hmma.sum", SLOT_TENSOR_HMMA, DIM_PLAIN},
	{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", SLOT_TENSOR_BUSY,
	 DIM_PERCENT},
	{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", SLOT_TENSOR_BUSY,
	 DIM_PERCENT},
};

/* A name that is read from its front; hands write it in any case. */
static bool take_prefix(struct str *s, const char *prefix)
{
	size_t n = strlen(prefix);

	if (s->len < n || strncasecmp(s->s, prefix, n) != 0)
		return false;
	s->s += n;
	s->len -= n;
	return true;
}

static bool starts(struct str s, const char *prefix)
{
	return take_prefix(&s, prefix);
}

/* What follows the name of a counter: how it is summed up. FORMS: it is none of those. */
static enum form form_of(struct str rest)
{
	return str_eq_any_case(rest, ".sum")			 ? FORM_SUM
	       : str_eq_any_case(rest, ".sum.per_cycle_elapsed") ? FORM_PER_CYCLE
	       : str_eq_any_case(rest, ".sum.per_second")	 ? FORM_PER_SECOND
								 : FORMS;
}

static const struct metric nothing = {.slot = -1};

static struct metric peak_metric(int slot)
{
	return (struct metric){.slot = slot, .combine = COMBINE_MAX, .factor = 1};
}

/* (sm|smsp)__sass_thread_inst_executed_op_ffma_pred_on.sum and its like. */
static struct metric find_op(struct str name)
{
	static const char *const ops[OPS] = {"add_pred_on", "mul_pred_on", "fma_pred_on"};
	int precision;

	if ((!take_prefix(&name, "smsp__") && !take_prefix(&name, "sm__")) ||
	    !take_prefix(&name, "sass_thread_inst_executed_op_") || !name.len)
		return nothing;
	precision = take_prefix(&name, "d")   ? NCU_FP64
		    : take_prefix(&name, "f") ? NCU_FP32
		    : take_prefix(&name, "h") ? NCU_FP16
					      : -1;
	for (int op = 0; precision >= 0 && op < OPS; op++) {
		if (!take_prefix(&name, ops[op]))
			continue;
		if (form_of(name) < FORMS)
			return (struct metric){.slot = slot_op(precision, op, form_of(name)),
					       .factor = 1};
		if (op == OP_FMA && str_eq_any_case(name, ".sum.peak_sustained"))
			return peak_metric(SLOT_FMA_PEAK + precision);
	}
	return nothing;
}

/* "bf16" of src_bf16_dst_fp32; of fp4_fp6_fp8, which is one path, the widest. */
static enum ncu_path take_type(struct str *name)
{
	static const struct {
		const char *text;
		enum ncu_path path;
	} types[] = {
		{"fp64", NCU_TENSOR_FP64}, {"tf32", NCU_TENSOR_TF32}, {"bf16", NCU_TENSOR_BF16},
		{"fp16", NCU_TENSOR_FP16}, {"fp8", NCU_TENSOR_FP8},   {"fp6", NCU_TENSOR_FP6},
		{"fp4", NCU_TENSOR_FP4},   {"int8", NCU_TENSOR_INT8}, {"int4", NCU_TENSOR_INT4},
		{"int1", NCU_TENSOR_INT1},
	};
	enum ncu_path path = NCU_TENSOR_OTHER;
	bool found = true;

	while (found) {
		found = false;
		for (size_t i = 0; i < ARRAY_LEN(types) && !found; i++) {
			found = take_prefix(name, types[i].text);
			if (found && types[i].path < path)
				path = types[i].path;
		}
		if (found && !starts(*name, "_dst_") && !starts(*name, "_sparsity_"))
			take_prefix(name, "_");
	}
	return path;
}

/* A word of letters and digits. */
static void take_word(struct str *s)
{
	while (s->len && s->s[0] != '_' && s->s[0] != '.') {
		s->s++;
		s->len--;
	}
}

static struct metric tensor_metric(struct str rest, enum ncu_path path, int level, bool sparse,
				   bool dense)
{
	int peak = dense ? PEAK_DENSE_CYCLE : PEAK_ANY_CYCLE;

	if (form_of(rest) < FORMS)
		return (struct metric){.slot = slot_tensor(path, level, form_of(rest)),
				       .combine = COMBINE_ADD,
				       .factor = 1};
	if (sparse)
		return nothing;
	if (str_eq_any_case(rest, ".sum.peak_sustained"))
		return peak_metric(slot_tensor_peak(path, peak));
	if (str_eq_any_case(rest, ".sum.peak_sustained_elapsed.per_second"))
		return peak_metric(slot_tensor_peak(path, peak + 1));
	return nothing;
}

/* sm__ops_path_tensor_[op_X_]src_TYPE[_dst_TYPE][_sparsity_on|off].sum and its like. */
static struct metric find_tensor(struct str name)
{
	bool sparse = false, dense = false;
	enum ncu_path path;
	int level = 0;

	if (!take_prefix(&name, "sm__ops_path_tensor_"))
		return nothing;
	if (take_prefix(&name, "op_")) {
		level |= 4;
		take_word(&name);
		take_prefix(&name, "_");
	}
	if (!take_prefix(&name, "src_"))
		return nothing;
	path = take_type(&name);
	take_word(&name);
	if (take_prefix(&name, "_dst_")) {
		/* Of instructions some have one name for all results, others one for each. */
		level |= level ? 0 : 1;
		take_word(&name);
	}
	sparse = take_prefix(&name, "_sparsity_on");
	dense = !sparse && take_prefix(&name, "_sparsity_off");
	level |= sparse || dense ? 2 : 0;
	return tensor_metric(name, path, level, sparse, dense);
}

/* "Memory Throughput" is a rate and a share, which its unit tells: without one it is neither. */
static struct metric find_known(struct str name, struct unit_scale unit)
{
	struct metric found = nothing;

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (!str_eq_any_case(name, known[i].name))
			continue;
		if (unit.dimension != DIM_ANY && unit.dimension != known[i].dimension) {
			found.is_in_odd_unit |= found.slot < 0;
			continue;
		}
		if (found.slot >= 0)
			return nothing;
		found = (struct metric){.slot = known[i].slot, .factor = unit.factor};
	}
	return found;
}

struct metric metric_find(struct str name, struct str unit)
{
	const struct unit_scale scale = unit_read(unit);
	struct metric m = find_known(name, scale);

	if (m.slot < 0 && !m.is_in_odd_unit)
		m = find_op(name);
	if (m.slot < 0 && !m.is_in_odd_unit)
		m = find_tensor(name);
	if (m.slot >= SLOT_FIXED)
		m.factor = scale.factor;
	m.name = name;
	m.unit = unit;
	return m;
}

void slots_clear(double *slots)
{
	for (size_t i = 0; i < SLOTS; i++)
		slots[i] = NAN;
}

bool slots_put(double *slots, const struct metric *m, double value)
{
	double *slot = &slots[m->slot];

	value *= m->factor;
	if (!isfinite(value) || value < 0)
		return false;
	if (m->combine == COMBINE_ADD && !isnan(*slot))
		*slot += value;
	else if (isnan(*slot) || (m->combine == COMBINE_MAX && value > *slot))
		*slot = value;
	return true;
}

bool slots_agree(const double *a, const double *b)
{
	for (size_t i = 0; i < SLOTS; i++) {
		if (!isnan(a[i]) && !isnan(b[i]) && a[i] != b[i])
			return false;
	}
	return true;
}

void slots_merge(double *slots, const double *from, bool rather)
{
	for (size_t i = 0; i < SLOTS; i++) {
		if (isnan(slots[i]) || (rather && !isnan(from[i])))
			slots[i] = from[i];
	}
}

/*
 * What Nsight Compute measured of single kernel launches, from the CSV that `ncu --csv` prints of
 * its raw or its details page, or that somebody made by hand. Whatever a file does not say is not
 * finite here (NAN), never 0: "unknown" is an answer. docs/ncu.md says how each figure is made.
 */
#ifndef NCU_NCU_H
#define NCU_NCU_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "text/strtab.h"

#include <stdint.h>

/* Where operations are done. Tensor paths are told by the type of what is multiplied. */
enum ncu_path {
	NCU_FP64,
	NCU_FP32,
	NCU_FP16, /* two at once */
	NCU_TENSOR_FP64,
	NCU_TENSOR_TF32,
	NCU_TENSOR_BF16,
	NCU_TENSOR_FP16,
	NCU_TENSOR_FP8,
	NCU_TENSOR_FP6,
	NCU_TENSOR_FP4,
	NCU_TENSOR_INT8,
	NCU_TENSOR_INT4,
	NCU_TENSOR_INT1,
	NCU_TENSOR_OTHER,
	NCU_PATHS,
};

/* "fp32", "bf16 tensor": for people. */
const char *ncu_path_name(enum ncu_path p);
/* "fp32", "tensor_bf16": for machines. */
const char *ncu_path_key(enum ncu_path p);
static inline bool ncu_path_is_tensor(enum ncu_path p)
{
	return p >= NCU_TENSOR_FP64;
}

/* What keeps blocks from being more on a multiprocessor; the warps it has room for, unless told. */
enum ncu_limiter {
	NCU_LIMIT_UNKNOWN,
	NCU_LIMIT_WARPS,
	NCU_LIMIT_REGISTERS,
	NCU_LIMIT_SHARED_MEMORY,
	NCU_LIMIT_BLOCKS,
	NCU_LIMIT_BARRIERS,
};

const char *ncu_limiter_name(enum ncu_limiter l); /* NULL: unknown */

/* What a kernel spends its time on. */
enum ncu_bound {
	NCU_BOUND_UNKNOWN,
	NCU_BOUND_COMPUTE,
	NCU_BOUND_DRAM,
	NCU_BOUND_L2,
	NCU_BOUND_L1,
	NCU_BOUND_MEMORY,  /* which part of it the file does not say */
	NCU_BOUND_LATENCY, /* nothing is used by NCU_BUSY_PCT */
};

enum { NCU_BUSY_PCT = 60 };

const char *ncu_bound_name(enum ncu_bound b); /* "compute", "DRAM", "L2", "unknown" … */

/* The shares of their peaks that a bound is told from, in percent. */
struct ncu_shares {
	double sm, memory, dram, l2, l1;
};

/*
 * Compute or memory, whichever is used more, if by NCU_BUSY_PCT at least; the margin is by how much
 * more. Else latency: the margin is what is missing to that. NAN where the bound is unknown.
 */
enum ncu_bound ncu_bound_of(const struct ncu_shares *s, double *ret_margin);

/* One thing that ncu's rules say of a launch. Texts may be empty. */
struct ncu_rule {
	struct str name, type; /* "SOLBottleneck"; "OPT", "WRN", "INF" */
	struct str section, text;
	struct str speedup_type; /* "global": of the kernel; "local": of what the rule is about */
	double speedup_pct;	 /* NAN: not estimated */
	struct ncu_rule *next;	 /* in the order of the file */
};

struct ncu_dim {
	uint32_t x, y, z; /* all 0: unknown */
};

static inline bool ncu_dim_known(struct ncu_dim d)
{
	return d.x || d.y || d.z;
}

/* One launch. Texts live in the report and may be empty, which is unknown. */
struct ncu_kernel {
	struct str name;
	struct str id;	    /* ncu's number of it, as the file has it */
	struct str process; /* its number */
	struct str process_name, device_name, device, stream;
	struct str nvtx; /* names of the ranges around it, outermost first: "step/attn" */
	int cc;		 /* 90 for 9.0; 0: unknown */
	struct ncu_dim grid, block;
	double duration_ns;
	double ops[NCU_PATHS]; /* a multiply-add is two */
	double flops;	  /* all paths, integer ones too; NAN where one that matters is unknown */
	uint32_t lacking; /* counters that keep `flops` unknown, for ncu_lacking_add() */
	double dram_bytes;
	struct ncu_shares pct;
	double occupancy_pct, theoretical_pct;
	enum ncu_limiter limiter;
	double registers, shared_bytes; /* of a thread; of a block */
	double waves;			/* of blocks over the whole device */
	/* The ceilings of the device at the clocks that the launch had. Dense ones. */
	double peak_ops_per_s[NCU_PATHS];
	double peak_dram_bytes_per_s;
	enum ncu_bound bound;
	double margin;
	struct ncu_rule *rules;
	/* For src/ncu alone: what was read, what the file has no number for, by which file last,
	 * and another launch of the same key. */
	double *slots;
	bool *unsaid;
	struct ncu_rule *last_rule;
	size_t file;
	uint32_t same;
	bool raw; /* of the raw page, at least */
};

enum { NCU_DOUBTED_COLUMNS = 3 };

/* Values that are needed, and cannot be taken as they are. */
struct ncu_doubts {
	uint64_t values;
	struct str columns[NCU_DOUBTED_COLUMNS]; /* "dram__bytes.sum (furlong)": the first ones */
	size_t column_count;
	bool more;
};

/* The last launch that has a key, by the key. */
struct launch_keys {
	struct strtab keys;
	uint32_t *last; /* UINT32_MAX: none yet */
	size_t cap;
};

struct ncu_report {
	struct ncu_kernel *kernels; /* in the order of the files */
	size_t count, cap;
	size_t files;
	uint64_t strange_lines; /* that are no rows: what the program printed meanwhile */
	uint64_t short_rows;	/* that end before the last column: the rest of them is unknown */
	uint64_t long_rows;	/* that have more cells than the heading: all values are unknown */
	struct ncu_doubts unusable; /* no number from 0 on, or in a unit of something else */
	struct ncu_doubts repeated; /* another than that of an earlier column of the same title */
	struct arena arena;
	/* For src/ncu alone: texts once each, and launches by what tells them apart. */
	struct strtab texts;
	struct launch_keys keys;
};

enum { NCU_MOST_KERNELS = 100000 };
#define NCU_LARGEST_BYTES (UINT64_C(1) << 30)

/*
 * Adds the launches of a file to *r, which begins zeroed. The raw and the details page of one
 * profile describe the same launches: these are told by id, process, name, grid, block and
 * duration, and are not doubled; nor is a page that is given twice. Pages of one kind that differ
 * in a figure are of two profiles. ERR_INPUT, with what to do, when the file is no CSV of ncu's,
 * was cut short, writes numbers in two ways or has no kernel.
 */
int ncu_read(struct ncu_report *r, const char *path, struct err *e);
/* The same for several, which become one report. */
int ncu_read_all(struct ncu_report *r, const char *const *paths, size_t count, struct err *e);
/* The same for text, its lines ended by \n or \r\n; `path` stands for the file in messages. */
int ncu_read_text(struct ncu_report *r, struct str text, const char *path, struct err *e);
void ncu_free(struct ncu_report *r);

/* Whether the text looks like a CSV of ncu's, or like a report of it, or neither. */
enum ncu_kind { NCU_NEITHER, NCU_CSV, NCU_BINARY };
enum ncu_kind ncu_kind_of(struct str text);

/* "smsp__sass_thread_inst_executed_op_fmul_pred_on, …": what launches lack, a bit for each. */
void ncu_lacking_add(struct buf *b, uint32_t lacking);

/* FLOPs per byte of DRAM; NAN where one is unknown or there are no bytes. */
double ncu_intensity(double flops, double dram_bytes);

#endif

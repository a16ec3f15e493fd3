/*
 * `gpuwhy doctor` in two halves: which questions a capture can answer, and what is wrong with it.
 * Each adds its table to the report.
 */
#ifndef ANALYSIS_DOCTOR_H
#define ANALYSIS_DOCTOR_H

#include "analysis/capture/capture.h"
#include "analysis/doctor/no_gpu.h"

/* Flags of `nsys profile` beyond those that every command line here has. */
enum capture_flag {
	FLAG_MEMORY_USAGE = 1 << 0,
	FLAG_GPU_METRICS = 1 << 1,
	FLAG_CPU = 1 << 2,
	FLAG_PYTORCH = 1 << 3,
	FLAG_FORK = 1 << 4,
	FLAG_FLUSH = 1 << 5,
	FLAG_LIGHT = 1 << 6,
	FLAG_RANGE = 1 << 7,
	FLAG_PYTHON = 1 << 8,
	FLAG_WINDOWS = 1 << 9, /* which has no OS runtime calls to trace */
	FLAG_PYTHON_BACKTRACE = 1 << 10,
	FLAG_CUDA_BACKTRACE = 1 << 11,
};

/* A command line to copy that captures all that gpuwhy asks for, and what `flags` add. */
const char *doctor_command(struct report *r, unsigned flags);

/* Adds the table of problems; `why`: there is no GPU work, or NULL. */
void doctor_add_problems(struct report *r, const struct trace *t, const struct capture *c,
			 const struct no_gpu_reason *why);

/* 100 · part / whole; 0 of nothing. */
static inline double doctor_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

#endif

/* What is the program written in, and with which libraries: whose words is advice to use? */
#include "analysis/findings/explain.h"

#include "base/mem.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* What the names of the processes and threads that call CUDA say. */
struct callers {
	bool python;
	bool binary; /* another program's file */
};

/* "python3.12", "/opt/venv/bin/python", and what is written in Python and known by that. */
static bool is_python_name(struct str name)
{
	static const char *const known[] = {"python",  "ipython",  "pytest",
					    "jupyter", "torchrun", "pt_main_thread",
					    "VLLM::",  "sglang::", "ray::"};
	const struct str base = place_base_name(name);

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (str_starts(base, known[i]))
			return true;
	}
	return false;
}

/* A title that a program gives itself has no folder; what is started by its file has, or an ending.
 */
static bool is_file(struct str name)
{
	return str_holds(name, "/") || str_ends(name, ".exe");
}

static void look_at_callers(const struct explain *x, const struct host_names *names,
			    struct callers *ret)
{
	const struct trace *t = x->trace;
	const struct calls *c = &x->judge.calls;

	for (size_t i = 0; x->judge.joined && i < c->origin_count; i++) {
		const uint32_t thread = c->origins[i].thread;
		const uint32_t process =
			thread == ID_NONE ? ID_NONE : trace_thread_process(t, thread);
		const struct thread_name *named;
		struct str name;

		if (process >= t->process_keys.count)
			continue;
		name = host_names_process(names, t->process_keys.keys[process]);
		named = host_names_thread(names, t->thread_keys.keys[thread]);
		ret->python |= is_python_name(name) || (named && is_python_name(named->name));
		ret->binary |= is_file(name);
	}
}

/* Which of the program's names hold any of these words. */
static bool has_name(const struct trace *t, const char *const *words, size_t count)
{
	for (size_t i = 0; i < t->names.count; i++) {
		for (size_t k = 0; k < count; k++) {
			if (str_holds(t->names.items[i], words[k]))
				return true;
		}
	}
	return false;
}

#define HAS_NAME(t, ...)                                \
	has_name(t, (const char *const[]){__VA_ARGS__}, \
		 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Compilers of OpenACC and OpenMP name kernels so, and load what serves no other purpose. */
static bool offloads(const struct explain *x)
{
	const struct trace *t = x->trace;

	for (size_t i = 0; i < x->kernel_count; i++) {
		const struct str name = trace_name(t, x->kernels[i].name);

		if (str_starts(name, "__omp_offloading_") || str_starts(name, "nvkernel_") ||
		    (str_ends(name, "_gpu") && name.len > 5 && name.s[name.len - 5] >= '0' &&
		     name.s[name.len - 5] <= '9'))
			return true;
	}
	return HAS_NAME(t, "/libaccdevice.", "/libacchost.", "/libomptarget.rtl.cuda",
			"/libgomp-plugin-nvptx.");
}

/*
 * Who calls CUDA says it, and samples of the interpreter do. Where only a title is known, libraries
 * that hardly anybody uses but from Python decide; of a binary they may be linked in.
 */
static bool is_python(const struct explain *x, const struct callers *who, bool torch)
{
	const struct samples *python = &x->code.python[PAYLOAD_SAMPLE];

	if (who->python || python->count || x->code.python[PAYLOAD_BACKTRACE].count ||
	    explain_lacks_python(x))
		return true;
	return !who->binary && (torch || HAS_NAME(x->trace, "triton_", "cupy_", "cudapy"));
}

int explain_find_program(struct explain *x, struct err *e)
{
	struct program *p = &x->program;
	struct callers who = {0};
	struct host_names names;
	bool torch;

	if (host_names_read(x->trace, &names, e) < 0)
		return -1;
	look_at_callers(x, &names, &who);
	host_names_free(&names);
	torch = HAS_NAME(x->trace, "at::native", "aten::", "libtorch", "c10::", "triton_poi_fused",
			 "triton_per_fused", "triton_red_fused");
	p->python = is_python(x, &who, torch);
	p->torch = p->python && torch;
	p->jax = p->python && !torch && HAS_NAME(x->trace, "XlaModule", "jaxlib");
	p->model = torch || p->jax ||
		   HAS_NAME(x->trace, "flash_fwd", "fmha", "attention", "Attention", "fused_moe",
			    "cudnn", "layernorm", "LayerNorm", "triton_");
	p->offload = !p->python && offloads(x);
	return 0;
}

const char *find_to_sample(const struct explain *x)
{
	return x->program.python && !x->on_windows ? "--python-sampling=true"
						   : "--sample=process-tree";
}

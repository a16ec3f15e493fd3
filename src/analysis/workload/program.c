/* What is the program written in, and with which libraries: whose words is advice to use? */
#include "analysis/workload/program.h"

#include "base/mem.h"
#include "trace/code/places.h"
#include "trace/system/machine.h"

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

static void look_at_callers(const struct trace *t, const struct calls *c,
			    const struct host_names *names, struct callers *ret)
{
	for (size_t i = 0; c && i < c->origin_count; i++) {
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

/* Compilers of OpenACC and OpenMP name kernels so. */
static bool is_offloaded(struct str name)
{
	return str_starts(name, "__omp_offloading_") || str_starts(name, "nvkernel_") ||
	       (str_ends(name, "_gpu") && name.len > 5 && name.s[name.len - 5] >= '0' &&
		name.s[name.len - 5] <= '9');
}

/* … and load what serves no other purpose. */
static bool offloads(const struct trace *t)
{
	for (size_t i = 0; i < t->names.count; i++) {
		if (is_offloaded(t->names.items[i]))
			return true;
	}
	return HAS_NAME(t, "/libaccdevice.", "/libacchost.", "/libomptarget.rtl.cuda",
			"/libgomp-plugin-nvptx.");
}

/*
 * Who calls CUDA says it, and samples of the interpreter do. Where only a title is known, libraries
 * that hardly anybody uses but from Python decide; of a binary they may be linked in.
 */
static bool is_python(const struct trace *t, const struct callers *who, bool sampled, bool torch)
{
	if (who->python || sampled)
		return true;
	return !who->binary && (torch || HAS_NAME(t, "triton_", "cupy_", "cudapy"));
}

int program_words_find(struct trace *t, const struct calls *calls, bool sampled,
		       struct program *ret, struct err *e)
{
	struct callers who = {0};
	struct host_names names;
	bool torch;

	if (host_names_read(t, &names, e) < 0)
		return -1;
	look_at_callers(t, calls, &names, &who);
	host_names_free(&names);
	torch = HAS_NAME(t, "at::native", "aten::", "libtorch", "c10::", "triton_poi_fused",
			 "triton_per_fused", "triton_red_fused");
	ret->python = is_python(t, &who, sampled, torch);
	ret->torch = ret->python && torch;
	ret->jax = ret->python && !torch && HAS_NAME(t, "XlaModule", "jaxlib");
	ret->model = torch || ret->jax ||
		     HAS_NAME(t, "flash_fwd", "fmha", "attention", "Attention", "fused_moe",
			      "cudnn", "layernorm", "LayerNorm", "triton_");
	ret->offload = !ret->python && offloads(t);
	return 0;
}

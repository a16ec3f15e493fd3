/* What is there to know of how a program is started? */
#include "capture/launchers.h"

#include "base/buf.h"
#include "base/mem.h"

static const struct launcher launchers[] = {
	{
		.name = "vllm",
		.variables = {"VLLM_WORKER_MULTIPROC_METHOD=spawn"},
		.expect = "workers are spawned, not forked, so that all of them are traced. "
			  "Capture a server with --profiler-api: start `vllm serve` with "
			  "--profiler-config.profiler cuda, then run `vllm bench serve --profile`, "
			  "and stop it with Ctrl-C",
	},
	{
		.name = "sglang",
		.expect = "one report for all workers. Start-up takes minutes: --delay S "
			  "--duration S captures part of the serving, --profiler-api the time "
			  "between /start_profile with activities CUDA_PROFILER and /stop_profile",
	},
	{
		.name = "torchrun",
		.expect = "one report for all ranks of this node: gpuwhy ranks, overlap and "
			  "stragglers show each rank. On several nodes run this on each, or use "
			  "--preset slurm",
	},
	{
		.name = "accelerate",
		.expect =
			"one report for all processes that `accelerate launch` starts on this node",
	},
	{
		.name = "slurm",
		.inside = "srun",
		.output = "_node%q{SLURM_NODEID}_task%q{SLURM_PROCID}",
		.expect = "nsys starts behind srun, with one report per task: with one task per "
			  "node, as torchrun needs, that is one per node. --runs must be on a file "
			  "system shared by the nodes",
	},
	{
		.name = "ray",
		.flags = {"--wait=primary"},
		.expect = "workers that ray.init() starts here are traced; those of a running "
			  "cluster are not: give them runtime_env={\"nsight\": \"default\"}; their "
			  "reports are in /tmp/ray/session_latest/logs/nsight on each node",
	},
};

const struct launcher *launcher_at(size_t i)
{
	return i < ARRAY_LEN(launchers) ? &launchers[i] : NULL;
}

int launcher_find(const char *name, const struct launcher **ret, struct err *e)
{
	struct buf names = {0};

	for (size_t i = 0; i < ARRAY_LEN(launchers); i++) {
		*ret = &launchers[i];
		if (strcmp(name, launchers[i].name) == 0) {
			buf_free(&names);
			return 0;
		}
		buf_addf(&names, "%s%s", i ? ", " : "", launchers[i].name);
	}
	err_set(e, ERR_USAGE, "there is no capture preset '%s'", name);
	err_hint(e, "presets: %s; --preset list describes them", names.s);
	buf_free(&names);
	return -1;
}

static int refuse_option(const struct launcher *l, const char *option, struct err *e)
{
	err_set(e, ERR_USAGE,
		"cannot tell where the program begins: it is unknown whether '%s' of %s takes a "
		"value",
		option, l->inside);
	return err_hint(e,
			"write %s=VALUE if it takes one, or put -- before the program: %s %s -- "
			"python train.py",
			option, l->inside, option);
}

/*
 * Behind srun and its options; argc where there is no more. One that is not known may have the next
 * word for its value: whether it has, only a -- in the end tells.
 */
static int skip_options(const struct launcher *l, const char *const *argv, size_t argc,
			size_t *ret_at, struct err *e)
{
	const char *unknown = NULL;
	size_t at = 1;

	while (at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0) {
		size_t words = srun_option_words(argv[at]);

		if (!words) {
			unknown = argv[at];
			words = at + 1 < argc && argv[at + 1][0] != '-' ? 2 : 1;
		}
		at += words;
	}
	*ret_at = at;
	if (unknown && (at >= argc || strcmp(argv[at], "--") != 0))
		return refuse_option(l, unknown, e);
	return 0;
}

int launcher_program_at(const struct launcher *l, const char *const *argv, size_t argc,
			size_t *ret_at, struct err *e)
{
	size_t at;

	*ret_at = 0;
	if (!l || !l->inside)
		return 0;
	if (strcmp(str_last_part(argv[0]), l->inside) != 0) {
		err_set(e, ERR_USAGE, "--preset %s is for commands that begin with %s, not '%s'",
			l->name, l->inside, argv[0]);
		return err_hint(e, "gpuwhy profile --preset %s -- %s -N 2 python train.py", l->name,
				l->inside);
	}
	if (skip_options(l, argv, argc, &at, e) < 0)
		return -1;
	if (at < argc && strcmp(argv[at], "--") == 0)
		at++;
	if (at >= argc) {
		err_set(e, ERR_USAGE, "there is no program behind %s and its options", l->inside);
		return err_hint(e, "put -- before the program: %s -N 2 -- python train.py",
				l->inside);
	}
	if (strcmp(argv[at], ":") == 0) {
		err_set(e, ERR_USAGE,
			"with : %s starts a heterogeneous job, which is not supported", l->inside);
		return err_hint(e, "profile the parts one at a time, each with its own %s",
				l->inside);
	}
	*ret_at = at;
	return 0;
}

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
		.expect = "srun starts nsys, with one report per task: with one task per node, as "
			  "torchrun needs, that is one per node. --runs must be on a file system "
			  "shared by the nodes",
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
	SCOPED_BUF names = {0};

	for (size_t i = 0; i < ARRAY_LEN(launchers); i++) {
		*ret = &launchers[i];
		if (strcmp(name, launchers[i].name) == 0)
			return 0;
		buf_addf(&names, "%s%s", i ? ", " : "", launchers[i].name);
	}
	err_set(e, ERR_USAGE, "there is no capture preset '%s'", name);
	return err_hint(e, "presets: %s; --preset list describes them", names.s);
}

/*
 * Options of srun and of pyxis, its plug-in for containers. Those that stand alone, or whose value,
 * where they have one, is behind a = or in the same word; and those whose value is the next word.
 */
static const char short_flags[] = "bEhHklOQsuvVXZ", short_optional[] = "IK";
static const char long_flags[] =
	"async bcast compress container-mount-home container-readonly container-remap-root "
	"container-entrypoint container-entrypoint-log container-writable contiguous "
	"disable-status exact exclusive external help hold immediate interactive join "
	"kill-on-bad-exit label multi-prog nice no-allocate no-bell no-container-entrypoint "
	"no-container-mount-home no-container-remap-root no-kill no-rotate overcommit overlap "
	"oversubscribe preserve-env propagate pty quiet quit-on-interrupt reboot resv-ports "
	"send-libs spread-job stepmgr test-only unbuffered usage use-min-nodes verbose "
	"version wait-for-children whole x11";
static const char long_options[] =
	"accel-bind account acctg-freq bb bbf bcast-exclude begin chdir cluster-constraint "
	"clusters comment constraint container container-env container-id container-image "
	"container-mounts container-name container-save container-workdir core-spec "
	"cores-per-socket cpu-bind cpu-freq cpus-per-gpu cpus-per-task deadline delay-boot "
	"dependency distribution epilog error exclude export extra extra-node-info gid "
	"gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags "
	"het-group hint input job-name jobid licenses mail-type mail-user mcs-label mem "
	"mem-bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout network nodefile nodelist "
	"nodes ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket "
	"open-mode output partition power prefer priority profile prolog qos relative "
	"reservation segment signal slurmd-debug sockets-per-node switches task-epilog "
	"task-prolog thread-spec threads threads-per-core time time-min tmp treewidth "
	"tres-bind tres-per-task uid wait wckey";

/* -lN 2: flags may stand before the option that has the value. */
static bool cluster_takes_next(const char *letters)
{
	letters += strspn(letters, short_flags);
	return *letters && !strchr(short_optional, *letters) && !letters[1];
}

/* How many words the option takes, itself and its value; 0: it is not known. */
static size_t srun_option_words(const char *option)
{
	if (option[1] != '-')
		return cluster_takes_next(option + 1) ? 2 : 1;
	if (strchr(option, '=') || str_is_listed(str_of(option + 2), long_flags))
		return 1;
	return str_is_listed(str_of(option + 2), long_options) ? 2 : 0;
}

static int refuse_option(const struct launcher *l, const char *option, struct err *e)
{
	err_set(e, ERR_USAGE,
		"cannot find where the program begins: it is unknown whether '%s' of %s takes a "
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
		err_set(e, ERR_USAGE, "there is no program after %s and its options", l->inside);
		return err_hint(e, "put -- before the program: %s -N 2 -- python train.py",
				l->inside);
	}
	if (strcmp(argv[at], ":") == 0) {
		err_set(e, ERR_USAGE,
			"':' makes %s start a heterogeneous job, which is not supported",
			l->inside);
		return err_hint(e, "profile the parts one at a time, each with its own %s",
				l->inside);
	}
	*ret_at = at;
	return 0;
}

/* Why has ncu measured nothing? */
#include "ncu/outcome.h"

static const struct ncu_refusal refusals[] = {
	{"ERR_NVGPUCTRPERM", "no permission to read the GPU's performance counters",
	 "run it as root, or let the administrator set NVreg_RestrictProfilingToAdminUsers=0 "
	 "(NVIDIA's page on ERR_NVGPUCTRPERM explains how); in a container add "
	 "--cap-add=SYS_ADMIN"},
	{"driver resource was unavailable",
	 "another profiler is using the GPU's performance counters",
	 "stop it (DCGM: dcgmi profile --pause), then try again"},
	{"ERR_NVGPUCTRUNAVAIL", "another profiler is using the GPU's performance counters",
	 "stop it (DCGM: dcgmi profile --pause), then try again"},
	{"Profiling is not supported on this device", "ncu does not support this GPU",
	 "use a newer Nsight Compute: gpuwhy inspect --ncu-path PATH"},
	{"No kernels were profiled because", "ncu found no GPU to measure",
	 "run it on the machine with the GPU: --dry-run prints the commands"},
	{"does not exist or is not an executable", "ncu cannot start the program",
	 "give the command after --, as you would run it without gpuwhy"},
	{"Failed to prepare kernel",
	 "ncu cannot replay a kernel: the program may use all of the GPU memory",
	 "use a smaller batch, or --replay-mode application"},
};

const struct ncu_refusal *ncu_refusal_of(struct str said)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		if (str_holds(said, refusals[i].said))
			return &refusals[i];
	}
	return NULL;
}

enum ncu_outcome ncu_outcome_of(struct str said)
{
	if (ncu_refusal_of(said))
		return NCU_REFUSED;
	return str_holds(said, "No kernels were profiled") ? NCU_NOTHING : NCU_PROFILED;
}

bool ncu_said_exit(struct str said)
{
	return str_holds(said, "The application returned an error code (");
}

struct str ncu_said_error(struct str said)
{
	static const char mark[] = "==ERROR== ";
	const char *at = said.len ? memmem(said.s, said.len, mark, sizeof(mark) - 1) : NULL;
	size_t left, len = 0;

	if (!at)
		return (struct str){0};
	at += sizeof(mark) - 1;
	left = said.len - (size_t)(at - said.s);
	while (len < left && at[len] != '\n' && at[len] != '\r')
		len++;
	return (struct str){at, len};
}

/* Which rank did the launcher give to the process of a capture? */
#include "commands/fleet/fleet.h"

#include "base/file.h"
#include "text/json_read.h"

#include <ctype.h>
#include <unistd.h>

/* torchrun's, Slurm's, those of Open MPI and of MPICH: the first that is there. */
static const char *const rank_names[] = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
					 NULL};
static const char *const world_names[] = {"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE",
					  "PMI_SIZE", NULL};
static const char *const local_names[] = {"LOCAL_RANK", "SLURM_LOCALID",
					  "OMPI_COMM_WORLD_LOCAL_RANK", NULL};

static bool find_number(const struct json *variables, const char *const *names, uint32_t *ret)
{
	for (; *names; names++) {
		const struct str text = json_read_string(json_read_member(variables, *names));
		uint64_t n = 0;
		size_t i = 0;

		for (; i < text.len && isdigit((unsigned char)text.s[i]) && n < UINT32_MAX; i++)
			n = n * 10 + (uint64_t)(text.s[i] - '0');
		if (!text.len || i < text.len || n >= UINT32_MAX)
			continue;
		*ret = (uint32_t)n;
		return true;
	}
	return false;
}

/* Captures lie in a run's folder or in its nsys/; what is no manifest says nothing. */
static struct json *read_manifest(const char *path)
{
	static const char *const places[] = {"manifest.json", "../manifest.json"};
	struct json *document = NULL;
	struct err ignored = {0};

	for (size_t i = 0; i < ARRAY_LEN(places) && !document; i++) {
		const int folder = (int)(str_last_part(path) - path);
		SCOPED_BUF name = {0};

		buf_addf(&name, "%.*s%s", folder, path, places[i]);
		if (access(name.s, R_OK) == 0 && json_read_file(&document, name.s, &ignored) < 0)
			document = NULL;
	}
	return document;
}

/* `gpus` that its process drives: each is a rank, and what launchers count are processes. */
static void apply_to(struct part_member *m, const struct json *variables, uint32_t gpus)
{
	uint32_t rank, world;
	/* Communicators may be of some ranks, and tasks of several. */
	bool of_group = find_number(variables, world_names, &world) &&
			world < PART_NO_NUMBER / gpus && world * gpus > m->world;

	if (of_group)
		m->world = world * gpus;
	of_group &= m->rank_source == PART_RANK_NCCL;
	if ((of_group || m->rank_source > PART_RANK_VARIABLE) &&
	    find_number(variables, rank_names, &rank)) {
		m->rank = rank;
		m->rank_source = PART_RANK_VARIABLE;
	}
	if (gpus == 1)
		find_number(variables, local_names, &m->local_rank);
}

void fleet_variables_apply(struct part *p, const char *path)
{
	struct json *document;
	const struct json *variables;
	uint32_t gpus = 0;

	/* A launcher below nsys gives each of its processes another rank. */
	if (!part_is_one_process(p))
		return;
	document = read_manifest(path);
	variables = document ? json_read_member(document, "environment") : NULL;
	for (size_t i = 0; i < p->member_count; i++)
		gpus += p->members[i].class_count > 0;
	for (size_t i = 0; i < p->member_count && variables; i++)
		apply_to(&p->members[i], variables, gpus == p->member_count ? gpus : 1);
	json_read_free(document);
}

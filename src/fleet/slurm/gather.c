/* Which parts has a job, and which has it not? */
#include "fleet/slurm/gather.h"

#include "fleet/part_file.h"
#include "fleet/slurm/pack.h"
#include "fleet/slurm/status.h"
#include "fleet/slurm/submit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool gather_is_folder(const char *path)
{
	struct work w;
	struct err ignored;
	const bool is = work_read(&w, path, &ignored) == 0;

	work_free(&w);
	return is;
}

static void add_loss(struct gathered *g, const struct work *w, size_t item, const char *reason)
{
	g->losses[g->loss_count++] = (struct fleet_loss){
		.file = arena_strdup(&g->arena, str_last_part(w->items[item].file)),
		.reason = arena_strdup(&g->arena, reason)};
}

static const struct pack_entry *find_packed(const struct pack *p, const char *key)
{
	for (size_t i = 0; i < p->count; i++) {
		if (strcmp(p->all[i].key, key) == 0)
			return &p->all[i];
	}
	return NULL;
}

/* A part that is damaged is one that is missing. */
static void take(struct gathered *g, const struct work *w, size_t item, const struct pack *packed)
{
	const char *name = str_last_part(w->items[item].file);
	const struct pack_entry *entry = find_packed(packed, w->items[item].key);
	SCOPED char *path = work_part_path(w, item);
	struct part *p = &g->parts[g->part_count];
	struct status said;
	struct err e;

	if (entry && part_decode(p, entry->part, name, &e) == 0) {
		g->part_count++;
		return;
	}
	if (entry)
		part_free(p);
	if (part_read(p, path, &e) == 0) {
		g->part_count++;
		return;
	}
	part_free(p);
	if (access(path, F_OK) == 0)
		add_loss(g, w, item, "its part is damaged");
	else if (status_read(w, item, &g->arena, &said))
		add_loss(g, w, item, said.reason);
	else
		add_loss(g, w, item, fate_text(FATE_UNKNOWN));
}

static void take_group(struct gathered *g, const struct work *w, size_t group)
{
	const size_t first = group * PACK_PARTS, end = first + PACK_PARTS;
	struct arena a = {0};
	struct pack packed = {0};

	if (submit_packs(w->count))
		pack_read(w, group, &a, &packed);
	for (size_t i = first; i < end && i < w->count; i++)
		take(g, w, i, &packed);
	arena_free(&a);
}

int gather_read(struct gathered *ret, const char *folder, struct err *e)
{
	struct work w;
	int result = work_read(&w, folder, e);

	*ret = (struct gathered){0};
	if (result == 0) {
		ret->parts = mem_zalloc(w.count + 1, sizeof(*ret->parts));
		ret->losses = mem_zalloc(w.count + 1, sizeof(*ret->losses));
		for (size_t group = 0; group * PACK_PARTS < w.count; group++)
			take_group(ret, &w, group);
	}
	work_free(&w);
	return result;
}

void gather_free(struct gathered *g)
{
	for (size_t i = 0; i < g->part_count; i++)
		part_free(&g->parts[i]);
	free(g->parts);
	free(g->losses);
	arena_free(&g->arena);
	*g = (struct gathered){0};
}

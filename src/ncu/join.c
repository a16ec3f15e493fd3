/* Which launches of two files are the same one? */
#include "ncu/profiled.h"

#include "base/mem.h"

#include <math.h>

enum { MOST_TRIED = 64 }; /* launches that have all but their time in common */

/* The details page rounds to two decimals: 1.02 us may be anything from 1.015 on. */
static const double rounding = 0.01;

/* By how much their times differ, as a share; NAN: one of them is unknown. */
static double apart(const struct ncu_kernel *a, const struct ncu_kernel *b)
{
	double x = slots_time(a->slots), y = slots_time(b->slots);

	return x == y ? 0 : fabs(x - y) / fmax(x, y);
}

/*
 * Another page of the same launch says the same, rounded. The same page says the very same: where
 * it does not it is of another profile, whose launches are numbered alike.
 */
static bool may_be_same(const struct ncu_kernel *a, const struct ncu_kernel *b)
{
	if (a->raw == b->raw)
		return slots_agree(a->slots, b->slots);
	return !(apart(a, b) > rounding);
}

/* The nearest in time that this file has not spoken of yet. Without a number nobody can tell. */
static struct ncu_kernel *find_same(struct ncu_report *r, uint32_t list, const struct ncu_kernel *k)
{
	struct ncu_kernel *nearest = NULL;

	for (int tried = 0; k->id.len && list != UINT32_MAX && tried < MOST_TRIED; tried++) {
		struct ncu_kernel *other = &r->kernels[list];

		list = other->same;
		if (other->file == r->files || !may_be_same(other, k))
			continue;
		if (!nearest || apart(other, k) < apart(nearest, k))
			nearest = other;
	}
	return nearest;
}

static void take_text(struct str *to, struct str from)
{
	if (!to->len)
		*to = from;
}

static void merge(struct ncu_kernel *to, const struct ncu_kernel *from)
{
	take_text(&to->process_name, from->process_name);
	take_text(&to->device_name, from->device_name);
	take_text(&to->device, from->device);
	take_text(&to->stream, from->stream);
	take_text(&to->nvtx, from->nvtx);
	to->cc = to->cc ? to->cc : from->cc;
	/* The raw page has all digits. */
	slots_merge(to->slots, from->slots, from->raw && !to->raw);
	for (int i = 0; i < SLOTS; i++)
		to->unsaid[i] = to->unsaid[i] || from->unsaid[i];
	to->raw = to->raw || from->raw;
	/* Rules of a page that was given twice are said once. */
	if (!to->rules) {
		to->rules = from->rules;
		to->last_rule = from->last_rule;
	}
}

static struct ncu_kernel *join(struct ncu_report *r, const struct ncu_kernel *k)
{
	uint32_t *list = launch_keys_find(&r->keys, &r->arena, k);
	struct ncu_kernel *same = find_same(r, *list, k);

	if (same) {
		merge(same, k);
		return same;
	}
	MEM_GROW(r->kernels, r->cap, r->count + 1);
	same = &r->kernels[r->count];
	*same = *k;
	same->same = *list;
	*list = (uint32_t)r->count++;
	return same;
}

int profiled_join(struct profiled *l, const char *path, struct err *e)
{
	struct ncu_report *r = l->report;

	r->files++;
	r->strange_lines += l->strange_lines;
	r->short_rows += l->short_rows;
	r->long_rows += l->long_rows;
	for (size_t i = 0; i < l->count; i++) {
		struct ncu_kernel *k = join(r, &l->all[i].kernel);

		k->file = r->files;
		kernel_derive(k);
		if (r->count > NCU_MOST_KERNELS)
			return err_set(e, ERR_INPUT,
				       "'%s' and the files before it have more than %d launches",
				       path, NCU_MOST_KERNELS);
	}
	return 0;
}

/* How is it kept who waits for whom? */
#include "baseline/kept_waits.h"

#include "baseline/parts.h"

enum { MOST_WAITS = 1 << 17 }; /* ranks, or types of collectives */

static void write_list(struct json_writer *w, const char *key, const struct wait_list *l)
{
	json_write_open(w, key, '[');
	for (size_t i = 0; i < l->count; i++) {
		json_write_open(w, NULL, '{');
		json_write_ints(w, "figures", l->all[i].figures, WAIT_FIGURES);
		json_write_text(w, "name", l->all[i].name);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

void kept_waits_write(struct json_writer *w, const struct run_waits *waits)
{
	if (!waits->known)
		return;
	json_write_open(w, "waits", '{');
	write_list(w, "collectives", &waits->collectives);
	write_list(w, "ranks", &waits->ranks);
	json_write_close(w, '}');
}

static int read_list(const struct fields *f, const struct json *waits, const char *key,
		     struct wait_list *ret)
{
	const struct json *list;

	if (fields_array(f, waits, key, 0, MOST_WAITS, &list) < 0)
		return -1;
	ret->all = arena_zalloc(f->arena, json_read_length(list), sizeof(*ret->all));
	for (; ret->count < json_read_length(list); ret->count++) {
		const struct json *v = json_read_element(list, ret->count), *figures;
		struct wait *to = &ret->all[ret->count];

		if (fields_check_keys(f, v, "figures name") < 0 ||
		    fields_text(f, v, "name", TEXT_BYTES, &to->name) < 0 ||
		    fields_array(f, v, "figures", WAIT_FIGURES, WAIT_FIGURES, &figures) < 0 ||
		    fields_numbers(f, figures, WAIT_FIGURES, to->figures) < 0)
			return -1;
	}
	/* Whoever wrote it. */
	wait_list_sort(ret);
	return 0;
}

int kept_waits_read(const struct fields *f, const struct json *run, struct run_waits *ret)
{
	const struct json *waits = json_read_member(run, "waits");

	if (!waits)
		return 0;
	ret->known = true;
	if (fields_check_keys(f, waits, "collectives ranks") < 0)
		return -1;
	return read_list(f, waits, "collectives", &ret->collectives) < 0
		       ? -1
		       : read_list(f, waits, "ranks", &ret->ranks);
}

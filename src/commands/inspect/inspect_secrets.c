/* What of a command do the reports of ncu keep that nobody else should read? */
#include "capture/record.h"
#include "cli/say.h"
#include "commands/inspect/inspect.h"

#include <sys/stat.h>

static size_t count_secrets(struct inspection *x)
{
	const struct string_list *o = &x->inv->words;
	struct known_secrets known;
	struct string_list shown = {0};
	size_t count = 0;

	known_secrets_read(&known);
	manifest_shown_words(o->all, o->count, NULL, 0, &known, &x->arena, &shown);
	for (size_t i = 0; i < o->count; i++)
		count += strcmp(shown.all[i], o->all[i]) != 0;
	string_list_free(&shown);
	known_secrets_free(&known);
	return count;
}

void inspect_guard_reports(struct inspection *x)
{
	const size_t secrets = count_secrets(x);
	size_t kept = 0;

	for (size_t i = 0; i < x->look_count && secrets && x->folder; i++) {
		const char *path =
			arena_printf(&x->arena, "%s/%s.ncu-rep", x->folder, x->looks[i].name);

		kept += chmod(path, S_IRUSR | S_IWUSR) == 0;
	}
	if (kept)
		say_warning(arena_printf(
			&x->arena,
			"ncu stores the command in its reports, including %zu secret word%s: do "
			"not share *.ncu-rep; the .csv files are free of it",
			secrets, secrets == 1 ? "" : "s"));
}

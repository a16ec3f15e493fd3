/* What does a run's folder say of itself? */
#include "capture/record.h"

#include "base/buf.h"

static bool is_of(const struct json *document, const char *id)
{
	const struct json *own = json_read_member(document, "gpuwhy");

	return own && json_read_number(json_read_member(own, "manifest")) == MANIFEST_VERSION &&
	       str_eq(json_read_string(json_read_member(document, "id")), str_of(id));
}

int manifest_read(struct manifest *m, const char *folder, struct err *e)
{
	struct buf path = {0};
	int result;

	*m = (struct manifest){.id = str_last_part(folder)};
	buf_addf(&path, "%s/manifest.json", folder);
	result = json_read_file(&m->document, path.s, e);
	buf_free(&path);
	if (result < 0)
		return -1;
	if (!is_of(m->document, m->id)) {
		manifest_free(m);
		err_set(e, ERR_INPUT, "the manifest.json in '%s' belongs to another run", folder);
		return err_hint(e, "it was renamed, or made by another version");
	}
	m->is_matrix =
		str_eq(json_read_string(json_read_member(m->document, "kind")), STR_LIT("matrix"));
	m->state = json_read_string(json_read_member(m->document, "state"));
	return 0;
}

void manifest_free(struct manifest *m)
{
	json_read_free(m->document);
	*m = (struct manifest){0};
}

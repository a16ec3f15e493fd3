/* Which runs does a baseline hold, and is it whole? */
#include "baseline/parts.h"

#include "base/file.h"

/*
 * Lists and objects that a document may have. One that is empty takes a hundred times its bytes of
 * memory; rows of the largest baseline are half as many.
 */
enum { MOST_NESTED = 1 << 19 };

static int read_accepted(const struct fields *f, const struct json *document,
			 struct kept_baseline *k)
{
	struct accepted_change *all;
	const struct json *list;

	if (fields_array(f, document, "accepted", 0, BASELINE_RUNS_MAX, &list) < 0)
		return -1;
	all = arena_alloc(f->arena, json_read_length(list), sizeof(*all));
	k->is.accepted = all;
	for (size_t i = 0; i < json_read_length(list); i++) {
		const struct json *v = json_read_element(list, i), *change;

		if (fields_check_keys(f, v, "change_pct date reason") < 0 ||
		    fields_date(f, v, "date", &all[i].date) < 0 ||
		    fields_text(f, v, "reason", BASELINE_REASON_BYTES, &all[i].reason) < 0)
			return -1;
		change = json_read_member(v, "change_pct");
		if (json_read_kind(change) != JSON_KIND_NUMBER)
			return fields_refuse(f, "\"change_pct\" is no number");
		all[i].change_pct = json_read_number(change);
		k->is.accepted_count++;
	}
	return 0;
}

static int read_document(const struct fields *f, const struct json *document,
			 struct kept_baseline *k)
{
	int64_t version;
	const struct json *v = json_read_member(document, "gpuwhy_baseline");

	if (!v || !json_read_whole(v, &version))
		return fields_refuse(f, "it has no \"gpuwhy_baseline\"");
	if (version != BASELINE_VERSION) {
		err_set(f->e, ERR_INPUT, "'%s' is a baseline of version %lld, not %d", f->file,
			(long long)version, BASELINE_VERSION);
		return err_hint(f->e, "another version of gpuwhy wrote it: use that one");
	}
	if (fields_check_keys(f, document, "accepted gpuwhy_baseline host leaves options runs") <
		    0 ||
	    fields_text(f, document, "options", TEXT_BYTES, &k->is.options) < 0 ||
	    read_accepted(f, document, k) < 0 || parts_read_runs(f, document, k) < 0 ||
	    parts_read_leaves(f, document, k) < 0 || parts_read_host(f, document, k) < 0)
		return -1;
	for (size_t r = 0; r < k->is.run_count; r++) {
		if (parts_check_sums(f, &k->accounts[r], r) < 0)
			return -1;
	}
	return 0;
}

/* How many begin outside of texts; what is no JSON is counted in some way, and refused later. */
static size_t count_nested(struct str text)
{
	bool in_text = false;
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (in_text && text.s[i] == '\\')
			i++;
		else if (text.s[i] == '"')
			in_text = !in_text;
		else if (!in_text && (text.s[i] == '[' || text.s[i] == '{'))
			count++;
	}
	return count;
}

int baseline_read_text(struct kept_baseline *ret, struct str text, const char *name, struct err *e)
{
	const struct fields f = {name, &ret->arena, e};
	struct json *document;
	int result;

	*ret = (struct kept_baseline){0};
	if (count_nested(text) > MOST_NESTED)
		return fields_refuse(&f, "it has too many rows");
	if (json_read_text(&document, text, name, e) < 0)
		return fields_hint(&f);
	result = read_document(&f, document, ret);
	json_read_free(document);
	return result;
}

int baseline_read(struct kept_baseline *ret, const char *path, struct err *e)
{
	SCOPED_BUF text = {0};

	*ret = (struct kept_baseline){0};
	if (file_read(&text, path, BASELINE_LARGEST_BYTES, e) < 0)
		return -1;
	return baseline_read_text(ret, buf_str(&text), path, e);
}

void baseline_free(struct kept_baseline *k)
{
	for (size_t r = 0; r < k->is.run_count; r++)
		account_free(&k->accounts[r]);
	arena_free(&k->arena);
	*k = (struct kept_baseline){0};
}

const char *baseline_date(const struct baseline *b, bool newest)
{
	const char *found = "";

	for (size_t r = 0; r < b->run_count; r++) {
		const char *date = b->runs[r]->facts.date;
		const int order = strcmp(date, found);

		if (date[0] && (!found[0] || (newest ? order > 0 : order < 0)))
			found = date;
	}
	return found;
}

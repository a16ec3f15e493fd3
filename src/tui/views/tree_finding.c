/* Which finding is about this range or kernel? */
#include "tui/views/tree_finding.h"

/* Titles have names between backquotes. */
static bool is_titled(const struct finding *f, struct str name)
{
	SCOPED_BUF quoted = {0};

	buf_addf(&quoted, "`%.*s`", STR_FMT(name));
	return name.len && strstr(f->title, quoted.s) != NULL;
}

static bool names(const struct finding *f, struct str name)
{
	for (size_t i = 0; i < f->evidence_count; i++) {
		const struct cell *c = &f->evidence[i].value;

		if (c->kind == CELL_TEXT && name.len && str_eq(c->s, name))
			return true;
	}
	return is_titled(f, name);
}

static bool lies_in(const struct finding *f, const struct span *when)
{
	for (size_t i = 0; i < f->evidence_count; i++) {
		const struct evidence *v = &f->evidence[i];

		if (v->has_when && v->start_ns >= when->start_ns && v->end_ns <= when->end_ns)
			return true;
	}
	return false;
}

const struct finding *tree_finding(const struct report *findings, struct str name,
				   const struct span *when)
{
	const struct finding *inside = NULL;

	for (size_t i = 0; i < findings->block_count; i++) {
		const struct finding *f = findings->blocks[i].finding;

		if (findings->blocks[i].kind != BLOCK_FINDING)
			continue;
		if (names(f, name))
			return f;
		if (!inside && when && lies_in(f, when))
			inside = f;
	}
	return inside;
}

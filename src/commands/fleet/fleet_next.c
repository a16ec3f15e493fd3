/* Which command looks closer at what costs the job most? */
#include "commands/fleet/fleet.h"

#include "base/bisect.h"
#include "fleet/part_file.h"
#include "report/finding.h"
#include "text/shell_words.h"

#include <string.h>

static const struct column next_columns[] = {
	{"command", "Next", UNIT_COMMAND, 0, "", SHOW},
};

static bool is_rank_of(const struct part *p, uint32_t rank)
{
	for (size_t i = 0; i < p->member_count; i++) {
		if (p->members[i].rank == rank)
			return true;
	}
	return false;
}

/* The first part of any of a finding's ranks; NULL: it has none. */
static const struct part *part_of(const struct fleet_parts *p, const struct finding *f)
{
	for (size_t i = 0; i < p->count; i++) {
		if (f->rank_count ? is_rank_of(p->refs[i], f->ranks[0])
				  : f->capture && strcmp(p->refs[i]->file, f->capture) == 0)
			return p->refs[i];
	}
	return NULL;
}

static size_t count_common_kernels(const struct part_member *a, const struct part_member *b)
{
	size_t count = 0;

	for (size_t i = 0, k = 0; i < a->kernel_count && k < b->kernel_count;) {
		const int order = strcmp(a->kernels[i].name, b->kernels[k].name);

		count += order == 0;
		i += order <= 0;
		k += order >= 0;
	}
	return count;
}

/* Whether any of its ranks is one of the finding's. */
static bool is_blamed(const struct part *p, const struct finding *f)
{
	for (size_t i = 0; i < p->member_count; i++) {
		const uint32_t rank = p->members[i].rank;
		const size_t at = BISECT(0, f->rank_count, k, f->ranks[k] < rank);

		if (at < f->rank_count && f->ranks[at] == rank)
			return true;
	}
	return false;
}

/* A rank that is not late and has most in common with one that is: of a pipeline the same stage;
 * NULL: there is none. */
static const struct part *healthy_part(const struct fleet_parts *p, const struct finding *f,
				       const struct part *late)
{
	const struct part *found = NULL;
	size_t most = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct part *x = p->refs[i];
		size_t common;

		/* What holds several ranks is not compared with one of them. */
		if (late->member_count != 1 || x->member_count != 1 || is_blamed(x, f))
			continue;
		common = count_common_kernels(x->members, late->members);
		if (common > most) {
			most = common;
			found = x;
		}
	}
	return found;
}

/* False: it is a part, of which nothing else can be asked. */
static bool add_capture(struct buf *b, const struct fleet_parts *p, const struct part *x)
{
	const char *path = p->paths ? p->paths[x - p->all] : NULL;

	if (!path || part_is_file(path))
		return false;
	buf_addc(b, ' ');
	word_add_quoted(b, path);
	return true;
}

static bool is_any(const char *cause, const char *const *of)
{
	while (*of && strcmp(*of, cause) != 0)
		of++;
	return *of;
}

/* What a rank computes is told beside one that does not; what holds it up, it tells itself. */
static bool add_command(struct buf *b, const struct fleet_parts *p, const struct finding *f)
{
	static const char *const of_kernels[] = {"clock", "compute", "more_kernels", "copies",
						 NULL};
	const struct part *late = part_of(p, f), *healthy = NULL;
	const char *cause = f->cause ? f->cause : "";

	if (!late)
		return false;
	if (is_any(cause, of_kernels))
		healthy = healthy_part(p, f, late);
	buf_addf(b, "gpuwhy %s",
		 healthy			 ? "diff"
		 : strcmp(f->id, "hang") == 0	 ? "timeline"
		 : strcmp(cause, "network") == 0 ? "nccl"
						 : "findings");
	if (healthy && !add_capture(b, p, healthy))
		return false;
	buf_adds(b, healthy ? " --" : "");
	return add_capture(b, p, late);
}

static const struct finding *first_finding(const struct report *r)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_FINDING)
			return r->blocks[i].finding;
	}
	return NULL;
}

/* Whoever reads the findings reads on until there. */
static size_t after_findings(const struct report *r)
{
	size_t i = r->block_count;

	while (r->blocks[i - 1].kind != BLOCK_FINDING)
		i--;
	return i;
}

void fleet_add_next(struct report *r, const struct fleet_parts *p)
{
	const struct finding *f = first_finding(r);
	struct rows *rows;
	struct buf b = {0};
	size_t place;

	if (!f || !add_command(&b, p, f)) {
		buf_free(&b);
		return;
	}
	place = after_findings(r);
	rows = REPORT_ROWS(r, "next", NULL, next_columns);
	rows->table.facts = true;
	ROWS_ADD(rows, cell_text(report_take_text(r, &b)));
	report_move_last(r, place);
}

/* What is the GPU op of a leaf called? */
#include "diff/account.h"

#include "report/kernel_name.h"
#include "text/text.h"

enum { BRIEF_NAME = 30 };

bool op_name_is_kernel(const struct leaf *l)
{
	return l->class != LEAF_IDLE && l->class != LEAF_COPY &&
	       !str_starts(str_of(l->name), "CUDA graph ");
}

void op_name_add_short(struct buf *b, const struct leaf *l)
{
	if (op_name_is_kernel(l))
		kernel_name_add_short(b, str_of(l->name));
	else
		buf_adds(b, l->name);
}

void op_name_add_brief(struct buf *b, const struct leaf *l)
{
	SCOPED_BUF name = {0};

	op_name_add_short(&name, l);
	text_add_elided(b, buf_str(&name), BRIEF_NAME);
}

/* "[CUDA memcpy Device-to-Host]" of "[CUDA memcpy Device-to-Host] Device to Pageable". */
static bool add_direction(struct buf *b, const struct leaf *l)
{
	const char *end = strchr(l->name, ']');

	if (!end || !end[1])
		return false;
	buf_add(b, l->name, (size_t)(end + 1 - l->name));
	return true;
}

bool op_name_add_alias(struct buf *b, const struct leaf *l, enum op_alias alias)
{
	const bool copies = l->class == LEAF_COPY;

	if (l->class == LEAF_IDLE)
		return false;
	if (alias == OP_ALIAS_DIRECTION)
		return copies && add_direction(b, l);
	if (alias == OP_ALIAS_SHORT && copies)
		return copy_name_add_short(b, str_of(l->name));
	if (alias == OP_ALIAS_SHORT)
		op_name_add_short(b, l);
	else
		buf_adds(b, l->name);
	return true;
}

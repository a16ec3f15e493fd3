/* How is a copy called in a few letters? */
#include "report/copy_name.h"

static bool skip(struct str *s, struct str head)
{
	if (s->len < head.len || memcmp(s->s, head.s, head.len) != 0)
		return false;
	*s = (struct str){s->s + head.len, s->len - head.len};
	return true;
}

bool copy_name_add_short(struct buf *b, struct str name)
{
	const struct str to = STR_LIT("-to-");
	const char *between;
	bool unified;

	if (!skip(&name, STR_LIT("[CUDA memcpy ")))
		return false;
	unified = skip(&name, STR_LIT("Unified "));
	between = memmem(name.s, name.len, to.s, to.len);
	if (!between || between == name.s)
		return false;
	buf_addf(b, "memcpy %s%c2%c", unified ? "U " : "", name.s[0], between[to.len]);
	return true;
}

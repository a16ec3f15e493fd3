/* What number do these 3 to 9 bytes spell? */
#include "sqlitefile/record.h"

/* Eight groups of 7 bits, pairwise closed up. */
static uint64_t close_groups(uint64_t v)
{
	v = (v & 0x7f007f007f007f00u) >> 1 | (v & 0x007f007f007f007fu);
	v = (v & 0x3fff00003fff0000u) >> 2 | (v & 0x00003fff00003fffu);
	return (v & 0x0fffffff00000000u) >> 4 | (v & 0x000000000fffffffu);
}

const uint8_t *varint_long(const uint8_t *p, uint64_t *ret)
{
	uint64_t v = be64(p), last = ~v & 0x8080808080808080u;
	int unused;

	if (last == 0) {
		*ret = close_groups(v) << 8 | p[8];
		return p + 9;
	}
	unused = 56 - __builtin_clzll(last);
	*ret = close_groups(v >> unused);
	return p + 8 - unused / 8;
}

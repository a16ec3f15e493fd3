/* What does a unit's name make of a number? */
#include "ncu/unit.h"

#include <stddef.h>
#include <strings.h>

struct base {
	const char *name;
	enum dimension dimension;
	double factor;
};

static const struct base bases[] = {
	{"byte", DIM_BYTES, 1},	  {"bytes", DIM_BYTES, 1},   {"B", DIM_BYTES, 1},
	{"hz", DIM_HZ, 1},	  {"second", DIM_TIME, 1e9}, {"seconds", DIM_TIME, 1e9},
	{"sec", DIM_TIME, 1e9},	  {"s", DIM_TIME, 1e9},	     {"%", DIM_PERCENT, 1},
	{"inst", DIM_PLAIN, 1},	  {"cycle", DIM_PLAIN, 1},   {"sector", DIM_PLAIN, 1},
	{"op", DIM_PLAIN, 1},	  {"flop", DIM_PLAIN, 1},    {"warp", DIM_PLAIN, 1},
	{"thread", DIM_PLAIN, 1}, {"request", DIM_PLAIN, 1},
};

static const struct prefix {
	const char *text;
	double factor;
} prefixes[] = {
	{"", 1},     {"n", 1e-9}, {"u", 1e-6},	{"\xc2\xb5", 1e-6}, {"\xce\xbc", 1e-6},
	{"m", 1e-3}, {"K", 1e3},  {"k", 1e3},	{"M", 1e6},	    {"G", 1e9},
	{"T", 1e12}, {"P", 1e15}, {"Ki", 1024}, {"Mi", 1048576},    {"Gi", 1073741824},
};

static bool same(struct str a, const char *b)
{
	return a.len == strlen(b) && strncasecmp(a.s, b, a.len) == 0;
}

/* Without a prefix first: "s" is no "m" of something, and "byte" has none. */
static bool read_simple(struct str unit, struct unit_scale *ret)
{
	for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++) {
		size_t len = strlen(prefixes[p].text);
		struct str rest = {unit.s + len, unit.len - len};

		if (!str_starts(unit, prefixes[p].text))
			continue;
		for (size_t b = 0; b < sizeof(bases) / sizeof(bases[0]); b++) {
			if (!same(rest, bases[b].name))
				continue;
			*ret = (struct unit_scale){bases[b].dimension,
						   prefixes[p].factor * bases[b].factor};
			return true;
		}
	}
	return false;
}

struct unit_scale unit_read(struct str unit)
{
	const char *slash = unit.len ? memchr(unit.s, '/', unit.len) : NULL;
	struct unit_scale scale = {DIM_PLAIN, 1}, per;
	struct str over;

	if (!unit.len)
		return (struct unit_scale){DIM_ANY, 1};
	if (!slash) {
		read_simple(unit, &scale);
		return scale;
	}
	over = (struct str){slash + 1, unit.len - (size_t)(slash + 1 - unit.s)};
	unit.len = (size_t)(slash - unit.s);
	read_simple(unit, &scale);
	if (!read_simple(over, &per) || per.dimension != DIM_TIME)
		return scale;
	/* Rates are by the second: sector/ns is a thousand million of them. */
	scale.factor *= 1e9 / per.factor;
	/* Clocks, as ncu wrote them before it said Ghz. */
	if (str_ends(unit, "cycle"))
		scale.dimension = DIM_HZ;
	return scale;
}

/* Which colour has a role on this terminal? */
#include "tui/terminal/palette.h"

#include <stdlib.h>

/* On a dark terminal, on a light one. */
struct shade {
	int sixteen[2], many[2];
	uint32_t rgb[2];
};

static const struct shade shades[ROLE_COUNT] = {
	[ROLE_PLAIN] = {{-1, -1}, {-1, -1}, {0, 0}},
	[ROLE_DIM] = {{-1, -1}, {244, 244}, {0x808080, 0x767676}},
	[ROLE_HEAD] = {{6, 4}, {75, 25}, {0x5fafff, 0x005faf}},
	[ROLE_STATUS] = {{-1, -1}, {250, 238}, {0xbcbcbc, 0x444444}},
	[ROLE_CURSOR] = {{3, 4}, {222, 25}, {0xffd787, 0x005faf}},
	[ROLE_HIT] = {{5, 5}, {213, 127}, {0xff87ff, 0xaf00af}},
	[ROLE_ERROR] = {{3, 1}, {208, 130}, {0xff8700, 0xaf5f00}},
	[ROLE_GOOD] = {{6, 6}, {80, 30}, {0x5fd7d7, 0x008787}},
	/* In the order of the browser's: what is orange here is so there. */
	[ROLE_CLASS_0] = {{4, 4}, {32, 25}, {0x2a8fd0, 0x0072b2}},
	[ROLE_CLASS_1] = {{6, 6}, {117, 67}, {0x7cc8f0, 0x3d8fbf}},
	[ROLE_CLASS_2] = {{2, 2}, {36, 29}, {0x00b386, 0x007a59}},
	[ROLE_CLASS_3] = {{1, 1}, {166, 130}, {0xd55e00, 0xb04e00}},
	[ROLE_CLASS_4] = {{3, 3}, {214, 172}, {0xe69f00, 0xc98400}},
	[ROLE_CLASS_5] = {{3, 3}, {227, 136}, {0xf0e442, 0x9a8f00}},
	[ROLE_CLASS_6] = {{5, 5}, {175, 132}, {0xcc79a7, 0xa85585}},
	[ROLE_CLASS_7] = {{7, 0}, {247, 241}, {0x9e9e9e, 0x666666}},
};

/* What some terminals say of themselves: "15;0" is white on black. */
static bool is_light(void)
{
	const char *said = getenv("COLORFGBG"), *last = said ? strrchr(said, ';') : NULL;
	const int ground = last ? atoi(last + 1) : 0;

	return ground == 7 || (ground > 8 && ground < 16);
}

static int colour_of(const struct shade *s, int colours, bool rgb, bool light)
{
	if (s->sixteen[0] < 0 && s->many[0] < 0)
		return -1;
	if (rgb && colours > 256)
		return (int)s->rgb[light];
	return colours >= 256 ? s->many[light] : colours >= 8 ? s->sixteen[light] : -1;
}

void palette_make(struct palette *p, int colours, bool rgb)
{
	const bool light = is_light();

	for (size_t i = 0; i < ROLE_COUNT; i++) {
		const int colour = colour_of(&shades[i], colours, rgb, light);

		p->roles[i] = (struct palette_entry){.colour = colour, .ground = colour};
	}
	/* Where there are too few colours, or none, marks say the same. */
	p->roles[ROLE_DIM].dim = colours < 256;
	p->roles[ROLE_HEAD].bold = colours < 8;
	p->roles[ROLE_CURSOR].reverse = true;
	p->roles[ROLE_HIT].bold = true;
	p->roles[ROLE_ERROR].bold = true;
}

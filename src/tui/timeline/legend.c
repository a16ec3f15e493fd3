/* What do the colours of rows stand for? */
#include "tui/timeline/timeline_view.h"

static const struct {
	enum track_kind kind;
	const char *rows;
} groups[] = {
	{TRACK_STREAM, "GPUs and streams"},
	{TRACK_CALLS, "CUDA calls"},
	{TRACK_OS, "OS calls"},
};

bool timeline_legend(size_t i, struct legend *ret)
{
	for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
		const struct track track = {.kind = groups[g].kind};

		for (int class = 0; class < LANE_CLASSES; class ++) {
			const char *name = track_class_name(&track, (uint8_t) class);

			if (!*name || i--)
				continue;
			*ret = (struct legend){groups[g].rows, name,
					       (uint8_t)(ROLE_CLASS_0 + class),
					       class_letters[class]};
			return true;
		}
	}
	return false;
}

/* Where does a user keep skills and maps? */
#include "cli/config_folder.h"

#include <stdlib.h>

bool config_folder_add(struct buf *b, const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	/* The XDG specification says that a relative path is to be ignored. */
	if (config && config[0] == '/')
		buf_addf(b, "%s/gpuwhy/%s", config, name);
	else if (home && home[0] == '/')
		buf_addf(b, "%s/.config/gpuwhy/%s", home, name);
	else
		return false;
	return true;
}

/* Where does a user keep skills and maps? */
#include "cli/config_folder.h"

#include <stdlib.h>

/* The XDG specification says that a relative path is to be ignored. */
static bool add_path(struct buf *b, const char *variable, const char *below_home, const char *name)
{
	const char *folder = getenv(variable), *home = getenv("HOME");

	if (folder && folder[0] == '/')
		buf_addf(b, "%s/gpuwhy/%s", folder, name);
	else if (home && home[0] == '/')
		buf_addf(b, "%s/%s/gpuwhy/%s", home, below_home, name);
	else
		return false;
	return true;
}

bool config_folder_add(struct buf *b, const char *name)
{
	return add_path(b, "XDG_CONFIG_HOME", ".config", name);
}

bool state_folder_add(struct buf *b, const char *name)
{
	return add_path(b, "XDG_STATE_HOME", ".local/state", name);
}

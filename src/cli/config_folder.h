/* Where users keep what gpuwhy reads of theirs. */
#ifndef CLI_CONFIG_FOLDER_H
#define CLI_CONFIG_FOLDER_H

#include "base/buf.h"

#include <stdbool.h>

/* Appends $XDG_CONFIG_HOME/gpuwhy/NAME, else ~/.config/gpuwhy/NAME; false: the user has none. */
bool config_folder_add(struct buf *b, const char *name);

/* The same for what gpuwhy itself remembers: $XDG_STATE_HOME, else ~/.local/state. */
bool state_folder_add(struct buf *b, const char *name);

#endif

/* Which gpuwhy is this? Every machine-readable answer says so. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define GPUWHY_VERSION "0.1.0"

#endif

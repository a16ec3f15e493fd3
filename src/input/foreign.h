/* Files that people give in place of a trace: each is refused with the command that helps. */
#ifndef INPUT_FOREIGN_H
#define INPUT_FOREIGN_H

#include "base/err.h"

/* ERR_INPUT where the file only stands for a trace: a pointer of Git LFS, a web page. */
int foreign_refuse_stand_in(const char *path, struct err *e);
/* ERR_INPUT where the file is compressed in a way that is not read here. */
int foreign_refuse_packed(const char *path, struct err *e);

#endif

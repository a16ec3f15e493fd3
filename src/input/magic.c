/* Is this a SQLite file? */
#include "input/magic.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char magic_sqlite[MAGIC_BYTES] = "SQLite format 3";

bool magic_file_is_sqlite(const char *path)
{
	char head[MAGIC_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, head, sizeof(head));
	close(fd);
	return got == MAGIC_BYTES && memcmp(head, magic_sqlite, MAGIC_BYTES) == 0;
}

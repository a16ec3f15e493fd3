/* Does any file make any analysis or any output format misbehave? */
#include "everything.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int fd = bytes_as_file(data, size, path, sizeof(path));

	/* The same for the same bytes: a crash must come again. */
	run_many(path, size, 1);
	close(fd);
	return 0;
}

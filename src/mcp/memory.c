/* How much memory is taken? */
#include "mcp/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

uint64_t memory_own_bytes(void)
{
	const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	unsigned long long size, resident, shared;
	char text[128];
	ssize_t got;

	if (fd < 0)
		return 0;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	if (sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3 || resident < shared)
		return 0;
	return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t memory_machine_bytes(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES);

	return pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

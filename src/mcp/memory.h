/* How much memory the server has, and how much of the machine's there is. */
#ifndef MCP_MEMORY_H
#define MCP_MEMORY_H

#include <stdint.h>

/* What is mapped of files is the system's to take back, and not in it; 0: unknown. */
uint64_t memory_own_bytes(void);
uint64_t memory_machine_bytes(void);

#endif

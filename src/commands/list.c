/* Which commands are there? */
#include "base/mem.h"
#include "cli/command.h"

#define COMMAND(name) extern const struct command command_##name;
#include "commands/list.def"
#undef COMMAND

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands/list.def"
#undef COMMAND
};

const struct command *command_at(size_t i)
{
	return i < ARRAY_LEN(commands) ? commands[i] : NULL;
}

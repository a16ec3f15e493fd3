/* Whether a command starts Python, as far as the command itself tells. */
#ifndef CAPTURE_PYTHON_PROGRAM_H
#define CAPTURE_PYTHON_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * By the names of interpreters and of programs written in Python, also behind launchers such as env
 * and mpirun and in the line of a shell; and by the first line of argv[0], where that is a script.
 * A shell script that starts Python is not looked into.
 */
bool command_is_python(const char *const *argv, size_t argc);

#endif

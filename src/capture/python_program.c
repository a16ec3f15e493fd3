/* Does a command start Python? */
#include "capture/python_program.h"

#include "base/file.h"
#include "base/mem.h"
#include "input/program.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { FIRST_LINE_BYTES = 256 };

/* Written in Python, and found in PATH under these names. */
static const char programs[] =
	"accelerate axolotl celery colossalai composer deepspeed dask-worker fabric gunicorn "
	"horovodrun ipython jupyter jupyter-lab jupyter-notebook lightning llamafactory-cli "
	"lm_eval nemo py.test pytest ray sglang streamlit swift torchrun torchx tune uvicorn vllm";

/* What starts another program that is among its words. */
static const char launchers[] =
	"apptainer bash chrt conda dash env hatch ionice jsrun mamba micromamba mpiexec "
	"mpiexec.hydra mpirun nice nohup numactl orterun pdm pipenv pixi poetry prun rye setsid sh "
	"singularity srun stdbuf sudo taskset time timeout uv xvfb-run zsh";

/* python, python3, python3.12, python3.13t */
static bool is_interpreter(struct str name)
{
	if (!str_starts(name, "python"))
		return false;
	for (size_t i = strlen("python"); i < name.len; i++) {
		if (!isdigit((unsigned char)name.s[i]) && name.s[i] != '.' && name.s[i] != 't')
			return false;
	}
	return true;
}

static struct str last_part(struct str path)
{
	const char *slash = path.len ? memrchr(path.s, '/', path.len) : NULL;

	return slash ? (struct str){slash + 1, path.len - (size_t)(slash + 1 - path.s)} : path;
}

static bool runs_python(struct str path)
{
	const struct str name = last_part(path);

	return is_interpreter(name) || str_is_listed(name, programs);
}

static bool is_python_name(struct str path)
{
	return runs_python(path) || str_ends(path, ".py");
}

/* The words behind a launcher, one after another. */
struct words {
	bool program;	   /* that is started was among them: what follows is for it */
	bool after_option; /* the next may be an option's value */
};

static bool is_executable(struct str word)
{
	SCOPED char *path = NULL;
	char text[PATH_MAX] = "";
	struct err ignored;

	if (word.len >= sizeof(text))
		return false;
	memcpy(text, word.s, word.len);
	return program_find(text, &path, &ignored) == 0;
}

/* A path is, unless it may be an option's value: that must be something to run. */
static bool is_program(const struct words *w, struct str word)
{
	if (str_is_listed(last_part(word), launchers) || str_is_listed(word, "run exec"))
		return false;
	return (!w->after_option && memchr(word.s, '/', word.len)) || is_executable(word);
}

/* Python's name says it wherever it stands; a script does where it is what is started. */
static bool take_word(struct words *w, struct str word)
{
	if (runs_python(word) || (!w->program && str_ends(word, ".py")))
		return true;
	w->program |= word.s[0] != '-' && is_program(w, word);
	w->after_option = word.s[0] == '-';
	return false;
}

/* A word may be a shell's line of several, and of several commands. */
static bool has_python_name(struct words *w, const char *word)
{
	if (strpbrk(word, " \t\n;&|"))
		*w = (struct words){0};
	while (*word) {
		const size_t len = strcspn(word, " \t\n;&|()'\"");

		if (len && take_word(w, (struct str){word, len}))
			return true;
		word += len;
		if (*word && strchr(";&|(", *word))
			*w = (struct words){0};
		word += *word != '\0';
	}
	return false;
}

/* "#!/usr/bin/env python3", as programs that pip installs begin. */
static bool is_python_script(const char *word)
{
	SCOPED char *path = NULL;
	char line[FIRST_LINE_BYTES] = "";
	struct err ignored;
	ssize_t got = -1;

	if (program_find(word, &path, &ignored) == 0) {
		SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd >= 0)
			got = read(fd, line, sizeof(line) - 1);
	}
	if (got < 2 || memcmp(line, "#!", 2) != 0)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return has_python_name(&(struct words){0}, line + 2);
}

bool command_is_python(const char *const *argv, size_t argc)
{
	if (!argc)
		return false;
	if (str_is_listed(str_of(str_last_part(argv[0])), launchers)) {
		struct words w = {0};

		for (size_t i = 1; i < argc; i++) {
			if (has_python_name(&w, argv[i]))
				return true;
		}
		return false;
	}
	return is_python_name(str_of(argv[0])) || is_python_script(argv[0]);
}

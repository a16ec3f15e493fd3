/* Other programs: what they are started with, what becomes of what they say, and how they end. */
#include "base/file.h"
#include "base/mem.h"
#include "groups.h"
#include "input/interrupt.h"
#include "input/process.h"
#include "input/process_tree.h"
#include "input/program.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/gpuwhy-process.XXXXXX";

static const char *at(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % ARRAY_LEN(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static int shell(const char *script, struct process p, struct process_end *ret, struct err *e)
{
	char *argv[] = {"/bin/sh", "-c", (char *)script, NULL};

	p.argv = argv;
	return process_run(&p, ret, e);
}

static size_t children(void)
{
	struct process_tree t;
	size_t count;

	process_tree_read(getpid(), &t);
	count = t.count;
	process_tree_free(&t);
	return count;
}

/* Runs a script with our own stdout and stderr in files: *out and *err_text are for the caller. */
static int attended(const char *script, struct process p, struct process_end *ret, struct buf *out,
		    struct buf *err_text, struct err *e)
{
	int saved[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)}, result;

	fflush(NULL);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		int file = open(at(fd == STDOUT_FILENO ? "out" : "err"),
				O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(file, fd);
		close(file);
	}
	p.attended = true;
	result = shell(script, p, ret, e);
	for (int i = 0; i < 2; i++) {
		dup2(saved[i], STDOUT_FILENO + i);
		close(saved[i]);
	}
	assert_int_equal(file_read(out, at("out"), 1 << 20, e), 0);
	assert_int_equal(file_read(err_text, at("err"), 1 << 20, e), 0);
	return result;
}

static void quiet_ones_are_kept(void **state)
{
	struct process_end end;
	struct err e;

	(void)state;
	assert_int_equal(
		shell("echo out; echo err >&2; cat; exit 7", (struct process){0}, &end, &e), 0);
	assert_string_equal(buf_str(&end.said).s, "out\nerr\n");
	assert_int_equal(process_exit_code(end.status), 7);
	process_end_free(&end);
	assert_int_equal(shell("kill -9 $$", (struct process){0}, &end, &e), 0);
	assert_int_equal(process_exit_code(end.status), 128 + SIGKILL);
	process_end_free(&end);
	/* What it leaves behind goes with it, in a session of its own or not. */
	assert_int_equal(
		shell("setsid sleep 60 & sleep 60 & exit 0", (struct process){0}, &end, &e), 0);
	process_end_free(&end);
	assert_int_equal(children(), 0);
}

static void no_program_is_an_error(void **state)
{
	char *argv[] = {"/no/such/program", NULL};
	const struct process p = {.argv = argv};
	struct process_end end;
	struct err e;

	(void)state;
	assert_int_equal(process_run(&p, &end, &e), -1);
	assert_int_equal(e.code, ERR_SYSTEM);
	assert_non_null(strstr(e.message, "/no/such/program"));
	process_end_free(&end);
	assert_int_equal(children(), 0);
}

static void environment_is_added_to(void **state)
{
	static const char *const env[] = {"GPUWHY_A=1 2", "HOME=elsewhere", NULL};
	struct process_end end;
	struct err e;

	(void)state;
	setenv("GPUWHY_B", "kept", 1);
	assert_int_equal(shell("echo \"$GPUWHY_A,$HOME,$GPUWHY_B\"; env | grep -c ^HOME=",
			       (struct process){.env = env}, &end, &e),
			 0);
	assert_string_equal(buf_str(&end.said).s, "1 2,elsewhere,kept\n1\n");
	process_end_free(&end);
}

static void attended_ones_pass_through(void **state)
{
	struct process p = {.log = at("log")};
	struct buf out = {0}, err_text = {0}, log = {0};
	struct process_end end;
	struct err e;

	(void)state;
	assert_int_equal(
		attended("echo out; sleep 0.1; echo err >&2; exit 3", p, &end, &out, &err_text, &e),
		0);
	assert_string_equal(buf_str(&out).s, "out\n");
	assert_string_equal(buf_str(&err_text).s, "err\n");
	assert_int_equal(file_read(&log, at("log"), 1 << 20, &e), 0);
	assert_string_equal(buf_str(&log).s, "out\nerr\n");
	assert_int_equal(process_exit_code(end.status), 3);
	process_end_free(&end);
	buf_free(&out);
	buf_free(&err_text);
	buf_free(&log);
}

/* A megabyte is more than any pipe holds: all of it arrives, on either side. */
static void much_is_passed_whole(void **state)
{
	struct buf out = {0}, err_text = {0};
	struct process_end end;
	struct err e;

	(void)state;
	assert_int_equal(attended("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2",
				  (struct process){0}, &end, &out, &err_text, &e),
			 0);
	assert_int_equal(out.len, 1000000);
	assert_int_equal(err_text.len, 1000000);
	process_end_free(&end);
	buf_free(&out);
	buf_free(&err_text);
}

/* Does a script that is ended at its limit say this? A busy machine may not have come to the
 * script's traps by then: it gets more time before it has failed. */
static bool ended_says(const char *script, struct process p, const char *wanted)
{
	bool equal = false;

	for (int tries = 0; !equal && tries < 4; tries++) {
		struct buf out = {0}, err_text = {0};
		struct process_end end;
		struct err e;

		assert_int_equal(attended(script, p, &end, &out, &err_text, &e), 0);
		assert_true(end.timed_out);
		equal = strcmp(buf_str(&out).s, wanted) == 0;
		process_end_free(&end);
		buf_free(&out);
		buf_free(&err_text);
		p.timeout_s *= 3;
	}
	return equal;
}

static void limits_are_kept(void **state)
{
	const struct process p = {.timeout_s = 0.3, .grace_s = 0.3};

	(void)state;
	/* The program here stands for a profiler, which is spared: its child is what is ended. */
	assert_true(ended_says("sh -c \"trap 'exit 5' INT; while :; do sleep 0.05; done\"; "
			       "echo code $?",
			       p, "code 5\n"));
	assert_true(ended_says("sh -c \"trap '' INT; trap 'exit 6' TERM; "
			       "while :; do sleep 0.05; done\"; echo code $?",
			       p, "code 6\n"));
	assert_int_equal(children(), 0);
}

static void daemons_are_ended_and_counted(void **state)
{
	struct buf out = {0}, err_text = {0};
	struct process_end end;
	struct err e;

	(void)state;
	assert_int_equal(attended("setsid sleep 60 >/dev/null 2>&1 & sleep 0.2; echo done",
				  (struct process){0}, &end, &out, &err_text, &e),
			 0);
	assert_int_equal(end.ended, 1);
	assert_string_equal(buf_str(&out).s, "done\n");
	assert_int_equal(children(), 0);
	process_end_free(&end);
	buf_free(&out);
	buf_free(&err_text);
}

/* What is in the same session is the program: its profiler may have left it to itself. */
static void the_rest_is_waited_for(void **state)
{
	struct buf out = {0}, err_text = {0};
	struct process_end end;
	struct err e;

	(void)state;
	assert_int_equal(attended("(sleep 0.3; echo late) & exit 4", (struct process){0}, &end,
				  &out, &err_text, &e),
			 0);
	assert_string_equal(buf_str(&out).s, "late\n");
	assert_int_equal(process_exit_code(end.status), 4);
	assert_int_equal(end.ended, 0);
	process_end_free(&end);
	buf_free(&out);
	buf_free(&err_text);
}

static void interrupts_end_quiet_ones(void **state)
{
	struct process_end end;
	struct err e;
	bool ignored;

	(void)state;
	interrupt_hold();
	raise(SIGTERM);
	assert_int_equal(shell("sleep 60", (struct process){0}, &end, &e), -1);
	assert_string_equal(e.message, "interrupted");
	assert_int_equal(interrupt_take(&ignored), SIGTERM);
	assert_false(ignored);
	interrupt_release();
	process_end_free(&end);
	assert_int_equal(children(), 0);
}

/* A program is no profiler for its name's beginning, or for the folder it lies in. */
static void programs_with_a_profilers_name_are_not_spared(void **state)
{
	const struct process p = {.timeout_s = 0.3, .grace_s = 30};
	struct buf script = {0};

	(void)state;
	assert_int_equal(mkdir(at("nsight-x"), 0700), 0);
	buf_addf(&script,
		 "cp /bin/sh %s; %s -c 'trap \"exit 5\" INT; while :; do sleep 0.05; done'; "
		 "echo code $?",
		 at("nsight-x/nsys_sweep"), at("nsight-x/nsys_sweep"));
	assert_true(ended_says(script.s, p, "code 5\n"));
	unlink(at("nsight-x/nsys_sweep"));
	rmdir(at("nsight-x"));
	buf_free(&script);
}

static void installations_are_folders_of_profilers(void **state)
{
	static const char *const folders[] = {"target-linux-x64", "bin", "nsight-systems"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		char *wanted = i == 0	? mem_strdup(folder)
			       : i == 2 ? mem_strdup(at(folders[i]))
					: NULL;
		struct buf path = {0};
		char *found;

		assert_int_equal(mkdir(at(folders[i]), 0700), 0);
		buf_addf(&path, "%s/nsys", at(folders[i]));
		close(open(path.s, O_WRONLY | O_CREAT, 0700));
		found = profiler_find_folder(path.s);
		if (wanted)
			assert_string_equal(found, wanted);
		else
			assert_null(found);
		unlink(path.s);
		rmdir(at(folders[i]));
		buf_free(&path);
		free(wanted);
		free(found);
	}
}

/* git warns on stderr, and nvidia-smi has much to say: what is asked for comes first. */
static void answers_are_the_beginning_of_stdout(void **state)
{
	struct process_end end;
	struct err e;

	(void)state;
	assert_int_equal(shell("echo warning >&2; echo first; head -c 20000 /dev/zero | tr '\\0' x",
			       (struct process){.answers = true}, &end, &e),
			 0);
	assert_int_equal(end.said.len, 20006);
	assert_memory_equal(end.said.s, "first\n", 6);
	process_end_free(&end);
	assert_int_equal(
		shell("head -c 400000 /dev/zero", (struct process){.answers = true}, &end, &e), 0);
	assert_int_equal(end.said.len, 1 << 18);
	process_end_free(&end);
}

static unsigned caught;

static void count(int number)
{
	(void)number;
	caught++;
}

/* Two that came meanwhile are two, and neither waits for the next time. */
static void all_that_was_noted_has_its_effect(void **state)
{
	(void)state;
	signal(SIGINT, count);
	signal(SIGTERM, count);
	signal(SIGUSR1, count);
	interrupt_hold();
	interrupt_hold_messages();
	raise(SIGUSR1);
	assert_false(interrupt_pending());
	raise(SIGINT);
	raise(SIGTERM);
	assert_true(interrupt_pending());
	interrupt_release_messages();
	assert_int_equal(caught, 0);
	interrupt_release();
	assert_int_equal(caught, 2);
	interrupt_hold();
	assert_false(interrupt_pending());
	interrupt_release();
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
}

static void programs_are_found_as_execvp_does(void **state)
{
	char *path;
	struct err e;
	FILE *f;

	(void)state;
	setenv("PATH", folder, 1);
	f = fopen(at("tool"), "w");
	fputs("#!/bin/sh\n", f);
	fclose(f);
	assert_int_equal(program_find("tool", &path, &e), -1);
	assert_non_null(strstr(e.message, "is not executable"));
	chmod(at("tool"), 0700);
	assert_int_equal(program_find("tool", &path, &e), 0);
	assert_string_equal(path, at("tool"));
	free(path);
	assert_int_equal(program_find("nothing", &path, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_int_equal(program_find("", &path, &e), -1);
	assert_int_equal(program_find(folder, &path, &e), -1);
	assert_non_null(strstr(e.message, "is a folder"));
	assert_int_equal(program_find("./nothing", &path, &e), -1);
	assert_null(program_find_absolute("nothing"));
	/* An empty entry is this folder, for whoever asks as execvp does. */
	setenv("PATH", ":/none", 1);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(program_find("tool", &path, &e), 0);
	free(path);
	assert_null(program_find_absolute("tool"));
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"out", "err", "log", "tool"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unlink(at(names[i]));
	return rmdir(folder);
}

int process_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_ones_are_kept),
		cmocka_unit_test(no_program_is_an_error),
		cmocka_unit_test(environment_is_added_to),
		cmocka_unit_test(attended_ones_pass_through),
		cmocka_unit_test(much_is_passed_whole),
		cmocka_unit_test(limits_are_kept),
		cmocka_unit_test(daemons_are_ended_and_counted),
		cmocka_unit_test(the_rest_is_waited_for),
		cmocka_unit_test(interrupts_end_quiet_ones),
		cmocka_unit_test(programs_with_a_profilers_name_are_not_spared),
		cmocka_unit_test(installations_are_folders_of_profilers),
		cmocka_unit_test(answers_are_the_beginning_of_stdout),
		cmocka_unit_test(all_that_was_noted_has_its_effect),
		cmocka_unit_test(programs_are_found_as_execvp_does),
	};

	return cmocka_run_group_tests_name("process", tests, make_folder, remove_folder);
}

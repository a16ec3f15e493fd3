/* How many cores do limits leave? */
#include "base/buf.h"
#include "base/cores.h"
#include "base/file.h"
#include "base/parallel.h"
#include "groups.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define V1_MOUNT "33 32 0:29 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define V2_MOUNT "31 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
#define OTHERS                                  \
	"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" \
	"35 32 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"

struct file {
	const char *path, *text;
};

struct machine {
	struct file files[6];
	unsigned cores;
};

static void test_version_2(void **state)
{
	static const struct {
		const char *text;
		unsigned cores;
	} cases[] = {
		{"max 100000\n", 0},
		{"200000 100000\n", 2},
		{"150000 100000", 2},
		{"1000 100000\n", 1},
		{"100000 100000\n", 1},
		{"100001 100000\n", 2},
		{"800000 100000\n", 8},
		{"0 100000\n", 1},
		{"200000 0\n", 0},
		{"200000\n", 0},
		{"", 0},
		{"\n", 0},
		{"-1 100000\n", 0},
		{"200000 100000 1\n", 0},
		{"99999999999999999999 100000\n", 0},
		{"1e6 100000\n", 0},
		{"1000000000000 1", 65536},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(cores_of_cpu_max(str_of(cases[i].text)), cases[i].cores);
}

static void test_version_1(void **state)
{
	(void)state;
	assert_int_equal(cores_of_quota(str_of("-1\n"), str_of("100000\n")), 0);
	assert_int_equal(cores_of_quota(str_of("50000\n"), str_of("100000\n")), 1);
	assert_int_equal(cores_of_quota(str_of("350000\n"), str_of("100000\n")), 4);
	assert_int_equal(cores_of_quota(str_of("400000\n"), str_of("")), 0);
	assert_int_equal(cores_of_quota(str_of(""), str_of("100000\n")), 0);
}

static void make_folders(char *path, size_t from)
{
	for (size_t i = from; path[i]; i++) {
		if (path[i] != '/')
			continue;
		path[i] = '\0';
		mkdir(path, 0777);
		path[i] = '/';
	}
}

static void write_files(const char *root, const struct machine *m)
{
	for (size_t i = 0; i < sizeof(m->files) / sizeof(m->files[0]) && m->files[i].path; i++) {
		struct buf path = {0};
		struct err e = {0};

		buf_addf(&path, "%s%s", root, m->files[i].path);
		make_folders(path.s, strlen(root) + 1);
		assert_int_equal(file_write(path.s, str_of(m->files[i].text), &e), 0);
		buf_free(&path);
	}
}

static unsigned cores_of_machine(const struct machine *m)
{
	char root[] = "/tmp/cores.XXXXXX", remove[sizeof(root) + 8];
	unsigned cores;

	assert_non_null(mkdtemp(root));
	write_files(root, m);
	cores = cores_of_groups(root);
	snprintf(remove, sizeof(remove), "rm -r %s", root);
	assert_int_equal(system(remove), 0); /* NOLINT(cert-env33-c): a folder of our own */
	return cores;
}

#define PROC(groups, mounts)                          \
	{"/proc/self/cgroup", groups},                \
	{                                             \
		"/proc/self/mountinfo", OTHERS mounts \
	}
#define GROUP(path, text)                              \
	{                                              \
		"/sys/fs/cgroup" path "/cpu.max", text \
	}
#define QUOTA(path, text)                                           \
	{                                                           \
		"/sys/fs/cgroup/cpu" path "/cpu.cfs_quota_us", text \
	}
#define PERIOD(path)                                                       \
	{                                                                  \
		"/sys/fs/cgroup/cpu" path "/cpu.cfs_period_us", "100000\n" \
	}

static void test_groups(void **state)
{
	static const struct machine machines[] = {
		/* Its own group. */
		{{PROC("0::/a/b\n", V2_MOUNT), GROUP("/a/b", "300000 100000\n")}, 3},
		/* One around it leaves less, and has no say where it leaves more. */
		{{PROC("0::/a/b\n", V2_MOUNT), GROUP("/a/b", "300000 100000\n"),
		  GROUP("/a", "200000 100000\n")},
		 2},
		{{PROC("0::/a/b\n", V2_MOUNT), GROUP("/a/b", "300000 100000\n"),
		  GROUP("/a", "max 100000\n"), GROUP("", "900000 100000\n")},
		 3},
		/* A container sees its own group as the root. */
		{{PROC("0::/\n", V2_MOUNT), GROUP("", "150000 100000\n")}, 2},
		{{PROC("0::/../../other\n", V2_MOUNT), GROUP("", "400000 100000\n"),
		  GROUP("/other", "100000 100000\n")},
		 4},
		/* Another process's group is none of ours. */
		{{PROC("0::/a\n", V2_MOUNT), GROUP("/b", "100000 100000\n")}, 0},
		{{PROC("0::/a/b\n", V2_MOUNT)}, 0},
		/* Version 1: the controller has a hierarchy of its own. */
		{{PROC("4:cpu,cpuacct:/x\n3:cpuset:/\n0::/\n", V1_MOUNT), QUOTA("/x", "250000\n"),
		  PERIOD("/x")},
		 3},
		{{PROC("4:cpuacct,cpu:/x/y\n", V1_MOUNT), QUOTA("/x/y", "-1\n"), PERIOD("/x/y"),
		  QUOTA("", "100000\n"), PERIOD("")},
		 1},
		{{PROC("3:cpuset:/x\n", V1_MOUNT), QUOTA("/x", "100000\n"), PERIOD("/x")}, 0},
		/* A container's, whose path is the host's, and whose mount is its group alone. */
		{{PROC("4:cpu,cpuacct:/docker/ab\n",
		       "33 32 0:29 /docker/ab /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n"),
		  QUOTA("", "200000\n"), PERIOD("")},
		 2},
		{{PROC("4:cpu,cpuacct:/docker/abc\n",
		       "33 32 0:29 /docker/ab /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n"),
		  QUOTA("", "200000\n"), PERIOD("")},
		 2},
		/* Nothing is known, or nothing that makes sense. */
		{{{NULL, NULL}}, 0},
		{{PROC("", V2_MOUNT), GROUP("", "100000 100000\n")}, 0},
		{{PROC("0::/a\n", ""), GROUP("/a", "100000 100000\n")}, 0},
		{{PROC(":\n::\n0:\n", "- - -\n\n33 32 - cgroup2\n")}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		assert_int_equal(cores_of_machine(&machines[i]), machines[i].cores);
}

/* As taskset does it, or a batch system. */
static bool confine(unsigned count)
{
	cpu_set_t all, some;

	CPU_ZERO(&some);
	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return false;
	for (int i = 0; i < CPU_SETSIZE && count; i++) {
		if (!CPU_ISSET(i, &all))
			continue;
		CPU_SET(i, &some);
		count--;
	}
	return !count && sched_setaffinity(0, sizeof(some), &some) == 0;
}

static void test_few_cores_mean_few_workers(void **state)
{
	pid_t child = fork();
	int status = 0;

	(void)state;
	if (child == 0)
		_exit(!confine(1) || cores_of_affinity() != 1 || cores_usable() != 1 ||
		      parallel_workers() != 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_no_more_than_there_are(void **state)
{
	(void)state;
	assert_in_range(cores_usable(), 1, (uintmax_t)sysconf(_SC_NPROCESSORS_ONLN));
	assert_in_range(cores_usable(), 1, cores_of_affinity());
}

int cores_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_2),
		cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_few_cores_mean_few_workers),
		cmocka_unit_test(test_no_more_than_there_are),
	};

	return cmocka_run_group_tests_name("cores", tests, NULL, NULL);
}

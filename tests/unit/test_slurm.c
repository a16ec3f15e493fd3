/* What Slurm's programs say, what they are told, and what tasks leave behind. */
#include "base/file.h"
#include "fleet/part_file.h"
#include "fleet/slurm/cluster.h"
#include "fleet/slurm/gather.h"
#include "fleet/slurm/pack.h"
#include "fleet/slurm/scripts.h"
#include "fleet/slurm/status.h"
#include "fleet/slurm/submit.h"
#include "fleet/slurm/task_log.h"
#include "groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void test_numbers_of_jobs(void **state)
{
	uint64_t id;

	(void)state;
	assert_true(cluster_parse_id(STR_LIT("17\n"), &id));
	assert_int_equal(id, 17);
	assert_true(cluster_parse_id(STR_LIT("sbatch: 3 nodes are free\n18;other\n"), &id));
	assert_int_equal(id, 18);
	assert_false(cluster_parse_id(STR_LIT("sbatch: error: 5 is too many\n5 jobs\n"), &id));
	assert_false(cluster_parse_id(STR_LIT(""), &id));
	assert_int_equal(cluster_parse_array_max(STR_LIT("A = 1\nMaxArraySize            = 251\n")),
			 251);
	assert_int_equal(cluster_parse_array_max(STR_LIT("MaxArraySize            = 0\n")), 0);
	assert_int_equal(cluster_parse_array_max(STR_LIT("")), 1000);
}

static void test_jobs_of_squeue(void **state)
{
	struct cluster_jobs jobs = {0};

	(void)state;
	cluster_parse_jobs(&jobs, STR_LIT("12|[4-9%2]|PENDING|gpuwhy-a-map-0||JobArrayTaskLimit\n"
					  "12|3|RUNNING|gpuwhy-a-map-0|n[1-2]|None\n"
					  "nonsense\n"
					  "13|N/A|NODE_FAIL|gpuwhy-a-reduce|n1|a|b\n"
					  "14"));
	assert_int_equal(jobs.count, 4);
	assert_int_equal(jobs.all[0].task, CLUSTER_NO_TASK);
	assert_int_equal(jobs.all[1].id, 12);
	assert_int_equal(jobs.all[1].task, 3);
	assert_true(str_eq(jobs.all[1].state, STR_LIT("RUNNING")));
	assert_true(str_eq(jobs.all[1].name, STR_LIT("gpuwhy-a-map-0")));
	assert_int_equal(jobs.all[2].task, CLUSTER_NO_TASK);
	assert_int_equal(fate_of_state(jobs.all[2].state), FATE_NODE_LOST);
	assert_true(str_eq(jobs.all[2].reason, STR_LIT("a|b")));
	assert_int_equal(fate_of_state(jobs.all[3].state), FATE_UNKNOWN);
	arena_free(&jobs.arena);
}

static void test_ends_of_scontrol(void **state)
{
	struct cluster_ends ends = {0};

	(void)state;
	cluster_parse_ends(&ends,
			   STR_LIT("JobId=7 ArrayJobId=5 ArrayTaskId=2 JobName=JobState=x "
				   "JobState=FAILED Reason=NonZeroExitCode ExitCode=0:25 A=b\n"
				   "JobId=5 ArrayTaskId=3-9%2 JobState=CANCELLED ExitCode=0:0\n"
				   "JobId=6 ArrayTaskId=0,11-12 JobState=PENDING ExitCode=0:0\n"
				   "JobId=8 ArrayTaskId=9-3 JobState=FAILED ExitCode=0:0\n"
				   "JobId=9 JobState=FAILED ExitCode=1:0\n"
				   "slurm_load_jobs error\n"));
	assert_int_equal(ends.count, 4);
	assert_int_equal(ends.all[0].first, 2);
	assert_int_equal(ends.all[0].last, 2);
	assert_true(str_eq(ends.all[0].state, STR_LIT("FAILED")));
	assert_int_equal(ends.all[0].exit_code, 0);
	assert_int_equal(ends.all[0].signal, 25);
	assert_int_equal(ends.all[1].first, 3);
	assert_int_equal(ends.all[1].last, 9);
	assert_true(str_eq(ends.all[1].state, STR_LIT("CANCELLED")));
	assert_int_equal(ends.all[2].last, 0);
	assert_int_equal(ends.all[3].first, 11);
	arena_free(&ends.arena);
}

static void check_status(const char *text, enum fate fate, const char *reason)
{
	struct arena a = {0};
	struct status s;

	assert_true(status_parse(str_of(text), "/data/my job/r0.sqlite", &a, &s));
	assert_int_equal(s.fate, fate);
	assert_string_equal(s.reason, reason);
	arena_free(&a);
}

static void test_words_of_tasks(void **state)
{
	struct arena a = {0};
	struct status s;

	(void)state;
	check_status("exit 3\ngpuwhy: warning: old\n"
		     "gpuwhy: '/data/my job/r0.sqlite' is damaged: page 3\n  hint: export it\n",
		     FATE_BAD_CAPTURE, "'r0.sqlite' is damaged: page 3");
	check_status("exit 4\ngpuwhy: cannot write 'parts/x': File too large\n", FATE_SYSTEM,
		     "the system refused it: cannot write 'parts/x': File too large");
	check_status("exit 4\ngpuwhy: out of memory\n", FATE_NO_MEMORY, "out of memory");
	check_status("exit 137\n", FATE_KILLED, "its task was killed");
	check_status("exit 3\nBus error\n", FATE_BAD_CAPTURE, "the capture cannot be used");
	check_status("fate node_lost\n", FATE_NODE_LOST, "its node was lost");
	assert_false(status_parse(STR_LIT(""), "/x", &a, &s));
	assert_false(status_parse(STR_LIT("exit 0\n"), "/x", &a, &s));
	assert_false(status_parse(STR_LIT("exit 4000\n"), "/x", &a, &s));
	assert_false(status_parse(STR_LIT("exi"), "/x", &a, &s));
	assert_true(task_log_text_tells_memory(
		STR_LIT("slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.batch.")));
	assert_true(task_log_text_tells_memory(
		STR_LIT("slurmstepd-n1: error: StepId=1.batch exceeded memory limit (9 > 5)\n")));
	assert_false(task_log_text_tells_memory(STR_LIT("gpuwhy: 'oom-kill.sqlite' is damaged")));
	for (enum fate f = 0; f < FATES; f++)
		assert_int_equal(fate_of_word(str_of(fate_word(f))), f);
	arena_free(&a);
}

static void check_indices(const char *wanted, const char *expected)
{
	bool flags[16];
	SCOPED_BUF b = {0};
	const size_t count = strlen(wanted);

	for (size_t i = 0; i < count; i++)
		flags[i] = wanted[i] == 'x';
	assert_int_equal(submit_add_indices(&b, flags, count, 9), expected != NULL);
	if (expected)
		assert_string_equal(b.s, expected);
}

static void test_indices_of_arrays(void **state)
{
	(void)state;
	check_indices("xxxx", "0-3%9");
	check_indices("x.xx.x", "0,2-3,5%9");
	check_indices(".x", "1%9");
	check_indices("...", NULL);
	check_indices("", NULL);
	assert_int_equal(submit_packs(256), 0);
	assert_int_equal(submit_packs(257), 2);
	assert_int_equal(submit_packs(16384), 64);
}

/* A capture's name is in the list alone, whatever it is; a folder of the user's is quoted. */
static void test_names_are_no_shell_text(void **state)
{
	const struct script_places places = {"/opt/it's/gpuwhy", "/tmp/a b;c"};
	const struct string_list none = {0};
	SCOPED_BUF b = {0};

	(void)state;
	script_add_map(&b, &places, &none);
	assert_non_null(strstr(b.s, "gpuwhy='/opt/it'\\''s/gpuwhy'\n"));
	assert_non_null(strstr(b.s, "cd -- '/tmp/a b;c' || exit 4\n"));
}

struct folder {
	char path[64];
	struct work w;
};

/* Three captures with names that a shell would stumble over. */
static void folder_make(struct folder *f)
{
	const struct string_list none = {0};
	const char *files[3];
	char paths[3][128];
	struct err e;

	snprintf(f->path, sizeof(f->path), "/tmp/gpuwhy-slurm.XXXXXX");
	assert_non_null(mkdtemp(f->path));
	for (int i = 0; i < 3; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/$(touch x) '\"%d.sqlite", f->path, i);
		assert_int_equal(file_write(paths[i], STR_LIT("x"), &e), 0);
		files[i] = paths[i];
	}
	SCOPED char *folder = file_in(f->path, "job");

	assert_int_equal(work_plan(&f->w, folder, files, 3, &none, &e), 0);
	/* Somebody was stopped before there was a list: that is gone on with. */
	assert_int_equal(work_open(&f->w, &e), 0);
	work_free(&f->w);
	assert_int_equal(work_plan(&f->w, folder, files, 3, &none, &e), 0);
	assert_int_equal(work_open(&f->w, &e), 0);
	assert_false(work_list_differs(&f->w));
	assert_int_equal(work_write_list(&f->w, &e), 0);
}

static void folder_remove(struct folder *f)
{
	SCOPED_BUF b = {0};

	work_free(&f->w);
	buf_addf(&b, "rm -r %s", f->path);
	assert_int_equal(system(b.s), 0); /* NOLINT(cert-env33-c): a path of our own */
}

static void write_part(const struct work *w, size_t item)
{
	SCOPED char *path = work_part_path(w, item);
	struct part p = {.file = "f", .tool = "", .schema = "", .cuda = "", .driver = ""};
	struct err e;

	assert_int_equal(part_write(path, &p, &e), 0);
}

static void test_a_job_goes_on(void **state)
{
	struct folder f;
	struct work again;
	struct gathered g;
	struct err e;

	(void)state;
	folder_make(&f);
	write_part(&f.w, 1);
	assert_true(work_has_part(&f.w, 1));
	assert_false(work_has_part(&f.w, 0));
	assert_int_equal(status_write(&f.w, 0, FATE_NODE_LOST, &e), 0);
	assert_int_equal(work_read(&again, f.w.folder, &e), 0);
	assert_int_equal(again.count, 3);
	assert_string_equal(again.items[2].file, f.w.items[2].file);
	assert_string_equal(again.items[2].key, f.w.items[2].key);
	work_free(&again);
	assert_true(gather_is_folder(f.w.folder));
	assert_false(gather_is_folder(f.path));
	assert_int_equal(gather_read(&g, f.w.folder, &e), 0);
	assert_int_equal(g.part_count, 1);
	assert_int_equal(g.loss_count, 2);
	assert_string_equal(g.losses[0].reason, "its node was lost");
	assert_string_equal(g.losses[1].reason, "its task ended without a word");
	assert_null(strchr(g.losses[1].file, '/'));
	gather_free(&g);
	folder_remove(&f);
}

/* More than a pack holds; what is in no pack is read where it lies. */
static void test_many_parts(void **state)
{
	enum { COUNT = PACK_PARTS + 4 };
	const struct part p = {.file = "f", .tool = "", .schema = "", .cuda = "", .driver = ""};
	SCOPED_BUF list = {0}, bytes = {0};
	struct folder f;
	struct work w;
	struct gathered g;
	struct err e;

	(void)state;
	folder_make(&f);
	for (int i = 0; i < COUNT; i++)
		buf_addf(&list, "%016x\t/r%d.sqlite\n", (unsigned)i, i);
	assert_int_equal(work_write(&f.w, "list", buf_str(&list), &e), 0);
	assert_int_equal(work_read(&w, f.w.folder, &e), 0);
	part_encode(&bytes, &p);
	for (size_t i = 0; i < COUNT; i++) {
		SCOPED char *path = work_part_path(&w, i);

		/* One is missing, one comes after the packs. */
		if (i == 7 || i == 8)
			continue;
		assert_int_equal(file_write(path, buf_str(&bytes), &e), 0);
	}
	assert_int_equal(pack_write(&w, 0, &e), 0);
	SCOPED char *late = work_part_path(&w, 8), *packed = work_part_path(&w, 9);

	assert_int_equal(file_write(late, buf_str(&bytes), &e), 0);
	unlink(packed);
	assert_int_equal(gather_read(&g, f.w.folder, &e), 0);
	assert_int_equal(g.part_count, COUNT - 1);
	assert_int_equal(g.loss_count, 1);
	assert_string_equal(g.losses[0].file, "r7.sqlite");
	gather_free(&g);
	work_free(&w);
	folder_remove(&f);
}

/* What is damaged is left out, and what follows a cut is not believed. */
static void test_packs(void **state)
{
	struct arena a = {0};
	struct folder f;
	struct pack p;
	struct err e;

	(void)state;
	folder_make(&f);
	SCOPED char *third = work_part_path(&f.w, 2), *pack = file_in(f.w.folder, "parts/0.pack");
	SCOPED_BUF bytes = {0};

	write_part(&f.w, 0);
	write_part(&f.w, 1);
	assert_int_equal(file_write(third, STR_LIT("no part"), &e), 0);
	assert_int_equal(pack_write(&f.w, 0, &e), 0);
	assert_int_equal(pack_write(&f.w, 1, &e), -1);
	pack_read(&f.w, 0, &a, &p);
	assert_int_equal(p.count, 2);
	assert_string_equal(p.all[1].key, f.w.items[1].key);
	assert_int_equal(file_read(&bytes, pack, 1 << 20, &e), 0);
	for (size_t len = 0; len < bytes.len; len++) {
		assert_int_equal(file_write(pack, (struct str){bytes.s, len}, &e), 0);
		pack_read(&f.w, 0, &a, &p);
		assert_in_range(p.count, 0, 1);
	}
	arena_free(&a);
	folder_remove(&f);
}

static void test_folders_that_are_none(void **state)
{
	const struct string_list none = {0};
	const char *const absent[] = {"/nonexistent/a.sqlite"}, *const odd[] = {"/tmp/a\nb"};
	struct folder f;
	struct work w;
	struct err e;

	(void)state;
	folder_make(&f);
	assert_int_equal(work_plan(&w, "/tmp/x", absent, 1, &none, &e), -1);
	assert_int_equal(e.code, ERR_INPUT);
	work_free(&w);
	assert_int_equal(work_plan(&w, "/tmp/x", odd, 1, &none, &e), -1);
	assert_non_null(strstr(e.message, "line break"));
	work_free(&w);
	/* A folder with captures in it is nobody's to work in; ours is in use. */
	assert_int_equal(work_plan(&w, f.path, NULL, 0, &none, &e), 0);
	assert_int_equal(work_open(&w, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	work_free(&w);
	assert_int_equal(work_plan(&w, f.w.folder, NULL, 0, &none, &e), 0);
	assert_true(work_list_differs(&w));
	assert_int_equal(work_open(&w, &e), -1);
	assert_non_null(strstr(e.message, "another gpuwhy"));
	work_free(&w);
	SCOPED char *list = file_in(f.w.folder, "list");

	assert_int_equal(file_write(list, STR_LIT("../../etc/passwd\t/x\n"), &e), 0);
	assert_int_equal(work_read(&w, f.w.folder, &e), -1);
	assert_int_equal(e.code, ERR_INPUT);
	work_free(&w);
	folder_remove(&f);
}

static void assert_refused(const char *folder, const char *word)
{
	const struct string_list none = {0};
	struct work w;
	struct err e;

	assert_int_equal(work_plan(&w, folder, NULL, 0, &none, &e), 0);
	assert_int_equal(work_open(&w, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_non_null(strstr(e.message, word));
	work_free(&w);
}

/* Many a program has a folder called log, or a list: the mark tells ours, and its version. */
static void test_folders_of_others(void **state)
{
	static const char *const names[] = {"log", "parts", "lock", "list"};
	struct folder f;
	struct err e;

	(void)state;
	folder_make(&f);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		SCOPED char *folder = file_in(f.path, names[i]);
		SCOPED char *inside = file_in(folder, names[i]);
		SCOPED char *lock = file_in(folder, "lock");
		SCOPED char *mark = file_in(folder, ".gpuwhy-fleet");

		assert_int_equal(mkdir(folder, 0777), 0);
		assert_int_equal(mkdir(inside, 0777), 0);
		assert_refused(folder, names[i]);
		/* Nothing was written there. */
		assert_int_equal(access(mark, F_OK), -1);
		assert_int_equal(access(lock, F_OK), i == 2 ? 0 : -1);
	}
	SCOPED char *mark = file_in(f.w.folder, ".gpuwhy-fleet");

	assert_int_equal(file_write(mark, STR_LIT("gpuwhy\nversion 99\n"), &e), 0);
	assert_refused(f.w.folder, "another version");
	folder_remove(&f);
}

int slurm_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_of_jobs),
		cmocka_unit_test(test_folders_of_others),
		cmocka_unit_test(test_jobs_of_squeue),
		cmocka_unit_test(test_ends_of_scontrol),
		cmocka_unit_test(test_words_of_tasks),
		cmocka_unit_test(test_indices_of_arrays),
		cmocka_unit_test(test_names_are_no_shell_text),
		cmocka_unit_test(test_a_job_goes_on),
		cmocka_unit_test(test_many_parts),
		cmocka_unit_test(test_packs),
		cmocka_unit_test(test_folders_that_are_none),
	};

	return cmocka_run_group_tests_name("slurm", tests, NULL, NULL);
}

/* Does every way of naming a trace lead to the right SQLite file, or to a message that helps? */
#include "base/buf.h"
#include "base/mem.h"
#include "groups.h"
#include "input/cache.h"
#include "input/input.h"
#include "input/run_traces.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#define SQLITE_HEAD "SQLite format 3"

enum { NOBODY = 65534, NOT_POSSIBLE = 77 };

/* A world of its own for each test: ROOT/in, ROOT/cache, ROOT/bin (alone in PATH), ROOT/log. */
static char root[64];

static const char *at(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

static void write_bytes(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

static struct buf read_bytes(const char *path)
{
	struct buf b = {0};
	FILE *f = fopen(path, "re");
	size_t got;

	assert_non_null(f);
	while ((got = fread(buf_reserve(&b, 65536), 1, 65536, f)) > 0)
		b.len += got;
	fclose(f);
	return b;
}

static size_t count_files(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	size_t n = 0;

	while (d && (entry = readdir(d)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (d)
		closedir(d);
	return n;
}

/* Writes a program that stands for nsys: its body finds $out and $report set. */
static void write_nsys(const char *path, const char *body)
{
	struct buf b = {0};

	buf_addf(&b,
		 "#!/bin/sh\n"
		 "PATH=/usr/bin:/bin\n"
		 "if [ \"$2\" = --help ]; then cat '%s' 2>/dev/null; exit 0; fi\n"
		 "echo \"$0 $*\" >> '%s'\n"
		 "[ \"$1\" = export ] || exit 9\n"
		 "for a; do case $a in --output=*) out=${a#--output=};; esac; report=$a; done\n"
		 "%s\n",
		 at("log/help"), at("log/calls"), body);
	write_bytes(path, b.s, b.len);
	assert_int_equal(chmod(path, 0755), 0);
	buf_free(&b);
}

#define GOOD_EXPORT "{ printf 'SQLite format 3\\000'; cat \"$report\"; } > \"$out\""

static size_t count_calls(void)
{
	struct buf b = {0};
	size_t n = 0;

	if (access(at("log/calls"), F_OK) == 0)
		b = read_bytes(at("log/calls"));
	for (size_t i = 0; i < b.len; i++)
		n += b.s[i] == '\n';
	buf_free(&b);
	return n;
}

static int make_world(void **state)
{
	static const char *const folders[] = {"in", "cache", "bin", "log"};

	(void)state;
	snprintf(root, sizeof(root), "/tmp/gpuwhy-test-XXXXXX");
	assert_non_null(mkdtemp(root));
	chmod(root, 0755);
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		assert_int_equal(mkdir(at(folders[i]), 0777), 0);
		chmod(at(folders[i]), 0777);
	}
	setenv("PATH", at("bin"), 1);
	setenv("GPUWHY_CACHE_DIR", at("cache"), 1);
	setenv("GPUWHY_NSYS_SEARCH", "", 1);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_world(void **state)
{
	(void)state;
	chmod(at("in"), 0777);
	chmod(at("cache"), 0777);
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static char *resolve(const char *path, const char *nsys)
{
	struct input_args o = {.nsys = nsys};
	struct err e = {0};
	char *found = NULL;

	if (input_resolve(path, &o, &found, &e) < 0)
		fail_msg("%s: %s (%s)", path, e.message, e.hint);
	return found;
}

static void expect_itself(const char *path)
{
	char *found = resolve(path, NULL);

	assert_string_equal(found, path);
	free(found);
	assert_int_equal(count_files(at("cache")), 0);
}

static void expect_content(const char *path, const char *nsys, const void *bytes, size_t len)
{
	char *found = resolve(path, nsys);
	struct buf b = read_bytes(found);

	assert_memory_equal(found, at("cache"), strlen(at("cache")));
	assert_int_equal(b.len, len);
	assert_memory_equal(b.s, bytes, len);
	buf_free(&b);
	free(found);
}

/* The export of a report by GOOD_EXPORT. */
static void expect_export(const char *path, const char *nsys, const char *report)
{
	struct buf want = {0};

	buf_add(&want, SQLITE_HEAD, sizeof(SQLITE_HEAD));
	buf_adds(&want, report);
	expect_content(path, nsys, want.s, want.len);
	buf_free(&want);
}

static struct err expect_error(const char *path, const char *nsys, enum err_code code,
			       const char *message, const char *hint)
{
	struct input_args o = {.nsys = nsys};
	struct err e = {0};
	char *found = NULL;

	assert_int_equal(input_resolve(path, &o, &found, &e), -1);
	if (e.code != code || !strstr(e.message, message) || !strstr(e.hint, hint))
		fail_msg("code %d, message '%s', hint '%s'", e.code, e.message, e.hint);
	assert_int_equal(count_files(at("cache")), 0);
	return e;
}

/* Runs fn in another process, as a user whom permissions bind; fn returns the exit code. */
static int run_apart(int (*fn)(void), bool as_nobody)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (as_nobody && geteuid() == 0 && (setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
			_exit(NOT_POSSIBLE);
		_exit(fn());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_POSSIBLE)
		skip();
	return WEXITSTATUS(status);
}

/* Plain files. */

static void sqlite_stands_for_itself(void **state)
{
	static const char *const names[] = {"in/a.sqlite", "in/noextension", "in/a.nsys-rep",
					    "in/a.sqlite.gz", "in/a.qdstrm"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		write_bytes(at(names[i]), SQLITE_HEAD, sizeof(SQLITE_HEAD));
		expect_itself(at(names[i]));
	}
}

static void unknown_content_passes_through(void **state)
{
	(void)state;
	write_text(at("in/a.sqlite"), "hello, this is no database");
	expect_itself(at("in/a.sqlite"));
	write_text(at("in/short"), "\x1f");
	expect_itself(at("in/short"));
}

static void missing_file_is_said(void **state)
{
	struct err e;

	(void)state;
	e = expect_error(at("in/a.sqlite"), NULL, ERR_INPUT, "no such file: '", ".sqlite");
	assert_non_null(strstr(e.message, "/in/a.sqlite'"));
	expect_error(at("in/nowhere/a.sqlite"), NULL, ERR_INPUT, "no such file", "");
	expect_error("", NULL, ERR_INPUT, "no such file: ''", "");
	assert_int_equal(symlink("gone", at("in/link.sqlite")), 0);
	expect_error(at("in/link.sqlite"), NULL, ERR_INPUT, "no such file", "link");
}

static void missing_file_has_a_neighbour(void **state)
{
	(void)state;
	write_text(at("in/one.sqlite"), "x");
	write_text(at("in/two.nsys-rep"), "x");
	write_text(at("in/three.sqlite.gz"), "x");
	expect_error(at("in/one"), NULL, ERR_INPUT, "no such file", "/in/one.sqlite'");
	expect_error(at("in/one.nsys-rep"), NULL, ERR_INPUT, "no such file", "/in/one.sqlite'");
	expect_error(at("in/two"), NULL, ERR_INPUT, "no such file", "/in/two.nsys-rep'");
	expect_error(at("in/two.sqlite"), NULL, ERR_INPUT, "no such file", "/in/two.nsys-rep'");
	expect_error(at("in/two.sqlite.zst"), NULL, ERR_INPUT, "no such", "/in/two.nsys-rep'");
	expect_error(at("in/three.sqlite"), NULL, ERR_INPUT, "no such", "/in/three.sqlite.gz'");
}

static void odd_files_are_refused(void **state)
{
	(void)state;
	expect_error(at("in"), NULL, ERR_INPUT, "is a folder", "gpuwhy profile");
	write_text(at("in/empty.sqlite"), "");
	expect_error(at("in/empty.sqlite"), NULL, ERR_INPUT, "is empty", "again");
	write_text(at("in/empty.nsys-rep"), "");
	expect_error(at("in/empty.nsys-rep"), NULL, ERR_INPUT, "is empty", "again");
	assert_int_equal(mkfifo(at("in/pipe"), 0600), 0);
	expect_error(at("in/pipe"), NULL, ERR_INPUT, "not a regular file", "save it");
	write_text(at("in/a.QDSTRM"), "raw");
	expect_error(at("in/a.QDSTRM"), NULL, ERR_INPUT, "raw recording", "QdstrmImporter");
}

static const char *make_run(const char *id)
{
	char inside[512];

	snprintf(inside, sizeof(inside), "%s/nsys", at(id));
	assert_int_equal(mkdir(at(id), 0700), 0);
	assert_int_equal(mkdir(inside, 0700), 0);
	return at(id);
}

/* A run's folder stands for the traces in it, each once, in the form that is quickest to open. */
static void a_run_is_its_traces(void **state)
{
	struct string_list found = {0};
	struct arena arena = {0};
	SCOPED char *run = mem_strdup(make_run("in/20261118T080000Z-a"));
	struct err e = {0};
	char *sqlite = NULL;

	(void)state;
	expect_error(run, NULL, ERR_INPUT, "has no trace", "manifest.json");
	write_text(at("in/20261118T080000Z-a/nsys/log"), "x");
	write_text(at("in/20261118T080000Z-a/nsys/run.nsys-rep"), "x");
	write_bytes(at("in/20261118T080000Z-a/nsys/run.sqlite"), SQLITE_HEAD, 16);
	assert_int_equal(input_resolve(run, NULL, &sqlite, &e), 0);
	assert_string_equal(sqlite, at("in/20261118T080000Z-a/nsys/run.sqlite"));
	free(sqlite);
	write_bytes(at("in/20261118T080000Z-a/nsys/run.10.sqlite"), SQLITE_HEAD, 16);
	write_text(at("in/20261118T080000Z-a/nsys/run.2.sqlite.zst"), "x");
	write_text(at("in/20261118T080000Z-a/nsys/run.2.nsys-rep"), "x");
	write_text(at("in/20261118T080000Z-a/nsys/run.2.sqlite.zst.half"), "x");
	assert_int_equal(run_traces_find(run, &arena, &found, &e), 0);
	assert_int_equal(found.count, 3);
	assert_string_equal(str_last_part(found.all[0]), "run.sqlite");
	assert_string_equal(str_last_part(found.all[1]), "run.2.sqlite.zst");
	assert_string_equal(str_last_part(found.all[2]), "run.10.sqlite");
	expect_error(run, NULL, ERR_INPUT, "3 traces", "run.sqlite'");
	/* The folder above names the last of its runs, one with traces of its own names these. */
	make_run("in/20261118T090000Z-b");
	expect_error(at("in"), NULL, ERR_INPUT, "not that of a run", "20261118T080000Z-a'");
	write_text(at("in/20261118T090000Z-b/nsys/run.nsys-rep"), "x");
	expect_error(at("in"), NULL, ERR_INPUT, "not that of a run", "20261118T090000Z-b'");
	expect_error(at("in/20261118T080000Z-a/nsys"), NULL, ERR_INPUT, "not that of a run",
		     "nsys/run.sqlite'");
	string_list_free(&found);
	arena_free(&arena);
}

static void a_run_gives_its_traces_their_names(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_string_equal(run_traces_name("runs/a/nsys/run.sqlite.zst", &arena), "a");
	assert_string_equal(run_traces_name("/a//nsys/run_node0_task1.sqlite", &arena),
			    "a/run_node0_task1");
	assert_string_equal(run_traces_name("./nsys/run.sqlite", &arena), "run.sqlite");
	assert_string_equal(run_traces_name("nsys/run.sqlite", &arena), "run.sqlite");
	assert_string_equal(run_traces_name("nsys.d/run.sqlite", &arena), "run.sqlite");
	assert_string_equal(run_traces_name("run.sqlite", &arena), "run.sqlite");
	assert_true(str_eq(run_traces_folder("runs/a/nsys/b.sqlite"), STR_LIT("runs/a")));
	assert_int_equal(run_traces_folder("a/b.sqlite").len, 0);
	arena_free(&arena);
}

static int resolve_unreadable(void)
{
	struct err e = {0};
	char *found;

	if (input_resolve(at("in/a.sqlite"), NULL, &found, &e) == 0)
		return 1;
	return e.code == ERR_SYSTEM && strstr(e.message, "Permission denied") ? 0 : 2;
}

static void unreadable_file_is_refused(void **state)
{
	(void)state;
	write_bytes(at("in/a.sqlite"), SQLITE_HEAD, sizeof(SQLITE_HEAD));
	chmod(at("in/a.sqlite"), 0);
	assert_int_equal(run_apart(resolve_unreadable, true), 0);
}

/* Compressed files. */

/* Something like a database: a head, then bytes that compress a little. */
static struct buf make_database(size_t len)
{
	struct buf b = {0};
	uint32_t x = 1;

	buf_add(&b, SQLITE_HEAD, sizeof(SQLITE_HEAD));
	while (b.len < len) {
		x = x * 1664525 + 1013904223;
		buf_addc(&b, (char)(x >> 24 & 0x3f));
	}
	return b;
}

static void add_gzip(struct buf *out, const void *bytes, size_t len)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	z.next_in = (Bytef *)bytes;
	z.avail_in = (uInt)len;
	z.avail_out = (uInt)deflateBound(&z, len) + 64;
	z.next_out = (Bytef *)buf_reserve(out, z.avail_out);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len += z.total_out;
	deflateEnd(&z);
}

static void add_zstd(struct buf *out, const void *bytes, size_t len)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t bound = ZSTD_compressBound(len), got;

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	got = ZSTD_compress2(c, buf_reserve(out, bound), bound, bytes, len);
	assert_false(ZSTD_isError(got));
	out->len += got;
	ZSTD_freeCCtx(c);
}

typedef void add_packed(struct buf *out, const void *bytes, size_t len);

static void check_round_trip(add_packed *add, const char *name, size_t len)
{
	struct buf plain = make_database(len), packed = {0};

	add(&packed, plain.s, plain.len);
	write_bytes(at(name), packed.s, packed.len);
	expect_content(at(name), NULL, plain.s, plain.len);
	/* The second time it is there already. */
	expect_content(at(name), NULL, plain.s, plain.len);
	assert_int_equal(count_files(at("cache")), 1);
	buf_free(&plain);
	buf_free(&packed);
}

static void packed_files_round_trip(void **state)
{
	/* Around the sizes of the buffers, which are powers of two. */
	static const size_t lengths[] = {16, 17, 1 << 20, (1 << 20) + 1, 2 << 20, 5000000};
	const size_t count = getenv("QUICK") ? 4 : ARRAY_LEN(lengths);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		/* The same file each time: what it was before leaves the cache. */
		check_round_trip(add_gzip, "in/g.sqlite.gz", lengths[i]);
		remove_world(NULL);
		make_world(NULL);
		check_round_trip(add_zstd, "in/z", lengths[i]);
		remove_world(NULL);
		make_world(NULL);
	}
}

static void check_pieces(add_packed *add)
{
	struct buf plain = make_database(300000), packed = {0};

	add(&packed, plain.s, 5);
	add(&packed, plain.s + 5, 0);
	add(&packed, plain.s + 5, 200000);
	add(&packed, plain.s + 200005, plain.len - 200005);
	write_bytes(at("in/pieces"), packed.s, packed.len);
	expect_content(at("in/pieces"), NULL, plain.s, plain.len);
	buf_free(&plain);
	buf_free(&packed);
}

static void packed_files_may_come_in_pieces(void **state)
{
	(void)state;
	check_pieces(add_gzip);
	check_pieces(add_zstd);
	assert_int_equal(count_files(at("cache")), 1);
}

static void gzip_may_be_padded_with_zeros(void **state)
{
	struct buf plain = make_database(1000), packed = {0};

	(void)state;
	add_gzip(&packed, plain.s, plain.len);
	buf_addn(&packed, '\0', 300000);
	write_bytes(at("in/padded.gz"), packed.s, packed.len);
	expect_content(at("in/padded.gz"), NULL, plain.s, plain.len);
	buf_free(&plain);
	buf_free(&packed);
}

static void check_cuts(add_packed *add, const char *format)
{
	struct buf plain = make_database(3000), packed = {0};

	add(&packed, plain.s, plain.len);
	for (size_t len = 4; len < packed.len; len += len < 40 || len > packed.len - 20 ? 1 : 97) {
		struct err e;

		write_bytes(at("in/cut"), packed.s, len);
		e = expect_error(at("in/cut"), NULL, ERR_INPUT, "/in/cut' is cut short", "again");
		assert_non_null(strstr(e.message, format));
	}
	buf_adds(&packed, "garbage at the end");
	write_bytes(at("in/cut"), packed.s, packed.len);
	expect_error(at("in/cut"), NULL, ERR_INPUT, "/in/cut' is not a valid", "");
	buf_free(&plain);
	buf_free(&packed);
}

static void truncated_files_are_refused(void **state)
{
	(void)state;
	check_cuts(add_gzip, "gzip");
	check_cuts(add_zstd, "zstd");
}

/* A damaged file gives an error that names it, or (damage that means nothing) all its content. */
static void check_damage(add_packed *add)
{
	struct buf plain = make_database(2000), packed = {0};
	const size_t step = getenv("QUICK") ? 91 : 13;
	size_t errors = 0;

	add(&packed, plain.s, plain.len);
	for (size_t i = 4; i < packed.len; i += i < 32 ? 1 : step) {
		struct err e = {0};
		char *found;

		packed.s[i] ^= 0x55;
		write_bytes(at("in/damaged"), packed.s, packed.len);
		packed.s[i] ^= 0x55;
		if (input_resolve(at("in/damaged"), NULL, &found, &e) == 0) {
			free(found);
			expect_content(at("in/damaged"), NULL, plain.s, plain.len);
		} else {
			assert_int_equal(e.code, ERR_INPUT);
			assert_non_null(strstr(e.message, "/in/damaged'"));
			errors++;
		}
	}
	assert_true(errors > 20);
	buf_free(&plain);
	buf_free(&packed);
}

static void damaged_files_are_refused(void **state)
{
	(void)state;
	check_damage(add_gzip);
	check_damage(add_zstd);
}

static void packed_other_things_are_refused(void **state)
{
	static const char *const texts[] = {"", "SQLite", "SQLite format 2 and more text here"};
	add_packed *const adders[] = {add_gzip, add_zstd};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts) * 2; i++) {
		struct buf packed = {0};

		adders[i % 2](&packed, texts[i / 2], strlen(texts[i / 2]));
		write_bytes(at("in/other.gz"), packed.s, packed.len);
		expect_error(at("in/other.gz"), NULL, ERR_INPUT, "is not a SQLite file",
			     ".nsys-rep");
		buf_free(&packed);
	}
}

static void write_bomb(const char *path)
{
	struct buf plain = {0}, packed = {0};

	buf_add(&plain, SQLITE_HEAD, sizeof(SQLITE_HEAD));
	buf_addn(&plain, '\0', 200 << 20);
	add_zstd(&packed, plain.s, plain.len);
	write_bytes(path, packed.s, packed.len);
	buf_free(&plain);
	buf_free(&packed);
}

static int resolve_bomb(const char *message)
{
	struct err e = {0};
	char *found;

	if (input_resolve(at("in/bomb.zst"), NULL, &found, &e) == 0)
		return 1;
	if (e.code != ERR_SYSTEM || !strstr(e.hint, "GPUWHY_CACHE_DIR"))
		return 2;
	if (!strstr(e.message, message) || !strstr(e.message, "/in/bomb.zst'"))
		return 4;
	return count_files(at("cache")) == 0 ? 0 : 3;
}

static int resolve_bomb_with_size_limit(void)
{
	struct rlimit limit = {10 << 20, 10 << 20};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	return resolve_bomb("File too large");
}

static void failed_writes_leave_nothing(void **state)
{
	(void)state;
	write_bomb(at("in/bomb.zst"));
	assert_int_equal(run_apart(resolve_bomb_with_size_limit, false), 0);
}

static int resolve_bomb_on_small_disk(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", at("cache"), "tmpfs", 0, "size=128m") < 0)
		return NOT_POSSIBLE;
	return resolve_bomb("nearly full");
}

static void full_disk_leaves_nothing(void **state)
{
	(void)state;
	write_bomb(at("in/bomb.zst"));
	assert_int_equal(run_apart(resolve_bomb_on_small_disk, false), 0);
}

/* Reports. */

static void report_is_exported_once(void **state)
{
	static const char *const names[] = {"in/a.nsys-rep", "in/b.qdrep", "in/c.NSYS-REP"};

	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		write_text(at(names[i]), names[i]);
		expect_export(at(names[i]), NULL, names[i]);
		expect_export(at(names[i]), NULL, names[i]);
		assert_int_equal(count_calls(), i + 1);
		assert_int_equal(count_files(at("cache")), i + 1);
	}
}

static void nsys_is_called_as_documented(void **state)
{
	struct buf calls;

	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	write_text(at("in/my run.nsys-rep"), "x");
	expect_export(at("in/my run.nsys-rep"), NULL, "x");
	calls = read_bytes(at("log/calls"));
	buf_addc(&calls, '\0');
	assert_non_null(strstr(calls.s, " export --type=sqlite --force-overwrite=true --output="));
	assert_non_null(strstr(calls.s, "/cache/"));
	assert_non_null(strstr(calls.s, "/in/my run.nsys-rep\n"));
	buf_free(&calls);
}

/* Payloads are asked for where the help of this nsys names the option, and not a longer one. */
static void export_keeps_payloads(void **state)
{
	static const char *const helps[] = {"	--include-blobs=\n", "	--include-blobs-of=\n",
					    "--include-blobs"};
	struct buf calls;

	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	for (size_t i = 0; i < ARRAY_LEN(helps); i++) {
		write_text(at("log/help"), helps[i]);
		write_text(at("in/a.nsys-rep"), helps[i]);
		unlink(at("log/calls"));
		expect_export(at("in/a.nsys-rep"), NULL, helps[i]);
		calls = read_bytes(at("log/calls"));
		buf_addc(&calls, '\0');
		assert_int_equal(strstr(calls.s, " --include-blobs=true --output=") != NULL,
				 i != 1);
		buf_free(&calls);
	}
}

/* An earlier gpuwhy's has none: it is replaced where there is an nsys, and serves where not. */
static void export_without_payloads_is_replaced(void **state)
{
	char *old = NULL, *made;
	struct err e;

	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	write_text(at("in/a.nsys-rep"), "x");
	assert_int_equal(cache_make(at("in/a.nsys-rep"), CACHE_WITHOUT_PAYLOADS, nsys_export,
				    at("bin/nsys"), &old, &e),
			 0);
	rename(at("bin/nsys"), at("bin/gone"));
	expect_export(at("in/a.nsys-rep"), NULL, "x");
	assert_int_equal(count_calls(), 1);
	rename(at("bin/gone"), at("bin/nsys"));
	made = resolve(at("in/a.nsys-rep"), NULL);
	assert_string_not_equal(made, old);
	assert_int_equal(count_calls(), 2);
	assert_int_equal(count_files(at("cache")), 1);
	free(made);
	free(old);
}

static void cached_export_needs_no_nsys(void **state)
{
	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	write_text(at("in/a.nsys-rep"), "x");
	expect_export(at("in/a.nsys-rep"), NULL, "x");
	unlink(at("bin/nsys"));
	expect_export(at("in/a.nsys-rep"), NULL, "x");
}

static void changed_report_is_exported_again(void **state)
{
	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	write_text(at("in/a.nsys-rep"), "one");
	write_text(at("in/ab.nsys-rep"), "another");
	expect_export(at("in/ab.nsys-rep"), NULL, "another");
	expect_export(at("in/a.nsys-rep"), NULL, "one");
	write_text(at("in/a.nsys-rep"), "two");
	expect_export(at("in/a.nsys-rep"), NULL, "two");
	assert_int_equal(count_calls(), 3);
	/* The export of what it was is gone, other reports' stay. */
	assert_int_equal(count_files(at("cache")), 2);
	expect_export(at("in/ab.nsys-rep"), NULL, "another");
	assert_int_equal(count_calls(), 3);
}

static void broken_cached_file_is_made_again(void **state)
{
	char *found;

	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	write_text(at("in/a.nsys-rep"), "x");
	found = resolve(at("in/a.nsys-rep"), NULL);
	write_text(found, "");
	free(found);
	expect_export(at("in/a.nsys-rep"), NULL, "x");
}

static void odd_names_are_handled(void **state)
{
	char here[512];

	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(at("in")), 0);
	write_text("-rf.nsys-rep", "dash");
	write_text("é\n'$(x).nsys-rep", "odd");
	expect_export("-rf.nsys-rep", NULL, "dash");
	expect_export("é\n'$(x).nsys-rep", NULL, "odd");
	assert_int_equal(chdir(here), 0);
	assert_int_equal(count_files(at("in")), 2);
}

static void work_left_by_a_killed_run_is_swept(void **state)
{
	struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	(void)state;
	mkdir(at("cache/.tmp-old"), 0700);
	write_text(at("cache/.tmp-old/made.sqlite"), "half");
	utimensat(AT_FDCWD, at("cache/.tmp-old"), old, 0);
	mkdir(at("cache/.tmp-new"), 0700);
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	write_text(at("in/a.nsys-rep"), "x");
	expect_export(at("in/a.nsys-rep"), NULL, "x");
	assert_int_not_equal(access(at("cache/.tmp-old"), F_OK), 0);
	assert_int_equal(access(at("cache/.tmp-new"), F_OK), 0);
}

/* Finding nsys. */

static void no_nsys_is_explained(void **state)
{
	struct err e;

	(void)state;
	write_text(at("in/a.nsys-rep"), "x");
	write_text(at("bin/nsys"), "not executable");
	e = expect_error(at("in/a.nsys-rep"), NULL, ERR_INPUT,
			 "/in/a.nsys-rep' is a report that only NVIDIA's nsys can open, "
			 "and nsys was not found",
			 "nsys export --type sqlite -o a.sqlite a.nsys-rep");
	assert_non_null(strstr(e.hint, "--nsys PATH"));
}

static void named_nsys_is_checked(void **state)
{
	(void)state;
	write_text(at("in/a.nsys-rep"), "x");
	write_text(at("in/text"), "x");
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	expect_error(at("in/a.nsys-rep"), at("in/none"), ERR_USAGE, "does not exist", "nsys");
	expect_error(at("in/a.nsys-rep"), at("in/text"), ERR_USAGE, "not an executable", "nsys");
	expect_error(at("in/a.nsys-rep"), at("bin"), ERR_USAGE, "is a folder", "nsys");
	assert_int_equal(count_calls(), 0);
}

static void named_nsys_comes_before_path(void **state)
{
	(void)state;
	write_text(at("in/a.nsys-rep"), "x");
	write_nsys(at("bin/nsys"), "exit 1");
	write_nsys(at("in/mine"), GOOD_EXPORT);
	expect_export(at("in/a.nsys-rep"), at("in/mine"), "x");
}

static void path_comes_before_install_folders(void **state)
{
	struct buf path = {0};

	(void)state;
	buf_addf(&path, ":.:/nonexistent:%s", at("bin"));
	setenv("PATH", path.s, 1);
	setenv("GPUWHY_NSYS_SEARCH", at("log"), 1);
	write_text(at("in/a.nsys-rep"), "x");
	write_nsys(at("log/nsys"), "exit 1");
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	expect_export(at("in/a.nsys-rep"), NULL, "x");
	buf_free(&path);
}

static void relative_path_entries_are_not_trusted(void **state)
{
	char here[512];

	(void)state;
	setenv("PATH", ":.:", 1);
	write_nsys(at("in/nsys"), GOOD_EXPORT);
	write_text(at("in/a.nsys-rep"), "x");
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(at("in")), 0);
	expect_error("a.nsys-rep", NULL, ERR_INPUT, "nsys was not found", "");
	assert_int_equal(chdir(here), 0);
	assert_int_equal(count_calls(), 0);
}

static void install(const char *folder, const char *body)
{
	struct buf path = {0};

	buf_addf(&path, "%s/%s", at("bin"), folder);
	assert_int_equal(mkdir(path.s, 0755), 0);
	buf_adds(&path, "/nsys");
	write_nsys(path.s, body);
	buf_free(&path);
}

static void newest_install_is_taken(void **state)
{
	struct buf places = {0};

	(void)state;
	install("2023.9.9", "exit 1");
	install("2024.10.1", GOOD_EXPORT);
	install("2024.9.3", "exit 1");
	install("2024.2.11", "exit 1");
	install("cuda-12.8", "exit 1");
	install("unversioned", "exit 1");
	buf_addf(&places, "%s/cuda*/nsys:%s/unversioned::%s/20*", at("bin"), at("bin"), at("bin"));
	setenv("GPUWHY_NSYS_SEARCH", places.s, 1);
	write_text(at("in/a.nsys-rep"), "x");
	expect_export(at("in/a.nsys-rep"), NULL, "x");
	assert_int_equal(count_calls(), 1);
	buf_free(&places);
}

/* nsys that does not do its work. */

static void expect_nsys_error(const char *body, const char *message)
{
	struct err e;

	write_text(at("in/a.nsys-rep"), "x");
	write_nsys(at("bin/nsys"), body);
	e = expect_error(at("in/a.nsys-rep"), NULL, ERR_INPUT, message, "--nsys PATH");
	assert_non_null(strstr(e.message, "nsys could not export '"));
	for (const char *p = e.message; *p; p++)
		assert_true((unsigned char)*p >= 0x20);
}

static void nsys_failures_are_quoted(void **state)
{
	(void)state;
	expect_nsys_error("echo 'Unsupported version' >&2; exit 3",
			  "failed with exit code 3; its output: Unsupported version");
	expect_nsys_error("exit 0", "wrote no SQLite file; its output: nothing");
	expect_nsys_error("echo fine > \"$out\"", "wrote no SQLite file");
	expect_nsys_error("echo one; printf '10%%\\r20%%\\r\\n\\n'; echo two; kill -15 $$",
			  "killed by signal 15; its output: one / 20% / two");
	expect_nsys_error(GOOD_EXPORT "; touch \"$out-journal\"; exit 1", "exit code 1");
	expect_nsys_error("printf '\\033[31mred\\007\\377'; exit 1", "\\x1b[31mred");
}

/* Nobody but the system kills an nsys so: the report may be fine. */
static void nsys_may_lack_memory(void **state)
{
	(void)state;
	write_text(at("in/a.nsys-rep"), "x");
	write_nsys(at("bin/nsys"), "echo one; kill -9 $$");
	expect_error(at("in/a.nsys-rep"), NULL, ERR_SYSTEM, "killed by signal 9; its output: one",
		     "out of memory");
}

static void nsys_may_say_a_lot(void **state)
{
	(void)state;
	expect_nsys_error("i=0; while [ $i -lt 5000 ]; do echo \"line $i of many\"; i=$((i+1)); "
			  "done; exit 1",
			  "line 4998 of many / line 4999 of many");
	write_nsys(at("bin/nsys"), "yes | head -c 1000000; " GOOD_EXPORT);
	expect_export(at("in/a.nsys-rep"), NULL, "x");
}

static void nsys_children_do_not_hold_us_up(void **state)
{
	(void)state;
	write_text(at("in/a.nsys-rep"), "x");
	write_nsys(at("bin/nsys"), GOOD_EXPORT "; sleep 5 &");
	alarm(4);
	expect_export(at("in/a.nsys-rep"), NULL, "x");
	alarm(0);
}

static void nsys_that_cannot_start_is_said(void **state)
{
	struct err e = {0};
	char *found;

	(void)state;
	write_text(at("in/a.nsys-rep"), "x");
	write_text(at("bin/nsys"), "\x7f neither a program nor a script");
	chmod(at("bin/nsys"), 0755);
	assert_int_equal(input_resolve(at("in/a.nsys-rep"), NULL, &found, &e), -1);
	/* Under valgrind posix_spawn cannot tell, and the child ends with 127. */
	if (!strstr(e.message, "exit code 127")) {
		assert_int_equal(e.code, ERR_SYSTEM);
		assert_non_null(strstr(e.message, "/bin/nsys': Exec format error"));
	}
	assert_int_equal(count_files(at("cache")), 0);
}

static void report_changing_meanwhile_is_refused(void **state)
{
	(void)state;
	write_text(at("in/a.nsys-rep"), "x");
	write_nsys(at("bin/nsys"), GOOD_EXPORT "; echo more >> \"$report\"");
	expect_error(at("in/a.nsys-rep"), NULL, ERR_INPUT, "changed while", "again");
}

static int resolve_report(void)
{
	struct err e = {0};
	char *found = NULL;

	input_resolve(at("in/a.nsys-rep"), NULL, &found, &e);
	free(found);
	return (int)e.code;
}

/* Waits for the file that says that the program has begun; returns the number in it. */
static pid_t wait_for_pid(const char *path)
{
	struct buf b;
	pid_t pid;

	for (int i = 0; i < 1000 && access(path, F_OK) != 0; i++)
		poll(NULL, 0, 10);
	b = read_bytes(path);
	buf_addc(&b, '\0');
	pid = atoi(b.s);
	buf_free(&b);
	return pid;
}

static void check_interrupt(const char *body, int signal_number)
{
	pid_t pid, nsys;
	int status;

	write_nsys(at("bin/nsys"), body);
	pid = fork();
	if (pid == 0)
		_exit(resolve_report());
	nsys = wait_for_pid(at("log/pid"));
	assert_int_equal(count_files(at("cache")), 1);
	assert_int_equal(kill(pid, signal_number), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), signal_number);
	assert_true(kill(nsys, 0) < 0 && errno == ESRCH);
	assert_int_equal(count_files(at("cache")), 0);
	unlink(at("log/pid"));
}

static void interrupt_kills_nsys_and_cleans_up(void **state)
{
	struct buf hang = {0}, deaf = {0};

	(void)state;
	write_text(at("in/a.nsys-rep"), "x");
	buf_addf(&hang, "echo half > \"$out\"; echo $$ > '%s.new'; mv '%s.new' '%s'; exec sleep 60",
		 at("log/pid"), at("log/pid"), at("log/pid"));
	buf_addf(&deaf, "trap '' TERM; %s", hang.s);
	check_interrupt(hang.s, SIGINT);
	check_interrupt(hang.s, SIGTERM);
	check_interrupt(deaf.s, SIGINT);
	buf_free(&hang);
	buf_free(&deaf);
}

/* The cache folder. */

static void cache_folder_follows_the_environment(void **state)
{
	char *found;
	struct stat st;

	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	write_text(at("in/a.nsys-rep"), "x");
	unsetenv("GPUWHY_CACHE_DIR");
	setenv("XDG_CACHE_HOME", at("log/xdg"), 1);
	setenv("HOME", at("log/home"), 1);
	found = resolve(at("in/a.nsys-rep"), NULL);
	assert_memory_equal(found, at("log/xdg/gpuwhy/a-"), strlen(at("log/xdg/gpuwhy/a-")));
	free(found);
	assert_int_equal(stat(at("log/xdg/gpuwhy"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	setenv("XDG_CACHE_HOME", "relative", 1);
	found = resolve(at("in/a.nsys-rep"), NULL);
	assert_non_null(strstr(found, "/log/home/.cache/gpuwhy/a-"));
	free(found);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	expect_error(at("in/a.nsys-rep"), NULL, ERR_SYSTEM, "no cache folder", "GPUWHY_CACHE_DIR");
}

static int resolve_without_cache(void)
{
	struct err e = {0};
	char *found;

	if (input_resolve(at("in/a.nsys-rep"), NULL, &found, &e) == 0)
		return 1;
	if (e.code != ERR_SYSTEM || !strstr(e.message, "cache folder"))
		return 2;
	return strstr(e.message, "Permission denied") && strstr(e.hint, "GPUWHY_CACHE_DIR") ? 0 : 3;
}

static void unwritable_cache_is_said(void **state)
{
	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	write_text(at("in/a.nsys-rep"), "x");
	chmod(at("cache"), 0555);
	assert_int_equal(run_apart(resolve_without_cache, true), 0);
	setenv("GPUWHY_CACHE_DIR", at("cache/deeper/still"), 1);
	assert_int_equal(run_apart(resolve_without_cache, true), 0);
	assert_int_equal(count_calls(), 0);
}

static void cache_that_is_a_file_is_said(void **state)
{
	(void)state;
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	write_text(at("in/a.nsys-rep"), "x");
	setenv("GPUWHY_CACHE_DIR", at("in/a.nsys-rep"), 1);
	expect_error(at("in/a.nsys-rep"), NULL, ERR_SYSTEM, "cache folder", "GPUWHY_CACHE_DIR");
}

static void input_folder_stays_as_it_was(void **state)
{
	struct buf plain = make_database(1000), packed = {0}, after;
	struct stat before_in, after_in, before_file, after_file;

	(void)state;
	add_gzip(&packed, plain.s, plain.len);
	write_bytes(at("in/b.sqlite.gz"), packed.s, packed.len);
	write_text(at("in/a.nsys-rep"), "the report");
	write_nsys(at("bin/nsys"), GOOD_EXPORT);
	chmod(at("in/a.nsys-rep"), 0444);
	chmod(at("in"), 0555);
	stat(at("in"), &before_in);
	stat(at("in/a.nsys-rep"), &before_file);
	assert_int_equal(run_apart(resolve_report, true), 0);
	expect_content(at("in/b.sqlite.gz"), NULL, plain.s, plain.len);
	stat(at("in"), &after_in);
	stat(at("in/a.nsys-rep"), &after_file);
	assert_memory_equal(&before_in.st_mtim, &after_in.st_mtim, sizeof(after_in.st_mtim));
	assert_memory_equal(&before_file.st_mtim, &after_file.st_mtim, sizeof(after_in.st_mtim));
	assert_int_equal(count_files(at("in")), 2);
	after = read_bytes(at("in/a.nsys-rep"));
	assert_int_equal(after.len, strlen("the report"));
	assert_memory_equal(after.s, "the report", after.len);
	buf_free(&after);
	buf_free(&plain);
	buf_free(&packed);
}

/* Many at once. */

enum { PROCESSES = 4, THREADS = 4 };

struct resolving {
	char path[512];
	char *found;
};

static void *resolve_in_thread(void *arg)
{
	struct resolving *r = arg;
	struct err e = {0};

	if (input_resolve(r->path, NULL, &r->found, &e) < 0)
		r->found = NULL;
	return NULL;
}

static int resolve_in_threads(void)
{
	struct resolving r[THREADS] = {0};
	pthread_t threads[THREADS];
	int bad = 0;

	for (int i = 0; i < THREADS; i++) {
		snprintf(r[i].path, sizeof(r[i].path), "%s", at("in/a.nsys-rep"));
		pthread_create(&threads[i], NULL, resolve_in_thread, &r[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		bad |= !r[i].found || !r[0].found || strcmp(r[i].found, r[0].found) != 0;
	}
	for (int i = 0; i < THREADS; i++)
		free(r[i].found);
	return bad;
}

static void many_at_once_are_safe(void **state)
{
	pid_t pids[PROCESSES];

	(void)state;
	write_nsys(
		at("bin/nsys"),
		"printf 'SQLite format 3\\000' > \"$out\"; sleep 0.3; cat \"$report\" >> \"$out\"");
	write_text(at("in/a.nsys-rep"), "shared");
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(resolve_in_threads());
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(count_files(at("cache")), 1);
	expect_export(at("in/a.nsys-rep"), NULL, "shared");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_world, remove_world)

int input_tests(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sqlite_stands_for_itself),
		TEST(unknown_content_passes_through),
		TEST(missing_file_is_said),
		TEST(missing_file_has_a_neighbour),
		TEST(odd_files_are_refused),
		TEST(a_run_is_its_traces),
		TEST(a_run_gives_its_traces_their_names),
		TEST(unreadable_file_is_refused),
		TEST(packed_files_round_trip),
		TEST(packed_files_may_come_in_pieces),
		TEST(gzip_may_be_padded_with_zeros),
		TEST(truncated_files_are_refused),
		TEST(damaged_files_are_refused),
		TEST(packed_other_things_are_refused),
		TEST(failed_writes_leave_nothing),
		TEST(full_disk_leaves_nothing),
		TEST(report_is_exported_once),
		TEST(nsys_is_called_as_documented),
		TEST(cached_export_needs_no_nsys),
		TEST(export_keeps_payloads),
		TEST(export_without_payloads_is_replaced),
		TEST(changed_report_is_exported_again),
		TEST(broken_cached_file_is_made_again),
		TEST(odd_names_are_handled),
		TEST(work_left_by_a_killed_run_is_swept),
		TEST(no_nsys_is_explained),
		TEST(named_nsys_is_checked),
		TEST(named_nsys_comes_before_path),
		TEST(path_comes_before_install_folders),
		TEST(relative_path_entries_are_not_trusted),
		TEST(newest_install_is_taken),
		TEST(nsys_failures_are_quoted),
		TEST(nsys_may_lack_memory),
		TEST(nsys_may_say_a_lot),
		TEST(nsys_children_do_not_hold_us_up),
		TEST(nsys_that_cannot_start_is_said),
		TEST(report_changing_meanwhile_is_refused),
		TEST(interrupt_kills_nsys_and_cleans_up),
		TEST(cache_folder_follows_the_environment),
		TEST(unwritable_cache_is_said),
		TEST(cache_that_is_a_file_is_said),
		TEST(input_folder_stays_as_it_was),
		TEST(many_at_once_are_safe),
	};

	return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}

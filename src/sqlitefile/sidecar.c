/* Does a log beside the file hold part of it, and how is that read without touching either? */
#include "base/file.h"
#include "base/mem.h"
#include "sqlitefile/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

static void add_path(struct buf *b, const char *path, const char *suffix)
{
	buf_clear(b);
	buf_adds(b, path);
	buf_adds(b, suffix);
}

static bool is_wal_hot(struct sqlitefile *f)
{
	SCOPED_BUF path = {0};
	struct stat st;

	add_path(&path, f->real_path, "-wal");
	if (stat(path.s, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return false;
	f->sidecar.bytes += (uint64_t)st.st_size;
	return true;
}

/*
 * A journal that ends in this magic names a second file, which SQLite would follow and even
 * delete: it is never given one.
 */
static int check_journal(const struct sqlitefile *f, int fd, off_t size, struct err *e)
{
	static const uint8_t magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	uint8_t last[8];

	if (size < (off_t)sizeof(last) ||
	    pread(fd, last, sizeof(last), size - 8) != (ssize_t)sizeof(last) ||
	    memcmp(last, magic, sizeof(magic)) != 0)
		return 0;
	err_set(e, ERR_INPUT, "'%s' has an unfinished transaction over several databases", f->path);
	return err_hint(e, "open it once with sqlite3 where it was written, or export again");
}

static int find_journal(struct sqlitefile *f, struct err *e)
{
	SCOPED_BUF path = {0};
	struct stat st;
	SCOPED_FD fd = -1;
	char first = 0;

	add_path(&path, f->real_path, "-journal");
	if (stat(path.s, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	fd = open(path.s, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set_errno(e, "cannot open '%s'", path.s);
	/* A finished one may stay with its header zeroed. */
	f->sidecar.has_journal = pread(fd, &first, 1, 0) == 1 && first != 0;
	if (!f->sidecar.has_journal)
		return 0;
	f->sidecar.bytes += (uint64_t)st.st_size;
	return check_journal(f, fd, st.st_size, e);
}

int sidecar_find(struct sqlitefile *f, struct err *e)
{
	if (find_journal(f, e) < 0)
		return -1;
	f->sidecar.has_wal = is_wal_hot(f);
	if (f->sidecar.has_journal)
		f->declined = "it has a hot journal";
	else if (f->sidecar.has_wal)
		f->declined = "it has a write-ahead log";
	return 0;
}

static int copy_bytes(int from, int to)
{
	ssize_t n;

	do
		n = sendfile(to, from, NULL, 1 << 30);
	while (n > 0 || (n < 0 && errno == EINTR));
	return (int)n;
}

static int copy_file(const struct sqlitefile *f, const char *suffix, struct err *e)
{
	SCOPED_BUF from = {0}, to = {0};
	SCOPED_FD in = -1, out = -1;

	add_path(&from, f->real_path, suffix);
	add_path(&to, f->sidecar.database, suffix);
	in = open(from.s, O_RDONLY | O_CLOEXEC);
	if (in >= 0)
		out = open(to.s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0 || copy_bytes(in, out) < 0)
		return err_set_errno(e, "cannot copy '%s' to '%s'", from.s, to.s);
	return 0;
}

/* Those that are on disk, for a program that ends at once. */
static pthread_mutex_t copies_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sidecar *copies;

static void list_copy(struct sidecar *s)
{
	s->next = copies;
	s->from = &copies;
	if (copies)
		copies->from = &s->next;
	copies = s;
}

/* Names of its folder and file; false: errno says why there is none. */
static bool make_folder(struct sidecar *s)
{
	const char *base = getenv("TMPDIR");
	SCOPED_BUF path = {0};

	buf_addf(&path, "%s/gpuwhy-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(path.s))
		return false;
	s->folder = mem_strdup(path.s);
	buf_adds(&path, "/copy.sqlite");
	s->database = mem_strdup(path.s);
	list_copy(s);
	return true;
}

int sidecar_copy(struct sqlitefile *f, struct err *e)
{
	struct sidecar *s = &f->sidecar;
	bool is_made;

	pthread_mutex_lock(&copies_lock);
	is_made = make_folder(s);
	pthread_mutex_unlock(&copies_lock);
	if (!is_made) {
		err_set_errno(e, "cannot create a folder for a copy of '%s'", f->path);
		return err_hint(e, "set TMPDIR to a folder with room for the file");
	}
	if (copy_file(f, "", e) < 0 || (s->has_journal && copy_file(f, "-journal", e) < 0))
		return -1;
	return s->has_wal ? copy_file(f, "-wal", e) : 0;
}

static bool remove_files(const struct sidecar *s)
{
	SCOPED_BUF path = {0};

	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		add_path(&path, s->database, suffixes[i]);
		unlink(path.s);
	}
	return rmdir(s->folder) == 0 || errno != ENOTEMPTY;
}

void sidecar_remove(const struct sidecar *s)
{
	if (s->folder)
		remove_files(s);
}

/* Somebody may be writing another file of it: there is one of each. */
void sidecar_remove_all(void)
{
	pthread_mutex_lock(&copies_lock);
	for (const struct sidecar *s = copies; s; s = s->next) {
		for (size_t i = 0; i <= ARRAY_LEN(suffixes); i++) {
			if (remove_files(s))
				break;
		}
	}
}

void sidecar_free(struct sidecar *s)
{
	pthread_mutex_lock(&copies_lock);
	if (s->from)
		*s->from = s->next;
	if (s->next)
		s->next->from = s->from;
	pthread_mutex_unlock(&copies_lock);
	free(s->database);
	free(s->folder);
}

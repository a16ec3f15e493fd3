/* How do the file's bytes come into memory without ever touching the file? */
#include "base/file.h"
#include "base/mem.h"
#include "sqlitefile/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Pages this close are given back by one call, with what lies between them. */
enum { FORGET_GAP = 16 };

/* The system maps this much around a page that is touched, aligned to itself. */
enum { FAULT_BYTES = 64 * 1024 };

static int check_kind(const struct sqlitefile *f, const struct stat *st, struct err *e)
{
	if (S_ISDIR(st->st_mode)) {
		err_set(e, ERR_INPUT, "'%s' is a folder", f->path);
		return err_hint(e, "give one file inside it");
	}
	if (!S_ISREG(st->st_mode)) {
		err_set(e, ERR_INPUT, "'%s' is a pipe or a device, not a file", f->path);
		return err_hint(e, "save it to a file first: a database needs random access");
	}
	if (st->st_size == 0) {
		err_set(e, ERR_INPUT, "'%s' is an empty file", f->path);
		return err_hint(e, "export again: nsys export --type sqlite");
	}
	return 0;
}

static int fail_open(const struct sqlitefile *f, struct err *e)
{
	if (errno != ENOENT && errno != ENOTDIR)
		return err_set_errno(e, "cannot open '%s'", f->path);
	err_set(e, ERR_INPUT, "'%s': no such file", f->path);
	return err_hint(e, "check the path; to convert a .nsys-rep use: nsys export --type sqlite");
}

/* The reservation comes first, so that whatever follows the file in memory is ours to read. */
static int map_bytes(struct sqlitefile *f, int fd, struct err *e)
{
	void *room, *bytes;

	f->map_size = f->size + MAP_SLACK;
	room = mmap(NULL, f->map_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		    0);
	if (room == MAP_FAILED)
		return err_set_errno(e, "cannot map '%s'", f->path);
	bytes = mmap(room, f->size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	if (bytes == MAP_FAILED) {
		err_set_errno(e, "cannot map '%s'", f->path);
		munmap(room, f->map_size);
		return -1;
	}
	f->map = bytes;
	return 0;
}

int map_open(struct sqlitefile *f, struct err *e)
{
	SCOPED_FD fd = -1;
	struct stat st;

	/* Asked before open() too: merely opening some devices does something. */
	if (stat(f->path, &st) < 0)
		return fail_open(f, e);
	if (check_kind(f, &st, e) < 0)
		return -1;
	fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return fail_open(f, e);
	if (fstat(fd, &st) < 0)
		return err_set_errno(e, "cannot access '%s'", f->path);
	if (check_kind(f, &st, e) < 0)
		return -1;
	f->size = (uint64_t)st.st_size;
	if (map_bytes(f, fd, e) < 0)
		return -1;
	f->real_path = realpath(f->path, NULL);
	if (!f->real_path)
		f->real_path = mem_strdup(f->path);
	return 0;
}

void map_close(struct sqlitefile *f)
{
	if (f->map)
		munmap((void *)f->map, f->map_size);
	free(f->real_path);
}

static void forget(const struct sqlitefile *f, uint32_t first_page, uint32_t last_page)
{
	uintptr_t map = (uintptr_t)f->map;
	uintptr_t begin = map + (uint64_t)(first_page - 1) * f->page_size;
	uintptr_t end = map + (uint64_t)last_page * f->page_size;

	begin = begin / FAULT_BYTES * FAULT_BYTES;
	end = (end + FAULT_BYTES - 1) / FAULT_BYTES * FAULT_BYTES;
	if (begin < map)
		begin = map;
	if (end > map + f->size)
		end = map + f->size;
	/* It only costs memory if the system does not want to. */
	madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void map_forget_pages(const struct sqlitefile *f, const uint32_t *pages, size_t count)
{
	uint32_t first, last;

	if (count == 0)
		return;
	first = last = pages[0];
	for (size_t i = 1; i < count; i++) {
		if (pages[i] < last || pages[i] > last + FORGET_GAP) {
			forget(f, first, last);
			first = pages[i];
		}
		last = pages[i];
	}
	forget(f, first, last);
}

void map_forget_all(const struct sqlitefile *f)
{
	forget(f, 1, f->page_count);
}

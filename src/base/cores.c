/* How many cores may this process keep busy? */
#include "base/cores.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <sched.h>
#include <stdint.h>
#include <unistd.h>

enum { LARGEST = 1 << 24, MOST_CORES = 1 << 16 };

/* Where a hierarchy of control groups lies, and which of them is its root there. */
struct hierarchy {
	struct str root, point;
	bool v2;
};

unsigned cores_of_affinity(void)
{
	/* As many bits as the kernel has, which refuses fewer. */
	for (int bits = 1024; bits <= MOST_CORES; bits *= 2) {
		cpu_set_t *set = CPU_ALLOC(bits);
		size_t size = CPU_ALLOC_SIZE(bits);
		int count = -1;

		if (set && sched_getaffinity(0, size, set) == 0)
			count = CPU_COUNT_S(size, set);
		CPU_FREE(set);
		if (count >= 0)
			return (unsigned)count;
	}
	return 0;
}

/* Digits and nothing else. */
static bool read_number(struct str s, uint64_t *ret)
{
	s = str_trimmed(s);
	*ret = 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.s[i] < '0' || s.s[i] > '9' || *ret > UINT64_MAX / 20)
			return false;
		*ret = *ret * 10 + (uint64_t)(s.s[i] - '0');
	}
	return s.len > 0;
}

/* The text up to a character, which is taken off with it; all of it where it is not there. */
static struct str take_until(struct str *rest, char end)
{
	const char *at = rest->len ? memchr(rest->s, end, rest->len) : NULL;
	struct str part = {rest->s, at ? (size_t)(at - rest->s) : rest->len};
	size_t taken = part.len + (at != NULL);

	rest->s += taken;
	rest->len -= taken;
	return part;
}

unsigned cores_of_quota(struct str quota, struct str period)
{
	uint64_t time, of, cores;

	if (!read_number(quota, &time) || !read_number(period, &of) || !of)
		return 0;
	cores = time / of + (time % of != 0);
	return cores < 1 ? 1 : cores > MOST_CORES ? MOST_CORES : (unsigned)cores;
}

unsigned cores_of_cpu_max(struct str text)
{
	struct str rest = str_trimmed(text), quota = take_until(&rest, ' ');

	return cores_of_quota(quota, rest);
}

/* A file that is not there, or cannot be read, limits nothing. */
static struct str read_text(struct buf *b, const char *path, const char *name)
{
	SCOPED char *whole = file_in(path, name);
	struct err ignored;

	if (file_read(b, whole, LARGEST, &ignored) < 0)
		buf_clear(b);
	return buf_str(b);
}

static unsigned limit_of_group(const char *path, bool v2)
{
	SCOPED_BUF quota = {0}, period = {0};

	if (v2)
		return cores_of_cpu_max(read_text(&quota, path, "cpu.max"));
	return cores_of_quota(read_text(&quota, path, "cpu.cfs_quota_us"),
			      read_text(&period, path, "cpu.cfs_period_us"));
}

static unsigned lesser(unsigned a, unsigned b)
{
	return !a || (b && b < a) ? b : a;
}

static bool has_word(struct str list, const char *word)
{
	while (list.len) {
		if (str_eq(take_until(&list, ','), str_of(word)))
			return true;
	}
	return false;
}

/* The process's group, from lines of "number:controllers:path"; version 2 names no controllers. */
static struct str find_group(struct str groups, bool v2)
{
	while (groups.len) {
		struct str path = take_until(&groups, '\n');
		struct str number = take_until(&path, ':'), list = take_until(&path, ':');

		if (v2 ? str_eq(number, STR_LIT("0")) && !list.len : has_word(list, "cpu"))
			return path;
	}
	return (struct str){0};
}

/*
 * A line of mountinfo: "36 35 98:0 /root /point options [tags] - type source options". Version 1
 * has a hierarchy for each controller, or for some of them.
 */
static bool read_hierarchy(struct str line, struct hierarchy *ret)
{
	struct str type;

	for (int i = 0; i < 3; i++)
		take_until(&line, ' ');
	ret->root = take_until(&line, ' ');
	ret->point = take_until(&line, ' ');
	while (line.len && !str_eq(take_until(&line, ' '), STR_LIT("-")))
		;
	type = take_until(&line, ' ');
	take_until(&line, ' ');
	ret->v2 = str_eq(type, STR_LIT("cgroup2"));
	return ret->v2 || (str_eq(type, STR_LIT("cgroup")) && has_word(line, "cpu"));
}

/* Where the group lies below the mount. A group beyond it, of another namespace, is not seen. */
static struct str below(struct str group, struct str root)
{
	const struct str none = {"", 0};

	if (str_holds(group, "/.."))
		return none;
	if (!str_eq(root, STR_LIT("/"))) {
		if (group.len < root.len || memcmp(group.s, root.s, root.len) != 0)
			return none;
		group.s += root.len;
		group.len -= root.len;
	}
	return group.len > 1 && group.s[0] == '/' ? group : none;
}

/* From the process's group up to the root. */
static unsigned limit_of_hierarchy(const char *root, const struct hierarchy *h, struct str group)
{
	SCOPED_BUF path = {0};
	unsigned cores = 0;
	size_t top;

	buf_adds(&path, root);
	buf_addstr(&path, h->point);
	top = path.len;
	buf_addstr(&path, below(group, h->root));
	for (;;) {
		cores = lesser(cores, limit_of_group(path.s, h->v2));
		if (path.len <= top)
			break;
		while (path.s[--path.len] != '/')
			;
		path.s[path.len] = '\0';
	}
	return cores;
}

unsigned cores_of_groups(const char *root)
{
	SCOPED_BUF own = {0}, mounts = {0}, proc = {0};
	struct str groups, lines;
	unsigned cores = 0;

	buf_addf(&proc, "%s/proc/self", root);
	groups = read_text(&own, proc.s, "cgroup");
	lines = read_text(&mounts, proc.s, "mountinfo");
	while (groups.len && lines.len) {
		struct hierarchy h;
		struct str group;

		if (!read_hierarchy(take_until(&lines, '\n'), &h))
			continue;
		group = find_group(groups, h.v2);
		if (group.len)
			cores = lesser(cores, limit_of_hierarchy(root, &h, group));
	}
	return cores;
}

unsigned cores_usable(void)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned cores = online > 0 ? (unsigned)online : 1;

	return lesser(lesser(cores, cores_of_affinity()), cores_of_groups(""));
}

/* How do result.html and result.csv get into their folder, once both are complete? */
#include "commands/categories/categories.h"

#include "base/file.h"
#include "base/mem.h"
#include "cli/output.h"
#include "report/present.h"
#include "text/decimal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const file_names[] = {"result.html", "result.csv"};

enum { FILES = ARRAY_LEN(file_names) };

static const char csv_head[] = "Model_Engine,Category,Instances,Name,Elapsed Time (sec)\n";

enum { PS = 1000 }; /* in a nanosecond */

/*
 * What GPUs cannot share evenly has no end of digits: it is written to the picosecond, each row as
 * what it adds to the rows above, rounded down. So rows sum up to the run's time, and those of a
 * category to its own, to the last digit.
 */
struct csv_sum {
	uint64_t gpus;
	int64_t total_ns; /* over all GPUs */
	int64_t whole_ns; /* the mean of that, as it is written */
	int ps;
};

/* A time of whole nanoseconds and picoseconds. */
static struct mean time_of(int64_t whole_ns, int ps)
{
	if (ps < 0)
		return (struct mean){sat_sub(whole_ns, 1), (uint64_t)(ps + PS), PS};
	return (struct mean){whole_ns, (uint64_t)ps, PS};
}

static struct mean csv_next(struct csv_sum *s, int64_t ns)
{
	const struct csv_sum before = *s;

	s->total_ns = sat_add(s->total_ns, ns);
	s->whole_ns = s->total_ns / (int64_t)s->gpus;
	s->ps = (int)((uint64_t)(s->total_ns % (int64_t)s->gpus) * PS / s->gpus);
	return time_of(s->whole_ns - before.whole_ns, s->ps - before.ps);
}

/* What is left of the elapsed time. */
static struct mean csv_last(const struct csv_sum *s, const struct category_run *run)
{
	if (run->elapsed_ns < s->whole_ns || (run->elapsed_ns == s->whole_ns && s->ps))
		return time_of(0, 0);
	return time_of(sat_sub(run->elapsed_ns, s->whole_ns), -s->ps);
}

static void add_seconds(struct buf *b, struct mean m)
{
	decimal_add_int(b, m.whole_ns / 1000000000);
	buf_addc(b, '.');
	decimal_add_padded(b, (uint64_t)(m.whole_ns % 1000000000), 9);
	if (m.part)
		decimal_add_padded(b, m.part, 3);
}

static void add_csv_row(struct buf *b, const char *run, struct str category, uint64_t instances,
			struct str name, struct mean time)
{
	csv_add_field(b, str_of(run));
	buf_addc(b, ',');
	csv_add_field(b, category);
	buf_addc(b, ',');
	if (instances)
		decimal_add_uint(b, instances);
	buf_addc(b, ',');
	csv_add_field(b, name);
	buf_addc(b, ',');
	add_seconds(b, time);
	buf_addc(b, '\n');
}

/* The lines of a run by category; the caller frees it. */
static uint32_t *order_by_category(const struct comparison *cmp, size_t run)
{
	size_t count = cmp->runs[run].times.count, sum = 0;
	size_t *place = mem_zalloc(cmp->category_count, sizeof(*place));
	uint32_t *order = mem_alloc(count, sizeof(*order));

	for (size_t i = 0; i < cmp->category_count; i++) {
		place[i] = sum;
		sum += category_cell(cmp, i, run)->names;
	}
	for (size_t i = 0; i < count; i++)
		order[place[cmp->line_category[run][i]]++] = (uint32_t)i;
	free(place);
	return order;
}

static int add_csv_run(struct out *o, const struct comparison *cmp, size_t run, struct err *e)
{
	const struct category_times *t = &cmp->runs[run].times;
	const char *label = cmp->runs[run].run->label;
	struct csv_sum sum = {.gpus = cmp->merge ? 1 : t->device_count};
	uint32_t *order = order_by_category(cmp, run);
	int result = 0;

	for (size_t i = 0; i < t->count && result == 0; i++) {
		const struct category_line *line = &t->lines[order[i]];

		add_csv_row(&o->text, label, line->category, line->instances, line->name,
			    csv_next(&sum, cmp->merge ? line->merged_ns : line->ns));
		result = out_poll(o, e);
	}
	add_csv_row(&o->text, label, CATEGORY_CPU, 0, CATEGORY_CPU,
		    csv_last(&sum, &cmp->runs[run]));
	free(order);
	return result;
}

static int write_csv(const struct comparison *cmp, const char *path, struct err *e)
{
	struct output file;
	struct out o = {.sink = &file.sink};
	int result = 0;

	if (output_open(&file, path, e) < 0)
		return -1;
	buf_adds(&o.text, csv_head);
	for (size_t i = 0; i < cmp->run_count && result == 0; i++)
		result = add_csv_run(&o, cmp, i, e);
	result = out_close(&o, result, e);
	return output_close(&file, result == 0, e);
}

static int write_html(const struct comparison *cmp, const char *path, struct err *e)
{
	struct report r = {.command = "graph"};
	int result;

	comparison_page(cmp, &r);
	result = output_report(&r, presenter_find("html"), path, COLOUR_NEVER, e);
	report_free(&r);
	return result;
}

static char *path_in(const char *folder, const char *name)
{
	struct buf b = {0};

	buf_addf(&b, "%s/%s", folder, name);
	return b.s;
}

static int write_file(const struct comparison *cmp, const char *folder, size_t i, struct err *e)
{
	char *path = path_in(folder, file_names[i]);
	int result = i == 0 ? write_html(cmp, path, e) : write_csv(cmp, path, e);

	free(path);
	return result;
}

static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Whether -o is the file of that name in the folder, be it there already or not. */
static bool is_in(const char *folder, const char *name, const char *output)
{
	const char *last = str_last_part(output);
	struct buf parent = {0};
	bool same;

	buf_add(&parent, output, (size_t)(last - output));
	buf_addc(&parent, '.');
	same = strcmp(last, name) == 0 && is_same(parent.s, folder);
	buf_free(&parent);
	return same;
}

static int spare_result(const char *folder, const char *path, size_t i, const char *output,
			struct err *e)
{
	if (!output || (!is_same(path, output) && !is_in(folder, file_names[i], output)))
		return 0;
	err_set(e, ERR_USAGE, "-o '%s' is also the %s that categories writes", output,
		file_names[i]);
	return err_hint(e, "name another file with -o, or leave it out");
}

/* Whether we have written it: a page says so near its beginning, a table begins with its columns.
 */
static bool is_ours(const char *path, size_t i)
{
	char head[2048];
	SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));
	static const char generator[] = "<meta name=\"generator\" content=\"gpuwhy ";

	if (got < 0)
		return false;
	if (i == 0)
		return memmem(head, (size_t)got, generator, sizeof(generator) - 1) != NULL;
	return (size_t)got >= sizeof(csv_head) - 1 &&
	       memcmp(head, csv_head, sizeof(csv_head) - 1) == 0;
}

static int refuse_foreign(const char *path, struct err *e)
{
	err_set(e, ERR_USAGE, "'%s' exists, and gpuwhy categories did not write it", path);
	return err_hint(e, "choose another folder with --out_dir, or move the file away");
}

/* What stands in the way: a folder of its name, somebody else's file, a trace that it would
 * overwrite, or -o. */
static int check_place(const struct result_files *f, const struct comparison *cmp, size_t i,
		       const char *output, struct err *e)
{
	char *path = path_in(f->folder, file_names[i]);
	struct stat st;
	const bool exists = lstat(path, &st) == 0;
	int result = 0;

	if (exists && S_ISDIR(st.st_mode))
		result = err_set(e, ERR_SYSTEM, "cannot write '%s': it is a folder", path);
	for (size_t k = 0; result == 0 && k < cmp->run_count; k++)
		result = output_spare_trace(path, cmp->runs[k].run->trace, e);
	if (result == 0)
		result = spare_result(f->folder, path, i, output, e);
	if (result == 0 && exists && !is_ours(path, i))
		result = refuse_foreign(path, e);
	free(path);
	return result;
}

static int move_file(const char *from, const char *to, size_t i, struct err *e)
{
	char *old = path_in(from, file_names[i]), *new = path_in(to, file_names[i]);
	int result = rename(old, new) < 0 ? err_set_errno(e, "cannot write '%s'", new) : 0;

	free(old);
	free(new);
	return result;
}

static void remove_files(const char *folder)
{
	for (size_t i = 0; i < FILES; i++) {
		char *path = path_in(folder, file_names[i]);

		unlink(path);
		free(path);
	}
	rmdir(folder);
}

int result_files_write(struct result_files *f, const struct comparison *cmp, struct err *e)
{
	f->beside = path_in(f->folder, ".gpuwhy.XXXXXX");
	if (!mkdtemp(f->beside)) {
		free(f->beside);
		f->beside = NULL;
		return err_set_errno(e, "cannot write to '%s'", f->folder);
	}
	for (size_t i = 0; i < FILES; i++) {
		if (write_file(cmp, f->beside, i, e) < 0)
			return -1;
	}
	return 0;
}

int result_files_open(struct result_files *f, const struct comparison *cmp, const char *folder,
		      const char *output, struct err *e)
{
	*f = (struct result_files){.folder = folder, .first_missing = file_first_missing(folder)};
	if (f->first_missing && file_make_folders(folder, 0777) < 0) {
		err_set_errno(e, "cannot make '%s'", folder);
		file_unmake_folders(folder, f->first_missing);
		return -1;
	}
	for (size_t i = 0; i < FILES; i++) {
		if (check_place(f, cmp, i, output, e) < 0)
			return result_files_close(f, false, e);
	}
	return 0;
}

int result_files_close(struct result_files *f, bool ok, struct err *e)
{
	int result = ok ? 0 : -1;

	for (size_t i = 0; i < FILES && result == 0; i++)
		result = move_file(f->beside, f->folder, i, e);
	if (f->beside)
		remove_files(f->beside);
	free(f->beside);
	if (result < 0)
		file_unmake_folders(f->folder, f->first_missing);
	return result;
}

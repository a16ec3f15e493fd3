/* gpuwhy fleet map: which capture becomes which part? */
#include "commands/fleet/fleet.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/output.h"
#include "fleet/part_file.h"
#include "input/input.h"
#include "input/interrupt.h"
#include "input/run_traces.h"

#include <stdio.h>
#include <string.h>

/* "captures/rank_3.sqlite.zst" makes "rank_3.part". */
static void add_part_name(struct buf *b, const char *capture)
{
	const char *name = str_last_part(capture), *end = strstr(name, ".sqlite");

	if (!end)
		end = strstr(name, ".nsys-rep");
	buf_add(b, name, end && end > name ? (size_t)(end - name) : strlen(name));
	buf_adds(b, ".part");
}

/* A folder has many captures, unless it is that of a run, which stands for its one. */
static int check_capture(const char *capture, struct err *e)
{
	const char *const words[] = {capture};
	SCOPED_BUF part = {0};
	struct arena arena = {0};
	struct fleet_files files = {0};
	struct err why = {0};
	const char *one;
	int result = 0;

	if (!input_is_folder(capture))
		return 0;
	if (run_traces_find_one(capture, &arena, &one, &why) < 0 &&
	    (result = fleet_files_find(&files, words, 1, false, e)) == 0) {
		add_part_name(&part, files.all.all[0]);
		err_set(e, ERR_USAGE,
			"fleet map reads one capture, and '%s' is a folder with %zu in it", capture,
			files.all.count);
		result = err_hint(e,
				  "name each by itself, such as gpuwhy fleet map %s -o %s; gpuwhy "
				  "fleet %s reads them all",
				  files.all.all[0], part.s, capture);
	}
	fleet_files_free(&files);
	arena_free(&arena);
	return result;
}

/* What cannot be written is told before a large capture is read. */
static int check_place(const char *path, const char *capture, struct err *e)
{
	const char *name = str_last_part(path);
	SCOPED_BUF folder = {0}, part = {0};

	buf_add(&folder, path, (size_t)(name - path));
	if (input_is_folder(path)) {
		add_part_name(&part, capture);
		err_set(e, ERR_USAGE, "'%s' is a folder, and fleet map writes one file", path);
		return err_hint(e, "-o %s%s%s", path, *name ? "/" : "", part.s);
	}
	if (input_ending_rank(path) >= 0) {
		add_part_name(&part, capture);
		err_set(e, ERR_USAGE, "'%s' is called as captures are, and fleet map writes a part",
			path);
		return err_hint(e, "-o %s", part.s);
	}
	if (folder.len && !input_is_folder(folder.s)) {
		err_set(e, ERR_SYSTEM, "cannot write '%s': there is no folder '%s'", path,
			folder.s);
		e->output = true;
		return err_hint(e, "mkdir -p %s makes it", folder.s);
	}
	return output_spare_trace(path, capture, e);
}

static int write_part(const struct invocation *inv, const struct fleet_parts *p, struct err *e)
{
	const struct part *part = &p->all[0];
	int result;

	interrupt_hold();
	result = part_write(inv->output.path, part, e);
	interrupt_release();
	if (result < 0)
		return -1;
	progress_stop();
	printf("wrote %s: %zu rank%s of %s\n", inv->output.path, part->member_count,
	       part->member_count == 1 ? "" : "s", part->file);
	return 0;
}

/* One capture, one part: what is wrong with it is an error. */
int fleet_map_run(struct invocation *inv, const char *const *words, size_t count, struct err *e)
{
	struct fleet_parts parts = {0};
	struct fleet_files files = {0};
	int result;

	if (count != 1 || !inv->output.path || strcmp(inv->output.path, "-") == 0) {
		err_set(e, ERR_USAGE, "fleet map needs %s",
			count != 1 ? "one capture" : "a file for the part");
		return err_hint(e, "gpuwhy fleet map rank_3.sqlite -o rank_3.part");
	}
	if (check_capture(words[0], e) < 0 || check_place(inv->output.path, words[0], e) < 0)
		return -1;
	string_list_add(&files.all, words[0]);
	result = fleet_parts_make(&parts, &files, inv, e);
	if (result == 0)
		result = write_part(inv, &parts, e);
	fleet_files_free(&files);
	fleet_parts_free(&parts);
	return result;
}

/* Parts as files: what is written is read, what is damaged is refused; kernels merge exactly. */
#include "base/file.h"
#include "base/mem.h"
#include "fleet/answer/reduce.h"
#include "fleet/file_ranks.h"
#include "fleet/kernel_merge.h"
#include "fleet/part_file.h"
#include "fleet/rank_list.h"
#include "groups.h"
#include "statistics/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 3, COLLECTIVES = 5, KERNELS = 3, VALUES = 4, MEMBERS = 2 };

static void fill_steps(struct part *p, struct part_member *m, struct random *r)
{
	int64_t now = (int64_t)random_below(r, 1000);

	m->steps = arena_zalloc(&p->arena, STEPS, sizeof(*m->steps));
	m->step_count = STEPS;
	m->first_warm = 1;
	m->warm_count = 2;
	m->steps_name = "step N";
	for (size_t i = 0; i < STEPS; i++) {
		struct part_step *s = &m->steps[i];

		s->number = (uint32_t)i;
		s->from_ns = s->start_ns = now;
		for (int k = 0; k < MEMBER_TIMES; k++)
			now += s->ns[k] = k % 2 || i ? (int64_t)random_below(r, 100000) : 0;
		/* A GPU that is never idle. */
		now -= i == 2 ? s->ns[MEMBER_IDLE] : 0;
		s->ns[MEMBER_IDLE] = i == 2 ? 0 : s->ns[MEMBER_IDLE];
		s->to_ns = s->end_ns = now;
		s->gpu_start_ns = i ? s->from_ns + 5 : PART_UNKNOWN;
		s->gpu_end_ns = i ? s->to_ns : PART_UNKNOWN;
		s->kernels = random_below(r, 99);
	}
	m->window = (struct span){m->steps[1].from_ns, now};
	for (int k = 0; k < MEMBER_TIMES; k++)
		m->window_ns[k] = m->steps[1].ns[k] + m->steps[2].ns[k];
}

static void fill_collectives(struct part *p, struct part_member *m, struct random *r)
{
	int64_t now = -500;

	m->classes = arena_zalloc(&p->arena, 2, sizeof(*m->classes));
	m->class_count = 2;
	m->classes[0] = (struct part_collective_class){.type = COLL_SEND_RECV,
						       .has_communicator = true,
						       .communicator = UINT64_C(0xfedcba9876543210),
						       .ranks = 8,
						       .kernel = "",
						       .left_out = 7,
						       .peer = 3,
						       .own = 2};
	m->classes[1] = (struct part_collective_class){
		.type = COLL_BROADCAST, .kernel = "ncclKernel", .stream = 1};
	m->collectives = arena_zalloc(&p->arena, COLLECTIVES, sizeof(*m->collectives));
	m->collective_count = COLLECTIVES;
	for (size_t i = 0; i < COLLECTIVES; i++) {
		const int64_t length = (int64_t)random_below(r, 5000);

		now += (int64_t)random_below(r, 10000);
		m->collectives[i] = (struct part_collective){
			.class = i % 2,
			.start_ns = now,
			.end_ns = now + length,
			.exposed_ns = length / 2,
			.stall_ns = i % 4 ? length / 3 : 0,
			.launched_ns = i ? now - 300 : PART_UNKNOWN,
			.blocked_ns = (int64_t)i / 3 * 700,
			.bytes = i % 3 ? (int64_t)i << 20 : PART_UNKNOWN,
		};
	}
	m->collectives_before = 7;
}

static void fill_kernels(struct part *p, struct part_member *m, struct random *r)
{
	static const char *const names[KERNELS] = {"gemm", "ncclKernel", "softmax\n\x1b[31m"};

	m->kernels = arena_zalloc(&p->arena, KERNELS, sizeof(*m->kernels));
	m->kernel_count = KERNELS;
	for (size_t i = 0; i < KERNELS; i++) {
		struct part_kernel *k = &m->kernels[i];
		int64_t ns = -1;

		k->name = names[i];
		k->communicates = i == 1;
		k->values = arena_alloc(&p->arena, VALUES, sizeof(*k->values));
		for (; k->value_count < VALUES; k->value_count++) {
			ns += 1 + (int64_t)random_below(r, 1000);
			k->values[k->value_count] =
				(struct counted_value){ns, 1 + random_below(r, 5)};
		}
		part_kernel_sum(k);
	}
}

static void fill_rest(struct part *p, struct part_member *m)
{
	static struct part_range ranges[] = {{"", 1, 0, 2, 3}, {"forward / attn", 4, 5, 6, 7}};
	static struct part_cause causes[] = {{"host", "data", "load train.py:31", 900},
					     {"sync", "", "", 30}};

	m->ranges = ranges;
	m->range_count = ARRAY_LEN(ranges);
	m->causes = causes;
	m->cause_count = ARRAY_LEN(causes);
	m->label = "rank=3; dp=3/4";
	m->gpu = "NVIDIA H200";
	m->gpu_id = p->node + 1;
	m->window_words = "2 of 3 steps 'step N'";
	m->local_rank = PART_NO_NUMBER;
	m->world = 8;
	m->end = (struct part_end){.seen_ns = 9500000,
				   .gpu_ns = 9000000,
				   .calls = 13,
				   .is_pending = true,
				   .type = COLL_ALL_GATHER,
				   .has_communicator = true,
				   .communicator = UINT64_C(0xfedcba9876543210),
				   .bytes = 4096,
				   .called_ns = 8999000,
				   .by_launches = true,
				   .lacks_kernels = true,
				   .path = "step 12 / load",
				   .path_ns = PART_UNKNOWN,
				   .last_call = "cudaEventQuery",
				   .last_call_ns = 8000};
}

static void make_part(struct part *p, uint64_t seed)
{
	static struct part_finding findings[] = {{.member = PART_NO_NUMBER,
						  .id = "host_stall",
						  .title = "the host",
						  .place = "data",
						  .advice = "load earlier",
						  .severity = SEVERITY_HIGH,
						  .confidence = CONFIDENCE_MEDIUM,
						  .owner = OWNER_DATA,
						  .recoverable_ns = 12345,
						  .recoverable_pct = 12.5}};
	static const char *notes[] = {"no steps in one of them"};
	struct random r = random_of(seed);

	*p = (struct part){.file = "job_rank3.sqlite",
			   .tool = "nsys",
			   .schema = "3.20",
			   .cuda = "13.0",
			   .driver = "",
			   .node = 42,
			   .utc_ns = INT64_C(1763400000000000000),
			   .captured = {0, 10000000}};
	p->members = arena_zalloc(&p->arena, MEMBERS, sizeof(*p->members));
	p->member_count = MEMBERS;
	for (uint32_t i = 0; i < MEMBERS; i++) {
		struct part_member *m = &p->members[i];

		m->rank = i;
		m->rank_source = PART_RANK_NCCL;
		m->pid = 100 + i;
		m->device = i ? PART_NO_NUMBER : 3;
		fill_steps(p, m, &r);
		fill_collectives(p, m, &r);
		fill_kernels(p, m, &r);
		fill_rest(p, m);
	}
	p->findings = findings;
	p->finding_count = ARRAY_LEN(findings);
	p->notes = notes;
	p->note_count = ARRAY_LEN(notes);
}

static struct buf encoded(uint64_t seed)
{
	struct buf bytes = {0};
	struct part p;

	make_part(&p, seed);
	part_encode(&bytes, &p);
	part_free(&p);
	return bytes;
}

/* A copy of the bytes that ends where its memory does: what reads on is found. */
static int decode(struct part *ret, const char *bytes, size_t len, struct err *e)
{
	SCOPED char *exact = mem_alloc(len, 1);

	if (len)
		memcpy(exact, bytes, len);
	return part_decode(ret, (struct str){exact, len}, "x.part", e);
}

static void test_round_trip(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 50; seed++) {
		struct buf bytes = encoded(seed), again = {0};
		struct err e = {0};
		struct part p;

		assert_int_equal(decode(&p, bytes.s, bytes.len, &e), 0);
		part_encode(&again, &p);
		assert_true(str_eq(buf_str(&bytes), buf_str(&again)));
		assert_string_equal(p.members[1].kernels[2].name, "softmax\n\x1b[31m");
		assert_true(p.members[1].steps[0].gpu_start_ns == PART_UNKNOWN);
		assert_int_equal(p.members[1].device, PART_NO_NUMBER);
		assert_string_equal(p.members[1].end.path, "step 12 / load");
		assert_string_equal(p.members[1].end.last_call, "cudaEventQuery");
		assert_true(p.members[1].end.last_call_ns == 8000);
		assert_true(p.members[0].classes[0].communicator == UINT64_C(0xfedcba9876543210));
		part_free(&p);
		buf_free(&bytes);
		buf_free(&again);
	}
}

/* A member of which nothing is known, and no member at all. */
static void test_empty(void **state)
{
	struct part_member m = {.label = "",
				.gpu = "",
				.window_words = "",
				.steps_name = "",
				.end = {.called_ns = PART_UNKNOWN, .path = "", .last_call = ""},
				.local_rank = PART_NO_NUMBER,
				.device = PART_NO_NUMBER};
	struct part p = {
		.file = "", .tool = "", .schema = "", .cuda = "", .driver = "", .members = &m};
	struct buf bytes = {0};

	(void)state;
	p.captured = SPAN_NONE;
	p.utc_ns = PART_UNKNOWN;
	for (p.member_count = 0; p.member_count < 2; p.member_count++) {
		struct err e = {0};
		struct part again;

		buf_clear(&bytes);
		assert_null(part_encode(&bytes, &p));
		assert_int_equal(decode(&again, bytes.s, bytes.len, &e), 0);
		assert_int_equal(again.member_count, p.member_count);
		assert_true(again.captured.start_ns > again.captured.end_ns);
		part_free(&again);
	}
	/* What does not add up is not written. */
	m.window_ns[MEMBER_COMM] = 5;
	p.member_count = 1;
	assert_non_null(part_encode(&bytes, &p));
	buf_free(&bytes);
}

static void test_truncated(void **state)
{
	struct buf bytes = encoded(7);

	(void)state;
	for (size_t len = 0; len < bytes.len; len += stride(31)) {
		struct err e = {0};
		struct part p;

		assert_int_equal(decode(&p, bytes.s, len, &e), -1);
		assert_int_equal(e.code, ERR_INPUT);
		part_free(&p);
	}
	buf_free(&bytes);
}

static void test_flipped(void **state)
{
	struct buf bytes = encoded(7);

	(void)state;
	for (size_t bit = 0; bit < 8 * bytes.len; bit += stride(97)) {
		struct err e = {0};
		struct part p;

		bytes.s[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(decode(&p, bytes.s, bytes.len, &e), -1);
		assert_true(e.message[0]);
		part_free(&p);
		bytes.s[bit / 8] ^= (char)(1 << bit % 8);
	}
	buf_free(&bytes);
}

/* What is read can be written, and is then read as the same. */
static void check_stable(const struct part *p)
{
	struct buf once = {0}, twice = {0};
	struct err e = {0};
	struct part again;

	part_encode(&once, p);
	assert_int_equal(decode(&again, once.s, once.len, &e), 0);
	part_encode(&twice, &again);
	assert_true(str_eq(buf_str(&once), buf_str(&twice)));
	part_free(&again);
	buf_free(&once);
	buf_free(&twice);
}

/* Somebody who changes a part can also make its checksum fit. */
static void test_hostile(void **state)
{
	struct buf bytes = encoded(7);
	const size_t head = PART_HEAD_BYTES;
	size_t refused = 0, taken = 0;

	(void)state;
	for (size_t i = head; i < bytes.len; i += stride(3)) {
		const char before = bytes.s[i];

		for (int change = 1; change < 256; change += 41) {
			struct buf sealed = {0};
			struct err e = {0};
			struct part p;

			bytes.s[i] = (char)(before + change);
			part_seal(&sealed, (struct str){bytes.s + head, bytes.len - head});
			if (decode(&p, sealed.s, sealed.len, &e) == 0) {
				check_stable(&p);
				taken++;
			} else {
				assert_int_equal(e.code, ERR_INPUT);
				refused++;
			}
			part_free(&p);
			buf_free(&sealed);
		}
		bytes.s[i] = before;
	}
	assert_true(refused > 100 && taken > 100);
	buf_free(&bytes);
}

/* What counts two collectives as one would count a rank twice. */
static void test_doubled_class(void **state)
{
	struct buf bytes = {0};
	struct err e = {0};
	struct part made, read;

	(void)state;
	make_part(&made, 7);
	assert_true(made.members[0].class_count > 1);
	made.members[0].classes[1] = made.members[0].classes[0];
	made.members[0].classes[1].left_out++;
	assert_non_null(part_encode(&bytes, &made));
	assert_int_equal(decode(&read, bytes.s, bytes.len, &e), -1);
	assert_non_null(strstr(e.message, "is damaged: it has collectives of one class twice"));
	assert_non_null(strstr(e.hint, "gpuwhy fleet map"));
	part_free(&read);
	part_free(&made);
	buf_free(&bytes);
}

static bool has_note(const struct report *r, const char *text)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_NOTE && strcmp(r->blocks[i].text, text) == 0)
			return true;
	}
	return false;
}

/* What many captures say is told once, and of one capture with its name. */
static void test_notes(void **state)
{
	enum { PARTS = 3 };
	static const char *own[] = {"no steps in one of them", "another thing"};
	const struct part *list[PARTS];
	struct part parts[PARTS];
	struct report r = {.command = "fleet"};
	struct err e = {0};

	(void)state;
	for (uint32_t i = 0; i < PARTS; i++) {
		make_part(&parts[i], 1);
		parts[i].utc_ns += i;
		for (uint32_t k = 0; k < MEMBERS; k++)
			parts[i].members[k].rank = i * MEMBERS + k;
		list[i] = &parts[i];
	}
	parts[2].notes = own;
	parts[2].note_count = ARRAY_LEN(own);
	assert_int_equal(fleet_reduce(list, PARTS, &(struct fleet_args){0}, &r, &e), 0);
	assert_true(has_note(&r, "on 3 captures (ranks 0 to 5): no steps in one of them"));
	assert_true(has_note(&r, "job_rank3.sqlite: another thing"));
	report_free(&r);
	for (size_t i = 0; i < PARTS; i++)
		part_free(&parts[i]);
}

static void test_other_files(void **state)
{
	struct buf bytes = encoded(7);
	struct err e = {0};
	struct part p;

	(void)state;
	assert_int_equal(decode(&p, "SQLite format 3", 16, &e), -1);
	assert_non_null(strstr(e.message, "no part of a fleet"));
	bytes.s[PART_MAGIC_BYTES] = 9;
	assert_int_equal(decode(&p, bytes.s, bytes.len, &e), -1);
	assert_non_null(strstr(e.message, "version 9"));
	buf_free(&bytes);
}

/* Files of its folder that have its name in theirs. */
static size_t count_beside(const char *path)
{
	SCOPED_DIR *dir = opendir("/tmp");
	struct dirent *entry;
	size_t count = 0;

	while (dir && (entry = readdir(dir)))
		count += strstr(entry->d_name, str_last_part(path)) != NULL;
	return count;
}

/* Where the disk is full or the folder is gone, what was there before stays. */
static void test_written_whole(void **state)
{
	char path[] = "/tmp/gpuwhy-part-XXXXXX";
	SCOPED_BUF wrong = {0};
	struct part p, again;
	struct err e = {0};

	(void)state;
	close(mkstemp(path));
	make_part(&p, 3);
	assert_int_equal(part_write(path, &p, &e), 0);
	assert_true(part_is_file(path));
	assert_int_equal(part_read(&again, path, &e), 0);
	assert_int_equal(again.member_count, MEMBERS);
	part_free(&again);
	buf_addf(&wrong, "%s/none", path);
	assert_int_equal(part_write(wrong.s, &p, &e), -1);
	assert_true(e.code == ERR_SYSTEM && e.output);
	unlink(path);
	/* Nothing is left beside it, whether it was written or not. */
	assert_int_equal(count_beside(path), 0);
	part_free(&p);
}

/* One kernel of one member, with some durations; the rest is empty. */
static void add_member(struct part *p, const char *name, const int64_t *sorted, size_t count)
{
	struct part_member *m = &p->members[p->member_count++];
	struct part_kernel *k = arena_zalloc(&p->arena, 1, sizeof(*k));

	k->name = name;
	k->values = arena_alloc(&p->arena, count, sizeof(*k->values));
	for (size_t i = 0; i < count; i++) {
		if (!i || sorted[i] != sorted[i - 1])
			k->values[k->value_count++] = (struct counted_value){sorted[i], 0};
		k->values[k->value_count - 1].count++;
	}
	part_kernel_sum(k);
	*m = (struct part_member){.kernels = k, .kernel_count = 1};
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Members that share values or have none in common, of narrow and of absurd spread. */
static void check_merge(struct random *r, uint64_t spread, int64_t least)
{
	enum { MOST = 9, EACH = 60 };
	const size_t members = 1 + random_below(r, MOST);
	int64_t all[MOST * EACH];
	uint32_t group[MOST * EACH] = {0};
	const struct part *parts[1];
	struct kernel_merge merged;
	struct part p = {0};
	struct summary plain;
	size_t n = 0;

	p.members = arena_zalloc(&p.arena, members, sizeof(*p.members));
	for (size_t i = 0; i < members; i++) {
		const size_t count = 1 + random_below(r, EACH);

		for (size_t k = 0; k < count; k++)
			all[n + k] = least + (int64_t)(random_next(r) % spread);
		qsort(&all[n], count, sizeof(*all), by_value);
		add_member(&p, "gemm", &all[n], count);
		n += count;
	}
	parts[0] = &p;
	kernel_merge_make(&merged, parts, 1);
	summarize(all, group, n, 1, &plain);
	assert_int_equal(merged.count, 1);
	assert_int_equal(merged.all[0].members, members);
	assert_memory_equal(&merged.all[0].summary, &plain, sizeof(plain));
	kernel_merge_free(&merged);
	part_free(&p);
}

static void test_merge(void **state)
{
	struct random r = random_of(11);

	(void)state;
	for (size_t i = 0; i < repeats(2000); i++) {
		check_merge(&r, 8, 0);
		check_merge(&r, 100000, 1000000);
		check_merge(&r, UINT64_C(1) << 33, -5);
		check_merge(&r, UINT64_C(1) << 60, 0);
	}
}

static void write_list(const char *path, const char *text)
{
	struct err e = {0};

	assert_int_equal(file_write(path, str_of(text), &e), 0);
}

static void test_rank_list(void **state)
{
	char path[] = "/tmp/gpuwhy-ranks-XXXXXX";
	struct rank_list l;
	struct err e = {0};
	struct part p;

	(void)state;
	close(mkstemp(path));
	make_part(&p, 1);
	write_list(path, "# who\n5 job_rank3.sqlite 101\n 2  a/b/job_rank3 100 # first\n\n");
	assert_int_equal(rank_list_read(&l, path, &e), 0);
	assert_int_equal(rank_list_apply(&l, &p, NULL, &e), 0);
	assert_int_equal(rank_list_check(&l, &p, 1, &e), 0);
	assert_true(p.members[0].rank == 2 && p.members[0].pid == 100);
	assert_true(p.members[1].rank == 5 && p.members[1].rank_source == PART_RANK_GIVEN);
	rank_list_free(&l);
	/* Files of one name are told apart by their folders. */
	write_list(path, "5 node0/job_rank3 101\n2 node0/job_rank3 100\n7 node1/job_rank3 100\n");
	assert_int_equal(rank_list_read(&l, path, &e), 0);
	assert_int_equal(rank_list_apply(&l, &p, "/data/node0/job_rank3.sqlite", &e), 0);
	assert_true(p.members[0].rank == 2 && p.members[1].rank == 5);
	assert_false(l.all[2].used);
	rank_list_free(&l);
	write_list(path, "5 job_rank3.sqlite\n");
	assert_int_equal(rank_list_read(&l, path, &e), 0);
	assert_int_equal(rank_list_apply(&l, &p, NULL, &e), -1);
	rank_list_free(&l);
	write_list(path, "5 other.sqlite\n");
	assert_int_equal(rank_list_read(&l, path, &e), 0);
	assert_int_equal(rank_list_apply(&l, &p, NULL, &e), 0);
	assert_int_equal(rank_list_check(&l, &p, 1, &e), -1);
	rank_list_free(&l);
	write_list(path, "1 a\n1 b\n");
	assert_int_equal(rank_list_read(&l, path, &e), -1);
	rank_list_free(&l);
	write_list(path, "7 a job of two_rank3.sqlite 101\r\n8\tmine.sqlite\n");
	assert_int_equal(rank_list_read(&l, path, &e), 0);
	assert_true(l.count == 2 && l.all[0].has_pid && l.all[0].pid == 101 && l.all[0].rank == 7);
	assert_true(str_eq(l.all[0].file, STR_LIT("a job of two_rank3.sqlite")));
	assert_true(!l.all[1].has_pid && str_eq(l.all[1].file, STR_LIT("mine.sqlite")));
	rank_list_free(&l);
	write_list(path, "# nobody yet\n\n");
	assert_int_equal(rank_list_read(&l, path, &e), -1);
	assert_non_null(strstr(e.message, "names no rank"));
	rank_list_free(&l);
	write_list(path, "one a.sqlite\n");
	assert_int_equal(rank_list_read(&l, path, &e), -1);
	rank_list_free(&l);
	unlink(path);
	part_free(&p);
}

/* `names`: NULL ends them. Ranks are then `expected`, or, with NULL, still assumed. */
static void check_names(const char *const *names, const uint32_t *expected)
{
	struct part parts[4] = {{.file = NULL}};
	struct part_member members[4] = {{.rank = 0}};
	size_t count = 0;

	for (; names[count]; count++) {
		members[count].rank_source = PART_RANK_ASSUMED;
		parts[count] = (struct part){
			.file = names[count], .members = &members[count], .member_count = 1};
	}
	file_ranks_apply(parts, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(members[i].rank_source,
				 expected ? PART_RANK_FILE_NAME : PART_RANK_ASSUMED);
		if (expected)
			assert_int_equal(members[i].rank, expected[i]);
	}
}

static void test_file_ranks(void **state)
{
	const uint32_t expected[] = {0, 1, 3};

	(void)state;
	check_names((const char *const[]){"train_88213_0.sqlite", "train_88213_1.sqlite",
					  "train_88213_3.sqlite.zst", NULL},
		    expected);
	check_names((const char *const[]){"gpu-000.procid-0000.sqlite",
					  "gpu-000.procid-0001.sqlite",
					  "gpu-001.procid-0003.nsys-rep", NULL},
		    expected);
	check_names((const char *const[]){"0_of_8.sqlite", "1_of_8.sqlite", "3_of_8.sqlite", NULL},
		    expected);
	/* Process ids are no ranks, nor are numbers that two have, or one alone. */
	check_names((const char *const[]){"run.4711.sqlite", "run.4712.sqlite", NULL}, NULL);
	check_names((const char *const[]){"a_1.sqlite", "b_1.sqlite", NULL}, NULL);
	check_names((const char *const[]){"run2.sqlite", NULL}, NULL);
	check_names((const char *const[]){"a.sqlite", "b.sqlite", NULL}, NULL);
	check_names((const char *const[]){"a_99999999999999999999.sqlite", "a_1.sqlite", NULL},
		    NULL);
}

int part_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_empty),
		cmocka_unit_test(test_truncated),     cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_hostile),	      cmocka_unit_test(test_doubled_class),
		cmocka_unit_test(test_notes),	      cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_written_whole), cmocka_unit_test(test_merge),
		cmocka_unit_test(test_rank_list),     cmocka_unit_test(test_file_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

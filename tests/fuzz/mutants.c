/*
 * Does a trace with random bytes flipped ever crash or hang the program? mutants COUNT TRACE… makes
 * COUNT mutants, the traces in turn, and runs a fifth of everything on each. Every run makes
 * others, and says which seed it took: `mutants --seed S COUNT TRACE…` makes the same ones again,
 * and `mutants --seed S =K TRACE…` runs mutant K of them alone.
 */
#include "everything.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Seconds are the processor's: a busy machine makes nothing hang. Only a deadlock takes no time. */
enum { BATCH = 50, SECONDS_EACH = 10, SECONDS_A_BATCH = 120, PATIENCE = 20, SPREAD = 1 << 16 };

struct original {
	char *bytes;
	size_t len;
};

static struct original *originals;
static size_t original_count;
static uint64_t seed;

static uint64_t next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t z = *state;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static struct original read_file(const char *path)
{
	struct original o = {0};
	FILE *f = fopen(path, "rb");

	if (!f) {
		perror(path);
		exit(4);
	}
	fseek(f, 0, SEEK_END);
	o.len = (size_t)ftell(f);
	rewind(f);
	o.bytes = mem_alloc(o.len, 1);
	if (fread(o.bytes, 1, o.len, f) != o.len)
		exit(4);
	fclose(f);
	return o;
}

/* Flips one to 32 bytes; half of the mutants where it hurts most: in page headers and the schema.
 */
static void damage(char *bytes, size_t len, uint64_t state)
{
	size_t flips = 1 + next_random(&state) % 32;
	bool headers = next_random(&state) & 1;

	while (flips--) {
		size_t at = next_random(&state) % len;

		if (headers)
			at = at / 512 * 512 + next_random(&state) % 64;
		if (at < len)
			bytes[at] = (char)next_random(&state);
	}
}

static void run_mutant(size_t number)
{
	const struct original *o = &originals[original_count ? number % original_count : 0];
	char *bytes = memcpy(mem_alloc(o->len, 1), o->bytes, o->len);
	char path[64];
	int fd;

	/* Far from those of the next seed. */
	damage(bytes, o->len, seed * 0xd1342543de82ef95u + number);
	/* Starting threads is what takes the time; every tenth mutant is enough for that. */
	parallel_set_workers(number % 10 ? 1 : 4);
	fd = bytes_as_file(bytes, o->len, path, sizeof(path));
	free(bytes);
	/* Every trace meets every fifth in turn, from where the seed says. */
	run_many(path, original_count ? number / original_count + seed % SPREAD : 0, 5);
	run_one(path, number + seed % SPREAD);
	close(fd);
}

/* Runs mutants [begin, end) in a child; false when it died or took too long. */
static bool survive(size_t begin, size_t end, unsigned seconds)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
		alarm(seconds * PATIENCE);
		for (size_t i = begin; i < end; i++)
			run_mutant(i);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static size_t name_the_culprits(size_t begin, size_t end)
{
	size_t failed = 0;

	for (size_t i = begin; i < end; i++) {
		if (!survive(i, i + 1, SECONDS_EACH)) {
			fprintf(stderr,
				"FAIL mutant %zu crashed or hung: make mutants MUTANTS==%zu "
				"SEED=%llu\n",
				i, i, (unsigned long long)seed);
			failed++;
		}
	}
	return failed;
}

/* Every `step`-th batch from `first` on; the number of mutants that failed. */
static size_t run_batches(size_t count, size_t first, size_t step)
{
	size_t failed = 0;

	for (size_t at = first * BATCH; at < count; at += step * BATCH) {
		size_t end = at + BATCH < count ? at + BATCH : count;

		if (!survive(at, end, SECONDS_A_BATCH))
			failed += name_the_culprits(at, end);
	}
	return failed;
}

/* One process per core: mutants need no threads of their own to be quick. */
static size_t run_on_all_cores(size_t count)
{
	unsigned cores = parallel_workers();
	size_t failed = 0;
	int status;

	for (unsigned w = 0; w < cores; w++) {
		if (fork() == 0) {
			size_t mine = run_batches(count, w, cores);

			_exit(mine < 100 ? (int)mine : 100);
		}
	}
	while (wait(&status) > 0)
		failed += WIFEXITED(status) ? (size_t)WEXITSTATUS(status) : 1;
	return failed;
}

/* The seed that is given, or one that nobody had before; returns how many words it took. */
static int choose_seed(int argc, char **argv)
{
	uint32_t random = 0;

	if (argc > 2 && strcmp(argv[1], "--seed") == 0) {
		seed = strtoull(argv[2], NULL, 10);
		return 2;
	}
	if (getrandom(&random, sizeof(random), 0) < 0)
		random = (uint32_t)getpid();
	seed = random;
	return 0;
}

int main(int argc, char **argv)
{
	const int taken = choose_seed(argc, argv);
	size_t count, failed;

	argc -= taken;
	argv += taken;
	if (argc < 3) {
		fprintf(stderr, "usage: mutants [--seed NUMBER] COUNT|=NUMBER TRACE…\n");
		return 2;
	}
	printf("SEED=%llu makes these mutants again\n", (unsigned long long)seed);
	fflush(stdout); /* children would print it, too */
	original_count = (size_t)argc - 2;
	originals = mem_alloc(original_count, sizeof(*originals));
	for (size_t i = 0; i < original_count; i++)
		originals[i] = read_file(argv[i + 2]);
	if (argv[1][0] == '=') {
		run_mutant(strtoul(argv[1] + 1, NULL, 10));
		return 0;
	}
	count = strtoul(argv[1], NULL, 10);
	failed = run_on_all_cores(count);
	printf("%zu passed, %zu failed\n", count - failed, failed);
	return failed > 0;
}

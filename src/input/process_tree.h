/*
 * The processes that another one started, and those that they started: whom signals of a run are
 * for, and what is left of it in the end.
 */
#ifndef INPUT_PROCESS_TREE_H
#define INPUT_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Which of a run's processes are the profiler's rather than the program's: signals spare them,
 * because they end by themselves, and write their reports, once the program is gone.
 */
struct profiler {
	pid_t pid;    /* its first process; 0: none of the run is known to be it */
	char *folder; /* of its installation; NULL: it lies among other programs */
};

/* The folder that holds all of the profiler with this path; NULL, see above. The caller frees. */
char *profiler_find_folder(const char *path);

struct process_entry {
	pid_t pid, parent, group, session;
};

struct process_tree {
	struct process_entry *all;
	size_t count, cap;
};

/* The living descendants of `root`, without itself; process_tree_free() it. */
void process_tree_read(pid_t root, struct process_tree *ret);
void process_tree_free(struct process_tree *t);

/*
 * Sends a signal to the descendants of `root`, but to none of `spare`, which may be NULL. Returns
 * how many got it.
 */
size_t process_tree_signal(pid_t root, int signal_number, const struct profiler *spare);
/* The same for those that are not in our process group. */
size_t process_tree_signal_beyond(pid_t root, int signal_number, const struct profiler *spare);
/* Whether anything but `spare` lives below `root`. */
bool process_tree_lives(pid_t root, const struct profiler *spare);

/* The time that the living descendants of `root` have had on a CPU. */
double process_tree_cpu_s(pid_t root);
/* The first child of the process that is in our session, or 0: a quick look. */
pid_t process_tree_child(pid_t parent);

#endif

/* Which function waits for what? */
#include "trace/calls/os_waits.h"

#include "base/mem.h"

#include <string.h>

/* What each function of the C library waits for. */
static const struct {
	enum os_wait wait;
	const char *functions;
} waits_for[] = {
	{OS_SLEEP, "nanosleep|clock_nanosleep|usleep|sleep|timer_settime|timerfd_settime"},
	{OS_INPUT, "read|readv|pread|pread64|preadv|fread|fread_unlocked|fgets|fgetc|getc|getchar|"
		   "getline|getdelim|scanf|fscanf|recv|recvfrom|recvmsg|recvmmsg|accept|accept4|"
		   "mq_receive|msgrcv|waitpid|wait4|connect"},
	{OS_EVENT, "poll|ppoll|select|pselect|pselect6|epoll_wait|epoll_pwait|epoll_pwait2|"
		   "io_getevents|sigwait|sigwaitinfo|sigtimedwait|pause"},
	{OS_WRITE, "fsync|fdatasync|sync|syncfs|msync|write|writev|pwrite|pwrite64|pwritev|fwrite|"
		   "fwrite_unlocked|fflush|fputs|puts|open|open64|openat|openat64|creat|fopen|"
		   "fopen64|close|fclose|rename|unlink|ftruncate|ftruncate64|sendfile|sendfile64"},
	{OS_LOCK, "pthread_cond_wait|pthread_cond_timedwait|pthread_cond_clockwait|"
		  "pthread_mutex_lock|pthread_mutex_timedlock|pthread_rwlock_rdlock|"
		  "pthread_rwlock_wrlock|pthread_barrier_wait|pthread_join|sem_wait|sem_timedwait|"
		  "futex"},
};

enum os_wait os_wait_of(struct str function)
{
	for (size_t i = 0; i < ARRAY_LEN(waits_for); i++) {
		const char *list = waits_for[i].functions;

		while (*list) {
			const char *end = strchrnul(list, '|');

			if (str_eq(function, (struct str){list, (size_t)(end - list)}))
				return waits_for[i].wait;
			list = *end ? end + 1 : end;
		}
	}
	return OS_WAITS;
}

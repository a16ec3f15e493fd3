/* Did the user give up while files were half made? */
#include "input/interrupt.h"

#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

enum noted { NOT_NOTED, NOTED_ALONE, NOTED_SHARED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned holders;
static struct sigaction before[ARRAY_LEN(signals)];
static atomic_int noted[ARRAY_LEN(signals)];

static void note(int signal_number, siginfo_t *info, void *context)
{
	(void)context;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		if (signals[i] == signal_number)
			atomic_store(&noted[i],
				     info->si_code == SI_KERNEL ? NOTED_SHARED : NOTED_ALONE);
	}
}

void interrupt_hold(void)
{
	struct sigaction noting = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

	pthread_mutex_lock(&lock);
	if (holders++ == 0) {
		for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
			sigaction(signals[i], NULL, &before[i]);
			/* Under nohup SIGHUP is ignored, and stays so. */
			if (before[i].sa_handler != SIG_IGN)
				sigaction(signals[i], &noting, NULL);
		}
	}
	pthread_mutex_unlock(&lock);
}

bool interrupt_pending(void)
{
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		if (atomic_load(&noted[i]) != NOT_NOTED)
			return true;
	}
	return false;
}

int interrupt_take(bool *ret_shared)
{
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		int how = atomic_exchange(&noted[i], NOT_NOTED);

		if (how == NOT_NOTED)
			continue;
		*ret_shared = how == NOTED_SHARED;
		return signals[i];
	}
	return 0;
}

void interrupt_release(void)
{
	int signal_number = 0;
	bool ignored;

	pthread_mutex_lock(&lock);
	if (--holders == 0) {
		for (size_t i = 0; i < ARRAY_LEN(signals); i++)
			sigaction(signals[i], &before[i], NULL);
		signal_number = interrupt_take(&ignored);
	}
	pthread_mutex_unlock(&lock);
	if (signal_number)
		raise(signal_number);
}

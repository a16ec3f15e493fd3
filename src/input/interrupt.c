/* Did the user give up while files were half made? */
#include "input/interrupt.h"

#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned holders;
static struct sigaction before[ARRAY_LEN(signals)];
static atomic_int noted;

static void note(int signal_number)
{
	atomic_store(&noted, signal_number);
}

void interrupt_hold(void)
{
	struct sigaction noting = {.sa_handler = note};

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
	return atomic_load(&noted) != 0;
}

void interrupt_release(void)
{
	int signal_number = 0;

	pthread_mutex_lock(&lock);
	if (--holders == 0) {
		for (size_t i = 0; i < ARRAY_LEN(signals); i++)
			sigaction(signals[i], &before[i], NULL);
		signal_number = atomic_exchange(&noted, 0);
	}
	pthread_mutex_unlock(&lock);
	if (signal_number)
		raise(signal_number);
}

/* Did the user give up while files were half made? */
#include "input/interrupt.h"

#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* The first ones ask us to stop; the others are somebody's messages, and would end us. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2};

enum { STOPPING = 3 };

enum noted { NOT_NOTED, NOTED_ALONE, NOTED_SHARED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned holders, message_holders;
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

/* The signals from the one to the other, unless others hold them already. */
static void hold(unsigned *by, size_t from, size_t to)
{
	const struct sigaction noting = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

	pthread_mutex_lock(&lock);
	for (size_t i = from; *by == 0 && i < to; i++) {
		sigaction(signals[i], NULL, &before[i]);
		/* Under nohup SIGHUP is ignored, and stays so. */
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &noting, NULL);
	}
	++*by;
	pthread_mutex_unlock(&lock);
}

static void restore(size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		sigaction(signals[i], &before[i], NULL);
}

void interrupt_hold(void)
{
	hold(&holders, 0, STOPPING);
}

void interrupt_hold_messages(void)
{
	hold(&message_holders, STOPPING, ARRAY_LEN(signals));
}

bool interrupt_pending(void)
{
	for (size_t i = 0; i < STOPPING; i++) {
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
	bool was[STOPPING] = {false};

	pthread_mutex_lock(&lock);
	if (--holders == 0) {
		restore(0, STOPPING);
		for (size_t i = 0; i < STOPPING; i++)
			was[i] = atomic_exchange(&noted[i], NOT_NOTED) != NOT_NOTED;
	}
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < STOPPING; i++) {
		if (was[i])
			raise(signals[i]);
	}
}

void interrupt_release_messages(void)
{
	pthread_mutex_lock(&lock);
	if (--message_holders == 0) {
		restore(STOPPING, ARRAY_LEN(signals));
		/* They were for a program that has ended. */
		for (size_t i = STOPPING; i < ARRAY_LEN(signals); i++)
			atomic_store(&noted[i], NOT_NOTED);
	}
	pthread_mutex_unlock(&lock);
}

static void live_on(int signal_number)
{
	(void)signal_number;
}

void interrupt_outlive_readers(void)
{
	/* A program would inherit that it is ignored, but no handler. */
	const struct sigaction living = {.sa_handler = live_on, .sa_flags = SA_RESTART};
	struct sigaction now;

	if (sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &living, NULL);
}

/*
 * Signals that would end the process while a kernel runs: the kernel is stopped first, which says where its warps are,
 * and its statistics so far are recorded; then the process ends by the signal, as its starter expects. Signals that the
 * program handles or ignores are its own. One that comes while no kernel runs, or a second one, ends it at once.
 */
#include <signal.h>
#include <stdio.h>

#include "runtime/cudart/context.h"

static void take(int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	if (hd_sim_interrupt(hd_cudart_sim_of_process(), number))
		return;
	sigaction(number, &action, NULL);
	raise(number); /* it is blocked until this returns */
}

void hd_cudart_take_signals(void)
{
	static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	struct sigaction action = {.sa_handler = take, .sa_flags = SA_RESTART}, before;
	for (unsigned i = 0; i < sizeof ending / sizeof *ending; i++)
		if (!sigaction(ending[i], NULL, &before) && !(before.sa_flags & SA_SIGINFO) &&
		    before.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
}

void hd_cudart_end_if_interrupted(struct hd_cudart *cudart)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	int number = hd_sim_interrupted(cudart->sim);
	if (!number)
		return;
	hd_sim_record_end(cudart->sim);
	fflush(stdout); /* what the kernel printed */
	sigaction(number, &action, NULL);
	raise(number);
}

/*
 * Device memory is out of the host program's reach (runtime/exec/devmem.c): one that uses a device pointer as its own
 * ends by SIGSEGV, as on hardware. Here it is said why, where the program has no handler of its own.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/cudart/context.h"

static const char *access_word(const void *context)
{
#if defined(__x86_64__)
	const ucontext_t *machine = context;
	return machine->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
	(void)context;
	return "uses";
#endif
}

/* The kernel faults again at the same instruction when this returns, with the default action. */
static void explain(int number, siginfo_t *info, void *context)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	const struct hd_sim *sim = hd_cudart_sim_of_process();
	char what[160], text[512];
	if (info->si_code > 0 && sim && hd_sim_describe_address(sim, (uintptr_t)info->si_addr, what, sizeof what)) {
		int length =
			snprintf(text, sizeof text,
				 "heddle: error: the host program %s address 0x%llx, %s: the host cannot reach it. "
				 "Copy it with cudaMemcpy, or allocate it with cudaMallocManaged\n",
				 access_word(context), (unsigned long long)(uintptr_t)info->si_addr, what);
		if (write(STDERR_FILENO, text, (size_t)length) < 0)
			action.sa_handler = SIG_DFL; /* there is nobody to tell */
	}
	sigaction(number, &action, NULL);
	if (info->si_code <= 0)
		raise(number);
}

void hd_cudart_explain_faults(void)
{
	struct sigaction action = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO}, before;
	if (!sigaction(SIGSEGV, NULL, &before) && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
		sigaction(SIGSEGV, &action, NULL);
}

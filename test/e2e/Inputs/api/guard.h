/*
 * Calls that may crash: GUARDED(signal, call) makes the call, and where it ends by a signal goes on behind it with the
 * signal's number in `signal` (0: it returned). What the call had locked stays so, which a watching parent sees.
 */
#ifndef API_GUARD_H
#define API_GUARD_H

#include <setjmp.h>
#include <signal.h>
#include <string.h>

static sigjmp_buf guard_place;
static volatile sig_atomic_t guard_on;

static void guard_caught(int number)
{
    if (guard_on) {
        guard_on = 0;
        siglongjmp(guard_place, number);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void guard_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = guard_caught;
    action.sa_flags = SA_NODEFER;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

#define GUARDED(number, ...)                              \
    do {                                                  \
        (number) = sigsetjmp(guard_place, 1);             \
        if (!(number)) {                                  \
            guard_on = 1;                                 \
            __VA_ARGS__;                                  \
        }                                                 \
        guard_on = 0;                                     \
    } while (0)

#endif

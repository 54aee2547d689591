/*
 * Host threads, made once, that do the pieces of a phase together with the caller. The pieces are dealt out in one
 * range a thread, so that a thread finds its SMs in its cache again; who has finished its own takes from the others'. A
 * piece is claimed by one atomic operation on its range's cursor, which names the phase, so that a thread that comes
 * late, or not at all because the host has other work, costs nothing but its help: the caller waits for claimed pieces
 * only.
 *
 * Waiting threads watch the number of the phase for some microseconds, then they sleep (futex). A process that forked
 * has none of its parent's threads and works alone.
 *
 * Cost: a fraction of a microsecond a phase when nobody sleeps.
 */
#include "runtime/gpu/crew.h"

#include <fenv.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/store.h"

enum {
	WATCHES = 1000, /* looks at the phase before a thread sleeps: tens of microseconds */
	LINE = 64
};

/* Phase, next piece and end of a range, from the top: 32, 16 and 16 bits. */
struct range {
	alignas(LINE) _Atomic uint64_t cursor;
};

struct member {
	struct hd_crew *crew;
	uint32_t index;
	pthread_t thread;
};

struct hd_crew {
	alignas(LINE) _Atomic uint32_t phase;
	_Atomic uint32_t sleeping;
	_Atomic bool over;
	alignas(LINE) _Atomic uint32_t done; /* pieces of the phase */
	alignas(LINE) void (*work)(void *context, uint32_t index);
	void *context;
	uint32_t threads;
	pid_t process;
	struct member *members;
	struct range *ranges;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

uint32_t hd_crew_processors(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set))
		return 1;
	return (uint32_t)CPU_COUNT(&set);
}

/* ---- pieces */

/* The next piece of a range in this phase; false: there is none. */
static bool claim(struct range *range, uint32_t phase, uint32_t *piece)
{
	uint64_t seen = atomic_load_explicit(&range->cursor, memory_order_acquire);
	do {
		*piece = (uint32_t)(seen >> 16) & 0xffff;
		if (seen >> 32 != phase || *piece >= (seen & 0xffff))
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&range->cursor, &seen, seen + (1u << 16), memory_order_acq_rel,
							memory_order_acquire));
	return true;
}

static void do_pieces(struct hd_crew *crew, uint32_t phase, uint32_t index)
{
	uint32_t piece, done = 0;
	for (uint32_t i = 0; i < crew->threads; i++) {
		struct range *range = &crew->ranges[(index + i) % crew->threads];
		for (; claim(range, phase, &piece); done++)
			crew->work(crew->context, piece);
	}
	if (done)
		atomic_fetch_add_explicit(&crew->done, done, memory_order_acq_rel);
}

/* ---- threads */

static void sleep_until_after(struct hd_crew *crew, uint32_t phase)
{
	atomic_fetch_add(&crew->sleeping, 1);
	syscall(SYS_futex, &crew->phase, FUTEX_WAIT_PRIVATE, phase, NULL, NULL, 0);
	atomic_fetch_sub(&crew->sleeping, 1);
}

static uint32_t next_phase(struct hd_crew *crew, uint32_t last)
{
	uint32_t phase;
	for (uint32_t i = 0; (phase = atomic_load_explicit(&crew->phase, memory_order_acquire)) == last; i++) {
		if (i < WATCHES)
			relax();
		else
			sleep_until_after(crew, last);
	}
	return phase;
}

static void *serve(void *argument)
{
	const struct member *member = argument;
	struct hd_crew *crew = member->crew;
	uint32_t phase = 0;
	hd_store_enter(HD_STORE_STATE); /* what a piece allocates is the simulator's */
	fesetenv(FE_DFL_ENV);		/* the program's thread may flush denormals */
	for (;;) {
		phase = next_phase(crew, phase);
		if (atomic_load_explicit(&crew->over, memory_order_acquire))
			return NULL;
		do_pieces(crew, phase, member->index);
	}
}

/* Signals are for the program's threads. */
static bool start(struct member *member)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool started = !pthread_create(&member->thread, NULL, serve, member);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

static void *new_lines(size_t bytes)
{
	void *lines = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
	if (!lines)
		abort();
	memset(lines, 0, bytes);
	return lines;
}

struct hd_crew *hd_crew_new(uint32_t threads)
{
	struct hd_crew *crew = new_lines(sizeof *crew);
	crew->ranges = new_lines(threads * sizeof *crew->ranges);
	crew->members = new_lines(threads * sizeof *crew->members);
	crew->process = getpid();
	/* Ranges of threads that could not be had are everybody's. */
	crew->threads = threads;
	for (uint32_t i = 1; i < threads; i++) {
		crew->members[i] = (struct member){.crew = crew, .index = i};
		if (start(&crew->members[i]))
			continue;
		crew->members[i].crew = NULL;
	}
	return crew;
}

static void announce(struct hd_crew *crew)
{
	atomic_fetch_add(&crew->phase, 1);
	if (atomic_load(&crew->sleeping))
		syscall(SYS_futex, &crew->phase, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

bool hd_crew_is_here(const struct hd_crew *crew)
{
	return crew->process == getpid();
}

void hd_crew_free(struct hd_crew *crew)
{
	if (!crew)
		return;
	atomic_store_explicit(&crew->over, true, memory_order_release);
	announce(crew);
	for (uint32_t i = 1; i < crew->threads && crew->process == getpid(); i++)
		if (crew->members[i].crew)
			pthread_join(crew->members[i].thread, NULL);
	free(crew->members);
	free(crew->ranges);
	free(crew);
}

void hd_crew_run(struct hd_crew *crew, uint32_t count, void (*work)(void *context, uint32_t index), void *context)
{
	uint64_t phase = atomic_load_explicit(&crew->phase, memory_order_relaxed) + UINT32_C(1),
		 threads = crew->threads;
	crew->work = work;
	crew->context = context;
	atomic_store_explicit(&crew->done, 0, memory_order_relaxed);
	for (uint64_t i = 0; i < threads; i++) {
		uint64_t first = i * count / threads, end = (i + 1) * count / threads;
		atomic_store_explicit(&crew->ranges[i].cursor, (phase & UINT32_MAX) << 32 | first << 16 | end,
				      memory_order_release);
	}
	announce(crew);
	do_pieces(crew, (uint32_t)phase, 0);
	for (uint32_t i = 0; atomic_load_explicit(&crew->done, memory_order_acquire) < count; i++) {
		if (i < WATCHES)
			relax();
		else
			sched_yield(); /* a claimed piece's thread waits for a processor */
	}
}

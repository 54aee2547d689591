/*
 * What host threads would share of a run's work (Amdahl's law), on a host of any size. One thread does the pieces of
 * each phase (window.c) one after the other, and the processor time of each is taken. From these follows how long a
 * phase takes with 2, 4, 8 or 16 threads that deal the pieces out as crew.c does: each has a range, and who has
 * finished its own takes from the others'. What lies between the phases (the dispatcher, stores and atomics of a
 * window, steps by single cycles) is one thread's, and the others wait.
 *
 * Left out is what threads cost each other: caches, the memory's bandwidth, the clock, and the fraction of a
 * microsecond that a phase costs to begin and to end.
 *
 * Cost: reading a clock for each piece, which is taken off; O(pieces * threads) a phase.
 */
#include "runtime/gpu/shares.h"

#include <inttypes.h>
#include <time.h>

#include "runtime/gpu/run.h"

#define PIECES (HD_MAX_SMS + 1)
#define MOST 16 /* threads */

static const uint32_t counts[] = {1, 2, 4, 8, MOST};
enum { COUNTS = sizeof counts / sizeof *counts };

struct hd_shares {
	uint64_t clock;		/* nanoseconds that reading the clock takes */
	uint64_t last;		/* when it was read */
	uint64_t single;	/* nanoseconds: outside of shared phases, */
	uint64_t memory;	/* in shared ones: of the memory system, */
	uint64_t sms;		/* and of SMs */
	uint64_t spans[COUNTS]; /* shared phases, by number of threads */
	uint64_t phases, pieces;
	uint64_t piece[PIECES];
};

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct hd_shares *hd_shares_new(struct hd_arena *arena)
{
	enum { READS = 1000 };
	struct hd_shares *shares = HD_ARENA_NEW(arena, struct hd_shares, 1);
	uint64_t before = now();
	for (uint32_t i = 1; i < READS; i++)
		now();
	shares->clock = (now() - before) / READS;
	return shares;
}

/* Since it was read last. */
static uint64_t lap(struct hd_shares *shares)
{
	uint64_t at = now(), taken = at - shares->last;
	shares->last = at;
	return taken > shares->clock ? taken - shares->clock : 0;
}

void hd_shares_begin(struct hd_shares *shares)
{
	shares->last = now();
}

void hd_shares_end(struct hd_shares *shares)
{
	shares->single += lap(shares);
}

void hd_shares_phase(struct hd_shares *shares)
{
	shares->single += lap(shares);
}

void hd_shares_piece(struct hd_shares *shares, uint32_t index)
{
	shares->piece[index] = lap(shares);
}

/* The next piece of a thread whose own range is that of `thread`; false: none is left. */
static bool claim(uint32_t *next, uint32_t count, uint32_t threads, uint32_t thread, uint32_t *piece)
{
	for (uint32_t i = 0; i < threads; i++) {
		uint32_t of = (thread + i) % threads;
		if (next[of] == (of + 1) * count / threads)
			continue;
		*piece = next[of]++;
		return true;
	}
	return false;
}

static uint64_t span_of(const struct hd_shares *shares, uint32_t count, uint32_t threads)
{
	uint64_t free_at[MOST] = {0}, span = 0;
	uint32_t next[MOST], piece;
	for (uint32_t i = 0; i < threads; i++)
		next[i] = i * count / threads;
	for (;;) {
		uint32_t first = 0;
		for (uint32_t i = 1; i < threads; i++)
			first = free_at[i] < free_at[first] ? i : first;
		if (!claim(next, count, threads, first, &piece))
			return span;
		free_at[first] += shares->piece[piece];
		span = free_at[first] > span ? free_at[first] : span;
	}
}

void hd_shares_phase_done(struct hd_shares *shares, uint32_t count, bool shared, bool memory)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < count; i++)
		all += shares->piece[i];
	if (shared) {
		shares->memory += memory ? shares->piece[0] : 0;
		shares->sms += all - (memory ? shares->piece[0] : 0);
		for (uint32_t i = 0; i < COUNTS; i++)
			shares->spans[i] += span_of(shares, count, counts[i]);
		shares->phases++;
		shares->pieces += count;
	} else {
		shares->single += all;
	}
	shares->last = now(); /* this took time, too */
}

static double per_cent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void hd_shares_print(const struct hd_shares *shares, FILE *out)
{
	uint64_t shared = shares->memory + shares->sms, work = shared + shares->single;
	fprintf(out,
		"host work %.3f s: %.1f %% SMs, %.1f %% memory system, %.1f %% one thread's; %" PRIu64
		" phases of %.1f pieces\n",
		(double)work * 1e-9, per_cent(shares->sms, work), per_cent(shares->memory, work),
		per_cent(shares->single, work), shares->phases,
		shares->phases ? (double)shares->pieces / (double)shares->phases : 0);
	fprintf(out, "threads  speedup  waiting, %%  in phases, %%\n");
	for (uint32_t i = 0; i < COUNTS; i++) {
		uint64_t span = shares->single + shares->spans[i], all = counts[i] * span;
		uint64_t inside = counts[i] * shares->spans[i] - shared;
		fprintf(out, "%7u %8.2f %11.1f %13.1f\n", counts[i], span ? (double)work / (double)span : 1,
			per_cent(all - work, all), per_cent(inside, all));
	}
}

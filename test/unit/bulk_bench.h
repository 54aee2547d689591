/*
 * A simulated SM of Hopper with round figures, and kernels with barriers in shared memory and copies in bulk, for the
 * tests of their times. A kernel looks at the clock, and a test compares what it saw. Change `config` before the run.
 */
#ifndef HD_TEST_UNIT_BULK_BENCH_H
#define HD_TEST_UNIT_BULK_BENCH_H

#include "simbench.h"

enum {
	BARRIER = 34, /* registers: its address, which is 0; how many arrive; the parities of the first phase and the
			 next */
	COUNT = 35,
	PARITY = 36,
	COPY = 8, /* R8:R9 the global address, R10 the shared one, R11 the barrier */
	BYTES = 12,
	CLOCKS = 40
};
enum { ARRIVE = 9, WAKE = 30, BUSY = 4, LIMIT = 5000, LATENCY = 40, ISSUE = 32, PLACE = 128, ROOM = 8192 };

void bulk_begin(struct simbench *bench);

/* SYNCS.op of the barrier, with what register `count` says. */
struct hd_inst *bulk_operation(struct simbench *bench, uint32_t op, uint8_t count);
/* The answer is P1. `tries`: it may be late. */
struct hd_inst *bulk_wait(struct simbench *bench, bool tries, uint8_t parity);
/* The next instruction waits for this predicate, which a wait writes. */
void bulk_need(struct simbench *bench, uint8_t predicate);
/* The registers, and a barrier of one arrival. */
void bulk_barrier(struct simbench *bench);
/* The operands of a copy between the kernel's parameter and shared memory. */
void bulk_place(struct simbench *bench, uint32_t bytes);
/* The copy, HD_BULK_*. */
void bulk_copy(struct simbench *bench, uint32_t kind);

/* A look at the clock, and what one saw: of a warp, or of the first one from its first look on. */
void bulk_look(struct simbench *bench, uint32_t number);
uint32_t bulk_clock(const struct simbench *bench, uint32_t warp, uint32_t number);
uint32_t bulk_cycles(const struct simbench *bench, uint32_t number);

/* A block of so many threads or of one, with the address of 64 KB, twice: the second time all is in L2. */
void bulk_run_threads(struct simbench *bench, uint32_t threads);
void bulk_run(struct simbench *bench);
/* Of the last launch. */
const struct hd_counters *bulk_counters(const struct simbench *bench);

struct bulk_copies {
	uint32_t bytes, count, more; /* of each of so many copies; instructions between the last one and the wait */
	uint32_t latency, issue, queue, requests;
	double row;
	uint32_t barriers, fences; /* between them, too */
	uint32_t loads;		   /* behind the copies, one after the other, of lines of their own */
	bool translates;	   /* with a TLB of one page of 4 KB whose misses take no time */
	uint32_t behind;	   /* result: cycles until the warp has issued all copies */
	uint32_t loaded;	   /* result: cycles until it has issued the last load */
	struct hd_counters counters;
};

/* Cycles until the bytes are there that one block has copied before, so that they are in L2. */
uint32_t bulk_load(struct bulk_copies *copies);

#endif

/*
 * The operand stage: banks and collectors. operands.c.
 */
#ifndef HD_RUNTIME_SM_OPERANDS_H
#define HD_RUNTIME_SM_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/api.h"
#include "lib/arena.h"
#include "runtime/core/gpu.h"
#include "runtime/core/program.h"
#include "runtime/sm/limits.h"

struct hd_config;
struct hd_scheduler;
struct hd_sm;
struct hd_warp;

#define HD_TICKS 1000 /* of a cycle: times of the register file have fractions */

/* The first cycle that does not begin before this tick. */
static inline uint64_t hd_tick_cycle(uint64_t ticks)
{
	return (ticks + HD_TICKS - 1) / HD_TICKS;
}

/* Holds an instruction from issue until it is dispatched. */
struct hd_collector {
	struct hd_warp *warp; /* of the last instruction that it took */
	const struct hd_dinst *inst;
	uint32_t index;	 /* in its register file */
	uint32_t number; /* in the SM */
	/* Kept where policies look at the operand stage: stage.c. */
	bool waiting;			 /* its instruction has not been dispatched */
	uint8_t source[HD_MAX_OPERANDS]; /* enum hd_source */
	uint64_t ready[HD_MAX_OPERANDS]; /* ticks */
	uint8_t *policy_space;		 /* hd_policy_collector */
};

#define HD_REUSE_SLOTS 3 /* operand slots a, b, c */

/* Banks and collectors of one scheduler, or of all that share them: operands.c. */
struct hd_regfile {
	uint64_t open;	 /* cycle from which it takes an instruction */
	uint64_t *free;	 /* cycle from which each collector does */
	uint64_t *steps; /* operands = accelsim: tick from which it does */
	struct hd_collector *collectors;
	uint32_t collector_count;
	uint64_t *due;	  /* operands = accelsim: of each bank, the cycles in which it will get a result, modulo 64 */
	uint64_t *reuse;  /* operands = modern: entries of the reuse cache, HD_REUSE_SLOTS for each bank */
	uint64_t ports[]; /* tick from which each is free, bank by bank: of reads, and of writes that do not share them
			   */
};

struct hd_operands {
	struct hd_regfile *regfiles[HD_MAX_SCHEDULERS]; /* hd_bank_shape.parts of them */
};

void hd_operands_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena);
void hd_operands_dump(const struct hd_sm *sm, uint64_t now, FILE *out);
/* A free collector for the instruction; the caller has seen that there is one. NULL where the model has none. */
struct hd_collector *hd_collector_take(const struct hd_sm *sm, const struct hd_scheduler *scheduler,
				       struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
void hd_collector_hold(struct hd_sm *sm, const struct hd_scheduler *scheduler, struct hd_collector *collector,
		       uint64_t now, uint64_t dispatch);
/* Reads the registers of an instruction that has some; returns the cycle at which all are in its collector. */
uint64_t hd_operands_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* The same from tick `from` on; returns the tick. */
uint64_t hd_registers_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t from);
/* Where `operands = accelsim`: its result will be written in cycle `at`. */
void hd_registers_due(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
		      uint64_t at);
/* The result that was due now does not go to its bank. */
void hd_register_not_written(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t now);
/* Writes its results; returns the cycle at which all are. */
uint64_t hd_operands_write(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* From which cycle on the latency of an instruction counts: the .ini's contain the collection of operands. */
static inline uint64_t hd_latency_from(const struct hd_bank_shape *shape, uint64_t dispatch)
{
	return dispatch > shape->operand_cycles ? dispatch - shape->operand_cycles : 0;
}

/* ---- banks */

/*
 * A register of a warp is read from or written to its bank, from tick `from` on or as soon as the bank has a port.
 * Returns the tick at which what was read is there, or at which the write begins. Also for a policy's own transfers.
 */
HD_API uint64_t hd_bank_read(struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t from);
HD_API uint64_t hd_bank_write(struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t from);
/* Whether a read from tick `from` on would begin at once. */
bool hd_bank_is_free(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t from);
uint32_t hd_bank_of(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg);
/* Ports of banks of a register file, for what is no register of a warp; as hd_bank_read, and uncounted. */
uint64_t hd_port_read(const struct hd_sm *sm, struct hd_regfile *file, uint32_t bank, uint64_t from);
uint64_t hd_port_write(const struct hd_sm *sm, struct hd_regfile *file, uint32_t bank, uint64_t from);

#endif

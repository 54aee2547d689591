/*
 * Where operands come from and where results go: the operand stage (struct hd_policy_hooks, operands;
 * docs/architecture.md, The operand stage). Only one policy of a combination may have the hooks of collectors, and only
 * one may have `rename`.
 */
#ifndef HEDDLE_POLICY_OPERANDS_H
#define HEDDLE_POLICY_OPERANDS_H

#include <stdint.h>

struct hd_collector;
struct hd_dinst;
struct hd_policy_handle;
struct hd_regfile;
struct hd_warp;

#define HD_MAX_OPERANDS 12
#define HD_NO_COLLECTOR UINT32_MAX

/* A register operand. Operands are in slot order, low word first, with duplicates. */
struct hd_operand {
	uint8_t reg;
	uint8_t slot : 3; /* enum hd_slot */
	uint8_t word : 3; /* of the slot */
	uint8_t near : 1; /* the value is read again soon (reuse analysis, malekeh 3.2); for the result: near_result */
	uint8_t dead : 1; /* last read in the whole warp (LTRF+) */
	uint8_t same;	  /* index of the first operand with this register */
};
enum hd_source { HD_FROM_BANK, HD_FROM_CACHE, HD_FROM_BYPASS };

/* A register of a result. */
struct hd_result {
	struct hd_warp *warp;
	const struct hd_dinst *inst;
	uint32_t lanes; /* lanes that executed the instruction */
	uint32_t order; /* issue order in the SM; wraps around */
	uint8_t reg;
	uint8_t word; /* of the destination */
};
enum hd_target { HD_TO_BANK, HD_TO_CACHE, HD_TO_BOTH };

/* A register of the range that a grid reserves on an SM (`reserve`): its row, and the lanes that the access moves,
 * for energy. It occupies its bank like an access of all lanes. */
struct hd_range_access {
	uint32_t row, lanes;
};
#define HD_MAX_RANGE 8 /* most per instruction */

struct hd_policy_operands {
	/* Called when a warp's instruction could issue. Returns the collector for it: an index into
	 * regfile->collectors whose regfile->free is not after `now`. HD_NO_COLLECTOR: none now; called again in the
	 * next cycle; *reason (HD_STALL_collector) may be set to the stall reason. */
	uint32_t (*choose_collector)(const struct hd_policy_handle *self, struct hd_warp *warp,
				     const struct hd_dinst *inst, const struct hd_regfile *regfile, uint64_t now,
				     uint8_t *reason);
	/* Called at issue for all operands in order. Returns the source of the operand. From cache or bypass it is
	 * available at tick *ready (default: now); from a bank, when the bank has read it. */
	enum hd_source (*operand_source)(const struct hd_policy_handle *self, struct hd_collector *collector,
					 const struct hd_operand *operand, uint64_t now, uint64_t *ready);
	/* Called when the instruction moves to its unit. The collector is free from the next cycle; the policy's
	 * state in it stays. */
	void (*dispatch)(const struct hd_policy_handle *self, struct hd_collector *collector, uint64_t now);
	/* Called for each result register, within a cycle in order of issue. Returns its target. A result for the
	 * cache only uses no bank port. */
	enum hd_target (*result_target)(const struct hd_policy_handle *self, const struct hd_result *result,
					uint64_t now);
	/* Called when the bank of a register is needed. Returns the position of the register among those of its warp.
	 * Must not change anything. */
	uint32_t (*rename)(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg);
	/* Called for instructions marked by `range` (struct hd_dinst): those with linear operands read, outputs of
	 * linear streams write; `decode` may mark others. Fill `list` with the range registers that the instruction
	 * reads as operands, or writes with its result, in addition to its own registers. Return their number. */
	uint32_t (*range_reads)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				struct hd_range_access list[HD_MAX_RANGE]);
	uint32_t (*range_writes)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				 struct hd_range_access list[HD_MAX_RANGE]);
};

#endif

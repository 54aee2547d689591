/*
 * A warp's turn without timing: instructions one after the other, counted.
 */
#ifndef HD_RUNTIME_EXEC_TURN_H
#define HD_RUNTIME_EXEC_TURN_H

#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"

/* A warp's turn without timing (runtime/gpu/functional.c). */
struct hd_warp_turn {
	const struct hd_dinst *code;
	uint64_t *counts; /* of each instruction of the program: how often it was executed */
	uint32_t left;	  /* instructions until the turn is over */
	uint32_t spins;	  /* and branches back of loops that may wait for others */
	uint64_t lanes;	  /* that executed them, summed */
	uint64_t calls, diverged, yields, accesses[HD_MEM_SPACES]; /* by enum hd_mem_space */
	/* The turn is over, too, at a branch of this function (its first instruction, how many) that leads out of these
	 * instructions of it. Without function: nowhere. */
	uint32_t own, own_count, inside, inside_count;
	/* Told of accesses; NULL: nobody is. */
	void (*touch)(void *context, const struct hd_dinst *inst, const struct hd_effect *effect);
	void *context;
};
/* Whether a path that is at this instruction has left what the turn is for. */
HD_INLINE bool hd_run_has_left(const struct hd_warp_turn *run, uint32_t pc)
{
	return pc - run->own < run->own_count && pc - run->inside >= run->inside_count;
}
/* Counts what was executed; the warp is at `pc` now. True: the turn is over, or somebody else has to see to it. */
HD_INLINE bool hd_run_note(struct hd_warp_turn *run, const struct hd_dinst *inst, const struct hd_effect *effect,
			   uint32_t pc)
{
	run->counts[inst - run->code]++;
	run->lanes += (uint32_t)__builtin_popcount(hd_effect_lanes(effect));
	run->yields += effect->yielded;
	run->left--;
	switch (effect->event) {
	case HD_EVENT_MEMORY:
		run->accesses[effect->space]++;
		if (__builtin_expect(run->touch != NULL, 0))
			run->touch(run->context, inst, effect);
		break;
	case HD_EVENT_BRANCH:
		run->diverged += effect->diverged;
		run->spins -= inst->spins && effect->mask;
		if (__builtin_expect(hd_run_has_left(run, pc), 0))
			return true;
		break;
	case HD_EVENT_CALL: run->calls++; break;
	case HD_EVENT_BARRIER:
	case HD_EVENT_CLUSTER:
	case HD_EVENT_ARRIVES:
	case HD_EVENT_RESIZE:
	case HD_EVENT_WGMMA:
	case HD_EVENT_FAULT: return true;
	case HD_EVENT_WAIT:
		if (!effect->elsewhere)
			run->spins = 0;
		break;
	default:
		if (inst->inst.op == HD_OP_NANOSLEEP)
			run->spins = 0;
		break;
	}
	return effect->warp_done || !run->left || !run->spins;
}
/* As hd_warp_execute, one instruction after the other until hd_run_note says so; returns the last one. For programs
 * that nothing watches. */
const struct hd_dinst *hd_warp_execute_turn(struct hd_exec *exec, struct hd_warp *warp, struct hd_effect *effect,
					    struct hd_warp_turn *run);

#endif

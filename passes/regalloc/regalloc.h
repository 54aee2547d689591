/*
 * What the parts of register allocation share: regalloc.c decides rounds, assign.c gives
 * registers to live intervals, spill.c rewrites what did not fit.
 */
#ifndef HD_PASSES_REGALLOC_REGALLOC_H
#define HD_PASSES_REGALLOC_REGALLOC_H

#include "passes/mir/claims.h"
#include "passes/mir/live.h"

#define HD_NO_REG UINT32_MAX

/* How far a register has been split; kept across rounds. */
enum hd_split {
	HD_SPLIT_WHOLE, /* as it came */
	HD_SPLIT_BLOCK, /* one of the pieces, a block each, of a spilled register */
	HD_SPLIT_TINY	/* from a reload to its use or from a definition to its store: cannot be spilled */
};

/* What is known about one register beside its interval. */
struct hd_piece {
	enum hd_split split;
	uint32_t slot;	    /* frame object, HD_NO_REG none */
	uint32_t slot_word; /* this register's word 0 in it */
	uint32_t remat;	    /* index in hd_regalloc.remats of what makes its words again, one each; HD_NO_REG none */
};

struct hd_hint {
	double frequency;
	uint32_t owner; /* register to which the hint belongs */
	uint32_t reg;	/* partner: virtual or physical */
	int32_t shift;	/* partner's base + shift is where this one would like to be */
};

/* One way to give registers out; the best of several is kept. */
struct hd_assignment {
	uint32_t *reg;	  /* by virtual register: physical register of word 0 */
	uint32_t highest; /* highest general register used + 1 */
	double spill_cost;
	HD_VEC(uint32_t) spilled; /* virtual registers that found no place */
	uint32_t failed;	  /* one that can be neither placed nor spilled, HD_NO_REG none */
};

struct hd_regalloc {
	struct hd_mfunc *func;
	struct hd_arena arena; /* one round */
	struct hd_live_intervals intervals;
	HD_VEC(struct hd_piece) pieces; /* by virtual register */
	HD_VEC(struct hd_minst) remats;
	uint32_t cap;	       /* general registers R0 .. R(cap-1) */
	uint32_t bound;	       /* registers live at once at the worst place: no assignment can use fewer */
	uint32_t free;	       /* as many that cost no occupancy beyond what the bound costs */
	uint32_t near;	       /* as many that values defined in loops may spread over */
	uint32_t wishes;       /* as many of which they may choose one in the bank that they like */
	bool *in_loop;	       /* by virtual register: defined in a loop */
	uint8_t *bank;	       /* by virtual register: enum hd_bank, wished */
	bool *reads_late;      /* by instruction of the linear order: memory instructions */
	double *weight, *cost; /* by virtual register: cost of spilling it for a position, and in all */
	bool *crosses;	       /* by virtual register: live across a call */
	uint32_t *hint_start;  /* by virtual register */
	struct hd_hint *hints;
	struct hd_track tracks[HD_MREG_VIRTUAL];
	uint32_t round;
	bool split; /* live ranges have been */
};

enum hd_strategy { HD_BY_START, HD_WIDE_FIRST, HD_LONG_FIRST, HD_STRATEGY_COUNT };

/* Gives registers to all intervals of this round. */
void hd_regalloc_assign(struct hd_regalloc *allocator, enum hd_strategy strategy, struct hd_assignment *result);
/* Splits live ranges where more words are live than there are registers (split.c); whether the code changed. */
bool hd_regalloc_split(struct hd_regalloc *allocator);
/* Rewrites the code for the registers in `spilled`. */
void hd_regalloc_spill(struct hd_regalloc *allocator, const uint32_t *spilled, uint32_t count);
/* The load or store between words [sub, sub + reg.words) of a piece's slot and `reg`, without place or origin. */
struct hd_minst hd_regalloc_access_slot(struct hd_regalloc *allocator, bool load, const struct hd_piece *piece,
					unsigned sub, struct hd_mreg reg);
/* The piece of a register; grows the table to all registers. */
struct hd_piece *hd_regalloc_piece(struct hd_regalloc *allocator, uint32_t vreg);

static inline uint32_t hd_regalloc_words(const struct hd_regalloc *allocator, uint32_t vreg)
{
	uint32_t words = allocator->func->vregs.data[vreg].words;
	return words ? words : 1;
}
static inline uint32_t hd_regalloc_segments(const struct hd_regalloc *allocator, uint32_t word,
					    const struct hd_segment **segments)
{
	const uint32_t *start = allocator->intervals.segment_start;
	*segments = allocator->intervals.segments + start[word];
	return start[word + 1] - start[word];
}

/* Register banks that instructions wish for (banks.c), by virtual register; the array is the arena's. */
enum hd_bank { HD_BANK_ANY, HD_BANK_EVEN, HD_BANK_ODD };
uint8_t *hd_banks_choose(struct hd_mfunc *func, struct hd_arena *arena);

/* The independent checker (check_allocation.c): `before` is the function as hd_allocation_snapshot copied it. */
void hd_allocation_snapshot(struct hd_mfunc *func, struct hd_arena *arena, struct hd_mfunc *before);
int hd_allocation_check(struct hd_mfunc *before, struct hd_mfunc *after, struct hd_diag *diag);

#endif

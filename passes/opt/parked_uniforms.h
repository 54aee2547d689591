/*
 * What the two halves of parking values in uniform registers share: parked_uniforms.c chooses,
 * parked_uniforms_rewrite.c rewrites.
 */
#ifndef HD_PASSES_OPT_PARKED_UNIFORMS_H
#define HD_PASSES_OPT_PARKED_UNIFORMS_H

#include "passes/mir/claims.h"

/* A virtual register. */
struct hd_parked_candidate {
	bool possible;	/* uniform, and nothing but ordinary operands name it */
	uint32_t place; /* first uniform register, + 1; 0: not parked */
	uint32_t touch; /* newest of its touches, + 1 */
};

/* An instruction that names a register. */
struct hd_parked_touch {
	double frequency;
	uint32_t position; /* at which it would be in registers though it is parked */
	uint32_t next;
	uint8_t words; /* of it; added instructions */
	bool folds;    /* unless the instruction takes another uniform operand */
	bool made;     /* a definition by UMOV */
};

/* To park a register, at the cost when it was last looked at. */
struct hd_parked_offer {
	double rate;
	uint32_t vreg;
};

struct hd_parked_uniforms {
	struct hd_mfunc *func;
	struct hd_arena arena;
	struct hd_live_intervals intervals;
	struct hd_parked_candidate *candidates; /* by virtual register */
	HD_VEC(uint32_t) possible;
	struct hd_track tracks[HD_MAX_UREGS];
	HD_VEC(struct hd_parked_touch) touches;
	int32_t *pressure; /* by position: words live */
	int32_t *crowded;  /* Fenwick tree over the positions: how many have more than `limit` */
	uint32_t limit;
	HD_VEC(struct hd_parked_offer) offers; /* a heap */
	uint32_t positions;
	bool *taken; /* by instruction: it has a uniform operand */
	/* while operands are noted, and while the code is rewritten */
	struct hd_minst *inst;
	double frequency;
	uint32_t index; /* of the instruction in the linear order */
	HD_VEC(struct hd_minst) out, after;
};

static inline bool hd_parked_is_general(const struct hd_mfunc *func, uint32_t id)
{
	return hd_mreg_is_virtual(id) && !hd_mreg_is_pred(func, id);
}
static inline struct hd_parked_candidate *hd_parked_candidate_of(const struct hd_parked_uniforms *p, struct hd_mreg reg)
{
	return reg.words && hd_parked_is_general(p->func, reg.id) ? &p->candidates[reg.id - HD_MREG_VIRTUAL] : NULL;
}

/* The slot in which the instruction could read the register from a uniform one, after swapping if it is `a`;
 * HD_SLOT_DST: none, or it reads it more than once. */
enum hd_slot hd_parked_slot(const struct hd_minst *inst, uint32_t id);
/* A word from no register: UMOV makes it in place of MOV. */
bool hd_parked_is_made(const struct hd_minst *inst);
/* The code with what is parked in its place. */
void hd_parked_rewrite(struct hd_parked_uniforms *p);

#endif

/*
 * What --check=init keeps beside memory and registers: which of their bits mean nothing. Private to runtime/check.
 */
#ifndef HD_RUNTIME_CHECK_SHADOW_H
#define HD_RUNTIME_CHECK_SHADOW_H

#include "lib/map.h"
#include "runtime/exec/exec.h"

/* ---- fresh.c: of memory */

struct hd_fresh {
	uint8_t *bits;	       /* a bit for each byte: some of its bits are fresh */
	struct hd_map partial; /* by word: of bytes of these, which bits */
};
bool hd_fresh_any(const struct hd_fresh *fresh, uint64_t at, uint32_t bytes);
/* Of up to four bytes of one word, lowest first: the bits that nothing has written; and sets these. */
uint32_t hd_fresh_mask(const struct hd_fresh *fresh, uint64_t at, uint32_t bytes);
void hd_fresh_put(struct hd_fresh *fresh, uint64_t at, uint32_t bytes, uint32_t mask);
void hd_fresh_set(struct hd_fresh *fresh, uint64_t from, uint64_t bytes, bool set);

/* ---- of registers, and of words of a thread's local memory */

/* Where bits that mean nothing came from. */
struct hd_origin_of {
	uint32_t pc;
	uint8_t kind, space;
	uint64_t address;
};

/* What became of such bits on their way, lanes each. */
struct hd_handled {
	uint32_t altered; /* they are no longer what was read */
	uint32_t cut;	  /* they are, each in its place, but not all, of a word of which nothing was written */
	uint32_t bytes1;  /* one byte was read, or two: more than that is no copy */
	uint32_t bytes2;
};
struct hd_value_row {
	uint32_t lanes; /* in which some bits mean nothing; of others nothing below counts */
	struct hd_handled how;
	uint32_t whole; /* lanes in which no bit of what was read was written */
	struct hd_origin_of of;
	uint32_t bits[HD_WARP_LANES];
	uint32_t from[HD_WARP_LANES]; /* the word that they were read from: its address's low bits */
};

struct hd_values {
	bool any; /* of the below, now or before */
	struct hd_value_row regs[256];
	struct hd_value_row uniform[HD_MAX_UREGS]; /* all lanes alike */
	uint32_t preds[8];			   /* lanes in which the predicate means nothing */
	struct hd_origin_of of_pred[8];
	struct hd_value_row
		answers;   /* what operations among lanes of several paths give, for who has not come back yet */
	uint32_t answered; /* the same of predicates: lanes in which they mean nothing */
	struct hd_origin_of of_answered;
	/* Local memory by words: lanes in which something was written since the frame began, and what of it means
	 * nothing.
	 */
	uint32_t *known;
	struct hd_value_row **local; /* NULL: everything that is known does */
	uint32_t local_words;
	uint32_t frame[HD_WARP_LANES]; /* the stack pointers */
};
void hd_values_begin(struct hd_values *values, uint32_t local_bytes);
void hd_values_release(struct hd_values *values);
/* Every register, predicate and uniform register that the instruction writes means something in these lanes. */
void hd_values_known(struct hd_values *values, const struct hd_dinst *inst, uint32_t lanes);
/* The lanes of `mask` take over what `from` says of them. */
void hd_value_copy(struct hd_value_row *to, const struct hd_value_row *from, uint32_t mask);
void hd_value_copy_lane(struct hd_value_row *to, uint32_t lane, const struct hd_value_row *from, uint32_t from_lane);
/* The lane's bits mean nothing: its word came from memory as it is. */
void hd_value_read(struct hd_value_row *to, uint32_t lane, uint32_t bits, uint32_t bytes, uint32_t from,
		   const struct hd_origin_of *of);

/* Bits that are no longer what was read. */
void hd_value_made(struct hd_value_row *to, uint32_t lane, uint32_t bits, const struct hd_origin_of *of);

/* Which bits of the results of an instruction depend on bits that mean nothing. `guarded`: lanes of which that
 * decides whether they execute it at all. */
void hd_values_try(struct hd_values *values, const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t guarded);

/* stack.c: local memory */
void hd_values_follow_stack(struct hd_values *values, const struct hd_warp *warp, uint32_t mask);
void hd_values_load_local(struct hd_values *values, uint32_t lane, uint32_t offset, uint32_t bytes, uint32_t reg,
			  uint32_t pc, bool extends);
void hd_values_store_local(struct hd_values *values, uint32_t lane, uint32_t offset, uint32_t bytes, uint32_t reg);

#endif

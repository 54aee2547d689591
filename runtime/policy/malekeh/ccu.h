/*
 * A caching collector unit (malekeh 3.2, 4): the cache table beside an operand collector. It keeps registers of one
 * warp, its owner, over instructions. Sources are looked up and locked when the unit takes an instruction, and
 * unlocked when that is dispatched; results come in when they are written.
 */
#ifndef HD_RUNTIME_POLICY_MALEKEH_CCU_H
#define HD_RUNTIME_POLICY_MALEKEH_CCU_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/program.h"

#define HD_CCU_ENTRIES 8 /* the paper's (3.2) */
#define HD_CCU_MOST 16
#define HD_CCU_NONE HD_CCU_MOST
#define HD_CCU_NEVER UINT32_MAX

struct hd_ccu_entry {
	uint8_t reg;
	uint8_t lru; /* 0: used last; a permutation over the entries */
	bool valid, locked, near;
	uint32_t due;		      /* exact distances: the owner's instruction that reads it next, or HD_CCU_NEVER */
	uint32_t data[HD_WARP_LANES]; /* under --verify */
};

struct hd_ccu {
	struct hd_warp *owner; /* NULL: it was never used, or its last owner has ended */
	uint64_t dispatched;   /* cycle of its last dispatch */
	uint64_t written;      /* cycle after that of the last write of a result: there is one port */
	uint64_t random;       /* state of its generator */
	uint32_t entry_count;
	bool results_only;			   /* sources that miss get no entry */
	bool exact;				   /* `due` says what is near and what is replaced, not the near bits */
	uint32_t rthld;				   /* for that */
	uint32_t now;				   /* instructions of the owner so far */
	uint32_t due[HD_MAX_OPERANDS], result_due; /* of the instruction that comes, of the result that is written */
	struct hd_ccu_entry entries[HD_CCU_MOST];
	uint8_t index[HD_MAX_OPERANDS]; /* operand collector table: entry of each operand, HD_CCU_NONE: none */
	uint32_t hits;			/* bit an operand */
};

void hd_ccu_init(struct hd_ccu *unit, uint32_t entries, uint64_t seed);
/* Drops what it keeps; what is locked stays there for the instruction, unknown to those that follow. */
void hd_ccu_flush(struct hd_ccu *unit);
/* The entry that keeps the register; HD_CCU_NONE. */
uint32_t hd_ccu_find(const struct hd_ccu *unit, uint8_t reg);
/* Whether it keeps a value that is read again soon (section 6). */
bool hd_ccu_has_near(const struct hd_ccu *unit);
/*
 * Steps 3 to 9 of 3.2: all sources of the instruction are looked up, those that miss get entries, all are locked. What
 * has more registers than there are entries goes past the table. Returns the number of registers that miss.
 */
uint32_t hd_ccu_take(struct hd_ccu *unit, const struct hd_dinst *inst);
/* Its instruction is dispatched. */
void hd_ccu_dispatch(struct hd_ccu *unit, uint64_t now);

/* What became of a result at port D (4.2). */
enum hd_ccu_write {
	HD_CCU_PASSED,	/* it is not wanted here */
	HD_CCU_DROPPED, /* the same, and the old value is gone */
	HD_CCU_WRITTEN	/* it is kept */
};
/* `near`: it is wanted; `full`: by all lanes that the warp still has. *entry: where it is kept. */
enum hd_ccu_write hd_ccu_write(struct hd_ccu *unit, uint8_t reg, bool near, bool full, uint64_t now, uint32_t *entry);

/* Bits that a unit has beyond those of a collector (9.4): tags, locks, near, LRU, and the indices of `rows` operands.
 */
uint32_t hd_ccu_extra_bits(uint32_t entries, uint32_t rows);

#endif

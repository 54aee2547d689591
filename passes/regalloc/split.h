/*
 * What the parts of splitting live ranges share: split.c goes over the blocks, split_insts.c over their instructions,
 * split_entry.c chooses what is in registers where blocks meet, split_webs.c names the pieces, split_slots.c places the
 * stores.
 */
#ifndef HD_PASSES_REGALLOC_SPLIT_H
#define HD_PASSES_REGALLOC_SPLIT_H

#include "passes/regalloc/next_use.h"
#include "passes/regalloc/regalloc.h"

/*
 * While ranges are split, the slot of a register is a register too, its shadow, and a load is a copy from it with the
 * role spill-load: so one liveness speaks of registers and slots.
 */
struct hd_splits {
	uint32_t original;	 /* registers before */
	uint32_t *shadow;	 /* by original register: its shadow, HD_NO_REG none */
	HD_VEC(uint32_t) origin; /* by register from `original` up: whose piece or shadow it is */
};

/* Stores after the definitions of what is loaded; drops those that nothing loads, and turns shadows into slots. */
void hd_splits_store(struct hd_regalloc *allocator, const struct hd_splits *splits);

typedef HD_VEC(struct hd_minst) hd_split_code;

struct hd_split_held {
	uint8_t mask;	  /* its words in registers */
	uint32_t web;	  /* that the piece belongs to */
	uint32_t place;	  /* in holders */
	uint32_t touches; /* of this piece in the block, + 1 */
	uint32_t keep;	  /* epoch in which it must stay */
};

struct hd_split_touch {
	uint32_t inst, next; /* index in out; + 1 */
	bool is_def;
};

struct hd_split_part {
	uint32_t vreg, web;
	uint8_t mask;
};

/* Pieces of a register that are joined where blocks meet: they are one register afterwards. */
struct hd_split_web {
	uint32_t parent, vreg; /* itself: the web's first */
};

struct hd_split_range {
	uint32_t start, count; /* in parts */
	bool known;
};

/* What predecessors hold of a register. */
struct hd_split_arriving {
	uint32_t stamp, count, forced; /* of predecessors with it; of those that lead elsewhere too */
	uint8_t all, some, common;     /* words: of every one, of any, of those that lead elsewhere too */
};

struct hd_splitter {
	struct hd_regalloc *allocator;
	struct hd_mfunc *func;
	const struct hd_live *live;
	struct hd_next_uses uses;
	struct hd_splits splits;
	int32_t *room, *pressure;   /* by position: registers that nothing fixed holds, words live */
	int32_t *most;		    /* by block: greatest pressure */
	uint32_t *next;		    /* by word: index of the next read in the block and beyond */
	struct hd_split_held *held; /* by register */
	HD_VEC(uint32_t) holders;
	uint32_t words; /* held */
	HD_VEC(struct hd_split_touch) touches;
	HD_VEC(uint32_t) nexts;	     /* next read after each operand of the block, last instruction first */
	HD_VEC(uint32_t) next_start; /* by instruction, from the last */
	HD_VEC(struct hd_split_part) parts, dead;
	HD_VEC(struct hd_split_web) webs;
	struct hd_split_range *at_entry, *at_exit; /* by block */
	struct hd_split_arriving *arriving;	   /* by register */
	hd_split_code out;
	uint32_t block, index, cursor, epoch;
};

/* Whether a register may leave: predicates and ranges may not. */
static inline bool hd_split_is_value(const struct hd_mfunc *func, uint32_t vreg)
{
	return func->vregs.data[vreg].words && !hd_mreg_is_range(func, vreg);
}

static inline unsigned hd_split_words(unsigned mask)
{
	return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1);
}
/* The position at which instruction `index` of the current block reads. */
static inline uint32_t hd_split_position(const struct hd_splitter *s, uint32_t index)
{
	return 2 * (s->allocator->intervals.first[s->block] + index);
}

/* split_insts.c: words of a register are in registers from here on, as a piece of `web` if none were before. */
void hd_split_hold(struct hd_splitter *s, struct hd_split_part part);
/* A piece ends, in its block or with it: its operands are named by its web. */
void hd_split_close(struct hd_splitter *s, uint32_t vreg);
/* Loads of the `missing` words of a register, at the end of the code so far; and in front of another block's end. */
void hd_split_load(struct hd_splitter *s, uint32_t vreg, unsigned missing, const struct hd_minst *at);
void hd_split_load_late(struct hd_splitter *s, uint32_t block, struct hd_split_part missing);
/* Lets registers go until the others fit; those marked with the current epoch stay. */
void hd_split_make_room(struct hd_splitter *s, uint32_t position);
/* What instruction s->index reads comes into registers; then it and what it ends is written; or all of it. */
void hd_split_need(struct hd_splitter *s, struct hd_minst *inst);
void hd_split_read(struct hd_splitter *s, struct hd_minst *inst, struct hd_minst *original);
void hd_split_inst(struct hd_splitter *s, struct hd_minst *inst);
/* Notes for each operand of the block the next read after it. */
void hd_split_find_nexts(struct hd_splitter *s);

/* split_webs.c: a new web; two that are one; and, at the end, registers in place of webs. */
uint32_t hd_split_web_new(struct hd_splitter *s, uint32_t vreg);
void hd_split_web_join(struct hd_splitter *s, uint32_t a, uint32_t b);
void hd_split_webs_name(struct hd_splitter *s);
/* What operands of a web are called until then. */
#define HD_SPLIT_WEB 0x80000000u
/* A register that stands for a piece or the slot of another. */
uint32_t hd_split_new_piece(struct hd_splitter *s, uint32_t vreg);

/* split_entry.c: chooses what is in registers at the beginning of the current block, and loads it at the end of
 * predecessors that do not have it. */
void hd_split_enter(struct hd_splitter *s);

#endif

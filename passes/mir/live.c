/*
 * Which words are live into and out of each block. Takes machine IR without PHIs; every
 * exposed use walks backwards until a definition, so the cost is that of the instructions
 * plus the size of the live sets: no dense matrix of blocks by registers.
 */
#include "passes/mir/live.h"

struct word_block {
	uint32_t word, block;
};
typedef HD_VEC(struct word_block) hd_word_blocks;

struct scan {
	struct hd_live *live;
	uint32_t block;
	uint32_t *defined, *exposed; /* by word: last block that defined it / read it first, + 1 */
	hd_word_blocks defs, uses;
};

static void scan_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	struct scan *scan = context;
	if (!hd_mreg_is_virtual(reg->id))
		return;
	uint32_t word = hd_live_word(scan->live, *reg), stamp = scan->block + 1;
	for (uint32_t end = word + reg->words; word < end; word++) {
		if (scan->defined[word] == stamp)
			continue;
		if (is_def) {
			scan->defined[word] = stamp;
			hd_vec_push(&scan->defs, (struct word_block){word, scan->block});
		} else if (scan->exposed[word] != stamp) {
			scan->exposed[word] = stamp;
			hd_vec_push(&scan->uses, (struct word_block){word, scan->block});
		}
	}
}

/* Groups `pairs` by word (or by block), keeping their order: rows[start[k] .. start[k+1]) holds the other half. */
static void group(const hd_word_blocks *pairs, bool by_word, uint32_t keys, struct hd_arena *arena, uint32_t **start,
		  uint32_t **rows)
{
	*start = HD_ARENA_NEW(arena, uint32_t, keys + 2);
	*rows = HD_ARENA_NEW(arena, uint32_t, pairs->len + 1);
	for (uint32_t i = 0; i < pairs->len; i++)
		(*start)[2 + (by_word ? pairs->data[i].word : pairs->data[i].block)]++;
	for (uint32_t key = 0; key < keys; key++)
		(*start)[key + 2] += (*start)[key + 1];
	for (uint32_t i = 0; i < pairs->len; i++) {
		const struct word_block *pair = &pairs->data[i];
		(*rows)[(*start)[1 + (by_word ? pair->word : pair->block)]++] = by_word ? pair->block : pair->word;
	}
}

struct walk {
	const struct hd_mfunc *func;
	uint32_t *kills, *is_in, *is_out; /* by block: last word for which it holds, + 1 */
	HD_VEC(uint32_t) work;
	hd_word_blocks in, out;
};

static void walk_word(struct walk *walk, uint32_t word)
{
	while (walk->work.len) {
		uint32_t block = hd_vec_pop(&walk->work);
		if (walk->is_in[block] == word + 1)
			continue;
		walk->is_in[block] = word + 1;
		hd_vec_push(&walk->in, (struct word_block){word, block});
		const struct hd_mblock *source = &walk->func->blocks.data[block];
		for (uint32_t i = 0; i < source->preds.len; i++) {
			uint32_t pred = source->preds.data[i];
			if (walk->is_out[pred] == word + 1)
				continue;
			walk->is_out[pred] = word + 1;
			hd_vec_push(&walk->out, (struct word_block){word, pred});
			if (walk->kills[pred] != word + 1)
				hd_vec_push(&walk->work, pred);
		}
	}
}

static void walk_all(struct hd_mfunc *func, struct hd_arena *scratch, struct scan *scan, struct walk *walk)
{
	uint32_t *def_start, *def_rows, *use_start, *use_rows;
	group(&scan->defs, true, scan->live->words, scratch, &def_start, &def_rows);
	group(&scan->uses, true, scan->live->words, scratch, &use_start, &use_rows);
	walk->func = func;
	walk->kills = HD_ARENA_NEW(scratch, uint32_t, func->blocks.len);
	walk->is_in = HD_ARENA_NEW(scratch, uint32_t, func->blocks.len);
	walk->is_out = HD_ARENA_NEW(scratch, uint32_t, func->blocks.len);
	for (uint32_t word = 0; word < scan->live->words; word++) {
		if (use_start[word] == use_start[word + 1])
			continue;
		for (uint32_t i = def_start[word]; i < def_start[word + 1]; i++)
			walk->kills[def_rows[i]] = word + 1;
		for (uint32_t i = use_start[word]; i < use_start[word + 1]; i++)
			hd_vec_push(&walk->work, use_rows[i]);
		walk_word(walk, word);
	}
	hd_vec_release(&walk->work);
}

void hd_live_compute(struct hd_mfunc *func, struct hd_arena *arena, struct hd_live *live)
{
	struct hd_arena scratch;
	hd_arena_init(&scratch);
	live->base = HD_ARENA_NEW(arena, uint32_t, func->vregs.len + 1);
	for (uint32_t i = 0; i < func->vregs.len; i++)
		live->base[i + 1] = live->base[i] + (func->vregs.data[i].words ? func->vregs.data[i].words : 1);
	live->words = live->base[func->vregs.len];
	struct scan scan = {.live = live};
	scan.defined = HD_ARENA_NEW(&scratch, uint32_t, live->words + 1);
	scan.exposed = HD_ARENA_NEW(&scratch, uint32_t, live->words + 1);
	for (scan.block = 0; scan.block < func->blocks.len; scan.block++) {
		struct hd_mblock *block = &func->blocks.data[scan.block];
		for (uint32_t i = 0; i < block->insts.len; i++)
			hd_minst_visit(func, &block->insts.data[i], scan_operand, &scan);
	}
	struct walk walk = {0};
	walk_all(func, &scratch, &scan, &walk);
	group(&walk.in, false, func->blocks.len, arena, &live->in_start, &live->in);
	group(&walk.out, false, func->blocks.len, arena, &live->out_start, &live->out);
	hd_vec_release(&scan.defs);
	hd_vec_release(&scan.uses);
	hd_vec_release(&walk.in);
	hd_vec_release(&walk.out);
	hd_arena_release(&scratch);
}

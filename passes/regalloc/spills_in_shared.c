/*
 * Spill slots of a kernel move from local memory to shared memory that its blocks leave unused, as recent ptxas does on
 * request (`.pragma "enable_smem_spilling"`, CUDA 13.0): those first that are accessed most, as many as fit; the others
 * stay. Word w of a thread's slots is at (w * threads of a block + thread) * 4, so that the lanes of a warp use
 * different banks. A register that allocation kept free (regalloc.c) holds the place of the thread's word 0.
 *
 * Needs physical registers, and slots that share places already. Cost: the instructions, and sorting the slots.
 */
#include "heddle/opcodes.h"
#include "passes/regalloc/regalloc.h"

struct slot {
	uint32_t object, words;
	double accesses; /* of a word, for one execution of the function */
};

struct mover {
	struct hd_mfunc *func;
	HD_VEC(struct slot) slots;
	uint32_t *word_of; /* by frame object: its first word in shared memory, HD_NO_REG none */
	HD_VEC(struct hd_minst) out;
};

static bool is_slot_access(const struct mover *mover, const struct hd_minst *inst)
{
	return (inst->role == HD_ROLE_SPILL_LOAD || inst->role == HD_ROLE_SPILL_STORE) &&
	       inst->ref_kind == HD_MREF_FRAME && mover->func->frame.data[inst->ref].kind == HD_FRAME_SPILL;
}

/* ---- which slots ---- */

static void count_accesses(struct mover *mover)
{
	struct hd_mfunc *func = mover->func;
	for (uint32_t i = 0; i < func->frame.len; i++)
		hd_vec_push(&mover->slots, (struct slot){i, func->frame.data[i].bytes / 4, 0});
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++) {
			const struct hd_minst *inst = &func->blocks.data[id].insts.data[i];
			if (!is_slot_access(mover, inst))
				continue;
			struct slot *slot = &mover->slots.data[inst->ref];
			slot->accesses += func->blocks.data[id].frequency *
					  (inst->role == HD_ROLE_SPILL_LOAD ? inst->dst.words : inst->c.words) /
					  slot->words;
		}
}

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;
	if (a->accesses != b->accesses)
		return a->accesses < b->accesses ? 1 : -1;
	return a->object < b->object ? -1 : a->object > b->object;
}

/* Returns the words of a thread that are in use then. */
static uint32_t choose(struct mover *mover)
{
	uint32_t used = 0;
	count_accesses(mover);
	if (mover->slots.len)
		qsort(mover->slots.data, mover->slots.len, sizeof(struct slot), compare_slots);
	for (uint32_t i = 0; i < mover->slots.len; i++) {
		const struct slot *slot = &mover->slots.data[i];
		if (slot->accesses <= 0 || slot->words > mover->func->spills.words - used)
			continue;
		mover->word_of[slot->object] = used;
		used += slot->words;
	}
	return used;
}

/* ---- code ---- */

static struct hd_mreg physical(uint32_t reg)
{
	return (struct hd_mreg){reg, 0, 1};
}

/* An access of several words becomes one for each, since these are a block's threads apart. */
static void move_access(struct mover *mover, const struct hd_minst *inst)
{
	const struct hd_mspills *spills = &mover->func->spills;
	bool load = inst->role == HD_ROLE_SPILL_LOAD;
	struct hd_mreg reg = load ? inst->dst : inst->c;
	for (uint32_t i = 0; i < reg.words; i++) {
		struct hd_minst word = *inst;
		word.op = load ? HD_OP_LDS : HD_OP_STS;
		word.mods = HD_MOD(SIZE, HD_SIZE_32);
		word.a = physical(spills->base);
		*(load ? &word.dst : &word.c) = physical(reg.id + reg.sub + i);
		word.ref_kind = HD_MREF_NONE;
		word.ref = 0;
		word.x = spills->offset + (mover->word_of[inst->ref] + inst->x / 4 + i) * spills->threads * 4;
		hd_vec_push(&mover->out, word);
	}
}

static void push_alu(struct mover *mover, uint32_t dst, uint32_t a, uint8_t xkind, uint32_t x, uint32_t c)
{
	struct hd_minst inst = hd_minst_make(HD_OP_IMAD, 0);
	inst.dst = physical(dst);
	inst.a = physical(a);
	inst.xkind = xkind;
	inst.x = x;
	inst.c = physical(c);
	hd_vec_push(&mover->out, inst);
}

static void push_index(struct mover *mover, uint32_t dst, enum hd_sr index)
{
	struct hd_minst inst = hd_minst_make(HD_OP_S2R, HD_MOD(SR, index));
	inst.dst = physical(dst);
	hd_vec_push(&mover->out, inst);
}

/* base = 4 * (x + width * (y + height * z)). Nothing but R1 is live where a kernel begins. */
static void push_base(struct mover *mover)
{
	uint32_t base = mover->func->spills.base, x = 0, y = 2;
	push_index(mover, base, HD_SR_TID_Z);
	push_index(mover, y, HD_SR_TID_Y);
	push_index(mover, x, HD_SR_TID_X);
	push_alu(mover, y, base, HD_X_CONST_B, HD_CONST_X(0, HD_CB_NTID_Y), y);
	push_alu(mover, x, y, HD_X_CONST_B, HD_CONST_X(0, HD_CB_NTID_X), x);
	push_alu(mover, base, x, HD_X_IMM_B, 4, HD_RZ);
}

static void rewrite(struct mover *mover)
{
	struct hd_mfunc *func = mover->func;
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		struct hd_mblock *block = &func->blocks.data[id];
		hd_vec_clear(&mover->out);
		if (!id)
			push_base(mover);
		for (uint32_t i = 0; i < block->insts.len; i++) {
			const struct hd_minst *inst = &block->insts.data[i];
			if (is_slot_access(mover, inst) && mover->word_of[inst->ref] != HD_NO_REG)
				move_access(mover, inst);
			else
				hd_vec_push(&mover->out, *inst);
		}
		hd_mblock_assign(block, mover->out.data, mover->out.len);
	}
}

int hd_spills_in_shared_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct mover mover = {.func = func};
	(void)diag;
	if (func->spills.base == HD_NO_REG || func->blocks.data[0].preds.len)
		return 0;
	mover.word_of = hd_xcalloc(func->frame.len + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < func->frame.len; i++)
		mover.word_of[i] = HD_NO_REG;
	uint32_t words = choose(&mover);
	func->spills.bytes = words * func->spills.threads * 4;
	if (words)
		rewrite(&mover);
	hd_vec_release(&mover.slots);
	hd_vec_release(&mover.out);
	free(mover.word_of);
	return 0;
}

/*
 * Moves into registers that already hold what is moved: constants that are rematerialised where no register was kept
 * for them and that got the same one, values of loops that were set in front of the test that guards the loop, and the
 * like. Which registers hold the same is found forward through the blocks: a number for each constant, each write and
 * each place where paths with different numbers join. Calls leave no number, and USETMAXREG none: what a register held
 * before the warp gave it away is lost when it comes back. Switch: without=redundant-moves
 *
 * Needs physical registers and a finished frame. Linear in instructions, and in blocks times registers; rounds over the
 * blocks go on until nothing changes.
 */
#include "heddle/opcodes.h"
#include "passes/mir/live.h"

#define REGISTERS 255u
#define ROUNDS 12u /* more are given up: nothing is dropped then */

/* Numbers: constants, then 256 for each instruction and each block. 0: not looked at yet. */
#define CONSTANT UINT64_C(1)
#define WRITE (UINT64_C(1) << 32)
#define JOIN (UINT64_C(1) << 62)

struct constant {
	uint8_t xkind, ref_kind;
	uint32_t x, ref, next; /* next: index + 1 in the same bucket */
};

struct known {
	struct hd_mfunc *func;
	struct hd_arena arena;
	uint64_t *in, *out; /* by block and register */
	uint64_t *now;
	uint32_t *first; /* of each block: number of its first instruction */
	HD_VEC(struct constant) constants;
	uint32_t buckets[256];
};

static uint64_t number_of_constant(struct known *known, struct constant wanted)
{
	uint32_t *bucket = &known->buckets[(wanted.x * 0x9e3779b1u ^ wanted.ref * 0x85ebca6bu) >> 24];
	for (uint32_t i = *bucket; i; i = known->constants.data[i - 1].next) {
		const struct constant *have = &known->constants.data[i - 1];
		if (have->xkind == wanted.xkind && have->ref_kind == wanted.ref_kind && have->x == wanted.x &&
		    have->ref == wanted.ref)
			return CONSTANT + i;
	}
	wanted.next = *bucket;
	hd_vec_push(&known->constants, wanted);
	*bucket = known->constants.len;
	return CONSTANT + known->constants.len;
}

/* The number of what a move moves; 0: it is no move of one word, or of something that may change. */
static uint64_t moved(struct known *known, const struct hd_minst *inst)
{
	if ((inst->op != HD_OP_MOV && inst->op != HD_OP_COPY) || inst->dst.words != 1 || inst->linear)
		return 0;
	if (inst->xkind == HD_X_IMM_B || inst->xkind == HD_X_CONST_B)
		return number_of_constant(known, (struct constant){inst->xkind, inst->ref_kind, inst->x, inst->ref, 0});
	if (inst->xkind == HD_X_NONE && inst->b.words && inst->b.id == HD_RZ)
		return number_of_constant(known, (struct constant){.xkind = HD_X_IMM_B});
	if (inst->xkind != HD_X_NONE || inst->b.words != 1)
		return 0;
	return known->now[inst->b.id + inst->b.sub];
}

struct writer {
	struct known *known;
	uint64_t base;
};

static void note_write(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct writer *writer = context;
	for (uint32_t i = 0; is_def && i < reg->words; i++) {
		uint32_t id = reg->id + reg->sub + i;
		if (id < REGISTERS)
			writer->known->now[id] = writer->base + id;
	}
}

/* Whether the instruction is a move of what is there; the registers' numbers behind it. */
static bool step(struct known *known, struct hd_minst *inst, uint32_t number)
{
	unsigned effects = hd_minst_effects(inst);
	struct writer writer = {known, WRITE + UINT64_C(256) * number};
	uint64_t value = moved(known, inst);
	uint32_t dst = inst->dst.id + inst->dst.sub;
	if (value && dst < REGISTERS && known->now[dst] == value)
		return true;
	hd_minst_visit(known->func, inst, note_write, &writer);
	if (value && dst < REGISTERS && inst->guard == HD_MREG_PT)
		known->now[dst] = value;
	bool all_change = effects & HD_FX_CALL || inst->op == HD_OP_USETMAXREG;
	for (uint32_t i = 0; i < REGISTERS && all_change; i++)
		known->now[i] = writer.base + i;
	return false;
}

/* What all paths into a block agree on. Where they once did not, the block keeps a number of its own. */
static void join(struct known *known, uint32_t id)
{
	const struct hd_mblock *block = &known->func->blocks.data[id];
	uint64_t *in = &known->in[id * REGISTERS], base = JOIN + UINT64_C(256) * id;
	for (uint32_t reg = 0; reg < REGISTERS; reg++) {
		uint64_t all = id ? 0 : base + reg;
		if (in[reg] == base + reg)
			continue;
		for (uint32_t i = 0; i < block->preds.len; i++) {
			uint64_t value = known->out[block->preds.data[i] * REGISTERS + reg];
			all = !all || !value || all == value ? (all ? all : value) : base + reg;
		}
		in[reg] = all;
	}
}

static bool update(struct known *known, uint32_t id)
{
	struct hd_mblock *block = &known->func->blocks.data[id];
	uint64_t *out = &known->out[id * REGISTERS];
	join(known, id);
	memcpy(known->now, &known->in[id * REGISTERS], REGISTERS * sizeof(*known->now));
	for (uint32_t i = 0; i < block->insts.len; i++)
		step(known, &block->insts.data[i], known->first[id] + i);
	bool changed = memcmp(out, known->now, REGISTERS * sizeof(*out)) != 0;
	memcpy(out, known->now, REGISTERS * sizeof(*out));
	return changed;
}

static void drop_moves(struct known *known, uint32_t id)
{
	struct hd_mblock *block = &known->func->blocks.data[id];
	uint32_t kept = 0;
	memcpy(known->now, &known->in[id * REGISTERS], REGISTERS * sizeof(*known->now));
	for (uint32_t i = 0; i < block->insts.len; i++)
		if (!step(known, &block->insts.data[i], known->first[id] + i))
			block->insts.data[kept++] = block->insts.data[i];
	block->insts.len = kept;
}

static void set_up(struct known *known)
{
	uint32_t blocks = known->func->blocks.len, number = 0;
	hd_arena_init(&known->arena);
	known->in = HD_ARENA_NEW(&known->arena, uint64_t, (size_t)blocks *REGISTERS);
	known->out = HD_ARENA_NEW(&known->arena, uint64_t, (size_t)blocks *REGISTERS);
	known->now = HD_ARENA_NEW(&known->arena, uint64_t, REGISTERS);
	known->first = HD_ARENA_NEW(&known->arena, uint32_t, blocks);
	for (uint32_t id = 0; id < blocks; id++) {
		known->first[id] = number;
		number += known->func->blocks.data[id].insts.len;
	}
}

int hd_redundant_moves_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct known known = {.func = func};
	uint32_t *order, rounds = 0;
	bool changed = true;
	(void)diag;
	if (!hd_switch_is_on(func->without, HD_SWITCH_REDUNDANT_MOVES))
		return 0;
	set_up(&known);
	uint32_t count = hd_mfunc_block_order(func, &known.arena, &order);
	for (; changed && rounds < ROUNDS; rounds++) {
		changed = false;
		for (uint32_t i = 0; i < count; i++)
			changed |= update(&known, order[i]);
	}
	for (uint32_t i = 0; i < count && !changed; i++)
		drop_moves(&known, order[i]);
	hd_vec_release(&known.constants);
	hd_arena_release(&known.arena);
	return 0;
}

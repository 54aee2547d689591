/*
 * Products of warpgroups (WGMMA) that are under way: which registers they read and write until a wait. Each wait gets
 * these as operands, those of the products that it ends: it reads all of them, and writes the accumulators. So
 * everything behind knows: scheduling leaves readers of an accumulator behind the wait, and allocation gives none of
 * these registers to anybody before it. They are ranges, which are neither split nor spilled: a product under way would
 * not see where its operand has gone to.
 *
 * An instruction that touches what is under way waits for it: the product's group is ended in front of it, and all are
 * waited for, with a warning, as ptxas does (C7510 to C7517). Only a product of the same shape into the same
 * accumulator may follow another one. No product is under way across a call, or behind a thread's end, where its
 * registers would go to others: there the wait costs the program nothing and needs no warning.
 *
 * What touches a product may be in divergent code, so WARPGROUP.COMMIT and .WAIT have to work for some lanes alone.
 *
 * Forward over the blocks until nothing changes: of each operand of a product, how many groups have been ended since it
 * may have begun. Needs machine IR out of SSA. Costs operands of products times instructions that touch them.
 */
#include <string.h>

#include "heddle/opcodes.h"
#include "passes/mir/live.h"

/* Ages, a bit each: the group has not ended; it is the last one, the last but one ... that has. */
enum { OPEN = 1, LAST = 2, AGES = HD_WG_MOST_LEFT + 2, ALL_AGES = (1 << AGES) - 1 };

/* An operand of a product. */
struct flying {
	struct hd_mreg reg;
	bool written;
	uint16_t form; /* of a product that writes it */
};

struct flights {
	struct hd_mfunc *func;
	struct hd_diag *diag;
	struct hd_arena arena;
	HD_VEC(struct flying) flying;
	uint32_t *first; /* by virtual register: 1 + the first of flying that is part of it */
	uint32_t *next;	 /* by flying: the next, likewise */
	uint16_t *in;	 /* by block and flying: ages at its beginning */
	uint16_t *now;
	uint32_t place; /* of the last instruction that has one: copies have none */
	HD_VEC(struct hd_minst) out;
};

static bool is_product(const struct hd_minst *inst)
{
	return inst->op == HD_OP_WGMMA;
}

static bool is_mode(const struct hd_minst *inst, unsigned mode)
{
	return inst->op == HD_OP_WARPGROUP && hd_mod_get(inst->mods, HD_MOD_WGMODE) == mode;
}

static bool is_wait(const struct hd_minst *inst)
{
	return is_mode(inst, HD_WG_WAIT) || is_mode(inst, HD_WG_SERIALIZE);
}

/* Equal for products that may follow each other into an accumulator: the number of columns of a is in it as bits of a
 * factor. */
static uint16_t form_of(const struct hd_minst *product)
{
	unsigned bits = hd_wg_bits((enum hd_wgtype)hd_mod_get(product->mods, HD_MOD_WGTYPE));
	unsigned acc = hd_mod_get(product->mods, HD_MOD_WGACC), n = hd_mod_get(product->mods, HD_MOD_WGN);
	return (uint16_t)(n << 8 | acc << 6 | bits);
}

static bool same_reg(struct hd_mreg a, struct hd_mreg b)
{
	return a.id == b.id && a.sub == b.sub && a.words == b.words;
}

static bool overlap(struct hd_mreg a, struct hd_mreg b)
{
	return a.id == b.id && a.sub < b.sub + b.words && b.sub < a.sub + a.words;
}

/* ---- operands of products */

static uint32_t find(const struct flights *f, struct hd_mreg reg, bool written, uint16_t form)
{
	for (uint32_t i = f->first[reg.id - HD_MREG_VIRTUAL]; i; i = f->next[i - 1]) {
		const struct flying *flying = &f->flying.data[i - 1];
		if (same_reg(flying->reg, reg) && flying->written == written && flying->form == form)
			return i - 1;
	}
	return UINT32_MAX;
}

static void collect(struct flights *f, uint32_t most, struct hd_mreg reg, bool written, uint16_t form)
{
	if (!reg.words || !hd_mreg_is_virtual(reg.id) || find(f, reg, written, form) != UINT32_MAX)
		return;
	if (!f->next)
		f->next = HD_ARENA_NEW(&f->arena, uint32_t, most);
	f->func->vregs.data[reg.id - HD_MREG_VIRTUAL].range = true;
	hd_vec_push(&f->flying, (struct flying){reg, written, form});
	f->next[f->flying.len - 1] = f->first[reg.id - HD_MREG_VIRTUAL];
	f->first[reg.id - HD_MREG_VIRTUAL] = f->flying.len;
}

static bool reads_registers(const struct hd_minst *product)
{
	return hd_mod_get(product->mods, HD_MOD_WGA) == HD_WG_REGISTERS;
}

static void collect_all(struct flights *f, uint32_t products)
{
	f->first = HD_ARENA_NEW(&f->arena, uint32_t, f->func->vregs.len + 1);
	for (uint32_t id = 0; id < f->func->blocks.len; id++) {
		const struct hd_mblock *block = &f->func->blocks.data[id];
		for (uint32_t i = 0; i < block->insts.len; i++) {
			const struct hd_minst *inst = &block->insts.data[i];
			if (!is_product(inst))
				continue;
			collect(f, 2 * products, inst->dst, true, form_of(inst));
			if (reads_registers(inst))
				collect(f, 2 * products, inst->a, false, 0);
		}
	}
}

/* ---- what is under way */

static void begin(struct flights *f, const struct hd_minst *product)
{
	uint32_t d = hd_mreg_is_virtual(product->dst.id) ? find(f, product->dst, true, form_of(product)) : UINT32_MAX;
	uint32_t a = reads_registers(product) && hd_mreg_is_virtual(product->a.id) ? find(f, product->a, false, 0)
										   : UINT32_MAX;
	if (d != UINT32_MAX)
		f->now[d] |= OPEN;
	if (a != UINT32_MAX)
		f->now[a] |= OPEN;
}

static void end_group(struct flights *f)
{
	for (uint32_t i = 0; i < f->flying.len; i++)
		f->now[i] = (uint16_t)(((f->now[i] << 1) | (f->now[i] & 1 << (AGES - 1))) & ALL_AGES);
}

/* Ages of groups that a wait for all but `left` ends. */
static uint16_t ended(uint32_t left)
{
	return (uint16_t)(ALL_AGES & ~((LAST << left) - 1));
}

static void wait_for(struct flights *f, uint32_t left)
{
	for (uint32_t i = 0; i < f->flying.len; i++)
		f->now[i] &= (uint16_t)~ended(left);
}

static bool any(const struct flights *f)
{
	for (uint32_t i = 0; i < f->flying.len; i++)
		if (f->now[i])
			return true;
	return false;
}

/* ---- what touches it */

struct touch {
	const struct flights *f;
	const struct hd_minst *product; /* that touches; NULL: something else */
	bool found;
};

static void look(void *context, struct hd_mreg *reg, bool is_def)
{
	struct touch *touch = context;
	const struct flights *f = touch->f;
	if (!hd_mreg_is_virtual(reg->id))
		return;
	for (uint32_t i = f->first[reg->id - HD_MREG_VIRTUAL]; i; i = f->next[i - 1]) {
		const struct flying *flying = &f->flying.data[i - 1];
		bool chained = touch->product && flying->written && same_reg(flying->reg, touch->product->dst) &&
			       same_reg(*reg, touch->product->dst) && flying->form == form_of(touch->product);
		if (f->now[i - 1] && overlap(flying->reg, *reg) && (is_def || flying->written) && !chained)
			touch->found = true;
	}
}

static bool touches(struct flights *f, struct hd_minst *inst)
{
	struct touch touch = {f, is_product(inst) ? inst : NULL, false};
	if (inst->op == HD_OP_WARPGROUP)
		return false;
	if (inst->op == HD_OP_EXIT || (hd_minst_effects(inst) & (HD_FX_CALL | HD_FX_RET) && !inst->helper))
		return any(f);
	hd_minst_visit(f->func, inst, look, &touch);
	return touch.found;
}

/* What the instruction itself changes. */
static void step(struct flights *f, const struct hd_minst *inst)
{
	if (is_product(inst))
		begin(f, inst);
	else if (is_mode(inst, HD_WG_COMMIT))
		end_group(f);
	else if (is_wait(inst))
		wait_for(f, inst->x);
}

static bool pass_on(struct flights *f, uint32_t to)
{
	uint16_t *in = &f->in[(size_t)to * f->flying.len];
	bool changed = false;
	for (uint32_t i = 0; i < f->flying.len; i++) {
		changed |= (f->now[i] & ~in[i]) != 0;
		in[i] |= f->now[i];
	}
	return changed;
}

static void enter(struct flights *f, uint32_t id)
{
	memcpy(f->now, &f->in[(size_t)id * f->flying.len], f->flying.len * sizeof(*f->now));
}

static void solve(struct flights *f)
{
	uint32_t *order, count = hd_mfunc_block_order(f->func, &f->arena, &order);
	bool changed = true;
	f->in = HD_ARENA_NEW(&f->arena, uint16_t, (size_t)f->func->blocks.len * f->flying.len + 1);
	f->now = HD_ARENA_NEW(&f->arena, uint16_t, f->flying.len + 1);
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < count; i++) {
			struct hd_mblock *block = &f->func->blocks.data[order[i]];
			enter(f, order[i]);
			for (uint32_t k = 0; k < block->insts.len; k++) {
				if (touches(f, &block->insts.data[k])) {
					end_group(f);
					wait_for(f, 0);
				}
				step(f, &block->insts.data[k]);
			}
			for (uint32_t k = 0; k < block->succs.len; k++)
				changed |= pass_on(f, block->succs.data[k]);
		}
	}
}

/* ---- what waits get */

static void name_operands(struct flights *f, struct hd_minst *wait)
{
	HD_VEC(struct hd_mreg) reads = {0}, writes = {0};
	for (uint32_t i = 0; i < f->flying.len; i++) {
		const struct flying *flying = &f->flying.data[i];
		bool again = false;
		if (!(f->now[i] & ended(wait->x)))
			continue;
		for (uint32_t k = 0; k < reads.len; k++)
			again |= same_reg(reads.data[k], flying->reg);
		if (!again)
			hd_vec_push(&reads, flying->reg);
		again = !flying->written;
		for (uint32_t k = 0; k < writes.len; k++)
			again |= same_reg(writes.data[k], flying->reg);
		if (!again)
			hd_vec_push(&writes, flying->reg);
	}
	wait->extra = hd_mfunc_extras(f->func, reads.data, reads.len);
	hd_mfunc_extras(f->func, writes.data, writes.len);
	wait->extra_count = (uint16_t)(reads.len + writes.len);
	wait->extra_defs = (uint16_t)writes.len;
	hd_vec_release(&reads);
	hd_vec_release(&writes);
}

static void put(struct flights *f, unsigned mode, const struct hd_minst *like)
{
	struct hd_minst inst = hd_minst_make(HD_OP_WARPGROUP, HD_MOD(WGMODE, mode));
	inst.loc = like->loc ? like->loc : f->place;
	inst.ir = like->ir;
	if (mode != HD_WG_COMMIT) {
		inst.xkind = HD_X_OTHER;
		name_operands(f, &inst);
	}
	hd_vec_push(&f->out, inst);
}

/* Of instruction `at`, or one close to it. */
static struct hd_loc place_of(const struct flights *f, const struct hd_mblock *block, uint32_t at)
{
	uint32_t loc = block->insts.data[at].loc ? block->insts.data[at].loc : f->place;
	for (; !loc && at < block->insts.len; at++)
		loc = block->insts.data[at].loc;
	return f->func->locs.data[loc];
}

static void serialize(struct flights *f, const struct hd_mblock *block, uint32_t at)
{
	const struct hd_minst *inst = &block->insts.data[at];
	bool calls = hd_minst_effects(inst) & (HD_FX_CALL | HD_FX_RET);
	put(f, HD_WG_COMMIT, inst);
	end_group(f);
	put(f, inst->op == HD_OP_EXIT ? HD_WG_WAIT : HD_WG_SERIALIZE, inst);
	wait_for(f, 0);
	if (inst->op == HD_OP_EXIT)
		return;
	hd_warning(f->diag, place_of(f, block, at),
		   "%s: products of warpgroups (wgmma) are serialized: %s (wait for them first, wgmma.wait_group)",
		   f->func->name,
		   calls ? "a function is called or left while they are under way"
			 : "a register that they use is touched while they are under way");
}

static void rewrite_block(struct flights *f, uint32_t id)
{
	struct hd_mblock *block = &f->func->blocks.data[id];
	hd_vec_clear(&f->out);
	f->place = 0;
	enter(f, id);
	for (uint32_t i = 0; i < block->insts.len; i++) {
		struct hd_minst inst = block->insts.data[i];
		if (touches(f, &inst))
			serialize(f, block, i);
		if (is_wait(&inst))
			name_operands(f, &inst);
		step(f, &inst);
		f->place = inst.loc ? inst.loc : f->place;
		hd_vec_push(&f->out, inst);
	}
	hd_mblock_assign(&f->func->blocks.data[id], f->out.data, f->out.len);
}

int hd_products_in_flight_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct flights f = {.func = func, .diag = diag};
	uint32_t products = 0;
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++)
			products += is_product(&func->blocks.data[id].insts.data[i]);
	if (!products)
		return 0;
	hd_arena_init(&f.arena);
	collect_all(&f, products);
	solve(&f);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		rewrite_block(&f, id);
	hd_vec_release(&f.flying);
	hd_vec_release(&f.out);
	hd_arena_release(&f.arena);
	return 0;
}

/*
 * Inline PTX: memory, atomics, fences, barriers and operations across the warp.
 */
#include "heddle/opcodes.h"
#include "passes/ptx/ptx.h"

/* ------------------------------------------------------------------ memory */

static unsigned space_of(const struct hd_ptx *ptx)
{
	static const struct {
		const char *name;
		unsigned space;
	} spaces[] = {{"global", HD_AS_GLOBAL},		 {"shared", HD_AS_SHARED}, {"shared::cta", HD_AS_SHARED},
		      {"shared::cluster", HD_AS_SHARED}, {"local", HD_AS_LOCAL},   {"const", HD_AS_CONST}};

	for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
		if (hd_ptx_has(ptx, spaces[i].name))
			return spaces[i].space;
	return HD_AS_GENERIC;
}

struct hd_leaf hd_ptx_pointer(struct hd_ptx *ptx, unsigned index, unsigned space)
{
	const struct hd_ptx_operand *operand = &ptx->now->operands[index];
	bool narrow = space == HD_AS_SHARED || space == HD_AS_LOCAL;
	if (index >= ptx->now->count || operand->form != HD_PTX_ADDRESS || operand->count != 1) {
		hd_ptx_error(ptx, "expected an address in brackets");
		return hd_leaf_imm(0, narrow ? 1 : 2);
	}
	const struct hd_ptx_part *part = &operand->parts[0];
	/* A generic address in a register of 32 bits has zeros above, as in ptxas. */
	bool short_one = !narrow && part->kind == HD_PTX_REG && ptx->regs.data[part->reg].bits == 32;
	struct hd_leaf leaf = hd_ptx_read(ptx, part, narrow || short_one ? 32 : 64);
	if (short_one)
		leaf = hd_sel_extend_leaf(ptx->sel, leaf, 32, 64, false);
	if (leaf.kind == HD_LEAF_FRAME || leaf.kind == HD_LEAF_INCOMING || leaf.kind == HD_LEAF_IMM)
		leaf = hd_leaf_reg(hd_sel_reg(ptx->sel, leaf));
	leaf.imm[0] += (uint64_t)operand->offset;
	return leaf;
}

static struct hd_leaf pointer_of(struct hd_ptx *ptx, unsigned index)
{
	return hd_ptx_pointer(ptx, index, space_of(ptx));
}

static unsigned scope_of(const struct hd_ptx *ptx, unsigned otherwise)
{
	return hd_ptx_has(ptx, "cta")				      ? HD_SCOPE_CTA
	       : hd_ptx_has(ptx, "gpu") || hd_ptx_has(ptx, "cluster") ? HD_SCOPE_GPU
	       : hd_ptx_has(ptx, "sys")				      ? HD_SCOPE_SYS
								      : otherwise;
}

static uint16_t access_mods(const struct hd_ptx *ptx)
{
	static const struct {
		const char *name;
		unsigned cache;
	} caches[] = {{"ca", HD_CACHE_CA}, {"cg", HD_CACHE_CG}, {"cs", HD_CACHE_CS}, {"lu", HD_CACHE_LU},
		      {"cv", HD_CACHE_CV}, {"wt", HD_CACHE_WT}, {"nc", HD_CACHE_CI}};
	uint16_t mods = 0;

	for (size_t i = 0; i < sizeof caches / sizeof caches[0] && !mods; i++)
		if (hd_ptx_has(ptx, caches[i].name))
			mods = HD_MOD(CACHE, caches[i].cache);
	if (hd_ptx_has(ptx, "volatile"))
		return mods | HD_MOD(SEM, HD_SEM_VOLATILE);
	if (hd_ptx_has(ptx, "relaxed"))
		return mods | HD_MOD(SEM, HD_SEM_RELAXED) | HD_MOD(SCOPE, scope_of(ptx, HD_SCOPE_SYS));
	if (hd_ptx_has(ptx, "acquire"))
		return mods | HD_MOD(SEM, HD_SEM_ACQUIRE) | HD_MOD(SCOPE, scope_of(ptx, HD_SCOPE_SYS));
	if (hd_ptx_has(ptx, "release"))
		return mods | HD_MOD(SEM, HD_SEM_RELEASE) | HD_MOD(SCOPE, scope_of(ptx, HD_SCOPE_SYS));
	return mods;
}

/* Elements of a vector access, checked against the operand. */
static unsigned elements(struct hd_ptx *ptx, const struct hd_ptx_operand *operand, unsigned bits)
{
	unsigned count = hd_ptx_has(ptx, "v2") ? 2 : hd_ptx_has(ptx, "v4") ? 4 : 1;
	if (!bits || bits * count > 128)
		hd_ptx_error(ptx, "the access width is not 8 to 128 bits");
	else if (operand->form == HD_PTX_ADDRESS || operand->count != count)
		hd_ptx_error(ptx, "expected %u elements", count);
	return count;
}

static void load(struct hd_ptx *ptx, unsigned extra)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	const struct hd_ptx_operand *to = &ptx->now->operands[0];
	struct hd_select *sel = ptx->sel;
	unsigned count = elements(ptx, to, type.bits), bytes = count * type.bits / 8;
	struct hd_leaf pointer = pointer_of(ptx, 1);
	if (ptx->failed)
		return;
	struct hd_mreg reg = hd_sel_load_at(sel, hd_sel_address(sel, pointer, space_of(ptx)), 0, bytes,
					    type.class == 's' && count == 1, access_mods(ptx) | (uint16_t)extra);
	struct hd_opnd words[4];
	for (unsigned i = 0; i < (bytes + 3) / 4; i++)
		words[i] = hd_reg(hd_sub(reg, i, 1));
	struct hd_leaf leaf;
	for (unsigned i = 0; i < count; i++) {
		leaf = count == 1 ? hd_leaf_reg(reg) : hd_sel_unpack(sel, words, i, type.bits);
		if (count > 1 && type.bits < 32)
			leaf = hd_sel_extend_leaf(sel, leaf, type.bits, 32, type.class == 's');
		/* A register wider than the type holds the value extended. */
		if (to->parts[i].kind == HD_PTX_REG && ptx->regs.data[to->parts[i].reg].bits == 64 && type.bits < 64)
			leaf = hd_sel_extend_leaf(sel, leaf, 32, 64, type.class == 's');
		hd_ptx_write(ptx, &to->parts[i], leaf, type.bits);
	}
}

/* The value or the vector at operand 1, as registers. */
static struct hd_mreg stored(struct hd_ptx *ptx, unsigned bits, unsigned count)
{
	struct hd_select *sel = ptx->sel;
	struct hd_leaf leaves[4];
	for (unsigned i = 0; i < count && !ptx->failed; i++)
		leaves[i] = hd_ptx_read(ptx, &ptx->now->operands[1].parts[i], bits);
	struct hd_opnd words[4];
	if (ptx->failed)
		return (struct hd_mreg){HD_RZ, 0, 1};
	if (count == 1)
		return hd_sel_reg(sel, leaves[0]);
	return hd_sel_join(sel, words, hd_sel_pack(sel, leaves, count, bits, words));
}

static void store(struct hd_ptx *ptx, unsigned arg)
{
	unsigned bits = hd_ptx_type(ptx, 0).bits, count = elements(ptx, &ptx->now->operands[1], bits);
	struct hd_leaf pointer = pointer_of(ptx, 0);
	(void)arg;
	if (ptx->failed)
		return;
	struct hd_mreg reg = stored(ptx, bits, count);
	if (!ptx->failed)
		hd_sel_store_at(ptx->sel, hd_sel_address(ptx->sel, pointer, space_of(ptx)), 0, count * bits / 8, reg,
				access_mods(ptx));
}

/* st.async [a], value, [barrier]; both are in one block of the cluster. */
static void send(struct hd_ptx *ptx, unsigned arg)
{
	unsigned bits = hd_ptx_type(ptx, 0).bits, count = elements(ptx, &ptx->now->operands[1], bits);
	struct hd_leaf to = pointer_of(ptx, 0), barrier = pointer_of(ptx, 2);
	(void)arg;
	if (bits < 32)
		hd_ptx_error(ptx, "the elements have 32 or 64 bits");
	if (ptx->failed)
		return;
	struct hd_mreg value = stored(ptx, bits, count);
	const char *wrong = ptx->failed ? NULL : hd_sel_send(ptx->sel, to, barrier, value, count * bits / 8);
	if (wrong)
		hd_ptx_error(ptx, "%s", wrong);
}

/* Of the opcode; above HD_ATOM_CAS: none. */
static unsigned atomic_operation(const struct hd_ptx *ptx)
{
	static const struct {
		const char *name;
		unsigned op;
	} ops[] = {{"add", HD_ATOM_ADD},   {"min", HD_ATOM_MIN}, {"max", HD_ATOM_MAX}, {"inc", HD_ATOM_INC},
		   {"dec", HD_ATOM_DEC},   {"and", HD_ATOM_AND}, {"or", HD_ATOM_OR},   {"xor", HD_ATOM_XOR},
		   {"exch", HD_ATOM_EXCH}, {"cas", HD_ATOM_CAS}};
	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
		if (hd_ptx_has(ptx, ops[i].name))
			return ops[i].op;
	return HD_ATOM_CAS + 1;
}

/* red.async.op [a], value, [barrier], as st.async */
static void send_atomic(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	unsigned op = atomic_operation(ptx);
	bool wide = type.bits == 64 && op == HD_ATOM_ADD && type.class == 'u';
	enum hd_type machine = wide ? HD_U64 : type.class == 's' ? HD_S32 : HD_U32;
	(void)arg;
	if (op > HD_ATOM_XOR || (type.bits != 32 && !wide) || !strchr("usb", type.class)) {
		hd_ptx_error(ptx, "the operation is not supported on this type");
		return;
	}
	struct hd_leaf to = pointer_of(ptx, 0), value = hd_ptx_in(ptx, 1, type.bits), barrier = pointer_of(ptx, 2);
	if (ptx->failed)
		return;
	const char *wrong =
		hd_sel_send_atomic(ptx->sel, to, barrier, hd_sel_reg(ptx->sel, value), (enum hd_atomop)op, machine);
	if (wrong)
		hd_ptx_error(ptx, "%s", wrong);
}

/* arg: whether there is a result (atom) or none (red). */
static void atomic(struct hd_ptx *ptx, unsigned result)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	unsigned op = atomic_operation(ptx), sem = HD_SEM_RELAXED, machine;
	struct hd_leaf pointer, value, swap = {0}, old;

	if (op > HD_ATOM_CAS || type.bits < 32 || strchr("hg", type.class) ||
	    (type.class == 'f' && op != HD_ATOM_ADD)) {
		hd_ptx_error(ptx, "the operation is not supported on this type");
		return;
	}
	sem = hd_ptx_has(ptx, "acq_rel")   ? HD_SEM_ACQ_REL
	      : hd_ptx_has(ptx, "acquire") ? HD_SEM_ACQUIRE
	      : hd_ptx_has(ptx, "release") ? HD_SEM_RELEASE
					   : HD_SEM_RELAXED;
	machine = type.class == 'f'   ? (type.bits == 64 ? HD_F64 : HD_F32)
		  : type.class == 's' ? (type.bits == 64 ? HD_S64 : HD_S32)
				      : (type.bits == 64 ? HD_U64 : HD_U32);
	pointer = pointer_of(ptx, result);
	value = hd_ptx_in(ptx, result + 1, type.bits);
	if (op == HD_ATOM_CAS)
		swap = hd_ptx_in(ptx, result + 2, type.bits);
	if (ptx->failed)
		return;
	old = hd_sel_atomic_op(ptx->sel, op, machine, pointer, space_of(ptx), value, op == HD_ATOM_CAS ? &swap : NULL,
			       HD_MOD(SEM, sem) | HD_MOD(SCOPE8, scope_of(ptx, HD_SCOPE_GPU)), result);
	if (result)
		hd_ptx_out(ptx, 0, old, type.bits);
}

static void fence(struct hd_ptx *ptx, unsigned scope)
{
	hd_sel_push(ptx->sel, HD_OP_MEMBAR, HD_MOD(SCOPE, scope ? scope : scope_of(ptx, HD_SCOPE_SYS)));
}

static void ignore(struct hd_ptx *ptx, unsigned arg)
{
	(void)ptx;
	(void)arg;
}

/* Grids that begin early came with sm_90. */
static void depend(struct hd_ptx *ptx, unsigned op)
{
	if (hd_sel_has_clusters(ptx->sel))
		hd_sel_push(ptx->sel, op, 0);
	else
		hd_ptx_error(ptx, "griddepcontrol needs sm_90 or later");
}

/* ------------------------------------------------------------------ barriers and control */

static void barrier(struct hd_ptx *ptx, unsigned mode)
{
	struct hd_opnd id = ptx->now->count > 0 ? hd_ptx_word(ptx, 0) : hd_rz();
	struct hd_opnd count = ptx->now->count > 1 ? hd_ptx_word(ptx, 1) : hd_none();
	if (!ptx->failed)
		hd_sel_op(ptx->sel, HD_OP_BAR, HD_MOD(BARMODE, mode), HD_MREG_NONE, hd_none(), id, count);
}

/* bar.red.op d, id{, count}, p */
static void barrier_reduce(struct hd_ptx *ptx, unsigned mode)
{
	unsigned last = ptx->now->count - 1;
	struct hd_popnd vote = hd_ptx_pred(ptx, last);
	struct hd_opnd id = hd_ptx_word(ptx, 1), count = last == 3 ? hd_ptx_word(ptx, 2) : hd_none();
	if (ptx->failed)
		return;
	struct hd_mreg dst = hd_mfunc_vreg(ptx->sel->func, 1);
	uint32_t result = hd_mfunc_pred(ptx->sel->func);
	struct hd_minst *inst =
		hd_sel_op(ptx->sel, HD_OP_BAR, HD_MOD(BARMODE, mode), HD_MREG_NONE, hd_none(), id, count);
	inst->psrc = vote.id;
	inst->psrc_not = vote.inverted;
	if (mode == HD_BAR_RED_POPC) {
		inst->dst = dst;
		hd_ptx_out(ptx, 0, hd_leaf_reg(dst), 32);
	} else {
		inst->pdst = result;
		hd_ptx_out(ptx, 0, hd_leaf_pred(result, false), 1);
	}
}

static void one_operand(struct hd_ptx *ptx, unsigned op)
{
	struct hd_opnd value = hd_ptx_word(ptx, 0);
	hd_sel_op(ptx->sel, op, 0, HD_MREG_NONE, hd_none(), value, hd_none());
}

static void end_thread(struct hd_ptx *ptx, unsigned op)
{
	hd_sel_end_thread(ptx->sel, op);
}

static void leave_function(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	hd_sel_ret_early(ptx->sel);
}

/* ------------------------------------------------------------------ across the warp */

static void shuffle(struct hd_ptx *ptx, unsigned mode)
{
	struct hd_select *sel = ptx->sel;
	struct hd_shuffle lanes = {.value = hd_ptx_word(ptx, 1),
				   .lane = hd_ptx_word(ptx, 2),
				   .clamp = hd_ptx_word(ptx, 3),
				   .mask = ptx->now->count > 4 ? hd_ptx_word(ptx, 4) : hd_none()};
	bool with_pred = ptx->now->operands[0].second.kind != HD_PTX_NOTHING;
	uint32_t inside = with_pred ? hd_mfunc_pred(sel->func) : HD_MREG_PT;
	if (ptx->failed)
		return;
	hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_shfl(sel, mode, &lanes, inside)), 32);
	if (with_pred)
		hd_ptx_write(ptx, &ptx->now->operands[0].second, hd_leaf_pred(inside, false), 1);
}

/* The member mask, operand 2 of a .sync form. */
static struct hd_opnd members(struct hd_ptx *ptx)
{
	return ptx->now->count > 2 ? hd_ptx_word(ptx, 2) : hd_none();
}

static void vote(struct hd_ptx *ptx, unsigned mode)
{
	struct hd_popnd in = hd_ptx_pred(ptx, 1);
	struct hd_opnd mask = members(ptx);
	if (mode > HD_VOTE_EQ)
		hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_ballot(ptx->sel, in, mask)), 32);
	else
		hd_ptx_out(ptx, 0, hd_sel_vote(ptx->sel, mode, in, mask), 1);
}

static void active_mask(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_active_mask(ptx->sel)), 32);
}

static void match(struct hd_ptx *ptx, unsigned mode)
{
	struct hd_leaf value = hd_ptx_in(ptx, 1, hd_ptx_type(ptx, 0).bits);
	struct hd_leaf out[2];
	hd_sel_match(ptx->sel, mode, value, members(ptx), out);
	hd_ptx_out(ptx, 0, out[0], 32);
	if (ptx->now->operands[0].second.kind != HD_PTX_NOTHING)
		hd_ptx_write(ptx, &ptx->now->operands[0].second, out[1], 1);
}

#define TYPES " u8 s8 b8 u16 s16 b16 u32 s32 b32 u64 s64 b64 f16 f32 f64 "
#define SPACES " global shared shared::cta shared::cluster local const "
#define CACHES " ca cg cs lu cv wb wt nc "
#define HINTS                                                                                           \
	" L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::64B " \
	"L2::128B L2::256B L2::cache_hint "
#define ORDERS " weak volatile mmio relaxed acquire release acq_rel sc cta cluster gpu sys "
#define ATOMICS " add min max inc dec and or xor exch cas "

#define BARRIER_REDUCE(name)                                                               \
	{name ".popc", " aligned u32 ", 3, barrier_reduce, HD_BAR_RED_POPC, true},         \
		{name ".and", " aligned pred ", 3, barrier_reduce, HD_BAR_RED_AND, true},  \
	{                                                                                  \
		name ".or", " aligned pred ", 3, barrier_reduce, HD_BAR_RED_OR, true       \
	}

const struct hd_ptx_row hd_ptx_system[] = {
	{"ld", TYPES SPACES CACHES HINTS ORDERS " v2 v4 ", 2, load, 0, true},
	{"ldu", TYPES " global v2 v4 ", 2, load, HD_MOD(CACHE, HD_CACHE_CI), true},
	{"st", TYPES SPACES CACHES HINTS ORDERS " v2 v4 ", 2, store, 0, true},
	{"atom", TYPES SPACES ORDERS ATOMICS, 3, atomic, 1, true},
	{"red", TYPES SPACES ORDERS ATOMICS, 2, atomic, 0, true},
	{"st.async", TYPES " shared::cluster mbarrier::complete_tx::bytes weak v2 v4 ", 3, send, 0, true},
	{"red.async", TYPES ATOMICS " shared::cluster mbarrier::complete_tx::bytes relaxed cluster ", 3, send_atomic, 0,
	 true},
	{"membar.cta", "", 0, fence, HD_SCOPE_CTA, true},
	{"membar.gl", "", 0, fence, HD_SCOPE_GPU, true},
	{"membar.sys", "", 0, fence, HD_SCOPE_SYS, true},
	{"fence.mbarrier_init.release.cluster", "", 0, fence, HD_SCOPE_CTA, true},
	{"fence", " sc acq_rel acquire release cta cluster gpu sys ", 0, fence, 0, true},
	{"fence.acquire.sync_restrict::shared::cluster", " cluster ", 0, fence, HD_SCOPE_CTA, true},
	{"fence.release.sync_restrict::shared::cta", " cluster ", 0, fence, HD_SCOPE_CTA, true},
	{"bar.sync", " aligned ", 1, barrier, HD_BAR_SYNC, true},
	{"bar.arrive", " aligned ", 2, barrier, HD_BAR_ARV, true},
	{"bar.cta.sync", "", 1, barrier, HD_BAR_SYNC, true},
	{"bar.cta.arrive", "", 2, barrier, HD_BAR_ARV, true},
	{"barrier.sync", " aligned ", 1, barrier, HD_BAR_SYNC, true},
	{"barrier.arrive", " aligned ", 2, barrier, HD_BAR_ARV, true},
	{"barrier.cta.sync", " aligned ", 1, barrier, HD_BAR_SYNC, true},
	{"barrier.cta.arrive", " aligned ", 2, barrier, HD_BAR_ARV, true},
	BARRIER_REDUCE("bar.red"),
	BARRIER_REDUCE("bar.cta.red"),
	BARRIER_REDUCE("barrier.red"),
	BARRIER_REDUCE("barrier.cta.red"),
	{"bar.warp.sync", "", 1, one_operand, HD_OP_WARPSYNC, true},
	{"nanosleep", " u32 ", 1, one_operand, HD_OP_NANOSLEEP, true},
	{"ret", " uni ", 0, leave_function, 0, true},
	{"exit", "", 0, end_thread, HD_OP_EXIT, true},
	{"trap", "", 0, end_thread, HD_OP_TRAP, true},
	{"griddepcontrol.wait", "", 0, depend, HD_OP_ACQBULK, true},
	{"griddepcontrol.launch_dependents", "", 0, depend, HD_OP_PREEXIT, true},
	{"brkpt", "", 0, ignore, 0, false},
	{"pmevent", " mask ", 0, ignore, 0, false},
	{"activemask", " b32 ", 1, active_mask, 0, true},
	{"shfl.idx", " b32 ", 4, shuffle, HD_SHFL_IDX, true},
	{"shfl.up", " b32 ", 4, shuffle, HD_SHFL_UP, true},
	{"shfl.down", " b32 ", 4, shuffle, HD_SHFL_DOWN, true},
	{"shfl.bfly", " b32 ", 4, shuffle, HD_SHFL_BFLY, true},
	{"shfl.sync.idx", " b32 ", 5, shuffle, HD_SHFL_IDX, true},
	{"shfl.sync.up", " b32 ", 5, shuffle, HD_SHFL_UP, true},
	{"shfl.sync.down", " b32 ", 5, shuffle, HD_SHFL_DOWN, true},
	{"shfl.sync.bfly", " b32 ", 5, shuffle, HD_SHFL_BFLY, true},
	{"vote.all", " pred sync ", 2, vote, HD_VOTE_ALL, true},
	{"vote.any", " pred sync ", 2, vote, HD_VOTE_ANY, true},
	{"vote.uni", " pred sync ", 2, vote, HD_VOTE_EQ, true},
	{"vote.ballot", " b32 sync ", 2, vote, HD_VOTE_EQ + 1, true},
	{"vote.sync.all", " pred ", 3, vote, HD_VOTE_ALL, true},
	{"vote.sync.any", " pred ", 3, vote, HD_VOTE_ANY, true},
	{"vote.sync.uni", " pred ", 3, vote, HD_VOTE_EQ, true},
	{"vote.sync.ballot", " b32 ", 3, vote, HD_VOTE_EQ + 1, true},
	{"match.any.sync", " b32 b64 ", 3, match, HD_VOTE_ANY, true},
	{"match.all.sync", " b32 b64 ", 3, match, HD_VOTE_ALL, true},
	{NULL, NULL, 0, NULL, 0, false},
};

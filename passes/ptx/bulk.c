/*
 * Inline PTX: copies in bulk, of bytes side by side and of boxes of tensors (sm_90), their groups, and changes of
 * tensor maps. What they say of the L2 changes nothing and is passed over. opcodes.def has what the instructions'
 * operands are.
 */
#include <stddef.h>

#include "heddle/opcodes.h"
#include "lib/tensormap.h"
#include "passes/ptx/ptx.h"

/* Copies in bulk came with sm_90. */
static bool is_refused(struct hd_ptx *ptx)
{
	if (!hd_sel_has_clusters(ptx->sel))
		hd_ptx_error(ptx, "copies in bulk need sm_90 or later");
	return ptx->failed;
}

/* The spaces that the opcode names, in their order: where to, where from. */
enum place { NOWHERE, GLOBAL, SHARED, CLUSTER };
static enum place place_of(const struct hd_ptx *ptx, unsigned number)
{
	for (unsigned i = 0; i < ptx->now->part_count; i++) {
		const char *part = ptx->now->parts[i];
		enum place place = !strcmp(part, "global")	      ? GLOBAL
				   : !strcmp(part, "shared::cta")     ? SHARED
				   : !strcmp(part, "shared::cluster") ? CLUSTER
								      : NOWHERE;
		if (place && !number--)
			return place;
	}
	return NOWHERE;
}

/* Operands that copies of a kind have; the words of the instruction are made of these. */
struct bulk {
	struct hd_leaf global; /* global address or map */
	struct hd_opnd shared, barrier, to;
	struct hd_opnd count; /* bytes, or the fifth coordinate */
	struct hd_opnd ranks;
	struct hd_opnd at[4];
};

static struct hd_opnd in_register(struct hd_ptx *ptx, struct hd_leaf leaf)
{
	return hd_reg(hd_sel_opnd_reg(ptx->sel, hd_sel_word(ptx->sel, &leaf, 0), 1));
}

static struct hd_opnd shared_at(struct hd_ptx *ptx, unsigned index)
{
	return in_register(ptx, hd_ptx_pointer(ptx, index, HD_AS_SHARED));
}

static struct hd_leaf global_at(struct hd_ptx *ptx, unsigned index)
{
	return hd_leaf_reg(hd_sel_reg(ptx->sel, hd_ptx_pointer(ptx, index, HD_AS_GLOBAL)));
}

static struct hd_minst *push(struct hd_ptx *ptx, unsigned op, uint16_t mods, struct bulk *bulk, bool tensor)
{
	struct hd_select *sel = ptx->sel;
	bool blocks = bulk->to.kind != HD_OPND_NONE;
	struct hd_opnd a[4] = {blocks ? bulk->to : hd_sel_word(sel, &bulk->global, 0),
			       blocks ? hd_rz() : hd_sel_word(sel, &bulk->global, 1), bulk->shared, bulk->barrier};
	struct hd_mreg first = hd_sel_join(sel, a, 4), second = tensor ? hd_sel_join(sel, bulk->at, 4) : HD_MREG_NONE;
	struct hd_mreg third = hd_sel_join(sel, (struct hd_opnd[]){bulk->count, bulk->ranks}, 2);
	struct hd_minst *inst = hd_sel_push(sel, op, mods);
	inst->a = first;
	if (tensor)
		inst->b = second;
	inst->c = third;
	return inst;
}

static struct bulk nothing(void)
{
	struct hd_opnd zero = hd_rz();
	return (struct bulk){.global = hd_leaf_imm(0, 2),
			     .shared = zero,
			     .barrier = zero,
			     .to = hd_none(),
			     .count = zero,
			     .ranks = zero,
			     .at = {zero, zero, zero, zero}};
}

/* Behind the operands that are always there: .multicast::cluster's mask. A policy behind it is passed over. */
static uint16_t take_ranks(struct hd_ptx *ptx, unsigned index, struct bulk *bulk)
{
	if (!hd_ptx_has(ptx, "multicast::cluster"))
		return 0;
	struct hd_leaf mask = hd_ptx_in(ptx, index, 16);
	if (ptx->failed)
		return 0;
	struct hd_opnd ranks = hd_sel_extended(ptx->sel, mask, 16, false);
	bool offsets = hd_ptx_has(ptx, "im2col");
	bulk->ranks =
		!offsets ? ranks : hd_reg(hd_sel_logic(ptx->sel, HD_LUT_A | HD_LUT_B, bulk->ranks, ranks, hd_none()));
	return HD_MOD(CAST, 1);
}

static void expect_operands(struct hd_ptx *ptx, unsigned count)
{
	count += hd_ptx_has(ptx, "multicast::cluster") + hd_ptx_has(ptx, "L2::cache_hint");
	if (ptx->now->count != count)
		hd_ptx_error(ptx, "expected %u operands", count);
}

/* ---- bytes side by side */

static const struct {
	const char *name;
	unsigned op;
} operations[] = {{"add", HD_ATOM_ADD}, {"min", HD_ATOM_MIN}, {"max", HD_ATOM_MAX}, {"inc", HD_ATOM_INC},
		  {"dec", HD_ATOM_DEC}, {"and", HD_ATOM_AND}, {"or", HD_ATOM_OR},   {"xor", HD_ATOM_XOR}};

static bool operation_of(struct hd_ptx *ptx, unsigned *op)
{
	for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
		if (hd_ptx_has(ptx, operations[i].name)) {
			*op = operations[i].op;
			return true;
		}
	hd_ptx_error(ptx, "the operation is missing");
	return false;
}

static bool type_of(struct hd_ptx *ptx, unsigned *type)
{
	struct hd_ptx_type named = hd_ptx_statement_element(ptx->now);
	bool wide = named.bits == 64;
	if ((named.class == 'h' || named.class == 'g') && named.bits == 16)
		*type = named.class == 'h' ? HD_F16 : HD_BF16;
	else if (named.bits != 32 && !wide)
		hd_ptx_error(ptx, "the type is not one of 16-bit floats, 32 or 64 bits");
	else if (named.class == 'f')
		*type = wide ? HD_F64 : HD_F32;
	else if (named.class == 's')
		*type = wide ? HD_S64 : HD_S32;
	else
		*type = wide ? HD_U64 : HD_U32;
	return !ptx->failed;
}

/* cp{.reduce}.async.bulk.to.from [to], [from], bytes{, [barrier]}{, ranks}{, policy} */
static void copy(struct hd_ptx *ptx, unsigned reduces)
{
	enum place to = place_of(ptx, 0), from = place_of(ptx, 1);
	bool store = to == GLOBAL && from == SHARED, load = to >= SHARED && from == GLOBAL && !reduces,
	     send = to == CLUSTER && from == SHARED;
	struct bulk bulk = nothing();
	unsigned op = 0, type = 0;
	if (is_refused(ptx) || (reduces && (!operation_of(ptx, &op) || !type_of(ptx, &type))))
		return;
	if ((!store && !load && !send) || hd_ptx_has(ptx, "bulk_group") != store) {
		hd_ptx_error(ptx, "no copy goes this way, or ends so");
		return;
	}
	expect_operands(ptx, store ? 3 : 4);
	if (ptx->failed)
		return;
	bulk.count = hd_ptx_word(ptx, 2);
	if (store) {
		bulk.global = global_at(ptx, 0);
		bulk.shared = shared_at(ptx, 1);
	} else {
		if (load)
			bulk.global = global_at(ptx, 1);
		*(load ? &bulk.shared : &bulk.to) = shared_at(ptx, 0);
		if (send)
			bulk.shared = shared_at(ptx, 1);
		bulk.barrier = shared_at(ptx, 3);
	}
	uint16_t mods = HD_MOD(BULK, store ? HD_BULK_S2G : load ? HD_BULK_G2S : HD_BULK_S2S);
	if (load)
		mods |= take_ranks(ptx, 4, &bulk);
	if (reduces)
		mods |= HD_MOD(ATOMOP, op) | HD_MOD(DTYPE, type);
	if (!ptx->failed)
		push(ptx, reduces ? HD_OP_UBLKRED : HD_OP_UBLKCP, mods, &bulk, false);
}

static void prefetch(struct hd_ptx *ptx, unsigned arg)
{
	struct bulk bulk = nothing();
	(void)arg;
	if (is_refused(ptx))
		return;
	bulk.global = global_at(ptx, 0);
	bulk.count = hd_ptx_word(ptx, 1);
	if (!ptx->failed)
		push(ptx, HD_OP_UBLKCP, HD_MOD(BULK, HD_BULK_PF), &bulk, false);
}

/* ---- boxes of tensors */

/* "2d"; 0: none. */
static unsigned dimensions_of(const struct hd_ptx *ptx)
{
	for (unsigned i = 0; i < ptx->now->part_count; i++) {
		const char *part = ptx->now->parts[i];
		if (part[0] >= '1' && part[0] <= '5' && !strcmp(part + 1, "d"))
			return (unsigned)(part[0] - '0');
	}
	return 0;
}

/* [map, {coordinates}] at operand `index` */
static uint16_t take_box(struct hd_ptx *ptx, unsigned index, struct bulk *bulk)
{
	unsigned dimensions = dimensions_of(ptx);
	struct hd_ptx_operand address = ptx->now->operands[index];
	if (index >= ptx->now->count || address.form != HD_PTX_ADDRESS || !dimensions ||
	    address.count != dimensions + 1) {
		hd_ptx_error(ptx, "expected a map and as many coordinates as the tensor has dimensions");
		return 0;
	}
	bulk->global = hd_leaf_reg(hd_sel_reg(ptx->sel, hd_ptx_read(ptx, &address.parts[0], 64)));
	for (unsigned i = 0; i < dimensions && !ptx->failed; i++) {
		struct hd_leaf leaf = hd_ptx_read(ptx, &address.parts[i + 1], 32);
		*(i < 4 ? &bulk->at[i] : &bulk->count) = hd_sel_word(ptx->sel, &leaf, 0);
	}
	return HD_MOD(DIMS, dimensions);
}

/* .im2col's {offsets} at operand `index`: they stand side by side in 16 bits. */
static void take_offsets(struct hd_ptx *ptx, unsigned index, struct bulk *bulk)
{
	struct hd_select *sel = ptx->sel;
	unsigned dimensions = dimensions_of(ptx), bits = hd_tensor_offset_bits(dimensions);
	struct hd_ptx_operand offsets = ptx->now->operands[index];
	struct hd_opnd all = hd_rz();
	if (index >= ptx->now->count || offsets.form != HD_PTX_VECTOR || offsets.count != dimensions - 2) {
		hd_ptx_error(ptx, "expected as many offsets as the tensor has dimensions less two");
		return;
	}
	for (unsigned i = 0; i < offsets.count && !ptx->failed; i++) {
		struct hd_leaf leaf = hd_ptx_read(ptx, &offsets.parts[i], 16);
		struct hd_opnd offset = hd_sel_word(sel, &leaf, 0);
		offset = hd_reg(hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, offset, hd_imm((1u << bits) - 1), hd_none()));
		offset = hd_reg(hd_sel_alu(sel, HD_OP_SHL, 0, offset, hd_imm(16 + bits * i), hd_none()));
		all = hd_reg(hd_sel_logic(sel, HD_LUT_A | HD_LUT_B, all, offset, hd_none()));
	}
	bulk->ranks = all;
}

/* Whether the copy is .im2col, with offsets or, out of shared memory, without. */
static bool is_im2col(struct hd_ptx *ptx, bool store)
{
	bool im2col = hd_ptx_has(ptx, store ? "im2col_no_offs" : "im2col");
	if (im2col && dimensions_of(ptx) < 3)
		hd_ptx_error(ptx, "im2col is for 3 to 5 dimensions");
	else if (hd_ptx_has(ptx, store ? "im2col" : "im2col_no_offs"))
		hd_ptx_error(ptx, store ? "stores for im2col are .im2col_no_offs"
					: "loads for im2col have offsets (.im2col)");
	return im2col;
}

static bool is_unknown_mode(struct hd_ptx *ptx)
{
	if (hd_ptx_has(ptx, "im2col::w") || hd_ptx_has(ptx, "im2col::w::128"))
		hd_ptx_error(ptx, "copies for im2col along one dimension (im2col::w) are not sm_90's");
	else if (hd_ptx_has(ptx, "tile::gather4") || hd_ptx_has(ptx, "tile::scatter4"))
		hd_ptx_error(ptx, "copies of four rows (gather4, scatter4) are not sm_90's");
	return is_refused(ptx);
}

/* cp.async.bulk.tensor.to.from [to], [map, {c}], [barrier]{, {offsets}}{, ranks}{, policy}, or [map, {c}], [from]{,
 * policy} */
static void copy_box(struct hd_ptx *ptx, unsigned reduces)
{
	enum place to = place_of(ptx, 0), from = place_of(ptx, 1);
	bool store = to == GLOBAL && from == SHARED, load = to >= SHARED && from == GLOBAL && !reduces;
	struct bulk bulk = nothing();
	unsigned op = 0;
	if (is_unknown_mode(ptx) || (reduces && !operation_of(ptx, &op)))
		return;
	if ((!store && !load) || hd_ptx_has(ptx, "bulk_group") != store) {
		hd_ptx_error(ptx, "no copy goes this way, or ends so");
		return;
	}
	bool im2col = is_im2col(ptx, store), offsets = im2col && load;
	expect_operands(ptx, store ? 2 : 3 + offsets);
	uint16_t mods = ptx->failed ? 0 : take_box(ptx, store ? 0 : 1, &bulk);
	if (ptx->failed)
		return;
	bulk.shared = shared_at(ptx, store ? 1 : 0);
	mods |= HD_MOD(IM2COL, im2col);
	if (offsets)
		take_offsets(ptx, 3, &bulk);
	if (load) {
		bulk.barrier = shared_at(ptx, 2);
		mods |= take_ranks(ptx, 3 + offsets, &bulk);
	}
	if (reduces)
		mods |= HD_MOD(ATOMOP, op);
	if (!ptx->failed)
		push(ptx, load ? HD_OP_UTMALDG : reduces ? HD_OP_UTMAREDG : HD_OP_UTMASTG, mods, &bulk, true);
}

static void prefetch_box(struct hd_ptx *ptx, unsigned arg)
{
	struct bulk bulk = nothing();
	(void)arg;
	if (is_unknown_mode(ptx))
		return;
	bool im2col = is_im2col(ptx, false);
	uint16_t mods = ptx->failed ? 0 : take_box(ptx, 0, &bulk);
	if (im2col && !ptx->failed)
		take_offsets(ptx, 1, &bulk);
	if (!ptx->failed)
		push(ptx, HD_OP_UTMAPF, mods | HD_MOD(IM2COL, im2col), &bulk, true);
}

static void prefetch_map(struct hd_ptx *ptx, unsigned arg)
{
	struct bulk bulk = nothing();
	(void)arg;
	if (is_refused(ptx))
		return;
	bulk.global = global_at(ptx, 0);
	if (!ptx->failed)
		push(ptx, HD_OP_UTMAPF, 0, &bulk, true);
}

/* ---- groups and fences */

static void commit(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	if (!is_refused(ptx))
		hd_sel_bulk_end(ptx->sel);
}

static void wait_groups(struct hd_ptx *ptx, unsigned arg)
{
	uint64_t count;
	(void)arg;
	if (is_refused(ptx))
		return;
	if (!hd_ptx_constant(ptx, 0, &count))
		hd_ptx_error(ptx, "the number of groups is not a constant");
	else
		hd_sel_bulk_wait(ptx->sel, count, hd_ptx_has(ptx, "read"));
}

/* What is between threads and copies in bulk is theirs; other proxies see what threads see. */
static void proxy_fence(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	if (hd_ptx_has(ptx, "async") && hd_sel_has_clusters(ptx->sel))
		hd_sel_push(ptx->sel, HD_OP_FENCE_VIEW_ASYNC, 0);
	else if (hd_ptx_has(ptx, "tensormap::generic"))
		hd_sel_push(ptx->sel, HD_OP_MEMBAR,
			    HD_MOD(SCOPE, hd_ptx_has(ptx, "cta")   ? HD_SCOPE_CTA
					  : hd_ptx_has(ptx, "sys") ? HD_SCOPE_SYS
								   : HD_SCOPE_GPU));
}

/* ---- changes of tensor maps */

#define FIELD(name, member, bytes, many) {name, offsetof(struct hd_tensor_map, member), bytes, many}
static const struct field {
	const char *name;
	size_t at;
	unsigned bytes;
	bool many; /* one a dimension */
} fields[] = {FIELD("global_address", address, 8, false),
	      FIELD("rank", rank, 1, false),
	      FIELD("box_dim", box, 4, true),
	      FIELD("global_dim", size, 4, true),
	      FIELD("global_stride", stride, 8, true),
	      FIELD("element_stride", step, 4, true),
	      FIELD("elemtype", type, 1, false),
	      FIELD("interleave_layout", interleave, 1, false),
	      FIELD("swizzle_mode", swizzle, 1, false),
	      FIELD("fill_mode", fill, 1, false)};

static const struct field *field_of(struct hd_ptx *ptx)
{
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (hd_ptx_has(ptx, fields[i].name))
			return &fields[i];
	hd_ptx_error(ptx, "the field is missing, or not modelled");
	return NULL;
}

/* What a map holds for PTX's number, where that is another one. */
static uint64_t coded(const struct field *field, uint64_t number)
{
	static const uint8_t types[] = {HD_TENSOR_U8,	   HD_TENSOR_U16, HD_TENSOR_U32,  HD_TENSOR_S32,
					HD_TENSOR_U64,	   HD_TENSOR_S64, HD_TENSOR_F16,  HD_TENSOR_F32,
					HD_TENSOR_F32_FTZ, HD_TENSOR_F64, HD_TENSOR_BF16, HD_TENSOR_TF32,
					HD_TENSOR_TF32_FTZ};
	if (field->at != offsetof(struct hd_tensor_map, type))
		return number;
	return number < sizeof types ? types[number] : UINT8_MAX;
}

static struct hd_opnd new_value(struct hd_ptx *ptx, const struct field *field, unsigned index)
{
	struct hd_leaf leaf = hd_ptx_in(ptx, index, 32);
	if (leaf.kind == HD_LEAF_IMM)
		leaf.imm[0] = coded(field, leaf.imm[0]);
	if (field->at == offsetof(struct hd_tensor_map, rank)) /* PTX counts from 0 */
		return hd_reg(hd_sel_add(ptx->sel, hd_sel_word(ptx->sel, &leaf, 0), hd_imm(1)));
	return hd_sel_word(ptx->sel, &leaf, 0);
}

/* tensormap.replace.tile.field.space.b1024.type [map], {dimension, }value */
static void replace(struct hd_ptx *ptx, unsigned arg)
{
	unsigned space = hd_ptx_has(ptx, "global")	  ? HD_AS_GLOBAL
			 : hd_ptx_has(ptx, "shared::cta") ? HD_AS_SHARED
							  : HD_AS_GENERIC;
	const struct field *field = is_refused(ptx) ? NULL : field_of(ptx);
	uint64_t dimension = 0;
	(void)arg;
	if (!field)
		return;
	if (!hd_is_for_one_architecture(ptx->sel->function)) {
		hd_ptx_error(ptx, "changes of tensor maps are sm_90a's (-arch=sm_90a)");
		return;
	}
	if (field->many && (!hd_ptx_constant(ptx, 1, &dimension) || dimension >= HD_TENSOR_MOST)) {
		hd_ptx_error(ptx, "the dimension is not a constant below 5");
		return;
	}
	unsigned index = field->many ? 2 : 1;
	struct hd_address address = hd_sel_plain_address(ptx->sel, hd_ptx_pointer(ptx, 0, space), space);
	struct hd_mreg value;
	if (field->bytes == 8)
		value = hd_sel_reg(ptx->sel, hd_ptx_in(ptx, index, 64));
	else
		value = hd_sel_opnd_reg(ptx->sel, new_value(ptx, field, index), 1);
	if (!ptx->failed)
		hd_sel_store_at(ptx->sel, address, (int64_t)(field->at + dimension * field->bytes), field->bytes, value,
				0);
}

/* The warp's lanes copy a word each. */
static void publish(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_select *sel = ptx->sel;
	uint64_t bytes;
	(void)arg;
	if (is_refused(ptx))
		return;
	if (!hd_ptx_constant(ptx, 2, &bytes) || bytes != HD_TENSOR_MAP_BYTES) {
		hd_ptx_error(ptx, "a map has 128 bytes");
		return;
	}
	struct hd_leaf to = global_at(ptx, 0);
	struct hd_opnd from = shared_at(ptx, 1);
	struct hd_mreg lane = hd_mfunc_vreg(sel->func, 1);
	hd_sel_push(sel, HD_OP_S2R, HD_MOD(SR, HD_SR_LANEID))->dst = lane;
	struct hd_opnd byte = hd_reg(hd_sel_alu(sel, HD_OP_SHL, 0, hd_reg(lane), hd_imm(2), hd_none()));
	struct hd_leaf source = hd_leaf_reg(hd_sel_add(sel, from, byte));
	struct hd_leaf target = hd_leaf_reg(hd_sel_add64(sel, to, hd_leaf_reg(hd_sel_pair(sel, byte, hd_rz())), false));
	struct hd_mreg word = hd_sel_load_at(sel, hd_sel_plain_address(sel, source, HD_AS_SHARED), 0, 4, false, 0);
	hd_sel_store_at(sel, hd_sel_plain_address(sel, target, HD_AS_GLOBAL), 0, 4, word, 0);
	hd_sel_push(sel, HD_OP_MEMBAR, HD_MOD(SCOPE, HD_SCOPE_GPU));
}

#define HINTS " L2::cache_hint "
#define WAYS " global shared::cta shared::cluster mbarrier::complete_tx::bytes bulk_group multicast::cluster " HINTS
#define OPERATIONS " add min max inc dec and or xor noftz "
#define TYPES " f16 bf16 f32 f64 b32 u32 s32 b64 u64 s64 "
#define BOXES " 1d 2d 3d 4d 5d tile im2col im2col_no_offs im2col::w im2col::w::128 tile::gather4 tile::scatter4 "
#define FIELDS                                                                                                   \
	" tile global_address rank box_dim global_dim global_stride element_stride elemtype interleave_layout " \
	"swizzle_mode fill_mode global shared::cta b1024 b32 b64 "

const struct hd_ptx_row hd_ptx_bulk[] = {
	{"cp.async.bulk", WAYS, 3, copy, false, true},
	{"cp.reduce.async.bulk", WAYS OPERATIONS TYPES, 3, copy, true, true},
	{"cp.async.bulk.prefetch.L2", " global " HINTS, 2, prefetch, 0, true},
	{"cp.async.bulk.tensor", WAYS BOXES, 2, copy_box, false, true},
	{"cp.reduce.async.bulk.tensor", WAYS BOXES OPERATIONS, 2, copy_box, true, true},
	{"cp.async.bulk.prefetch.tensor", " L2 global " BOXES HINTS, 1, prefetch_box, 0, true},
	{"cp.async.bulk.commit_group", "", 0, commit, 0, true},
	{"cp.async.bulk.wait_group", " read ", 1, wait_groups, 0, true},
	{"prefetch.tensormap", " param const ", 1, prefetch_map, 0, true},
	{"prefetch.const.tensormap", "", 1, prefetch_map, 0, true},
	{"prefetch.param.tensormap", "", 1, prefetch_map, 0, true},
	{"fence.proxy", " alias async global shared::cta shared::cluster generic ", 0, proxy_fence, 0, true},
	{"fence.proxy.tensormap::generic", " acquire release cta cluster gpu sys ", 0, proxy_fence, 0, true},
	{"tensormap.replace", FIELDS, 2, replace, 0, true},
	{"tensormap.cp_fenceproxy", " global shared::cta tensormap::generic release gpu cta cluster sys sync aligned ",
	 3, publish, 0, true},
	{NULL, NULL, 0, NULL, 0, false},
};

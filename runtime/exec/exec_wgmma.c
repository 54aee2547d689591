/*
 * Functional execution: products of warpgroups (WGMMA). Each warp computes its 16 rows at issue, from its registers and
 * shared memory as they are then; that they are there later is the timing's (runtime/sm/wgmma.c). What a product of
 * floating-point numbers gives is dot.c's: one sum over all columns of a and the accumulator.
 *
 * A descriptor has the start of a matrix in bits 0-13, the leading byte offset in 16-29, the stride byte offset in
 * 32-45, all of them divided by 16, the base offset in 49-51, and how chunks of 16 bytes are permuted in 62-63: by
 * address bits 7 and up, absolute ones, so that a step along a row is one of the start alone. CUTLASS,
 * cute/arch/mma_sm90_desc.hpp; PTX ISA 8.0, Asynchronous Warpgroup Level Matrix Instructions.
 *
 * Cost: some operations a multiply-add.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/dot.h"
#include "runtime/exec/exec.h"

enum { ROWS = HD_WG_ROWS, COLUMNS = 256, DEPTH = 32, QUAD = 4, OCTET = 8, CHUNK = 16 };

/* A matrix in shared memory: `outer` is the row of a or column of b. */
struct matrix {
	uint32_t start, leading, stride; /* bytes */
	uint32_t span;			 /* bytes of a permuted row; a chunk: nothing is permuted */
	uint32_t base;
	unsigned bytes;	 /* of an element */
	bool transposed; /* elements with neighbouring `outer` are neighbours */
};

static struct matrix matrix_of(uint64_t descriptor, unsigned bytes, bool transposed)
{
	static const uint8_t spans[] = {CHUNK, 128, 64, 32};
	return (struct matrix){.start = (uint32_t)(descriptor & 0x3fff) * 16,
			       .leading = (uint32_t)(descriptor >> 16 & 0x3fff) * 16,
			       .stride = (uint32_t)(descriptor >> 32 & 0x3fff) * 16,
			       .base = descriptor >> 49 & 7,
			       .span = spans[descriptor >> 62],
			       .bytes = bytes,
			       .transposed = transposed};
}

/* Where an element would be without permutation. */
static uint32_t linear_place(const struct matrix *matrix, uint32_t outer, uint32_t k)
{
	bool permuted = matrix->span != CHUNK;
	uint32_t inside, span = matrix->span / matrix->bytes;
	if (!matrix->transposed) {
		inside = permuted ? k * matrix->bytes : k % span * matrix->bytes + k / span * matrix->leading;
		return matrix->start + outer % OCTET * matrix->span + outer / OCTET * matrix->stride + inside;
	}
	inside = outer % span * matrix->bytes + k % OCTET * matrix->span;
	return matrix->start + inside + outer / span * (permuted ? matrix->leading : matrix->stride) +
	       k / OCTET * (permuted ? matrix->stride : matrix->leading);
}

static uint32_t place_of(const struct matrix *matrix, uint32_t outer, uint32_t k)
{
	uint32_t place = linear_place(matrix, outer, k), mask = matrix->span / CHUNK - 1;
	return place ^ (((place >> 7) - matrix->base) & mask) << 4;
}

static uint32_t load_element(const uint8_t *from, unsigned bytes)
{
	uint32_t value = 0;
	memcpy(&value, from, bytes);
	return value;
}

/* `count` rows from `first` on; false: one of them is outside of the block's shared memory, which has been reported. */
static bool read_matrix(struct hd_exec *exec, const struct hd_dinst *inst, const struct matrix *matrix, uint32_t first,
			uint32_t count, uint32_t depth, uint32_t (*to)[DEPTH])
{
	const struct hd_cta *cta = exec->warp->cta;
	for (uint32_t outer = 0; outer < count; outer++)
		for (uint32_t k = 0; k < depth; k++) {
			uint32_t place = place_of(matrix, first + outer, k);
			if (place + matrix->bytes > cta->grid->shared_bytes) {
				HD_FAULT(exec, 0, HD_SIM_TRAP,
					 "%s: the descriptor's matrix reaches address 0x%x, but the block has %u bytes "
					 "of shared memory",
					 hd_opinfo[inst->inst.op].name, place, cta->grid->shared_bytes);
				return false;
			}
			to[outer][k] = load_element(cta->shared + place, matrix->bytes);
		}
	return true;
}

/* ---- what is multiplied */

struct factors {
	uint32_t a[ROWS][DEPTH], b[COLUMNS][DEPTH];
	struct hd_dot_number left[ROWS][DEPTH], right[COLUMNS][DEPTH];
};

static void read_registers(const struct hd_exec *exec, const struct hd_dinst *inst, unsigned bits,
			   uint32_t to[ROWS][DEPTH])
{
	unsigned each = 32 / bits;
	for (unsigned reg = 0; reg < 4; reg++) {
		const uint32_t *words = hd_row(exec->warp, hd_next_reg(inst->inst.a, reg));
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++)
			for (unsigned i = 0; i < each; i++)
				to[lane / QUAD + reg % 2 * OCTET][(reg / 2 * QUAD + lane % QUAD) * each + i] =
					hd_dot_element(words[lane], i, bits);
	}
}

static bool gather(struct hd_exec *exec, const struct hd_dinst *inst, unsigned bits, uint32_t columns,
		   struct factors *factors)
{
	unsigned trans = HD_MODIFIER(WGTRANS), depth = 8 * HD_WG_ROW_BYTES / bits;
	struct matrix b = matrix_of(hd_lane_pair(exec->warp, inst->inst.b, 0), bits / 8, trans & HD_WG_TRANS_B);
	if (!read_matrix(exec, inst, &b, 0, columns, depth, factors->b))
		return false;
	if (HD_MODIFIER(WGA) == HD_WG_REGISTERS) {
		read_registers(exec, inst, bits, factors->a);
		return true;
	}
	struct matrix a = matrix_of(hd_lane_pair(exec->warp, inst->inst.a, 0), bits / 8, trans & HD_WG_TRANS_A);
	return read_matrix(exec, inst, &a, exec->warp->index % HD_WG_WARPS * ROWS, ROWS, depth, factors->a);
}

/* ---- where the results are */

/* Of number `i` of a lane's part. */
static unsigned row_of(unsigned lane, unsigned i)
{
	return lane / QUAD + (i >> 1 & 1) * OCTET;
}

static unsigned column_of(unsigned lane, unsigned i)
{
	return (i >> 2) * OCTET + lane % QUAD * 2 + (i & 1);
}

/* ---- floating point */

static struct hd_dot_rule rule_of(const struct hd_dinst *inst)
{
	bool half = HD_MODIFIER(WGACC) == HD_WG_ACC_F16;
	switch (HD_MODIFIER(WGTYPE)) {
	case HD_WG_BF16: return HD_DOT_HOPPER(HD_DOT_BF16, 16, half);
	case HD_WG_TF32: return HD_DOT_HOPPER(HD_DOT_TF32, 8, half);
	case HD_WG_E4M3: return HD_DOT_HOPPER_BYTES(HD_DOT_E4M3, HD_DOT_E4M3, half);
	case HD_WG_E4M3_E5M2: return HD_DOT_HOPPER_BYTES(HD_DOT_E4M3, HD_DOT_E5M2, half);
	case HD_WG_E5M2_E4M3: return HD_DOT_HOPPER_BYTES(HD_DOT_E5M2, HD_DOT_E4M3, half);
	case HD_WG_E5M2: return HD_DOT_HOPPER_BYTES(HD_DOT_E5M2, HD_DOT_E5M2, half);
	default: return HD_DOT_HOPPER(HD_DOT_F16, 16, half);
	}
}

static void take_apart(enum hd_factor factor, uint32_t rows, uint32_t depth, bool negated, uint32_t (*from)[DEPTH],
		       struct hd_dot_number (*to)[DEPTH])
{
	for (uint32_t row = 0; row < rows; row++)
		for (uint32_t k = 0; k < depth; k++) {
			to[row][k] = hd_dot_number(factor, from[row][k]);
			if (negated)
				to[row][k].significand = -to[row][k].significand;
		}
}

static void multiply_numbers(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t columns, uint32_t adds,
			     struct factors *factors)
{
	struct hd_dot_rule rule = rule_of(inst);
	unsigned words = hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_DST), depth = rule.group;
	take_apart((enum hd_factor)rule.factor, ROWS, depth, inst->inst.srcmods & HD_NEG_A, factors->a, factors->left);
	take_apart((enum hd_factor)rule.other, columns, depth, inst->inst.srcmods & HD_NEG_B, factors->b,
		   factors->right);
	for (unsigned word = 0; word < words; word++) {
		uint32_t *d = hd_dst_row(exec->warp, inst->inst.dst + word);
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++) {
			uint32_t c = adds >> lane & 1 ? d[lane] : 0;
			unsigned first = rule.half ? 2 * word : word, column = column_of(lane, first);
			const struct hd_dot_number *a = factors->left[row_of(lane, first)];
			if (!rule.half)
				d[lane] = hd_dot(&rule, a, factors->right[column], depth, c);
			else
				d[lane] = hd_dot(&rule, a, factors->right[column], depth, c & 0xffff) |
					  hd_dot(&rule, a, factors->right[column + 1], depth, c >> 16) << 16;
		}
	}
}

/* ---- integers */

static int32_t byte_of(uint32_t bits, bool is_signed)
{
	return is_signed ? (int8_t)bits : (int32_t)bits;
}

static void multiply_integers(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t adds,
			      const struct factors *factors)
{
	unsigned type = HD_MODIFIER(WGTYPE), words = hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_DST);
	bool a_signed = type == HD_WG_S8 || type == HD_WG_S8_U8, b_signed = type == HD_WG_S8 || type == HD_WG_U8_S8;
	for (unsigned word = 0; word < words; word++) {
		uint32_t *d = hd_dst_row(exec->warp, inst->inst.dst + word);
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++) {
			const uint32_t *a = factors->a[row_of(lane, word)], *b = factors->b[column_of(lane, word)];
			int64_t sum = adds >> lane & 1 ? (int32_t)d[lane] : 0;
			for (unsigned k = 0; k < DEPTH; k++)
				sum += byte_of(a[k], a_signed) * byte_of(b[k], b_signed);
			if (HD_MODIFIER(SAT))
				sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
			d[lane] = (uint32_t)sum;
		}
	}
}

/* ---- instructions */

static bool is_whole_group(struct hd_exec *exec, const struct hd_dinst *inst)
{
	const struct hd_warp *warp = exec->warp;
	if (!hd_exec_whole_warp(exec, inst))
		return false;
	if (warp->index / HD_WG_WARPS * HD_WG_WARPS + HD_WG_WARPS <= warp->cta->warp_count)
		return true;
	HD_FAULT(exec, 0, HD_SIM_TRAP, "%s needs a group of four warps, and the block has %u",
		 hd_opinfo[inst->inst.op].name, warp->cta->warp_count);
	return false;
}

HD_EXEC_PLAIN(op_wgmma)
{
	unsigned bits = hd_wg_bits((enum hd_wgtype)HD_MODIFIER(WGTYPE));
	uint32_t columns = 8 * (HD_MODIFIER(WGN) + 1);
	uint32_t adds = inst->inst.c == HD_RZ ? 0 : hd_pred(exec->warp, inst->inst.psrc);
	if (!is_whole_group(exec, inst))
		return;
	struct factors factors;
	if (!gather(exec, inst, bits, columns, &factors))
		return;
	if (HD_MODIFIER(WGACC) == HD_WG_ACC_S32)
		multiply_integers(exec, inst, adds, &factors);
	else
		multiply_numbers(exec, inst, columns, adds, &factors);
	exec->effect->event = HD_EVENT_WGMMA;
}

/* The end of a group and a wait are also where the compiler has put them, which can be in divergent code
 * (passes/mir/products_in_flight.c): they are the warp's, and do no harm there. */
HD_EXEC_PLAIN(op_warpgroup)
{
	if (HD_MODIFIER(WGMODE) != HD_WG_ARRIVE || is_whole_group(exec, inst))
		exec->effect->event = HD_EVENT_WGMMA;
}

HD_EXEC_PLAIN(op_usetmaxreg)
{
	uint32_t own = exec->warp->registers;
	bool more = HD_MODIFIER(RESIZE) == HD_RESIZE_INC;
	if (!is_whole_group(exec, inst))
		return;
	if (more ? inst->inst.x < own : inst->inst.x > own)
		HD_FAULT(exec, 0, HD_SIM_TRAP, "setmaxnreg.%s to %u of a thread that has %u registers",
			 more ? "inc" : "dec", inst->inst.x, own);
	else
		exec->effect->event = HD_EVENT_RESIZE;
}

const struct hd_exec_clones *hd_exec_wgmma_find(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_WGMMA: return &op_wgmma;
	case HD_OP_WARPGROUP: return &op_warpgroup;
	case HD_OP_USETMAXREG: return &op_usetmaxreg;
	default: return NULL;
	}
}

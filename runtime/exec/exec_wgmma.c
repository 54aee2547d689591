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
 * Cost: an operation of the host for each multiply-add, in vectors of sixteen columns (dot_lanes.h); tens where a
 * number is infinite or none.
 */
#include <string.h>

#include "heddle/opcodes.h"
#include "runtime/exec/dot.h"
#include "runtime/exec/dot_lanes.h"
#include "runtime/exec/exec.h"

enum { ROWS = HD_WG_ROWS, COLUMNS = 256, DEPTH = HD_DOT_DEPTH, QUAD = 4, OCTET = 8, CHUNK = 16 };
enum { LANES = HD_DOT_LANES, BLOCKS = COLUMNS / LANES };

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

/* What is multiplied, as bits: rows of a; columns of b in blocks of LANES, which lie side by side. */
struct factors {
	uint32_t a[ROWS][DEPTH], b[BLOCKS][DEPTH][LANES];
};

static uint32_t *a_element(struct factors *factors, uint32_t outer, uint32_t k)
{
	return &factors->a[outer][k];
}

static uint32_t *b_element(struct factors *factors, uint32_t outer, uint32_t k)
{
	return &factors->b[outer / LANES][k][outer % LANES];
}

typedef uint32_t *element_of(struct factors *factors, uint32_t outer, uint32_t k);

/* The elements of a chunk, from one on: along k, or along `outer` where those are neighbours. */
HD_INLINE bool read_chunk(struct hd_exec *exec, const struct hd_dinst *inst, const struct matrix *matrix,
			  uint32_t first, uint32_t outer, uint32_t k, struct factors *factors, element_of *element)
{
	const struct hd_cta *cta = exec->warp->cta;
	uint32_t place = place_of(matrix, first + outer, k), bytes = matrix->bytes, room = cta->grid->shared_bytes;
	for (uint32_t i = 0; i < CHUNK / bytes; i++, place += bytes) {
		if (place + bytes > room) {
			HD_FAULT(exec, 0, HD_SIM_TRAP,
				 "%s: the descriptor's matrix reaches address 0x%x, but the block has %u bytes "
				 "of shared memory",
				 hd_opinfo[inst->inst.op].name, place, room);
			return false;
		}
		*element(factors, outer + (matrix->transposed ? i : 0), k + (matrix->transposed ? 0 : i)) =
			load_element(cta->shared + place, bytes);
	}
	return true;
}

/* `count` rows from `first` on; false: one of them is outside of the block's shared memory, which has been reported. */
HD_INLINE bool read_matrix(struct hd_exec *exec, const struct hd_dinst *inst, const struct matrix *matrix,
			   uint32_t first, uint32_t count, uint32_t depth, struct factors *factors, element_of *element)
{
	uint32_t each = CHUNK / matrix->bytes;
	for (uint32_t outer = 0; outer < count; outer += matrix->transposed ? each : 1)
		for (uint32_t k = 0; k < depth; k += matrix->transposed ? 1 : each)
			if (!read_chunk(exec, inst, matrix, first, outer, k, factors, element))
				return false;
	return true;
}

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
	if (columns % LANES) /* the last block is a half */
		memset(factors->b[columns / LANES], 0, sizeof factors->b[0]);
	if (!read_matrix(exec, inst, &b, 0, columns, depth, factors, b_element))
		return false;
	if (HD_MODIFIER(WGA) == HD_WG_REGISTERS) {
		read_registers(exec, inst, bits, factors->a);
		return true;
	}
	struct matrix a = matrix_of(hd_lane_pair(exec->warp, inst->inst.a, 0), bits / 8, trans & HD_WG_TRANS_A);
	return read_matrix(exec, inst, &a, exec->warp->index % HD_WG_WARPS * ROWS, ROWS, depth, factors, a_element);
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

struct sums {
	uint32_t of[ROWS][COLUMNS]; /* the accumulator, as bits */
};

static void read_sums(const struct hd_exec *exec, const struct hd_dinst *inst, bool half, uint32_t adds,
		      struct sums *sums)
{
	unsigned words = hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_DST);
	for (unsigned word = 0; word < words; word++) {
		const uint32_t *d = hd_row(exec->warp, inst->inst.dst + word);
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++) {
			uint32_t c = adds >> lane & 1 ? d[lane] : 0;
			unsigned first = half ? 2 * word : word;
			uint32_t *to = &sums->of[row_of(lane, first)][column_of(lane, first)];
			to[0] = half ? c & 0xffff : c;
			if (half)
				to[1] = c >> 16;
		}
	}
}

static void write_sums(const struct hd_exec *exec, const struct hd_dinst *inst, bool half, const struct sums *sums)
{
	unsigned words = hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_DST);
	for (unsigned word = 0; word < words; word++) {
		uint32_t *d = hd_dst_row(exec->warp, inst->inst.dst + word);
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++) {
			unsigned first = half ? 2 * word : word;
			const uint32_t *from = &sums->of[row_of(lane, first)][column_of(lane, first)];
			d[lane] = half ? from[0] | from[1] << 16 : from[0];
		}
	}
}

/* One element, where some number is infinite or none. */
static uint32_t multiply_one(const struct hd_dot_rule *rule, const struct hd_dinst *inst, struct factors *factors,
			     uint32_t row, uint32_t column, uint32_t c)
{
	struct hd_dot_number a[DEPTH], b[DEPTH];
	for (uint32_t k = 0; k < rule->group; k++) {
		a[k] = hd_dot_number((enum hd_factor)rule->factor, *a_element(factors, row, k));
		b[k] = hd_dot_number((enum hd_factor)rule->other, *b_element(factors, column, k));
		a[k].significand *= inst->inst.srcmods & HD_NEG_A ? -1 : 1;
		b[k].significand *= inst->inst.srcmods & HD_NEG_B ? -1 : 1;
	}
	return hd_dot(rule, a, b, rule->group, c);
}

HD_INLINE void multiply_numbers(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t columns, uint32_t adds,
				struct factors *factors)
{
	struct hd_dot_rule rule = rule_of(inst);
	struct sums sums;
	struct hd_dot_row row;
	struct hd_dot_block blocks[BLOCKS];
	bool a_negated = inst->inst.srcmods & HD_NEG_A, b_negated = inst->inst.srcmods & HD_NEG_B;
	uint32_t count = (columns + LANES - 1) / LANES;
	if (columns % LANES)
		for (uint32_t i = 0; i < ROWS; i++)
			memset(&sums.of[i][columns], 0, (LANES - OCTET) * sizeof sums.of[i][0]);
	read_sums(exec, inst, rule.half, adds, &sums);
	for (uint32_t i = 0; i < count; i++)
		hd_dot_prepare_block(&rule, factors->b[i], b_negated, &blocks[i]);
	for (uint32_t r = 0; r < ROWS; r++) {
		hd_dot_prepare_row(&rule, factors->a[r], a_negated, &row);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t *c = &sums.of[r][i * LANES];
			if (hd_dot_lanes_of(&rule, &row, &blocks[i], c))
				continue;
			for (uint32_t lane = 0; lane < LANES; lane++)
				c[lane] = multiply_one(&rule, inst, factors, r, i * LANES + lane, c[lane]);
		}
	}
	write_sums(exec, inst, rule.half, &sums);
}

/* ---- integers */

static int32_t byte_of(uint32_t bits, bool is_signed)
{
	return is_signed ? (int8_t)bits : (int32_t)bits;
}

static void multiply_integers(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t adds, struct factors *factors)
{
	unsigned type = HD_MODIFIER(WGTYPE), words = hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_DST);
	bool a_signed = type == HD_WG_S8 || type == HD_WG_S8_U8, b_signed = type == HD_WG_S8 || type == HD_WG_U8_S8;
	for (unsigned word = 0; word < words; word++) {
		uint32_t *d = hd_dst_row(exec->warp, inst->inst.dst + word);
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++) {
			unsigned row = row_of(lane, word), column = column_of(lane, word);
			int64_t sum = adds >> lane & 1 ? (int32_t)d[lane] : 0;
			for (unsigned k = 0; k < DEPTH; k++)
				sum += byte_of(*a_element(factors, row, k), a_signed) *
				       byte_of(*b_element(factors, column, k), b_signed);
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

HD_EXEC(op_wgmma)
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

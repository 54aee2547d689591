/*
 * Functional execution: products with a sparse left factor (HMMA.SP, IMMA.SP). Of each chunk of four columns (tf32:
 * two) half are stored, in order, and the metadata has four bits for each chunk: the numbers of its two stored columns,
 * the first in the low bits; of tf32 they count halves of a column, 0b0100 and 0b1110. Which lane has which element,
 * and whose metadata counts, is the PTX ISA's (mma.sp); docs/tensor-cores.md says where it stands there.
 *
 * The stored columns of a row meet the rows of b that they name and no others: a number of b that is none does not
 * matter where a has nothing. All of a row are one group of the sum (dot.c).
 *
 * Cost: a few thousand operations an instruction.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/dot.h"
#include "runtime/exec/exec.h"

enum { QUAD = 4, OCTET = 8, STORED = 16 };

/* How the elements of a type are stored. */
struct kind {
	uint8_t bits;	/* of an element */
	uint8_t stored; /* elements of a row */
	uint8_t chunk;	/* columns of four bits of metadata */
};
static const struct kind halves = {16, 8, 4}, tf32 = {32, 4, 2}, bytes = {8, 16, 4};

/* The stored elements of a row of a, and their columns. */
static void row_of(const struct hd_exec *exec, const struct hd_dinst *inst, const struct kind *kind, unsigned row,
		   uint32_t values[STORED], uint8_t columns[STORED])
{
	unsigned each = 32 / kind->bits, per_chunk = kind->chunk / 2, lower = row / OCTET, first = row % OCTET * QUAD;
	const uint32_t *words = hd_row(exec->warp, hd_next_reg(inst->inst.a, lower));
	const uint32_t *meta = hd_row(exec->warp, hd_next_reg(inst->inst.a, 2));
	uint32_t from = first + HD_MODIFIER(META);
	/* A row of bytes has a word of it, the others half of one. */
	uint32_t which = kind->bits == 8 ? meta[from + lower] : meta[from] >> lower * 16;
	for (unsigned i = 0; i < kind->stored; i++) {
		unsigned chunk = i / per_chunk, number = which >> (4 * chunk + 2 * (i % per_chunk)) & 3;
		values[i] = hd_dot_element(words[first + i / each], i % each, kind->bits);
		columns[i] = (uint8_t)(chunk * kind->chunk + (kind->chunk == 2 ? number / 2 : number));
	}
}

static uint32_t of_b(const struct hd_exec *exec, const struct hd_dinst *inst, const struct kind *kind, unsigned k,
		     unsigned column)
{
	unsigned each = 32 / kind->bits, lane = column * QUAD + k / each % QUAD;
	return hd_dot_element(hd_row(exec->warp, hd_next_reg(inst->inst.b, k / (QUAD * each)))[lane], k % each,
			      kind->bits);
}

/* ---- floating point */

static uint32_t product(const struct hd_exec *exec, const struct hd_dinst *inst, const struct kind *kind,
			const struct hd_dot_rule *rule, unsigned row, unsigned column, uint32_t c)
{
	uint32_t values[STORED];
	uint8_t columns[STORED];
	struct hd_dot_number a[HD_DOT_GROUP], b[HD_DOT_GROUP];
	row_of(exec, inst, kind, row, values, columns);
	for (unsigned i = 0; i < kind->stored; i++) {
		a[i] = hd_dot_number((enum hd_factor)rule->factor, values[i]);
		b[i] = hd_dot_number((enum hd_factor)rule->factor, of_b(exec, inst, kind, columns[i], column));
	}
	return hd_dot(rule, a, b, kind->stored, c);
}

/* Word `reg` of the accumulator in a lane: two halves of a row, or one single-precision number. */
static uint32_t product_word(const struct hd_exec *exec, const struct hd_dinst *inst, const struct kind *kind,
			     const struct hd_dot_rule *rule, unsigned lane, unsigned reg, uint32_t c)
{
	unsigned row = lane / QUAD + (rule->half ? reg : reg / 2) * OCTET, column = lane % QUAD * 2;
	if (!rule->half)
		return product(exec, inst, kind, rule, row, column + reg % 2, c);
	return product(exec, inst, kind, rule, row, column, c & 0xffff) |
	       product(exec, inst, kind, rule, row, column + 1, c >> 16) << 16;
}

static void multiply(struct hd_exec *exec, const struct hd_dinst *inst, const struct kind *kind,
		     struct hd_dot_rule rule)
{
	uint32_t out[4][HD_WARP_LANES];
	unsigned words = rule.half ? 2 : 4;
	if (!hd_exec_whole_warp(exec, inst))
		return;
	for (unsigned reg = 0; reg < words; reg++) {
		const uint32_t *c = hd_row(exec->warp, hd_next_reg(inst->inst.c, reg));
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++)
			out[reg][lane] = product_word(exec, inst, kind, &rule, lane, reg, c[lane]);
	}
	for (unsigned reg = 0; reg < words; reg++)
		memcpy(hd_dst_row(exec->warp, hd_next_reg(inst->inst.dst, reg)), out[reg], sizeof(out[reg]));
}

HD_EXEC_PLAIN(op_hmma_sp_16816)
{
	bool bfloat = HD_MODIFIER(FACTOR) == HD_FACTOR_BF16;
	multiply(exec, inst, &halves, HD_DOT_TURING(bfloat ? HD_DOT_BF16 : HD_DOT_F16, HD_MODIFIER(ACC) == HD_ACC_F16));
}

HD_EXEC_PLAIN(op_hmma_sp_1688_tf32)
{
	multiply(exec, inst, &tf32, HD_DOT_TF32_AMPERE);
}

/* ---- bytes */

static int32_t extended(uint32_t byte, bool is_signed)
{
	return is_signed ? (int8_t)byte : (int32_t)byte;
}

static uint32_t sum_of_bytes(const struct hd_exec *exec, const struct hd_dinst *inst, unsigned row, unsigned column,
			     uint32_t c)
{
	uint32_t values[STORED];
	uint8_t columns[STORED];
	int64_t sum = (int32_t)c;
	row_of(exec, inst, &bytes, row, values, columns);
	for (unsigned i = 0; i < bytes.stored; i++)
		sum += extended(values[i], HD_MODIFIER(SIGNA)) *
		       extended(of_b(exec, inst, &bytes, columns[i], column), HD_MODIFIER(SIGNB));
	if (HD_MODIFIER(SAT))
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

HD_EXEC_PLAIN(op_imma_sp_16832)
{
	uint32_t out[4][HD_WARP_LANES];
	if (!hd_exec_whole_warp(exec, inst))
		return;
	for (unsigned reg = 0; reg < 4; reg++) {
		const uint32_t *c = hd_row(exec->warp, hd_next_reg(inst->inst.c, reg));
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++)
			out[reg][lane] = sum_of_bytes(exec, inst, lane / QUAD + reg / 2 * OCTET,
						      lane % QUAD * 2 + reg % 2, c[lane]);
	}
	for (unsigned reg = 0; reg < 4; reg++)
		memcpy(hd_dst_row(exec->warp, hd_next_reg(inst->inst.dst, reg)), out[reg], sizeof(out[reg]));
}

const struct hd_exec_clones *hd_exec_sparse_find(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_HMMA_SP_16816: return &op_hmma_sp_16816;
	case HD_OP_HMMA_SP_1688_TF32: return &op_hmma_sp_1688_tf32;
	case HD_OP_IMMA_SP_16832: return &op_imma_sp_16832;
	default: return NULL;
	}
}

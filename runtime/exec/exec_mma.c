/*
 * Functional execution: products of matrices on tensor cores (HMMA, IMMA, DMMA), and what brings matrices into their
 * registers (LDSM, MOVM). Which lane has which element is the PTX ISA's (mma.m8n8k4, mma.m16n8k*, ldmatrix,
 * movmatrix); what a product of floating-point numbers gives is dot.c's.
 *
 * A step of HMMA_884 is what Volta's four pairs of quads do with one pair of accumulator registers. All 32 lanes take
 * part: one that is missing is a fault, as PTX leaves it undefined.
 *
 * Cost: a few thousand operations an instruction.
 */
#include <math.h>

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/exec/dot.h"
#include "runtime/exec/exec.h"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 32, QUAD = 4, OCTET = 8 };

bool hd_exec_whole_warp(struct hd_exec *exec, const struct hd_dinst *inst)
{
	if (exec->mask == HD_FULL)
		return true;
	HD_FAULT(exec, (uint32_t)__builtin_ctz(~exec->mask), HD_SIM_TRAP,
		 "%s needs all threads of the warp, and this one does not execute it", hd_opinfo[inst->inst.op].name);
	return false;
}

/* ---- fragments: quads of lanes have a row of a and c, or a column of b, and another eight below */

struct shape {
	uint8_t rows, depth; /* of a: 8 or 16 rows */
	uint8_t bits;	     /* of a factor */
};

static void gather_a(const struct hd_exec *exec, const struct hd_dinst *inst, struct shape shape,
		     uint32_t a[ROWS][DEPTH])
{
	unsigned each = 32 / shape.bits, blocks = shape.depth / (QUAD * each), halves = shape.rows / OCTET;
	for (unsigned reg = 0; reg < blocks * halves; reg++) {
		const uint32_t *words = hd_row(exec->warp, hd_next_reg(inst->inst.a, reg));
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++) {
			unsigned row = lane / QUAD + reg % halves * OCTET;
			unsigned k = (reg / halves * QUAD + lane % QUAD) * each;
			for (unsigned i = 0; i < each; i++)
				a[row][k + i] = hd_dot_element(words[lane], i, shape.bits);
		}
	}
}

static void gather_b(const struct hd_exec *exec, const struct hd_dinst *inst, struct shape shape,
		     uint32_t b[COLUMNS][DEPTH])
{
	unsigned each = 32 / shape.bits, blocks = shape.depth / (QUAD * each);
	for (unsigned reg = 0; reg < blocks; reg++) {
		const uint32_t *words = hd_row(exec->warp, hd_next_reg(inst->inst.b, reg));
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++)
			for (unsigned i = 0; i < each; i++)
				b[lane / QUAD][(reg * QUAD + lane % QUAD) * each + i] =
					hd_dot_element(words[lane], i, shape.bits);
	}
}

/* ---- floating point */

struct factors {
	struct hd_dot_number a[ROWS][DEPTH], b[COLUMNS][DEPTH];
};

static void gather_numbers(const struct hd_exec *exec, const struct hd_dinst *inst, struct shape shape,
			   enum hd_factor factor, struct factors *to)
{
	uint32_t a[ROWS][DEPTH], b[COLUMNS][DEPTH];
	gather_a(exec, inst, shape, a);
	gather_b(exec, inst, shape, b);
	for (unsigned k = 0; k < shape.depth; k++) {
		for (unsigned row = 0; row < shape.rows; row++)
			to->a[row][k] = hd_dot_number(factor, a[row][k]);
		for (unsigned column = 0; column < COLUMNS; column++)
			to->b[column][k] = hd_dot_number(factor, b[column][k]);
	}
}

/* Word `reg` of the accumulator in a lane: two halves of a row, or one single-precision number. */
static uint32_t product_word(const struct factors *factors, const struct hd_dot_rule *rule, unsigned depth,
			     unsigned lane, unsigned reg, uint32_t c)
{
	unsigned row = lane / QUAD + (rule->half ? reg : reg / 2) * OCTET, column = lane % QUAD * 2;
	const struct hd_dot_number *a = factors->a[row];
	if (!rule->half)
		return hd_dot(rule, a, factors->b[column + reg % 2], depth, c);
	return hd_dot(rule, a, factors->b[column], depth, c & 0xffff) |
	       hd_dot(rule, a, factors->b[column + 1], depth, c >> 16) << 16;
}

static void multiply(struct hd_exec *exec, const struct hd_dinst *inst, unsigned depth, struct hd_dot_rule rule)
{
	struct factors factors;
	uint32_t out[4][HD_WARP_LANES];
	unsigned words = rule.half ? 2 : 4;
	struct shape shape = {ROWS, (uint8_t)depth, rule.factor == HD_DOT_TF32 ? 32 : 16};
	if (!hd_exec_whole_warp(exec, inst))
		return;
	gather_numbers(exec, inst, shape, (enum hd_factor)rule.factor, &factors);
	for (unsigned reg = 0; reg < words; reg++) {
		const uint32_t *c = hd_row(exec->warp, hd_next_reg(inst->inst.c, reg));
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++)
			out[reg][lane] = product_word(&factors, &rule, depth, lane, reg, c[lane]);
	}
	for (unsigned reg = 0; reg < words; reg++)
		memcpy(hd_dst_row(exec->warp, hd_next_reg(inst->inst.dst, reg)), out[reg], sizeof(out[reg]));
}

/* Whose tensor cores add all products of an instruction at once. */
static bool is_hopper(const struct hd_exec *exec)
{
	return exec->gpu->config->compute_major >= 9;
}

static struct hd_dot_rule half_rule(const struct hd_exec *exec, const struct hd_dinst *inst, uint8_t depth)
{
	enum hd_factor factor = HD_MODIFIER(FACTOR) == HD_FACTOR_BF16 ? HD_DOT_BF16 : HD_DOT_F16;
	bool half = HD_MODIFIER(ACC) == HD_ACC_F16;
	return is_hopper(exec) ? HD_DOT_HOPPER(factor, depth, half) : HD_DOT_TURING(factor, half);
}

static struct hd_dot_rule tf32_rule(const struct hd_exec *exec, uint8_t depth)
{
	return is_hopper(exec) ? HD_DOT_HOPPER(HD_DOT_TF32, depth, false) : HD_DOT_TF32_AMPERE;
}

HD_EXEC_PLAIN(op_hmma_1688)
{
	multiply(exec, inst, 8, half_rule(exec, inst, 8));
}

HD_EXEC_PLAIN(op_hmma_16816)
{
	multiply(exec, inst, 16, half_rule(exec, inst, 16));
}

HD_EXEC_PLAIN(op_hmma_1684_tf32)
{
	multiply(exec, inst, 4, tf32_rule(exec, 4));
}

HD_EXEC_PLAIN(op_hmma_1688_tf32)
{
	multiply(exec, inst, 8, tf32_rule(exec, 8));
}

/* ---- Volta: lanes 4 q to 4 q + 3 and those 16 above multiply matrices of their own */

/* The lane that has row `major` of a (or column of b), or, where they lie the other way, k of it. */
static unsigned volta_lane(unsigned quad, unsigned major, unsigned k, bool along)
{
	return quad * QUAD + major / QUAD * 16 + (along ? major % QUAD : k);
}

static struct hd_dot_number volta_factor(const struct hd_exec *exec, unsigned reg, unsigned quad, unsigned major,
					 unsigned k, bool along)
{
	unsigned index = along ? k : major % QUAD, lane = volta_lane(quad, major, k, along);
	uint32_t word = hd_row(exec->warp, hd_next_reg(reg, index / 2))[lane];
	return hd_dot_number(HD_DOT_F16, word >> index % 2 * 16 & 0xffff);
}

static uint32_t volta_element(const struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_dot_rule *rule,
			      unsigned lane, unsigned row, unsigned column, uint32_t c)
{
	struct hd_dot_number a[QUAD], b[QUAD];
	unsigned quad = lane / QUAD % QUAD;
	for (unsigned k = 0; k < QUAD; k++) {
		a[k] = volta_factor(exec, inst->inst.a, quad, row, k, !HD_MODIFIER(COLA));
		b[k] = volta_factor(exec, inst->inst.b, quad, column, k, HD_MODIFIER(COLB));
	}
	return hd_dot(rule, a, b, QUAD, c);
}

/* Word `word` of the pair that a step writes. */
static uint32_t volta_word(const struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_dot_rule *rule,
			   unsigned lane, unsigned word, uint32_t c)
{
	unsigned reg = 2 * HD_MODIFIER(STEP) + word, below = lane / 16 * QUAD;
	if (!rule->half)
		return volta_element(exec, inst, rule, lane, (lane & 1) + (reg & 2) + below,
				     (reg & 4) + (lane & 2) + (reg & 1), c);
	return volta_element(exec, inst, rule, lane, lane % QUAD + below, 2 * reg, c & 0xffff) |
	       volta_element(exec, inst, rule, lane, lane % QUAD + below, 2 * reg + 1, c >> 16) << 16;
}

HD_EXEC_PLAIN(op_hmma_884)
{
	struct hd_dot_rule rule = HD_DOT_VOLTA(HD_MODIFIER(ACC) == HD_ACC_F16);
	uint32_t out[2][HD_WARP_LANES];
	if (!hd_exec_whole_warp(exec, inst))
		return;
	for (unsigned word = 0; word < 2; word++) {
		const uint32_t *c = hd_row(exec->warp, hd_next_reg(inst->inst.c, word));
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++)
			out[word][lane] = volta_word(exec, inst, &rule, lane, word, c[lane]);
	}
	for (unsigned word = 0; word < 2; word++)
		memcpy(hd_dst_row(exec->warp, hd_next_reg(inst->inst.dst, word)), out[word], sizeof(out[word]));
}

/* ---- bytes, halves of them, bits: gathered as words, since those of a row and a column lie alike */

/* The part of a word at a bit. */
static int32_t part_of(uint32_t word, unsigned at, unsigned bits, bool is_signed)
{
	uint32_t part = word << (32 - at - bits);
	return is_signed ? (int32_t)part >> (32 - bits) : (int32_t)(part >> (32 - bits));
}

static int32_t word_product(const struct hd_dinst *inst, uint32_t a, uint32_t b)
{
	uint32_t parts = HD_MODIFIER(PARTS);
	unsigned bits = parts == HD_PARTS_BYTES ? 8 : 4;
	int32_t sum = 0;
	if (parts == HD_PARTS_XOR || parts == HD_PARTS_AND)
		return __builtin_popcount(parts == HD_PARTS_XOR ? a ^ b : a & b);
	for (unsigned at = 0; at < 32; at += bits)
		sum += part_of(a, at, bits, HD_MODIFIER(SIGNA)) * part_of(b, at, bits, HD_MODIFIER(SIGNB));
	return sum;
}

static uint32_t saturated(int64_t sum, bool saturates)
{
	if (saturates)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

static void multiply_integers(struct hd_exec *exec, const struct hd_dinst *inst, struct shape shape)
{
	uint32_t a[ROWS][DEPTH], b[COLUMNS][DEPTH], out[4][HD_WARP_LANES];
	unsigned words = shape.rows / OCTET * 2;
	bool saturates = HD_MODIFIER(SAT);
	if (!hd_exec_whole_warp(exec, inst))
		return;
	gather_a(exec, inst, shape, a);
	gather_b(exec, inst, shape, b);
	for (unsigned reg = 0; reg < words; reg++) {
		const uint32_t *c = hd_row(exec->warp, hd_next_reg(inst->inst.c, reg));
		for (unsigned lane = 0; lane < HD_WARP_LANES; lane++) {
			unsigned row = lane / QUAD + reg / 2 * OCTET, column = lane % QUAD * 2 + reg % 2;
			int64_t sum = (int32_t)c[lane];
			for (unsigned k = 0; k < shape.depth; k++)
				sum += word_product(inst, a[row][k], b[column][k]);
			out[reg][lane] = saturated(sum, saturates);
		}
	}
	for (unsigned reg = 0; reg < words; reg++)
		memcpy(hd_dst_row(exec->warp, hd_next_reg(inst->inst.dst, reg)), out[reg], sizeof(out[reg]));
}

HD_EXEC_PLAIN(op_imma_8816)
{
	multiply_integers(exec, inst, (struct shape){8, 4, 32});
}

HD_EXEC_PLAIN(op_imma_16816)
{
	multiply_integers(exec, inst, (struct shape){16, 4, 32});
}

HD_EXEC_PLAIN(op_imma_16832)
{
	multiply_integers(exec, inst, (struct shape){16, 8, 32});
}

/* ---- double precision: fused multiply-adds in the order of k, as MMA-Sim has it (dot.c) */

static double pair_as_double(const struct hd_warp *warp, unsigned reg, uint32_t lane)
{
	uint64_t bits = hd_lane_pair(warp, reg, lane);
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint64_t double_bits(double value)
{
	uint64_t bits = UINT64_C(0xfff8000000000000); /* as DFMA's */
	if (value == value)
		memcpy(&bits, &value, sizeof(bits));
	return bits;
}

HD_EXEC_PLAIN(op_dmma_884)
{
	const struct hd_inst *in = &inst->inst;
	uint64_t out[2][HD_WARP_LANES];
	if (!hd_exec_whole_warp(exec, inst))
		return;
	for (unsigned i = 0; i < 2; i++)
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
			double sum = pair_as_double(exec->warp, hd_next_reg(in->c, 2 * i), lane);
			for (uint32_t k = 0; k < QUAD; k++)
				sum = fma(pair_as_double(exec->warp, in->a, lane / QUAD * QUAD + k),
					  pair_as_double(exec->warp, in->b, (lane % QUAD * 2 + i) * QUAD + k), sum);
			out[i][lane] = double_bits(sum);
		}
	for (unsigned i = 0; i < 2; i++)
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
			hd_set_pair(exec->warp, hd_next_reg(in->dst, 2 * i), lane, out[i][lane]);
}

/* ---- matrices of 8 by 8 halves: lane 4 r + j has elements 2 j and 2 j + 1 of row r */

/* The word of a lane, of rows of 16 bytes; transposed, the rows are columns. */
static uint32_t matrix_word(const uint16_t rows[OCTET][OCTET], uint32_t lane, bool transposed)
{
	unsigned row = lane / QUAD, column = lane % QUAD * 2;
	if (transposed)
		return rows[column][row] | (uint32_t)rows[column + 1][row] << 16;
	return rows[row][column] | (uint32_t)rows[row][column + 1] << 16;
}

HD_EXEC_PLAIN(op_ldsm)
{
	uint32_t lanes = hd_op_address_lanes(inst->inst.op, inst->inst.mods);
	uint32_t out[4][HD_WARP_LANES];
	unsigned matrices = (unsigned)__builtin_popcount(lanes) / OCTET;
	const uint32_t *address = hd_row(exec->warp, inst->inst.a);
	if (!hd_exec_whole_warp(exec, inst))
		return;
	for (unsigned matrix = 0; matrix < matrices; matrix++) {
		uint16_t rows[OCTET][OCTET];
		for (unsigned row = 0; row < OCTET; row++) {
			uint32_t lane = matrix * OCTET + row;
			const uint8_t *host =
				hd_exec_lane_access(exec, inst, lane, (uint32_t)(address[lane] + inst->inst.x),
						    HD_MEM_SHARED, &exec->effect->address[lane]);
			if (!host)
				return;
			memcpy(rows[row], host, sizeof(rows[row]));
		}
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
			out[matrix][lane] = matrix_word(rows, lane, HD_MODIFIER(TRANS));
	}
	for (unsigned matrix = 0; matrix < matrices; matrix++)
		memcpy(hd_dst_row(exec->warp, hd_next_reg(inst->inst.dst, matrix)), out[matrix], sizeof(out[matrix]));
	exec->effect->event = HD_EVENT_MEMORY;
	exec->effect->space = HD_MEM_SHARED;
	exec->effect->mask = lanes;
}

HD_EXEC_PLAIN(op_movm)
{
	uint16_t rows[OCTET][OCTET];
	const uint32_t *from = hd_row(exec->warp, inst->inst.a);
	uint32_t *to = hd_dst_row(exec->warp, inst->inst.dst);
	if (!hd_exec_whole_warp(exec, inst))
		return;
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
		rows[lane / QUAD][lane % QUAD * 2] = (uint16_t)from[lane];
		rows[lane / QUAD][lane % QUAD * 2 + 1] = (uint16_t)(from[lane] >> 16);
	}
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		to[lane] = matrix_word(rows, lane, true);
}

const struct hd_exec_clones *hd_exec_mma_find(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_HMMA_884: return &op_hmma_884;
	case HD_OP_HMMA_1688: return &op_hmma_1688;
	case HD_OP_HMMA_16816: return &op_hmma_16816;
	case HD_OP_HMMA_1684_TF32: return &op_hmma_1684_tf32;
	case HD_OP_HMMA_1688_TF32: return &op_hmma_1688_tf32;
	case HD_OP_IMMA_8816: return &op_imma_8816;
	case HD_OP_IMMA_16816: return &op_imma_16816;
	case HD_OP_IMMA_16832: return &op_imma_16832;
	case HD_OP_DMMA_884: return &op_dmma_884;
	case HD_OP_LDSM: return &op_ldsm;
	case HD_OP_MOVM: return &op_movm;
	default: return NULL;
	}
}

/*
 * Functional execution: integers, logic, moves and predicates. One operation for each row of
 * opcodes.def, 32 lanes at once (see exec.h); a few to some tens of host instructions each.
 *
 * Carries. IADD3 and LEA add their operands, a negated one as its complement plus one, in
 * enough bits to hold the sum, and the carry out is whether the sum passed 2^32:
 *   IADD3    d, p = a, -b       sum = a + ~b + 1        p is "no borrow" (a >= b unsigned)
 *   IADD3.EX d, p = a, -b, q    sum = a + ~b + q        the next word of the same subtraction
 *   IADD3    d, p = a, b        sum = a + b             p is the carry
 *   IADD3.EX d, p = a, b, q     sum = a + b + q         under .EX nothing but q is added
 * So a 64-bit subtraction is IADD3 lo, p = a.lo, -b.lo; IADD3.EX hi = a.hi, -b.hi, p.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"

/* ---- moves */

HD_EXEC(op_mov)
{
	HD_DEFINE_B(b);
	HD_STORE(b);
}

HD_EXEC(op_sel)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_MASK_VECTOR(chosen, hd_pred(exec->warp, inst->inst.psrc));
	HD_STORE(chosen ? a : b);
}

/* A selector nibble: bits 0..2 choose the byte of c:a, bit 3 replicates its sign. */
HD_EXEC(op_prmt)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	hd_u32s result = HD_SPLAT(0);
	for (unsigned byte = 0; byte < 4; byte++) {
		hd_u32s selector = b >> (4 * byte);
		hd_u32s word = (selector & 4) != 0 ? c : a;
		hd_u32s value = word >> ((selector & 3) * 8) & 0xff;
		hd_u32s sign = (value & 0x80) != 0 ? HD_SPLAT(0xff) : HD_SPLAT(0);
		value = (selector & 8) != 0 ? sign : value;
		result |= value << (8 * byte);
	}
	HD_STORE(result);
}

HD_EXEC(op_p2r)
{
	hd_u32s result = HD_SPLAT(0);
	for (unsigned predicate = 0; predicate < HD_MAX_PREDS; predicate++) {
		HD_MASK_VECTOR(set, exec->warp->preds[predicate]);
		result |= set ? HD_SPLAT(1u << predicate) : HD_SPLAT(0);
	}
	HD_STORE(result);
}

HD_EXEC(op_r2p)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	for (unsigned predicate = 0; predicate < HD_MAX_PREDS; predicate++) {
		HD_MASK_OF(written, (b & (1u << predicate)) != 0);
		HD_MASK_OF(value, (a & (1u << predicate)) != 0);
		uint32_t *to = &exec->warp->preds[predicate];
		written &= exec->mask;
		*to = (*to & ~written) | (value & written);
	}
}

HD_EXEC_PLAIN(op_plop)
{
	const struct hd_inst *in = &inst->inst;
	hd_set_pred(exec, in->pdst,
		    hd_bool(HD_MODIFIER(BOOL), hd_pred(exec->warp, in->psrc), hd_pred(exec->warp, in->psrc2)));
}

/* ---- additions */

HD_INLINE uint32_t negation_mask(const struct hd_inst *inst, unsigned bit)
{
	return inst->srcmods & bit ? HD_FULL : 0;
}

HD_EXEC(op_iadd3)
{
	const struct hd_inst *in = &inst->inst;
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	unsigned negated = in->srcmods & (HD_NEG_A | HD_NEG_B | HD_NEG_C);
	hd_u32s in_carry = HD_SPLAT(__builtin_popcount(negated));
	if (negated) {
		a ^= negation_mask(in, HD_NEG_A);
		b ^= negation_mask(in, HD_NEG_B);
		c ^= negation_mask(in, HD_NEG_C);
	}
	if (HD_MODIFIER(EX)) {
		HD_MASK_VECTOR(carried, hd_pred(exec->warp, in->psrc));
		in_carry = (carried ? HD_SPLAT(1) : HD_SPLAT(0));
	}
	hd_u32s ab = a + b, abc = ab + c, sum = abc + in_carry;
	if (in->pdst != HD_PT) {
		HD_MASK_OF(carry, (ab < a) | (abc < ab) | (sum < abc));
		hd_set_pred(exec, in->pdst, carry);
	}
	HD_STORE(sum);
}

HD_EXEC(op_lea)
{
	const struct hd_inst *in = &inst->inst;
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	unsigned negated = in->srcmods & (HD_NEG_A | HD_NEG_B);
	a = (a << HD_MODIFIER(SHAMT)) ^ negation_mask(in, HD_NEG_A);
	b ^= negation_mask(in, HD_NEG_B);
	hd_u32s ab = a + b, sum = ab + (uint32_t)__builtin_popcount(negated);
	if (in->pdst != HD_PT) {
		HD_MASK_OF(carry, (ab < a) | (sum < ab));
		hd_set_pred(exec, in->pdst, carry);
	}
	HD_STORE(sum);
}

HD_EXEC(op_lea_hi)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	unsigned shift = HD_MODIFIER(SHAMT);
	hd_u32s high = shift ? (c << shift | a >> (32 - shift)) : c;
	high += b;
	if (HD_MODIFIER(EX)) {
		HD_MASK_VECTOR(carried, hd_pred(exec->warp, inst->inst.psrc));
		high += carried ? HD_SPLAT(1) : HD_SPLAT(0);
	}
	HD_STORE(high);
}

/* ---- multiplications */

HD_INLINE void apply_negation(const struct hd_inst *inst, hd_u32s *a, hd_u32s *b, hd_u32s *c)
{
	if (!inst->srcmods)
		return;
	*a = inst->srcmods & HD_NEG_A ? -*a : *a;
	*b = inst->srcmods & HD_NEG_B ? -*b : *b;
	*c = inst->srcmods & HD_NEG_C ? -*c : *c;
}

HD_EXEC(op_imad)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	apply_negation(&inst->inst, &a, &b, &c);
	HD_STORE(a * b + c);
}

#define DEFINE_PRODUCT(product, a, b)                                                \
	hd_u64s product;                                                             \
	if (HD_MODIFIER(SIGN) == HD_SIGNED)                                          \
		product = (hd_u64s)(__builtin_convertvector((hd_s32s)(a), hd_s64s) * \
				    __builtin_convertvector((hd_s32s)(b), hd_s64s)); \
	else                                                                         \
		product = __builtin_convertvector((a), hd_u64s) * __builtin_convertvector((b), hd_u64s)

HD_EXEC(op_imad_wide)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	DEFINE_PRODUCT(product, a, b);
	if (inst->inst.xkind == HD_X_IMM_C)
		product += (hd_u64s)(uint64_t)(int32_t)inst->inst.x;
	else if (inst->inst.xkind == HD_X_CONST_C)
		product += (hd_u64s)hd_x_value64(exec->warp, &inst->inst);
	else if (inst->inst.c != HD_RZ)
		product += HD_LOAD64(inst->inst.c);
	HD_STORE64(product);
}

HD_EXEC(op_imad_hi)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	DEFINE_PRODUCT(product, a, b);
	HD_STORE(__builtin_convertvector(product >> 32, hd_u32s) + c);
}

HD_EXEC(op_idp4a)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(sum);
	bool a_signed = HD_MODIFIER(SIGN) == HD_SIGNED, b_signed = HD_MODIFIER(SIGNB) == HD_SIGNED;
	for (unsigned byte = 0; byte < 4; byte++) {
		hd_u32s x = a << (24 - 8 * byte), y = b << (24 - 8 * byte);
		x = a_signed ? (hd_u32s)((hd_s32s)x >> 24) : x >> 24;
		y = b_signed ? (hd_u32s)((hd_s32s)y >> 24) : y >> 24;
		sum += x * y;
	}
	HD_STORE(sum);
}

/* ---- logic and shifts */

/*
 * Any truth table without a branch: for each a and b the table leaves 0, c, ~c or 1, which
 * is (c & x) ^ y; then two multiplexers.
 */
HD_EXEC(op_lop3)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	uint32_t table = HD_MODIFIER(LUT);
	hd_u32s leaf[4];
	for (unsigned i = 0; i < 4; i++) {
		uint32_t zero = 0u - (table >> (2 * i) & 1), one = 0u - (table >> (2 * i + 1) & 1);
		leaf[i] = (c & (zero ^ one)) ^ zero;
	}
	hd_u32s low = leaf[0] ^ (b & (leaf[0] ^ leaf[1])), high = leaf[2] ^ (b & (leaf[2] ^ leaf[3]));
	hd_u32s result = low ^ (a & (low ^ high));
	if (inst->inst.pdst != HD_PT) {
		HD_MASK_OF(nonzero, result != 0);
		hd_set_pred(exec, inst->inst.pdst, nonzero);
	}
	HD_STORE(result);
}

HD_EXEC(op_shl)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	hd_u32s result = a << (b & 31);
	if (!HD_MODIFIER(WRAP))
		result = b > 31 ? HD_SPLAT(0) : result;
	HD_STORE(result);
}

HD_EXEC(op_shr)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	hd_u32s amount = b & 31;
	bool clamp = !HD_MODIFIER(WRAP);
	hd_u32s result;
	if (HD_MODIFIER(SIGN) == HD_SIGNED) {
		if (clamp)
			amount = b > 31 ? HD_SPLAT(31) : b;
		result = (hd_u32s)((hd_s32s)a >> (hd_s32s)amount);
	} else {
		result = a >> amount;
		if (clamp)
			result = b > 31 ? HD_SPLAT(0) : result;
	}
	HD_STORE(result);
}

/* Funnel shifts take min(b, 32), or b & 31 under .W. */
HD_EXEC(op_shf_l)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	hd_u32s amount = b & 31;
	hd_u32s result = c << amount | (a >> 1) >> (31 - amount);
	if (HD_MODIFIER(SHIFTED))
		result = b > 31 ? (b > 63 ? HD_SPLAT(0) : a << amount) : result;
	else if (!HD_MODIFIER(WRAP))
		result = b > 31 ? a : result;
	HD_STORE(result);
}

HD_EXEC(op_shf_r)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	hd_u32s amount = b & 31;
	hd_u32s result = a >> amount | (c << 1) << (31 - amount);
	if (HD_MODIFIER(SHIFTED)) {
		hd_u32s sign = HD_MODIFIER(SHIFTED) == HD_SHIFTED_S64 ? (hd_u32s)((hd_s32s)c >> 31) : HD_SPLAT(0);
		hd_u32s beyond = c >> amount | (sign << 1) << (31 - amount);
		result = b > 31 ? (b > 63 ? sign : beyond) : result;
	} else if (!HD_MODIFIER(WRAP)) {
		result = b > 31 ? c : result;
	}
	HD_STORE(result);
}

HD_EXEC(op_sgxt)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	hd_u32s unused = (32 - b) & 31;
	hd_u32s result = a << unused;
	if (HD_MODIFIER(SIGN) == HD_SIGNED)
		result = (hd_u32s)((hd_s32s)result >> (hd_s32s)unused);
	else
		result >>= unused;
	result = b == 0 ? HD_SPLAT(0) : result;
	HD_STORE(b > 31 ? a : result);
}

/* ---- comparisons */

/* HD_CMP_* are sets of outcomes: bit 0 less, bit 1 equal, bit 2 greater (bit 3 unordered). */
HD_EXEC(op_isetp)
{
	const struct hd_inst *in = &inst->inst;
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	unsigned outcomes = HD_MODIFIER(CMP);
	uint32_t flip = HD_MODIFIER(SIGN) == HD_SIGNED ? 0x80000000u : 0;
	HD_MASK_OF(less, (a ^ flip) < (b ^ flip));
	HD_MASK_OF(equal, a == b);
	uint32_t on_equal = outcomes & 2 ? HD_FULL : 0;
	if (HD_MODIFIER(EX))
		on_equal = hd_pred(exec->warp, in->psrc2);
	uint32_t result = (outcomes & 1 ? less : 0) | (equal & on_equal) | (outcomes & 4 ? ~(less | equal) : 0);
	hd_set_pred(exec, in->pdst, hd_bool(HD_MODIFIER(BOOL), result, hd_pred(exec->warp, in->psrc)));
}

HD_EXEC(op_imnmx)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	uint32_t flip = HD_MODIFIER(SIGN) == HD_SIGNED ? 0x80000000u : 0;
	hd_s32s less = (hd_s32s)((a ^ flip) < (b ^ flip));
	if (HD_MODIFIER(MINMAX) == HD_MIN)
		HD_STORE(less ? a : b);
	else
		HD_STORE(less ? b : a);
}

HD_EXEC(op_iabs)
{
	HD_DEFINE_B(b);
	HD_STORE((hd_s32s)b < 0 ? -b : b);
}

/* ---- bits */

HD_EXEC(op_popc)
{
	HD_DEFINE_B(b);
	b -= b >> 1 & 0x55555555u;
	b = (b & 0x33333333u) + (b >> 2 & 0x33333333u);
	b = (b + (b >> 4)) & 0x0f0f0f0fu;
	HD_STORE(b * 0x01010101u >> 24);
}

HD_EXEC(op_brev)
{
	HD_DEFINE_B(b);
	b = (b >> 1 & 0x55555555u) | (b & 0x55555555u) << 1;
	b = (b >> 2 & 0x33333333u) | (b & 0x33333333u) << 2;
	b = (b >> 4 & 0x0f0f0f0fu) | (b & 0x0f0f0f0fu) << 4;
	b = (b >> 8 & 0x00ff00ffu) | (b & 0x00ff00ffu) << 8;
	HD_STORE(b >> 16 | b << 16);
}

HD_EXEC(op_flo)
{
	HD_DEFINE_B(b);
	if (HD_MODIFIER(SIGN) == HD_SIGNED)
		b ^= (hd_u32s)((hd_s32s)b >> 31);
	hd_s32s none = b == 0;
	/* Binary search for the leading one. */
	hd_u32s position = HD_SPLAT(0);
	for (unsigned step = 16; step; step /= 2) {
		hd_s32s above = (b >> step) != 0;
		position += above ? HD_SPLAT(step) : HD_SPLAT(0);
		b = above ? b >> step : b;
	}
	if (HD_MODIFIER(SH))
		position = 31 - position;
	HD_STORE(none ? HD_SPLAT(HD_FULL) : position);
}

const struct hd_exec_clones *hd_exec_int_find(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_MOV: return &op_mov;
	case HD_OP_SEL: return &op_sel;
	case HD_OP_PRMT: return &op_prmt;
	case HD_OP_P2R: return &op_p2r;
	case HD_OP_R2P: return &op_r2p;
	case HD_OP_PLOP: return &op_plop;
	case HD_OP_IADD3: return &op_iadd3;
	case HD_OP_IMAD: return &op_imad;
	case HD_OP_IMAD_WIDE: return &op_imad_wide;
	case HD_OP_IMAD_HI: return &op_imad_hi;
	case HD_OP_IDP4A: return &op_idp4a;
	case HD_OP_LOP3: return &op_lop3;
	case HD_OP_SHL: return &op_shl;
	case HD_OP_SHR: return &op_shr;
	case HD_OP_SHF_L: return &op_shf_l;
	case HD_OP_SHF_R: return &op_shf_r;
	case HD_OP_LEA: return &op_lea;
	case HD_OP_LEA_HI: return &op_lea_hi;
	case HD_OP_SGXT: return &op_sgxt;
	case HD_OP_ISETP: return &op_isetp;
	case HD_OP_IMNMX: return &op_imnmx;
	case HD_OP_IABS: return &op_iabs;
	case HD_OP_POPC: return &op_popc;
	case HD_OP_BREV: return &op_brev;
	case HD_OP_FLO: return &op_flo;
	default: return NULL;
	}
}

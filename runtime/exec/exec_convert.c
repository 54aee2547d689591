/*
 * Functional execution: F2F, F2FP, F2I, I2F and FRND between all types. The conversions that compiled code
 * is full of (32-bit integers and single precision, single and double) are vectors; everything else goes
 * lane by lane through softfp.c, which knows every format and rounding.
 *
 * F2I saturates; of NaN it makes 0, or the number with only its highest bit set where the source is double or the
 * result has 64 bits (PTX cvt). 16-bit floats live in the low half of a register, narrow integer results are extended
 * to 32 bits as their type says, narrow integer sources take the low bits.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"

#define NAN32 0x7fffffffu
#define SIGN32 0x80000000u
#define FLUSH32(v) ((v) & 0x7f800000u) == 0 ? (v) & SIGN32 : (v)

static bool is_signed_int(unsigned type)
{
	return type == HD_S8 || type == HD_S16 || type == HD_S32 || type == HD_S64;
}
static unsigned int_bits(unsigned type)
{
	return 8u << (type / 2); /* U8 S8 U16 S16 U32 S32 U64 S64 */
}
static unsigned float_sign_bit(unsigned type)
{
	return type == HD_F64 ? 63 : type == HD_F32 ? 31 : 15;
}

/* ---- general paths, one lane */

static uint64_t source_bits(const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane)
{
	unsigned type = HD_MODIFIER(STYPE);
	if (hd_type_registers(type) == 1)
		return hd_lane_b(exec, inst, lane);
	if (!hd_x_in_b(inst->inst.xkind))
		return hd_lane_pair(exec->warp, inst->inst.b, lane);
	uint64_t value = hd_x_value64(exec->warp, &inst->inst);
	/* An integer immediate is the number itself. */
	if (type != HD_F64 && inst->inst.xkind == HD_X_IMM_B)
		return type == HD_S64 ? (uint64_t)(int64_t)(int32_t)inst->inst.x : inst->inst.x;
	return value;
}

static void set_result(const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint64_t bits)
{
	if (hd_type_registers(HD_MODIFIER(DTYPE)) > 1)
		hd_set_pair(exec->warp, inst->inst.dst, lane, bits);
	else
		hd_dst_row(exec->warp, inst->inst.dst)[lane] = (uint32_t)bits;
}

/* The floating-point source with |x|, -x and .FTZ applied, as bits. */
static uint64_t float_source(const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane)
{
	unsigned type = HD_MODIFIER(STYPE);
	uint64_t bits = source_bits(exec, inst, lane), sign = UINT64_C(1) << float_sign_bit(type);
	if (inst->inst.srcmods & HD_ABS_B)
		bits &= ~sign;
	if (inst->inst.srcmods & HD_NEG_B)
		bits ^= sign;
	if (type == HD_F32 && HD_MODIFIER(FTZ) && !(bits & 0x7f800000u))
		bits &= SIGN32;
	return bits;
}

static void saturate(struct hd_unpacked *value)
{
	if (value->kind == HD_FP_NAN || value->sign)
		*value = (struct hd_unpacked){.kind = HD_FP_ZERO};
	else if (value->kind == HD_FP_INF || (value->kind == HD_FP_FINITE && value->exponent > -64 &&
					      (value->exponent >= 0 || value->significand >> -value->exponent)))
		*value = (struct hd_unpacked){.kind = HD_FP_FINITE, .significand = 1};
}

/* From double, to double and from bfloat a NaN keeps its sign and as much of its payload as fits (seen on an H100). */
static bool keeps_nan(unsigned from, unsigned to)
{
	return from == HD_F64 || ((from == HD_F32 || from == HD_BF16) && to == HD_F64) ||
	       (from == HD_BF16 && to == HD_F32);
}

static unsigned fraction_bits(unsigned type)
{
	return type == HD_F64 ? 52 : type == HD_F32 ? 23 : type == HD_BF16 ? 7 : 10;
}

static uint64_t convert_nan(unsigned from, unsigned to, uint64_t bits)
{
	unsigned have = fraction_bits(from), want = fraction_bits(to), top = float_sign_bit(to);
	uint64_t sign = bits >> float_sign_bit(from) & 1, payload = bits & ((UINT64_C(1) << have) - 1);
	payload = want > have ? payload << (want - have) : payload >> (have - want);
	uint64_t exponent = (UINT64_C(1) << top) - (UINT64_C(1) << want);
	return sign << top | exponent | UINT64_C(1) << (want - 1) | payload;
}

static uint64_t convert_float(const struct hd_dinst *inst, uint64_t bits)
{
	unsigned from = HD_MODIFIER(STYPE), to = HD_MODIFIER(DTYPE);
	struct hd_unpacked value = hd_fp_unpack((enum hd_type)from, bits);
	if (HD_MODIFIER(SAT))
		saturate(&value);
	if (value.kind == HD_FP_NAN && keeps_nan(from, to))
		return convert_nan(from, to, bits);
	uint64_t result = hd_fp_pack((enum hd_type)to, &value, HD_MODIFIER(RND));
	if (to == HD_F32 && HD_MODIFIER(FTZ) && !(result & 0x7f800000u))
		result &= SIGN32;
	return result;
}

HD_EXEC_PLAIN(op_f2f)
{
	HD_FOR_LANES (lane, exec->mask)
		set_result(exec, inst, lane, convert_float(inst, float_source(exec, inst, lane)));
}

static uint32_t narrowed(const struct hd_dinst *inst, uint32_t bits)
{
	struct hd_unpacked value = hd_fp_unpack(HD_F32, bits);
	return (uint32_t)hd_fp_pack((enum hd_type)HD_MODIFIER(DTYPE), &value, HD_MODIFIER(RND));
}

HD_EXEC_PLAIN(op_f2fp)
{
	const uint32_t *a = hd_row(exec->warp, inst->inst.a);
	HD_FOR_LANES (lane, exec->mask) {
		uint32_t high = narrowed(inst, a[lane]), low = narrowed(inst, hd_lane_b(exec, inst, lane));
		hd_dst_row(exec->warp, inst->inst.dst)[lane] = high << 16 | low;
	}
}

static uint64_t to_integer(const struct hd_unpacked *value, unsigned from, unsigned type, unsigned rounding)
{
	unsigned bits = int_bits(type);
	if (value->kind == HD_FP_NAN && from != HD_F64 && bits != 64)
		return 0;
	if (value->kind == HD_FP_NAN)
		return is_signed_int(type) ? 0 - (UINT64_C(1) << (bits - 1)) : UINT64_C(1) << (bits - 1);
	uint64_t magnitude = hd_fp_magnitude(value, rounding);
	uint64_t most = ~UINT64_C(0) >> (64 - bits + is_signed_int(type));
	if (!value->sign)
		return magnitude > most ? most : magnitude;
	if (!is_signed_int(type))
		return 0;
	return 0 - (magnitude > most + 1 ? most + 1 : magnitude);
}

HD_EXEC_PLAIN(op_f2i)
{
	unsigned from = HD_MODIFIER(STYPE), to = HD_MODIFIER(DTYPE);
	HD_FOR_LANES (lane, exec->mask) {
		struct hd_unpacked value = hd_fp_unpack((enum hd_type)from, float_source(exec, inst, lane));
		set_result(exec, inst, lane, to_integer(&value, from, to, HD_MODIFIER(RND)));
	}
}

/* The integer as sign and magnitude. */
static struct hd_unpacked unpack_integer(uint64_t bits, unsigned type)
{
	unsigned unused = 64 - int_bits(type);
	bits = bits << unused >> unused;
	bool sign = is_signed_int(type) && bits >> (63 - unused);
	if (sign)
		bits = 0 - (uint64_t)((int64_t)(bits << unused) >> unused);
	return (struct hd_unpacked){.kind = bits ? HD_FP_FINITE : HD_FP_ZERO, .sign = sign, .significand = bits};
}

HD_EXEC_PLAIN(op_i2f)
{
	unsigned from = HD_MODIFIER(STYPE), to = HD_MODIFIER(DTYPE);
	HD_FOR_LANES (lane, exec->mask) {
		struct hd_unpacked value = unpack_integer(source_bits(exec, inst, lane), from);
		set_result(exec, inst, lane, hd_fp_pack((enum hd_type)to, &value, HD_MODIFIER(RND)));
	}
}

HD_EXEC_PLAIN(op_frnd)
{
	enum hd_type type = (enum hd_type)HD_MODIFIER(STYPE);
	HD_FOR_LANES (lane, exec->mask) {
		uint64_t bits = float_source(exec, inst, lane);
		struct hd_unpacked value = hd_fp_unpack(type, bits);
		if (type == HD_F64 && value.kind == HD_FP_NAN) {
			set_result(exec, inst, lane, convert_nan(HD_F64, HD_F64, bits));
			continue;
		}
		if (value.kind == HD_FP_FINITE && value.exponent < 0) {
			value.significand = hd_fp_magnitude(&value, HD_MODIFIER(RND));
			value.exponent = 0;
			value.kind = value.significand ? HD_FP_FINITE : HD_FP_ZERO;
		}
		set_result(exec, inst, lane, hd_fp_pack(type, &value, HD_RN));
	}
}

/* ---- common conversions as vectors */

#define DEFINE_F32(a)                      \
	HD_DEFINE_B(a);                    \
	if (inst->inst.srcmods & HD_ABS_B) \
		a &= ~SIGN32;              \
	if (inst->inst.srcmods & HD_NEG_B) \
		a ^= SIGN32;               \
	if (HD_MODIFIER(FTZ))              \
	a = FLUSH32(a)

/* Single to 32-bit integer towards zero, through double, where everything that is in range is exact. */
HD_EXEC(op_f2i_f32_s32)
{
	DEFINE_F32(a);
	hd_f64s x = __builtin_convertvector((hd_f32s)a, hd_f64s);
	x = x == x ? x : (hd_f64s)0.0;
	x = x > 2147483647.0 ? (hd_f64s)2147483647.0 : x;
	x = x < -2147483648.0 ? (hd_f64s)-2147483648.0 : x;
	HD_STORE((hd_u32s) __builtin_convertvector(x, hd_s32s));
}

HD_EXEC(op_f2i_f32_u32)
{
	DEFINE_F32(a);
	hd_f64s x = __builtin_convertvector((hd_f32s)a, hd_f64s);
	x = x > 0.0 ? x : (hd_f64s)0.0;
	x = x > 4294967295.0 ? (hd_f64s)4294967295.0 : x;
	/* Signed conversion after moving the range; the truncated value is an integer before it is moved. */
	hd_s32s upper = __builtin_convertvector(x >= 2147483648.0, hd_s32s);
	x = x >= 2147483648.0 ? x - 2147483648.0 : x;
	HD_STORE((hd_u32s) __builtin_convertvector(x, hd_s32s) ^ ((hd_u32s)upper & SIGN32));
}

HD_EXEC(op_i2f_s32_f32)
{
	HD_DEFINE_B(b);
	HD_STORE((hd_u32s) __builtin_convertvector((hd_s32s)b, hd_f32s));
}

/* Unsigned 32-bit integers are exact in double; one rounding follows. */
HD_EXEC(op_i2f_u32_f32)
{
	HD_DEFINE_B(b);
	hd_f64s x = __builtin_convertvector((hd_s32s)(b ^ SIGN32), hd_f64s) + 2147483648.0;
	HD_STORE((hd_u32s) __builtin_convertvector(x, hd_f32s));
}

HD_EXEC(op_i2f_s32_f64)
{
	HD_DEFINE_B(b);
	HD_STORE64((hd_u64s) __builtin_convertvector((hd_s32s)b, hd_f64s));
}

HD_EXEC(op_i2f_u32_f64)
{
	HD_DEFINE_B(b);
	HD_STORE64((hd_u64s)(__builtin_convertvector((hd_s32s)(b ^ SIGN32), hd_f64s) + 2147483648.0));
}

HD_EXEC(op_f2f_f32_f64)
{
	DEFINE_F32(a);
	HD_STORE64((hd_u64s) __builtin_convertvector((hd_f32s)a, hd_f64s));
}

HD_EXEC(op_f2f_f64_f32)
{
	HD_DEFINE_B64(b);
	if (inst->inst.srcmods & HD_ABS_B)
		b &= UINT64_C(0x7fffffffffffffff);
	if (inst->inst.srcmods & HD_NEG_B)
		b ^= UINT64_C(0x8000000000000000);
	hd_f32s narrow = __builtin_convertvector((hd_f64s)b, hd_f32s);
	hd_u32s result = (hd_u32s)narrow;
	if (HD_MODIFIER(FTZ))
		result = FLUSH32(result);
	HD_STORE(result);
}

/*
 * To the nearest f16. A number below 2^-14 has its last bit at 2^-24, as a single-precision sum with 0.5 has; a larger
 * one drops 13 bits, and 112 of its exponent. From 65520 on it is infinite.
 */
#define NARROW_F16(result, a)                                                                        \
	do {                                                                                         \
		hd_u32s size_ = (a) & ~SIGN32, sign_ = (a) >> 16 & 0x8000u;                          \
		hd_u32s small_ = (hd_u32s)((hd_f32s)size_ + 0.5f) - 0x3f000000u;                     \
		hd_u32s large_ = (size_ + 0xfffu + (size_ >> 13 & 1u) - (112u << 23)) >> 13;         \
		large_ = size_ >= 0x477ff000u ? HD_SPLAT(0x7c00u) : large_;                          \
		(result) = (size_ < 0x38800000u ? small_ : large_) | sign_;                          \
		(result) = size_ > 0x7f800000u ? HD_SPLAT(0x7fffu) : (result);                       \
	} while (0)

/* To the nearest bf16, which is the upper half of a single-precision number. */
#define NARROW_BF16(result, a)                                                                               \
	((result) = ((a) & ~SIGN32) > 0x7f800000u ? HD_SPLAT(0x7fffu) : ((a) + 0x7fffu + ((a) >> 16 & 1u)) >> 16)

HD_EXEC(op_f2fp_f16)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	hd_u32s high, low;
	NARROW_F16(high, a);
	NARROW_F16(low, b);
	HD_STORE(high << 16 | low);
}

HD_EXEC(op_f2fp_bf16)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	hd_u32s high, low;
	NARROW_BF16(high, a);
	NARROW_BF16(low, b);
	HD_STORE(high << 16 | low);
}

/* Integral values in single precision: the magnitudes below 2^23 have a fraction to lose. */
HD_EXEC(op_frnd_f32)
{
	DEFINE_F32(a);
	hd_u32s sign = a & SIGN32, size = a & ~SIGN32;
	hd_f32s x = (hd_f32s)size, nearest = x + 8388608.0f - 8388608.0f;
	hd_f32s below = nearest > x ? nearest - 1.0f : nearest;
	hd_f32s above = nearest < x ? nearest + 1.0f : nearest;
	unsigned rounding = HD_MODIFIER(RND);
	hd_f32s rounded = nearest;
	if (rounding == HD_RND_RZ)
		rounded = below;
	else if (rounding == HD_RM)
		rounded = sign != 0 ? above : below;
	else if (rounding == HD_RP)
		rounded = sign != 0 ? below : above;
	hd_u32s result = size < 0x4b000000u ? (hd_u32s)rounded : size;
	result = size > 0x7f800000u ? HD_SPLAT(NAN32) : result | sign;
	HD_STORE(result);
}

/* ---- choice */

static const struct hd_exec_clones *find_f2i(unsigned from, unsigned to, unsigned rounding)
{
	if (from == HD_F32 && rounding == HD_RND_RZ && (to == HD_S32 || to == HD_U32))
		return to == HD_S32 ? &op_f2i_f32_s32 : &op_f2i_f32_u32;
	return &op_f2i;
}

static const struct hd_exec_clones *find_i2f(unsigned from, unsigned to, unsigned rounding)
{
	if (to == HD_F64 && (from == HD_S32 || from == HD_U32))
		return from == HD_S32 ? &op_i2f_s32_f64 : &op_i2f_u32_f64;
	if (to == HD_F32 && rounding == HD_RN && (from == HD_S32 || from == HD_U32))
		return from == HD_S32 ? &op_i2f_s32_f32 : &op_i2f_u32_f32;
	return &op_i2f;
}

static const struct hd_exec_clones *find_f2f(unsigned from, unsigned to, unsigned rounding, bool saturates)
{
	if (from == HD_F32 && to == HD_F64 && !saturates)
		return &op_f2f_f32_f64;
	if (from == HD_F64 && to == HD_F32 && rounding == HD_RN && !saturates)
		return &op_f2f_f64_f32;
	return &op_f2f;
}

static const struct hd_exec_clones *find_f2fp(unsigned to, unsigned rounding)
{
	return rounding != HD_RN ? &op_f2fp : to == HD_F16 ? &op_f2fp_f16 : &op_f2fp_bf16;
}

const struct hd_exec_clones *hd_exec_convert_find(const struct hd_inst *inst)
{
	unsigned from = hd_mod_get(inst->mods, HD_MOD_STYPE), to = hd_mod_get(inst->mods, HD_MOD_DTYPE);
	unsigned rounding = hd_mod_get(inst->mods, HD_MOD_RND);
	switch (inst->op) {
	case HD_OP_F2I: return find_f2i(from, to, rounding);
	case HD_OP_I2F: return find_i2f(from, to, rounding);
	case HD_OP_F2F: return find_f2f(from, to, rounding, hd_mod_get(inst->mods, HD_MOD_SAT));
	case HD_OP_F2FP: return find_f2fp(to, rounding);
	case HD_OP_FRND: return from == HD_F32 ? &op_frnd_f32 : &op_frnd;
	default: return NULL;
	}
}

/*
 * Half precision: sums, products and fused multiply-adds of f16 and bf16 against integers, which hold every result
 * exactly before its one rounding; and what a program sees of pairs, signs and modifiers.
 */
#include "harness.h"
#include "heddle/opcodes.h"
#include "lab.h"

/* significand * 2^exponent, exactly up to what is far below the last place, of which the last bit tells. */
struct exact {
	__int128 significand;
	int exponent;
};

static struct exact exact_of(enum hd_type type, uint32_t bits)
{
	struct hd_unpacked value = hd_fp_unpack(type, bits);
	__int128 significand = (__int128)value.significand;
	return (struct exact){value.sign ? -significand : significand, value.exponent};
}

static struct exact product_of(struct exact a, struct exact b)
{
	return (struct exact){a.significand * b.significand, a.exponent + b.exponent};
}

static struct exact sum_of(struct exact a, struct exact b)
{
	enum { FAR = 80 };
	if (!a.significand || !b.significand)
		return a.significand ? a : b;
	if (a.exponent < b.exponent)
		return sum_of(b, a);
	int apart = a.exponent - b.exponent;
	if (apart <= FAR)
		return (struct exact){a.significand * ((__int128)1 << apart) + b.significand, b.exponent};
	return (struct exact){a.significand * ((__int128)1 << FAR) + (b.significand < 0 ? -1 : 1), a.exponent - FAR};
}

static uint32_t rounded(enum hd_type type, struct exact value)
{
	struct hd_unpacked out = {.kind = HD_FP_FINITE, .sign = value.significand < 0};
	unsigned __int128 magnitude =
		out.sign ? -(unsigned __int128)value.significand : (unsigned __int128)value.significand;
	for (out.exponent = value.exponent; magnitude >> 63; out.exponent++)
		magnitude = magnitude >> 1 | (magnitude & 1);
	out.significand = (uint64_t)magnitude;
	return (uint32_t)hd_fp_pack(type, &out, HD_RN);
}

static bool is_finite(enum hd_type type, uint32_t bits)
{
	uint32_t top = type == HD_F16 ? 0x7c00 : 0x7f80;
	return (bits & top) != top;
}

/* Any bits, but mostly numbers that are near each other, so that results are near ties and cancel. */
static uint32_t number(uint64_t *seed, enum hd_type type)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	uint32_t bits = (uint32_t)(*seed >> 40) & 0xffff, shift = type == HD_F16 ? 10 : 7;
	uint32_t kind = (uint32_t)(*seed >> 33) & 3, middle = type == HD_F16 ? 15 : 127;
	uint32_t fraction = bits & ((1u << shift) - 1);
	if (kind == 0)
		return bits;
	if (kind == 1)
		return (bits & 0x8000) | fraction; /* denormal */
	return (bits & 0x8000) | (middle - 3 + (bits >> shift & 7)) << shift | (kind == 2 ? fraction & 3 : fraction);
}

/* Two results of every lane. */
static void execute(struct lab *lab, enum hd_op op, enum hd_type type, const uint32_t (*values)[HD_WARP_LANES])
{
	struct hd_inst inst = hd_inst_new(op);
	inst.mods = HD_MOD(DTYPE, type);
	inst.dst = 0;
	inst.a = 4;
	inst.b = 8;
	inst.c = op == HD_OP_HFMA2 ? 12 : HD_RZ;
	for (uint32_t i = 0; i < 3; i++)
		memcpy(lab->warp.regs[4 + 4 * i], values[i], sizeof values[i]);
	lab_execute(lab, &inst, 0, HD_FULL);
}

static struct exact wanted(enum hd_op op, struct exact a, struct exact b, struct exact c)
{
	return op == HD_OP_HADD2 ? sum_of(a, b) : op == HD_OP_HMUL2 ? product_of(a, b) : sum_of(product_of(a, b), c);
}

static uint32_t compare(struct lab *lab, enum hd_op op, enum hd_type type, const uint32_t (*values)[HD_WARP_LANES])
{
	uint32_t compared = 0;
	for (uint32_t i = 0; i < 2 * HD_WARP_LANES; i++) {
		uint32_t lane = i / 2, shift = i % 2 * 16, x[3];
		bool finite = true;
		for (uint32_t k = 0; k < 3; k++) {
			x[k] = values[k][lane] >> shift & 0xffff;
			finite &= is_finite(type, x[k]) || (k == 2 && op != HD_OP_HFMA2);
		}
		struct exact a = exact_of(type, x[0]), b = exact_of(type, x[1]), c = exact_of(type, x[2]);
		struct exact want = wanted(op, a, b, c);
		if (!finite || !want.significand)
			continue; /* hand-made cases */
		uint32_t got = lab->warp.regs[0][lane] >> shift & 0xffff;
		ck_assert_msg(got == rounded(type, want), "%s %u: %04x %04x %04x: got %04x, want %04x",
			      hd_opinfo[op].name, type, x[0], x[1], x[2], got, rounded(type, want));
		compared++;
	}
	return compared;
}

START_TEST(results_are_rounded_once)
{
	static const enum hd_op ops[] = {HD_OP_HADD2, HD_OP_HMUL2, HD_OP_HFMA2};
	static const enum hd_type types[] = {HD_F16, HD_BF16};
	struct lab *lab = lab_bare();
	uint64_t seed = 1;
	for (uint32_t i = 0; i < 6; i++)
		for (uint32_t round = 0, compared = 0; round < 4000 || compared < 100000; round++) {
			uint32_t values[3][HD_WARP_LANES];
			for (uint32_t k = 0; k < 3 * HD_WARP_LANES; k++)
				values[k / HD_WARP_LANES][k % HD_WARP_LANES] =
					number(&seed, types[i / 3]) | number(&seed, types[i / 3]) << 16;
			execute(lab, ops[i % 3], types[i / 3], values);
			compared += compare(lab, ops[i % 3], types[i / 3], values);
		}
	lab_free(lab);
}
END_TEST

#define F16 HD_MOD(DTYPE, HD_F16)
#define BF16 HD_MOD(DTYPE, HD_BF16)
#define FTZ HD_MOD(FTZ, 1)
#define SAT HD_MOD(SAT, 1)

START_TEST(signs_and_modifiers)
{
	static const struct {
		enum hd_op op;
		uint16_t mods;
		uint8_t srcmods;
		uint32_t a, b, c, want;
	} table[] = {
		{HD_OP_HADD2, F16, 0, 0x3c004000, 0x40003c00, 0, 0x42004200},	     /* 1 + 2, 2 + 1 */
		{HD_OP_HADD2, F16, HD_NEG_B, 0x3c004000, 0x40003c00, 0, 0xbc003c00}, /* 1 - 2, 2 - 1 */
		{HD_OP_HADD2, F16, HD_NEG_A, 0x3c003c00, 0x3c004000, 0, 0x00003c00}, /* -1 + 1, -1 + 2 */
		{HD_OP_HADD2, F16, 0, 0x80008000, 0x80000000, 0, 0x80000000},	     /* -0 + -0, -0 + 0 */
		{HD_OP_HADD2, F16, 0, 0x7bff7bff, 0x4c004bff, 0, 0x7c007bff},	     /* 65504 + 16, + 15.99 */
		{HD_OP_HADD2, F16, 0, 0x7c007c00, 0xfc007c00, 0, 0x7fff7c00},	     /* infinities */
		{HD_OP_HADD2, F16, 0, 0xfe013c00, 0x00007c01, 0, 0x7fff7fff},	     /* NaNs */
		{HD_OP_HADD2, F16, 0, 0x03ff0001, 0x00010001, 0, 0x04000002},	     /* denormals */
		{HD_OP_HADD2, F16 | FTZ, 0, 0x83ff0400, 0x00000001, 0, 0x00000400},  /* and without */
		{HD_OP_HADD2, F16 | FTZ, 0, 0x04018401, 0x84000400, 0, 0x00008000},
		{HD_OP_HADD2, F16 | SAT, 0, 0x3c00bc00, 0x3c003800, 0, 0x3c000000},
		{HD_OP_HADD2, F16 | SAT, 0, 0x7e003400, 0x3c003400, 0, 0x00003800},
		{HD_OP_HMUL2, F16, 0, 0x40004200, 0x42004200, 0, 0x46004880}, /* 2 * 3, 3 * 3 */
		{HD_OP_HMUL2, F16, HD_NEG_A, 0x40004200, 0x42004200, 0, 0xc600c880},
		{HD_OP_HMUL2, F16, 0, 0x00017c00, 0x38000000, 0, 0x00007fff},	       /* half of the least; inf * 0 */
		{HD_OP_HFMA2, F16, 0, 0x40004200, 0x42004200, 0x3c003c00, 0x47004900}, /* 2 * 3 + 1, 3 * 3 + 1 */
		{HD_OP_HFMA2, F16, HD_NEG_B | HD_NEG_C, 0x40004200, 0x42004200, 0x3c003c00, 0xc700c900},
		{HD_OP_HFMA2, F16, 0, 0x3c013c01, 0x3c013c01, 0xbc02bc00, 0x00101800},
		{HD_OP_HFMA2, BF16, 0, 0x3f803f80, 0x40003f80, 0x3f80bf80, 0x40400000}, /* 1 * 2 + 1, 1 * 1 - 1 */
		{HD_OP_HADD2, BF16, 0, 0x3f807f7f, 0x3b807f7f, 0, 0x3f807f80},		/* a tie to even; overflow */
		{HD_OP_HADD2, BF16, 0, 0x3f813f81, 0x3b803b00, 0, 0x3f823f81},		/* a tie from odd; below it */
		{HD_OP_HADD2_F32, 0, 0, 0, 0x40003c01, 0, 0x3f802000},			/* 1 + 2^-10 */
		{HD_OP_HADD2_F32, HD_MOD(UPPER, 1), 0, 0, 0xc0003c01, 0, 0xc0000000},	/* -2 */
		{HD_OP_HADD2_F32, 0, 0, 0, 0x00008001, 0, 0xb3800000},			/* -2^-24, a denormal */
		{HD_OP_HADD2_F32, 0, 0, 0, 0x00008000, 0, 0x80000000},			/* -0 */
		{HD_OP_HADD2_F32, 0, 0, 0, 0x0000fc00, 0, 0xff800000},			/* an infinity */
		{HD_OP_HADD2_F32, 0, 0, 0, 0x0000fe01, 0, 0x7fffffff},			/* NaN */
	};
	struct lab *lab = lab_bare();
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct hd_inst inst = hd_inst_new(table[i].op);
		inst.mods = table[i].mods;
		inst.srcmods = table[i].srcmods;
		inst.dst = 0;
		if (inst.op != HD_OP_HADD2_F32)
			inst.a = 4;
		inst.b = 8;
		if (inst.op == HD_OP_HFMA2)
			inst.c = 12;
		lab_set(lab, 0, 0x55555555);
		lab_set(lab, 4, table[i].a);
		lab_set(lab, 8, table[i].b);
		lab_set(lab, 12, table[i].c);
		lab_execute(lab, &inst, 0, 0x80000001);
		ck_assert_msg(lab->warp.regs[0][31] == table[i].want, "row %zu: got %08x, want %08x", i,
			      lab->warp.regs[0][31], table[i].want);
		ck_assert_uint_eq(lab->warp.regs[0][0], table[i].want);
		ck_assert_uint_eq(lab->warp.regs[0][1], 0x55555555);
	}
	lab_free(lab);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("half", (const TTest *const[]){
					   results_are_rounded_once,
					   signs_and_modifiers,
					   NULL,
				   });
}

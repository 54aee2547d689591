/* The opcode table, the encoding, the instruction verifier and the assembly text. */
#include "harness.h"
#include "heddle/opcodes.h"

#include <string.h>

#include "lib/machine/abi.h"
#include "sample.h"

static bool same_inst(const struct hd_inst *a, const struct hd_inst *b)
{
	return a->op == b->op && a->mods == b->mods && a->guard == b->guard && a->dst == b->dst && a->a == b->a &&
	       a->b == b->b && a->c == b->c && a->pdst == b->pdst && a->psrc == b->psrc && a->psrc2 == b->psrc2 &&
	       a->xkind == b->xkind && a->srcmods == b->srcmods && a->role == b->role && a->dead == b->dead &&
	       a->reuse == b->reuse && a->x == b->x && a->reconv == b->reconv && a->linear == b->linear;
}

/* An opcode's modifiers have places of their own in `mods`. */
START_TEST(modifiers_of_an_opcode_do_not_overlap)
{
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		const struct hd_opinfo *info = &hd_opinfo[op];
		uint32_t used = 0;
		uint64_t listed = 0;
		for (unsigned i = 0; i < 6 && info->mod_order[i] != HD_MOD_COUNT; i++) {
			unsigned kind = info->mod_order[i];
			uint32_t field = 0;
			switch (kind) {
#define X(kind, shift, bits, names)                      \
	case HD_MOD_##kind:                              \
		field = ((1u << (bits)) - 1) << (shift); \
		break;
				HD_MOD_LIST(X)
#undef X
			}
			ck_assert_msg(!(used & field), "%s", info->name);
			ck_assert_uint_lt(field, 1u << 16);
			used |= field;
			listed |= UINT64_C(1) << kind;
		}
		ck_assert(listed == info->mods);
	}
}
END_TEST

START_TEST(valid_instructions_survive_encoding)
{
	uint64_t state = 0x9e3779b97f4a7c15u;
	unsigned samples = hd_samples(100, 400);
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		for (unsigned i = 0; i < samples; i++) {
			struct hd_inst inst = sample_inst(op, &state), back;
			uint8_t bytes[HD_INST_BYTES];
			hd_inst_encode(&inst, bytes);
			ck_assert_int_eq(hd_inst_decode(bytes, &back), 0);
			ck_assert_msg(same_inst(&inst, &back), "%s", hd_opinfo[op].name);
		}
	}
}
END_TEST

/* Every bit of an accepted encoding means something. */
START_TEST(any_bytes_fail_or_encode_back)
{
	uint64_t state = 0x1234567;
	unsigned accepted = 0, samples = hd_samples(60000, 400000);
	for (unsigned i = 0; i < samples; i++) {
		uint8_t bytes[HD_INST_BYTES], back[HD_INST_BYTES];
		uint64_t words[2] = {sample_random(&state), sample_random(&state)};
		/* Most random words have reserved bits or an unknown opcode; help some of them past that. */
		if (i % 4) {
			words[0] = (words[0] & ~UINT64_C(0x7f)) | (words[0] & 0x7f) % HD_OP_COUNT;
			words[1] &= (UINT64_C(1) << 55) - 1;
		}
		memcpy(bytes, words, sizeof(bytes));
		struct hd_inst inst;
		if (hd_inst_decode(bytes, &inst) != 0)
			continue;
		accepted++;
		hd_inst_encode(&inst, back);
		ck_assert_int_eq(memcmp(bytes, back, sizeof(bytes)), 0);
		char text[200];
		hd_inst_check(&inst);
		ck_assert_int_lt(hd_inst_format(&inst, text, sizeof(text)), (int)sizeof(text));
	}
	ck_assert_uint_gt(accepted, samples / 20);
}
END_TEST

static void expect_text(const struct hd_inst *inst, const char *expected)
{
	char text[200];
	ck_assert_ptr_null(hd_inst_check(inst));
	ck_assert_int_eq(hd_inst_format(inst, text, sizeof(text)), (int)strlen(expected));
	ck_assert_str_eq(text, expected);
	/* A short buffer gets the beginning. */
	char small[8];
	ck_assert_int_eq(hd_inst_format(inst, small, sizeof(small)), (int)strlen(expected));
	ck_assert_uint_eq(strlen(small), strlen(expected) < 7 ? strlen(expected) : 7);
}

START_TEST(linear_operands)
{
	struct hd_inst inst = hd_inst_new(HD_OP_LDG);
	inst.dst = 4, inst.a = 7, inst.xkind = HD_X_OTHER, inst.x = 0x10, inst.mods = HD_MOD(SIZE, HD_SIZE_32);
	inst.linear = HD_LR(HD_LR_SUM, HD_SLOT_A, 3, 0);
	expect_text(&inst, "LDG R4, [%lr3+%cr7+0x10]");
	struct hd_regset reads;
	hd_inst_reads(&inst, &reads);
	ck_assert_uint_eq(reads.regs[0], 0); /* 7 is no general register here */
	inst.a = HD_RZ;
	expect_text(&inst, "LDG R4, [%lr3+0x10]");
	inst.linear = HD_LR(HD_LR_OFFSET, HD_SLOT_A, 15, 0), inst.a = 6;
	expect_text(&inst, "LDG R4, [%lr15+R6.64+0x10]");
	hd_inst_reads(&inst, &reads);
	ck_assert_uint_eq(reads.regs[0], 3u << 6);
	inst.linear = HD_LR(HD_LR_COEFFICIENT, HD_SLOT_A, 0, 0), inst.a = 200;
	expect_text(&inst, "LDG R4, [%cr200+0x10]");

	inst = hd_inst_new(HD_OP_IADD3);
	inst.dst = 4, inst.a = 2, inst.b = 9, inst.srcmods = HD_NEG_B;
	inst.linear = HD_LR(HD_LR_SUM, HD_SLOT_B, 0, 1);
	expect_text(&inst, "IADD3 R4, R2, -%lr0+%cr9.H, RZ");
	inst.linear = HD_LR(HD_LR_COEFFICIENT, HD_SLOT_B, 1, 0), inst.srcmods = 0;
	expect_text(&inst, "IADD3 R4, R2, %cr9.br, RZ");
}
END_TEST

START_TEST(wrong_linear_operands)
{
	struct hd_inst inst = hd_inst_new(HD_OP_IADD3);
	inst.linear = HD_LR(HD_LR_OFFSET, HD_SLOT_A, 0, 0);
	ck_assert_ptr_nonnull(hd_inst_check(&inst)); /* an offset is for addresses */
	inst.linear = HD_LR(HD_LR_COEFFICIENT, HD_SLOT_A, 0, 0);
	ck_assert_ptr_nonnull(hd_inst_check(&inst)); /* of which register? */
	inst.linear = HD_LR(HD_LR_SUM, HD_SLOT_B, 0, 0), inst.xkind = HD_X_IMM_B, inst.x = 1;
	ck_assert_ptr_nonnull(hd_inst_check(&inst)); /* two operands in a slot */
	inst = hd_inst_new(HD_OP_MOV);
	inst.linear = HD_LR(HD_LR_SUM, HD_SLOT_A, 0, 0);
	ck_assert_ptr_nonnull(hd_inst_check(&inst)); /* MOV has no a */
	inst = hd_inst_new(HD_OP_SHFL);
	inst.linear = HD_LR(HD_LR_SUM, HD_SLOT_A, 0, 0);
	ck_assert_ptr_nonnull(hd_inst_check(&inst));
	inst = hd_inst_new(HD_OP_LDG);
	inst.linear = HD_LR(HD_LR_SUM, HD_SLOT_A, 0, 1);
	ck_assert_ptr_nonnull(hd_inst_check(&inst)); /* addresses are whole */
}
END_TEST

START_TEST(text_of_arithmetic)
{
	struct hd_inst inst = hd_inst_new(HD_OP_IADD3);
	inst.guard = 0 | HD_PRED_NOT;
	inst.dst = 4, inst.pdst = 1, inst.a = 2, inst.b = 3, inst.psrc = 2;
	inst.srcmods = HD_NEG_B, inst.mods = HD_MOD(EX, 1);
	expect_text(&inst, "@!P0 IADD3.EX R4, P1, R2, -R3, RZ, P2");
	inst.pdst = HD_PT, inst.xkind = HD_X_CONST_C, inst.x = HD_CONST_X(0, 0x160);
	expect_text(&inst, "@!P0 IADD3.EX R4, R2, -R3, c[0x0][0x160], P2");

	inst = hd_inst_new(HD_OP_FFMA);
	inst.dst = 0, inst.a = 1, inst.c = 2, inst.xkind = HD_X_IMM_B, inst.x = 0xbfc00000;
	inst.mods = HD_MOD(FTZ, 1) | HD_MOD(RND, HD_RND_RZ);
	expect_text(&inst, "FFMA.RZ.FTZ R0, R1, -1.5(0xbfc00000), R2");

	inst = hd_inst_new(HD_OP_DADD);
	inst.dst = 2, inst.a = 4, inst.xkind = HD_X_IMM_B, inst.x = 0x40080000, inst.srcmods = HD_ABS_A | HD_NEG_A;
	expect_text(&inst, "DADD R2, -|R4|, 3(0x40080000)");

	inst = hd_inst_new(HD_OP_LOP3);
	inst.dst = 0, inst.a = 1, inst.b = 2, inst.mods = HD_MOD(LUT, 0xc0);
	expect_text(&inst, "LOP3 R0, R1, R2, RZ, 0xc0");

	inst = hd_inst_new(HD_OP_ISETP);
	inst.pdst = 0, inst.a = 4, inst.xkind = HD_X_IMM_B, inst.x = 0xffffffff;
	inst.mods = HD_MOD(CMP, HD_CMP_GE) | HD_MOD(SIGN, HD_SIGNED);
	expect_text(&inst, "ISETP.GE.AND P0, R4, -0x1, PT");
	inst.mods = HD_MOD(CMP, HD_CMP_LT) | HD_MOD(BOOL, HD_BOOL_OR) | HD_MOD(EX, 1);
	inst.psrc2 = 3;
	expect_text(&inst, "ISETP.LT.U32.EX.OR P0, R4, -0x1, PT, P3");

	inst = hd_inst_new(HD_OP_S2R);
	inst.dst = 7, inst.mods = HD_MOD(SR, HD_SR_CTAID_X);
	expect_text(&inst, "S2R R7, SR_CTAID.X");
}
END_TEST

START_TEST(uniform_registers)
{
	struct hd_inst inst = hd_inst_new(HD_OP_FFMA);
	struct hd_regset set;
	inst.dst = 4, inst.a = 2, inst.c = 3, inst.xkind = HD_X_UNIFORM_B, inst.x = 55;
	expect_text(&inst, "FFMA R4, R2, UR55, R3");
	ck_assert_uint_eq(hd_inst_uniform_reads(&inst), UINT64_C(1) << 55);
	hd_inst_reads(&inst, &set);
	ck_assert_uint_eq(set.regs[0], 0xc); /* they are no part of the register file */
	inst.x = HD_MAX_UREGS;
	ck_assert_str_eq(hd_inst_check(&inst), "uniform register out of range");
	inst.x = 0, inst.b = 7;
	ck_assert_ptr_nonnull(hd_inst_check(&inst));

	inst = hd_inst_new(HD_OP_R2UR);
	inst.dst = 9, inst.b = 5;
	expect_text(&inst, "R2UR UR9, R5");
	ck_assert_uint_eq(hd_inst_uniform_writes(&inst), UINT64_C(1) << 9);
	hd_inst_writes(&inst, &set);
	ck_assert_uint_eq(set.regs[0], 0);
	inst.dst = HD_RZ;
	ck_assert_str_eq(hd_inst_check(&inst), "uniform register out of range");

	inst = hd_inst_new(HD_OP_UMOV);
	inst.dst = 0, inst.xkind = HD_X_IMM_B, inst.x = 0x10;
	expect_text(&inst, "UMOV UR0, 0x10");
	inst.xkind = HD_X_NONE, inst.x = 0, inst.b = 5;
	ck_assert_str_eq(hd_inst_check(&inst), "UMOV of a register");

	inst = hd_inst_new(HD_OP_DADD);
	inst.dst = 2, inst.a = 4, inst.xkind = HD_X_UNIFORM_B, inst.x = 4;
	ck_assert_str_eq(hd_inst_check(&inst), "uniform register in a slot that is not one register");
}
END_TEST

START_TEST(text_of_memory_and_control)
{
	struct hd_inst inst = hd_inst_new(HD_OP_LDG);
	inst.dst = 6, inst.a = 4, inst.xkind = HD_X_OTHER, inst.x = 0x10;
	inst.mods = HD_MOD(SIZE, HD_SIZE_64) | HD_MOD(CACHE, HD_CACHE_CA);
	expect_text(&inst, "LDG.64.CA R6, [R4.64+0x10]");
	inst = hd_inst_new(HD_OP_STL);
	inst.a = 1, inst.c = 16, inst.xkind = HD_X_OTHER, inst.x = (uint32_t)-8, inst.mods = HD_MOD(SIZE, HD_SIZE_32);
	expect_text(&inst, "STL [R1-0x8], R16");
	inst = hd_inst_new(HD_OP_ATOMG);
	inst.a = 2, inst.b = 5, inst.c = 6, inst.dst = 4;
	inst.mods = HD_MOD(ATOMOP, HD_ATOM_CAS) | HD_MOD(DTYPE, HD_U32);
	expect_text(&inst, "ATOMG.CAS.U32 R4, [R2.64], R5, R6");
	inst = hd_inst_new(HD_OP_LDC);
	inst.dst = 4, inst.a = 2, inst.mods = HD_MOD(BANK, 3) | HD_MOD(SIZE, HD_SIZE_64);
	expect_text(&inst, "LDC.64 R4, c[0x3][R2]");
	inst = hd_inst_new(HD_OP_SHFL);
	inst.dst = 4, inst.a = 2, inst.xkind = HD_X_OTHER, inst.x = 0x1f << 8 | 16;
	inst.mods = HD_MOD(SHFLMODE, HD_SHFL_DOWN) | HD_MOD(BIMM, 1) | HD_MOD(CIMM, 1);
	expect_text(&inst, "SHFL.DOWN R4, R2, 0x10, 0x1f");
	inst = hd_inst_new(HD_OP_BAR);
	inst.xkind = HD_X_IMM_B;
	expect_text(&inst, "BAR.SYNC 0x0");
	inst = hd_inst_new(HD_OP_BRA);
	inst.xkind = HD_X_OTHER, inst.x = 18, inst.guard = 2, inst.reconv = 20;
	expect_text(&inst, "@P2 BRA 0x120");

	inst = hd_inst_new(HD_OP_WGMMA);
	inst.dst = inst.c = 24, inst.a = 4, inst.b = 8, inst.psrc = 1, inst.srcmods = HD_NEG_B;
	inst.mods = HD_MOD(WGN, 31) | HD_MOD(WGTYPE, HD_WG_BF16) | HD_MOD(WGTRANS, HD_WG_TRANS_B);
	expect_text(&inst, "WGMMA.64x256.F32.BF16.BT R24..R151, R4, -R8, R24..R151, P1");
	inst.c = 32;
	ck_assert_str_eq(hd_inst_check(&inst), "the accumulator is not the result");
	inst = hd_inst_new(HD_OP_WARPGROUP);
	inst.xkind = HD_X_OTHER, inst.x = 2, inst.mods = HD_MOD(WGMODE, HD_WG_WAIT);
	expect_text(&inst, "WARPGROUP.WAIT 0x2");
	inst.x = 0, inst.mods = HD_MOD(WGMODE, HD_WG_COMMIT);
	expect_text(&inst, "WARPGROUP.COMMIT");
	inst = hd_inst_new(HD_OP_USETMAXREG);
	inst.xkind = HD_X_OTHER, inst.x = 240, inst.mods = HD_MOD(RESIZE, HD_RESIZE_INC);
	expect_text(&inst, "USETMAXREG.INC 0xf0");
	inst.x = 20;
	ck_assert_str_eq(hd_inst_check(&inst), "registers that are no multiple of eight from 24 to 256");

	inst = hd_inst_new(HD_OP_SYSCALL);
	inst.xkind = HD_X_OTHER, inst.x = HD_SYS_MALLOC;
	expect_text(&inst, "SYSCALL malloc");
}
END_TEST

START_TEST(verifier_names_what_is_wrong)
{
	struct hd_inst inst = hd_inst_new(HD_OP_DADD);
	inst.dst = 2, inst.a = 4, inst.b = 6;
	ck_assert_ptr_null(hd_inst_check(&inst));
	inst.a = 5;
	ck_assert_str_eq(hd_inst_check(&inst), "register pair or quad is not aligned");
	inst.a = 254;
	ck_assert_str_eq(hd_inst_check(&inst), "register pair or quad ends in RZ");
	inst.a = 4, inst.c = 8;
	ck_assert_str_eq(hd_inst_check(&inst), "register in a slot that the opcode does not have");
	inst.c = HD_RZ, inst.mods = HD_MOD(FTZ, 1);
	ck_assert_str_eq(hd_inst_check(&inst), "modifier that the opcode does not have");
	inst.mods = 0, inst.role = HD_ROLE_SPILL_LOAD;
	ck_assert_str_eq(hd_inst_check(&inst), "reload that is not a load");
	inst.role = 0, inst.xkind = HD_X_CONST_B, inst.x = 0x160;
	ck_assert_str_eq(hd_inst_check(&inst), "slot holds both a register and an immediate or constant");
	inst.b = HD_RZ, inst.x = 0x162;
	ck_assert_str_eq(hd_inst_check(&inst), "constant-bank offset is not a multiple of 4");
	inst = hd_inst_new(HD_OP_COUNT);
	ck_assert_str_eq(hd_inst_check(&inst), "unknown opcode");
}
END_TEST

/* What combines the lanes' values in any order, of 32 bits; FADD's order would matter. */
START_TEST(reductions_have_no_order)
{
	for (uint32_t op = HD_ATOM_ADD; op <= HD_ATOM_CAS; op++)
		for (uint32_t type = HD_U8; type <= HD_B128; type++) {
			struct hd_inst inst = hd_inst_new(HD_OP_REDUX);
			inst.dst = 4, inst.a = 5, inst.mods = HD_MOD(ATOMOP, op) | HD_MOD(DTYPE, type);
			bool combines = op <= HD_ATOM_MAX || (op >= HD_ATOM_AND && op <= HD_ATOM_XOR);
			const char *wrong = hd_inst_check(&inst);
			if (type != HD_U32 && type != HD_S32)
				ck_assert_str_eq(wrong, "REDUX combines integers of 32 bits");
			else if (combines)
				ck_assert_ptr_null(wrong);
			else
				ck_assert_str_eq(wrong, "REDUX has no INC, DEC, EXCH or CAS");
		}
}
END_TEST

START_TEST(reads_and_writes)
{
	struct hd_regset set;
	struct hd_inst inst = hd_inst_new(HD_OP_IMAD_WIDE);
	inst.guard = 3 | HD_PRED_NOT, inst.dst = 62, inst.a = 1, inst.b = 64, inst.c = 126;
	hd_inst_reads(&inst, &set);
	ck_assert(set.regs[0] == 1u << 1 && set.regs[1] == (1 | UINT64_C(3) << 62) && set.preds == 1 << 3);
	hd_inst_writes(&inst, &set);
	ck_assert(set.regs[0] == UINT64_C(3) << 62 && !set.regs[1] && !set.preds);
	inst = hd_inst_new(HD_OP_STG);
	inst.a = 2, inst.c = 8, inst.mods = HD_MOD(SIZE, HD_SIZE_128);
	hd_inst_reads(&inst, &set);
	ck_assert(set.regs[0] == (3u << 2 | 0xfu << 8));
	hd_inst_writes(&inst, &set);
	ck_assert(!set.regs[0] && !set.regs[3] && !set.preds);
	ck_assert_uint_eq(hd_op_access_bytes(HD_OP_STG, inst.mods), 16);
	ck_assert_uint_eq(hd_op_access_bytes(HD_OP_ATOM, HD_MOD(DTYPE, HD_F64)), 8);
	ck_assert_uint_eq(hd_op_access_bytes(HD_OP_IADD3, 0), 0);
	inst = hd_inst_new(HD_OP_R2P);
	inst.a = 4, inst.xkind = HD_X_IMM_B, inst.x = 0x85;
	hd_inst_writes(&inst, &set);
	ck_assert_uint_eq(set.preds, 5);
	inst = hd_inst_new(HD_OP_P2R);
	hd_inst_reads(&inst, &set);
	ck_assert_uint_eq(set.preds, 0x7f);
}
END_TEST

/* The spaces of the table: accesses have one, nothing else has, and an address of 64 bits goes with those that need it.
 */
START_TEST(accesses_have_a_space)
{
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		const struct hd_opinfo *info = &hd_opinfo[op];
		bool access = info->effects & (HD_FX_LOAD | HD_FX_STORE);
		bool far = info->space == HD_AT_GLOBAL || info->space == HD_AT_GENERIC;
		ck_assert_msg(access == (info->space != HD_AT__), "%s", info->name);
		bool address = access && info->space != HD_AT_TEXTURE;
		ck_assert_msg(!address || info->a == (far ? HD_W_D : HD_W_R), "%s", info->name);
	}
	ck_assert_uint_eq(hd_op_number(HD_OP_F2F, HD_MOD(STYPE, HD_F16)), HD_N_HALF);
	ck_assert_uint_eq(hd_op_number(HD_OP_F2I, HD_MOD(STYPE, HD_F64)), HD_N_D);
	ck_assert_uint_eq(hd_op_number(HD_OP_I2F, HD_MOD(STYPE, HD_S32)), HD_N__);
	ck_assert_uint_eq(hd_op_number(HD_OP_FADD, 0), HD_N_F);
}
END_TEST

/* Which pipelines have operations of a class, as bits. */
static unsigned pipes_of(unsigned class)
{
	switch (class) {
	case HD_LAT_FADD: return 1 << HD_PIPE_FP32 | 1 << HD_PIPE_INT; /* comparisons are with the integers' */
	case HD_LAT_HALF:
	case HD_LAT_FMUL:
	case HD_LAT_FMAD: return 1 << HD_PIPE_FP32;
	case HD_LAT_DADD:
	case HD_LAT_DMUL:
	case HD_LAT_DMAD: return 1 << HD_PIPE_FP64;
	case HD_LAT_SFU: return 1 << HD_PIPE_SFU;
	case HD_LAT_SHFL:
	case HD_LAT_LDC:
	case HD_LAT_MEM: return 1 << HD_PIPE_LSU;
	case HD_LAT_CTRL: return 1 << HD_PIPE_BRU;
	case HD_LAT_HMMA:
	case HD_LAT_IMMA:
	case HD_LAT_DMMA: return 1 << HD_PIPE_TENSOR;
	default: return 1 << HD_PIPE_INT;
	}
}

/* Unit and latency fit to each other, and to what the other columns say that the operation does. */
START_TEST(units_fit_the_operation)
{
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		const struct hd_opinfo *info = &hd_opinfo[op];
		bool control = info->effects & (HD_FX_BRANCH | HD_FX_CALL | HD_FX_RET | HD_FX_EXIT | HD_FX_BARRIER);
		bool product = info->number == HD_N_F || info->number == HD_N_D ? info->c != HD_W__ : false;
		ck_assert_msg(pipes_of(info->lat) >> info->pipe & 1, "%s", info->name);
		ck_assert_msg(!control || info->pipe == HD_PIPE_BRU, "%s", info->name);
		ck_assert_msg((info->number == HD_N_D) == (info->pipe == HD_PIPE_FP64), "%s", info->name);
		ck_assert_msg(info->pipe != HD_PIPE_FP32 || info->number == HD_N_F || info->lat == HD_LAT_HALF, "%s",
			      info->name);
		ck_assert_msg(product == (info->lat == HD_LAT_FMAD || info->lat == HD_LAT_DMAD), "%s", info->name);
		ck_assert_msg((info->space == HD_AT_CONST) == (info->lat == HD_LAT_LDC), "%s", info->name);
		ck_assert_msg(info->space == HD_AT__ || info->pipe == HD_PIPE_LSU, "%s", info->name);
	}
}
END_TEST

/* Services take their arguments where a call of the same signature puts them, in every convention. */
START_TEST(services_follow_the_convention)
{
	static const uint32_t asserts[] = {4, 6, 8, 10, 12};
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_uint_eq(hd_service_argument(HD_SYS_ASSERTFAIL, i), asserts[i]);
	ck_assert_uint_eq(hd_service_argument(HD_SYS_VPRINTF, 1), 6);
	/* Not R9, which alignment leaves free behind the line of an assertion. */
	ck_assert_uint_eq(hd_service_reads(HD_SYS_ASSERTFAIL).regs[0], 0x3df0);
	ck_assert_uint_eq(hd_service_reads(HD_SYS_VPRINTF).regs[0], 0xf0);
	ck_assert_uint_eq(hd_service_reads(HD_SYS_FREE).regs[0], 0x30);
	ck_assert_uint_eq(hd_service_reads(HD_SYS_COUNT).regs[0], 0xfff0);
	ck_assert_uint_eq(hd_service_result_words(HD_SYS_MALLOC), 2);
	const struct hd_abi *const rows[] = {&hd_abi_cars, &hd_abi_observed};
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_ptr_eq(hd_abi_find(rows[i]->name, strlen(rows[i]->name)), rows[i]);
		ck_assert_uint_eq(rows[i]->first_arg, HD_ABI_FIRST_ARG);
		ck_assert_uint_eq(rows[i]->first_result, HD_ABI_FIRST_RESULT);
		ck_assert_uint_eq(rows[i]->stack_pointer, HD_ABI_STACK_POINTER);
		ck_assert(hd_abi_is_saved(rows[i], HD_ABI_FIRST_SAVED));
		ck_assert(!hd_abi_is_saved(rows[i], HD_ABI_FIRST_SAVED - 1));
	}
	ck_assert_ptr_null(hd_abi_find("carsx", 5));
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {modifiers_of_an_opcode_do_not_overlap,
				      valid_instructions_survive_encoding,
				      any_bytes_fail_or_encode_back,
				      linear_operands,
				      wrong_linear_operands,
				      text_of_arithmetic,
				      uniform_registers,
				      text_of_memory_and_control,
				      verifier_names_what_is_wrong,
				      reductions_have_no_order,
				      reads_and_writes,
				      accesses_have_a_space,
				      units_fit_the_operation,
				      services_follow_the_convention,
				      NULL};
	return hd_suite_of("machine", tests);
}

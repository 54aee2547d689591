/*
 * The functional executor beyond a single lane's arithmetic: shuffles and votes, special registers, operands, memory
 * accesses of every kind with their faults, atomics, and runtime services.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include <stdio.h>
#include <unistd.h>

#include "lab.h"
#include "runtime/exec/devmem.h"

#define M(kind, value) HD_MOD(kind, value)
#define ONE 0x3f800000
#define D1 UINT64_C(0x3ff0000000000000)
#define D2 UINT64_C(0x4000000000000000)
#define D3 UINT64_C(0x4008000000000000)

/* ---- across lanes */

START_TEST(shuffles)
{
	struct lab *lab = lab_bare();
	struct hd_inst inst = hd_inst_new(HD_OP_SHFL);
	inst.dst = 0, inst.a = 4, inst.pdst = 2;
	inst.xkind = HD_X_OTHER;
	for (uint32_t lane = 0; lane < 32; lane++)
		lab->warp.regs[4][lane] = 100 + lane;
	/* mode, b, c, lane, value, predicate */
	static const uint32_t cases[][6] = {
		{HD_SHFL_IDX, 5, 0x1f, 31, 105, 1},
		{HD_SHFL_UP, 1, 0, 0, 100, 0},
		{HD_SHFL_UP, 1, 0, 7, 106, 1},
		{HD_SHFL_DOWN, 4, 0x1f, 27, 131, 1},
		{HD_SHFL_DOWN, 4, 0x1f, 28, 128, 0},
		{HD_SHFL_BFLY, 16, 0x1f, 3, 119, 1},
		{HD_SHFL_IDX, 5, 0x181f, 17, 121, 1},
		{HD_SHFL_IDX, 9, 0x181f, 17, 117, 1}, /* segments of 8: 9 & 7 = 1, lane 17 */
		{HD_SHFL_UP, 1, 0x1800, 8, 108, 0},
		{HD_SHFL_DOWN, 1, 0x181f, 7, 107, 0},
		{HD_SHFL_BFLY, 4, 0x181f, 9, 113, 1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		inst.mods = (uint16_t)(M(SHFLMODE, cases[i][0]) | M(BIMM, 1) | M(CIMM, 1));
		inst.x = cases[i][1] | cases[i][2] << 8;
		lab_execute(lab, &inst, 0, HD_FULL);
		ck_assert_msg(lab->warp.regs[0][cases[i][3]] == cases[i][4], "case %zu: %u", i,
			      lab->warp.regs[0][cases[i][3]]);
		ck_assert_uint_eq(lab->warp.preds[2] >> cases[i][3] & 1, cases[i][5]);
	}
	/* a source lane that does not take part; dst may be a */
	inst.mods = (uint16_t)(M(SHFLMODE, HD_SHFL_BFLY) | M(BIMM, 1) | M(CIMM, 1) | M(MEMBERS, HD_MEMBERS_ACTIVE));
	inst.x = 1 | 0x1f << 8;
	inst.dst = 4;
	lab_execute(lab, &inst, 0, 0x7);
	ck_assert_uint_eq(lab->warp.regs[4][0], 101);
	ck_assert_uint_eq(lab->warp.regs[4][1], 100);
	ck_assert_uint_eq(lab->warp.regs[4][2], 102);
	ck_assert_uint_eq(lab->warp.regs[4][3], 103);
	lab_free(lab);
}
END_TEST

START_TEST(votes_and_matches)
{
	struct lab *lab = lab_bare();
	struct hd_inst vote = hd_inst_new(HD_OP_VOTE);
	vote.dst = 0, vote.pdst = 2, vote.psrc = 0;
	lab->warp.preds[0] = 0x0f;
	static const uint32_t cases[][3] = {{HD_VOTE_ALL, 0x0f, 1}, {HD_VOTE_ALL, 0x1f, 0}, {HD_VOTE_ANY, 0x1f, 1},
					    {HD_VOTE_ANY, 0xf0, 0}, {HD_VOTE_EQ, 0xf0, 1},  {HD_VOTE_EQ, 0xf8, 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		vote.mods = (uint16_t)(M(VOTEMODE, cases[i][0]) | M(MEMBERS, HD_MEMBERS_ACTIVE));
		lab->warp.preds[2] = 0;
		lab_execute(lab, &vote, hd_exec_level(), cases[i][1]);
		ck_assert_uint_eq(lab->warp.preds[2], cases[i][2] ? cases[i][1] : 0);
		ck_assert_uint_eq(lab->warp.regs[0][__builtin_ctz(cases[i][1])], 0x0f & cases[i][1]);
	}
	struct hd_inst match = hd_inst_new(HD_OP_MATCH);
	match.dst = 0, match.a = 4, match.pdst = 2;
	match.mods = (uint16_t)(M(VOTEMODE, HD_VOTE_ANY) | M(STYPE, HD_U32) | M(MEMBERS, HD_MEMBERS_ACTIVE));
	for (uint32_t lane = 0; lane < 32; lane++)
		lab->warp.regs[4][lane] = lane % 2;
	lab_execute(lab, &match, 0, 0xff);
	ck_assert_uint_eq(lab->warp.regs[0][3], 0xaa);
	match.mods = (uint16_t)(M(VOTEMODE, HD_VOTE_ALL) | M(STYPE, HD_U32) | M(MEMBERS, HD_MEMBERS_ACTIVE));
	lab_execute(lab, &match, 0, 0xff);
	ck_assert_uint_eq(lab->warp.regs[0][3], 0);
	ck_assert_uint_eq(lab->warp.preds[2] & 0xff, 0);
	lab_execute(lab, &match, 0, 0x55);
	ck_assert_uint_eq(lab->warp.regs[0][2], 0x55);
	ck_assert_uint_eq(lab->warp.preds[2] & 0x55, 0x55);
	lab_free(lab);
}
END_TEST

/* Of lanes 0 to 3: 5, -2, 12, 7; others do not count. */
START_TEST(lanes_reduce)
{
	static const uint32_t values[] = {5, 0xfffffffe, 12, 7},
			      cases[][3] = {{HD_ATOM_ADD, HD_U32, 22},	       {HD_ATOM_MIN, HD_U32, 5},
					    {HD_ATOM_MIN, HD_S32, 0xfffffffe}, {HD_ATOM_MAX, HD_U32, 0xfffffffe},
					    {HD_ATOM_MAX, HD_S32, 12},	       {HD_ATOM_AND, HD_U32, 4},
					    {HD_ATOM_OR, HD_U32, 0xffffffff},  {HD_ATOM_XOR, HD_U32, 0xfffffff0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lab *lab = lab_bare();
		struct hd_inst redux = hd_inst_new(HD_OP_REDUX);
		redux.dst = 0, redux.a = 4;
		redux.mods = (uint16_t)(M(ATOMOP, cases[i][0]) | M(DTYPE, cases[i][1]));
		for (uint32_t lane = 0; lane < 32; lane++)
			lab->warp.regs[4][lane] = lane < 4 ? values[lane] : 100 + lane, lab->warp.regs[0][lane] = 77;
		lab_execute(lab, &redux, 0, 0xf);
		for (uint32_t lane = 0; lane < 32; lane++) {
			uint32_t want = lane < 4 ? cases[i][2] : 77;
			ck_assert_msg(lab->warp.regs[0][lane] == want, "case %zu, lane %u: %u", i, lane,
				      lab->warp.regs[0][lane]);
		}
		lab_free(lab);
	}
}
END_TEST

/* Lanes with several masks come together: each group by itself. Where the mask is in c, b has the lane and the clamp.
 */
START_TEST(groups_with_masks_of_their_own)
{
	struct lab *lab = lab_bare();
	struct hd_inst vote = hd_inst_new(HD_OP_VOTE), match = hd_inst_new(HD_OP_MATCH), shfl = hd_inst_new(HD_OP_SHFL);
	for (uint32_t lane = 0; lane < 32; lane++) {
		lab->warp.regs[4][lane] = 100 + lane / 4;
		lab->warp.regs[5][lane] = lane < 8 ? 0xff : lane < 16 ? 0xff00 : 0xffff0000;
		lab->warp.regs[6][lane] = lane < 8 ? 5 | 0x1f << 8 : 5 | 0x181f << 8;
	}
	lab->warp.preds[0] = 0x0001000f;
	vote.dst = 0, vote.pdst = 2, vote.psrc = 0, vote.b = 5;
	vote.mods = (uint16_t)(M(VOTEMODE, HD_VOTE_ANY) | M(MEMBERS, HD_MEMBERS_MASK));
	lab_execute(lab, &vote, hd_exec_level(), HD_FULL);
	ck_assert_uint_eq(lab->warp.preds[2], 0xffff00ff);
	ck_assert_uint_eq(lab->warp.regs[0][7], 0x0f);
	ck_assert_uint_eq(lab->warp.regs[0][8], 0);
	ck_assert_uint_eq(lab->warp.regs[0][31], 0x00010000);
	vote.mods = (uint16_t)(M(VOTEMODE, HD_VOTE_EQ) | M(MEMBERS, HD_MEMBERS_MASK));
	lab_execute(lab, &vote, hd_exec_level(), HD_FULL);
	ck_assert_uint_eq(lab->warp.preds[2], 0xff00);
	match.dst = 0, match.a = 4, match.b = 5;
	match.mods = (uint16_t)(M(VOTEMODE, HD_VOTE_ANY) | M(STYPE, HD_U32) | M(MEMBERS, HD_MEMBERS_MASK));
	lab_execute(lab, &match, 0, HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][5], 0xf0);
	ck_assert_uint_eq(lab->warp.regs[0][20], 0xf00000);
	shfl.dst = 0, shfl.a = 4, shfl.b = 6, shfl.c = 5;
	shfl.mods = (uint16_t)(M(SHFLMODE, HD_SHFL_IDX) | M(MEMBERS, HD_MEMBERS_MASK));
	lab_execute(lab, &shfl, hd_exec_level(), HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][0], 101);
	ck_assert_uint_eq(lab->warp.regs[0][8], 103);  /* lane 13 */
	ck_assert_uint_eq(lab->warp.regs[0][30], 107); /* lane 29 */
	lab_free(lab);
}
END_TEST

START_TEST(special_registers_and_predicate_moves)
{
	struct lab *lab = lab_bare();
	lab->cta.index[1] = 9;
	lab->exec.now = UINT64_C(0x500000007);
	lab->gpu.config->core_mhz = 1000;
	static const struct {
		enum hd_sr sr;
		uint32_t lane, want;
	} cases[] = {{HD_SR_LANEID, 31, 31},
		     {HD_SR_TID_X, 30, 30},
		     {HD_SR_TID_Y, 30, 0},
		     {HD_SR_CTAID_Y, 0, 9},
		     {HD_SR_LANEMASK_LT, 3, 7},
		     {HD_SR_LANEMASK_LE, 3, 15},
		     {HD_SR_LANEMASK_EQ, 31, 0x80000000},
		     {HD_SR_LANEMASK_GT, 31, 0},
		     {HD_SR_LANEMASK_GE, 31, 0x80000000},
		     {HD_SR_CLOCK_LO, 1, 7},
		     {HD_SR_CLOCK_HI, 1, 5},
		     {HD_SR_GLOBALTIMER_LO, 1, 7}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hd_inst inst = lab_s2r(0, cases[i].sr);
		lab_execute(lab, &inst, hd_exec_level(), HD_FULL);
		ck_assert_msg(lab->warp.regs[0][cases[i].lane] == cases[i].want, "%s", hd_sr_name(cases[i].sr));
	}
	struct hd_inst clock = hd_inst_new(HD_OP_CS2R);
	clock.dst = 0;
	clock.mods = M(SR, HD_SR_CLOCK64);
	lab_execute(lab, &clock, 0, HD_FULL);
	ck_assert_uint_eq(hd_lane_pair(&lab->warp, 0, 3), UINT64_C(0x500000007));
	struct hd_inst r2p = hd_inst_new(HD_OP_R2P);
	r2p.a = 4, r2p.b = 8;
	lab_set(lab, 4, 0x55);
	lab_set(lab, 8, 0x0f);
	memset(lab->warp.preds, 0, 7 * 4);
	lab->warp.preds[6] = 0x77;
	lab_execute(lab, &r2p, 0, 0xff);
	ck_assert_uint_eq(lab->warp.preds[0], 0xff);
	ck_assert_uint_eq(lab->warp.preds[1], 0);
	ck_assert_uint_eq(lab->warp.preds[2], 0xff);
	ck_assert_uint_eq(lab->warp.preds[6], 0x77);
	lab_free(lab);
}
END_TEST

START_TEST(barrier_results)
{
	struct lab *lab = lab_bare();
	struct hd_dinst bar = {.inst = hd_inst_new(HD_OP_BAR)};
	bar.inst.dst = 0, bar.inst.pdst = 2;
	bar.inst.mods = M(BARMODE, HD_BAR_RED_POPC);
	hd_warp_barrier_result(&lab->warp, &bar, 0xf, 5, 64);
	ck_assert_uint_eq(lab->warp.regs[0][3], 5);
	ck_assert_uint_eq(lab->warp.regs[0][4], 0);
	bar.inst.mods = M(BARMODE, HD_BAR_RED_AND);
	hd_warp_barrier_result(&lab->warp, &bar, 0xf, 64, 64);
	ck_assert_uint_eq(lab->warp.preds[2], 0xf);
	bar.inst.mods = M(BARMODE, HD_BAR_RED_OR);
	hd_warp_barrier_result(&lab->warp, &bar, 0xf, 0, 64);
	ck_assert_uint_eq(lab->warp.preds[2], 0);
	lab_free(lab);
}
END_TEST

/* ---- operands and the zero register */

START_TEST(immediates_constants_and_rz)
{
	struct lab *lab = lab_bare();
	uint32_t word = 77;
	uint64_t pair = D3;
	memcpy(lab->constants + HD_CB_PARAMS, &word, 4);
	memcpy(lab->constants + HD_CB_PARAMS + 8, &pair, 8);
	lab_set(lab, 4, 5);
	struct hd_inst add = lab_imm(HD_OP_IADD3, 0, 4, HD_CONST_X(0, HD_CB_PARAMS));
	add.xkind = HD_X_CONST_B;
	lab_execute(lab, &add, 0, HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][9], 82);
	struct hd_inst ffma = hd_inst_new(HD_OP_IMAD);
	ffma.dst = 0, ffma.a = 4, ffma.b = 4, ffma.xkind = HD_X_IMM_C, ffma.x = 1000;
	lab_execute(lab, &ffma, 0, HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][9], 1025);
	struct hd_inst dadd = hd_inst_new(HD_OP_DADD);
	dadd.dst = 0, dadd.a = 8, dadd.xkind = HD_X_CONST_B, dadd.x = HD_CONST_X(0, HD_CB_PARAMS + 8);
	lab_set(lab, 8, D1);
	lab_execute(lab, &dadd, 0, HD_FULL);
	ck_assert_uint_eq(hd_lane_pair(&lab->warp, 0, 9), UINT64_C(0x4010000000000000));
	dadd.xkind = HD_X_IMM_B, dadd.x = 0x40000000;
	lab_execute(lab, &dadd, 0, HD_FULL);
	ck_assert_uint_eq(hd_lane_pair(&lab->warp, 0, 9), D3);
	struct hd_inst sink = lab_imm(HD_OP_IADD3, HD_RZ, 4, 3), from = lab_imm(HD_OP_IADD3, 0, HD_RZ, 3);
	lab_execute(lab, &sink, 0, HD_FULL);
	lab_execute(lab, &from, 0, HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][0], 3);
	struct hd_inst wide = hd_inst_new(HD_OP_IMAD_WIDE);
	wide.a = 4, wide.b = 4;
	lab_execute(lab, &wide, 0, HD_FULL);
	lab_execute(lab, &from, 0, HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][0], 3);
	lab_free(lab);
}
END_TEST

/* ---- memory */

static struct hd_inst memory_inst(enum hd_op op, uint16_t mods, uint32_t displacement)
{
	struct hd_inst inst = hd_inst_new(op);
	inst.mods = mods;
	inst.xkind = HD_X_OTHER;
	inst.x = displacement;
	inst.a = 4;
	if (hd_opinfo[op].c)
		inst.c = 12;
	if (hd_opinfo[op].b)
		inst.b = 8;
	if (hd_opinfo[op].dst)
		inst.dst = 0;
	return inst;
}

static uint64_t device_array(struct lab *lab, uint64_t bytes)
{
	uint64_t address = 0;
	ck_assert_int_eq(hd_devmem_alloc(lab->gpu.devmem, bytes, 256, &address), 0);
	uint8_t *host = hd_devmem_at(lab->gpu.devmem, address, bytes);
	for (uint64_t i = 0; i < bytes; i++)
		host[i] = (uint8_t)(i * 7 + 0x80);
	return address;
}

static void set_addresses(struct lab *lab, uint64_t base, uint64_t stride)
{
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		hd_set_pair(&lab->warp, 4, lane, base + stride * lane);
}

START_TEST(global_loads_and_stores_of_every_size)
{
	struct lab *lab = lab_bare();
	uint64_t array = device_array(lab, 4096);
	const uint8_t *host = hd_devmem_at(lab->gpu.devmem, array, 4096);
	static const struct {
		unsigned size, bytes;
	} sizes[] = {{HD_SIZE_U8, 1}, {HD_SIZE_S8, 1}, {HD_SIZE_U16, 2}, {HD_SIZE_S16, 2},
		     {HD_SIZE_32, 4}, {HD_SIZE_64, 8}, {HD_SIZE_128, 16}};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (unsigned stride = sizes[i].bytes; stride <= 64; stride *= 4) {
			struct hd_inst load = memory_inst(HD_OP_LDG, (uint16_t)M(SIZE, sizes[i].size), 16);
			struct hd_inst store = memory_inst(HD_OP_STG, (uint16_t)M(SIZE, sizes[i].size), (uint32_t)-16);
			set_addresses(lab, array, stride);
			lab_execute(lab, &load, hd_exec_level(), HD_FULL);
			ck_assert_int_eq(lab->effect.event, HD_EVENT_MEMORY);
			ck_assert_int_eq(lab->effect.space, HD_MEM_GLOBAL);
			ck_assert_uint_eq(lab->effect.address[3], array + 16 + 3 * stride);
			for (uint32_t lane = 0; lane < 32; lane += 5) {
				const uint8_t *from = host + 16 + lane * stride;
				int32_t want = sizes[i].size == HD_SIZE_U8    ? from[0]
					       : sizes[i].size == HD_SIZE_S8  ? (int8_t)from[0]
					       : sizes[i].size == HD_SIZE_U16 ? from[0] | from[1] << 8
					       : sizes[i].size == HD_SIZE_S16 ? (int16_t)(from[0] | from[1] << 8)
									      : 0;
				if (sizes[i].bytes < 4)
					ck_assert_int_eq((int32_t)lab->warp.regs[0][lane], want);
				for (unsigned word = 0; word < sizes[i].bytes / 4; word++)
					ck_assert_mem_eq(&lab->warp.regs[word][lane], from + 4 * word, 4);
			}
			set_addresses(lab, array + 16 + 2048, stride);
			memcpy(lab->warp.regs[12], lab->warp.regs[0], 4 * sizeof(lab->warp.regs[0]));
			lab_execute(lab, &store, hd_exec_level(), HD_FULL);
			ck_assert(!lab->exec.fault);
			for (uint32_t lane = 0; lane < 32; lane++)
				ck_assert_mem_eq(host + 2048 + lane * stride, host + 16 + lane * stride,
						 sizes[i].bytes);
			memset(lab->warp.regs[0], 0, 4 * sizeof(lab->warp.regs[0]));
		}
	lab_free(lab);
}
END_TEST

static void expect_fault(struct lab *lab, int error, const char *words)
{
	ck_assert(lab->exec.fault);
	ck_assert_int_eq(lab->gpu.error, error);
	ck_assert_msg(strstr(lab->gpu.error_text, words) != NULL, "%s", lab->gpu.error_text);
	lab->gpu.error = 0;
}

START_TEST(global_faults_name_the_place)
{
	struct lab *lab = lab_bare();
	uint64_t array = device_array(lab, 128);
	struct hd_inst load = memory_inst(HD_OP_LDG, M(SIZE, HD_SIZE_32), 0);
	set_addresses(lab, array + 4, 4);
	lab_execute(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "thread (31,0,0)");
	lab_execute(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "kernel kernel, kernel+0x0, block (0,0,0)");
	lab_execute(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "4-byte load");
	lab_execute(lab, &load, 0, 0x7fffffff); /* the lane outside does not execute */
	ck_assert(!lab->exec.fault);
	set_addresses(lab, 0, 0);
	lab_execute(lab, &load, 0, 2);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "address 0x0, a null pointer");
	set_addresses(lab, array + 2, 0);
	lab_execute(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_MISALIGNED, "misaligned");
	lab_free(lab);
}
END_TEST

/* Lanes in different allocations, and an allocation that goes away between two executions of one instruction. */
START_TEST(several_allocations_and_stale_ranges)
{
	struct lab *lab = lab_bare();
	uint64_t first = device_array(lab, 128), second = device_array(lab, 128);
	struct hd_inst load = memory_inst(HD_OP_LDG, M(SIZE, HD_SIZE_32), 0);
	for (uint32_t lane = 0; lane < 32; lane++)
		hd_set_pair(&lab->warp, 4, lane, (lane & 1 ? first : second) + 4 * lane);
	lab_execute(lab, &load, hd_exec_level(), HD_FULL);
	ck_assert(!lab->exec.fault);
	ck_assert_mem_eq(&lab->warp.regs[0][5], hd_devmem_at(lab->gpu.devmem, first + 20, 4), 4);
	set_addresses(lab, first, 4);
	lab_execute(lab, &load, 0, HD_FULL);
	ck_assert(!lab->exec.fault);
	ck_assert_int_eq(hd_devmem_release(lab->gpu.devmem, first), 0);
	lab_execute(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "freed memory: byte 0 of the 128 bytes");
	lab_free(lab);
}
END_TEST

START_TEST(shared_local_and_generic_accesses)
{
	struct lab *lab = lab_bare();
	struct hd_inst sts = memory_inst(HD_OP_STS, M(SIZE, HD_SIZE_32), 8),
		       lds = memory_inst(HD_OP_LDS, M(SIZE, HD_SIZE_32), 8);
	set_addresses(lab, 0, 4);
	for (uint32_t lane = 0; lane < 32; lane++)
		lab->warp.regs[12][lane] = 1000 + lane;
	lab_execute(lab, &sts, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.space, HD_MEM_SHARED);
	ck_assert_uint_eq(lab->effect.address[2], 256 + 8 + 8);
	lab_execute(lab, &lds, hd_exec_level(), 0xf);
	ck_assert_uint_eq(lab->warp.regs[0][3], 1003);
	lds.x = LAB_SHARED_BYTES - 4;
	lab_execute(lab, &lds, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "1024 bytes of shared memory");
	struct hd_inst stl = memory_inst(HD_OP_STL, M(SIZE, HD_SIZE_64), (uint32_t)-16),
		       ldl = memory_inst(HD_OP_LDL, M(SIZE, HD_SIZE_64), (uint32_t)-16);
	set_addresses(lab, LAB_LOCAL_BYTES, 0);
	lab_execute(lab, &stl, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.space, HD_MEM_LOCAL);
	ck_assert_uint_eq(lab->effect.address[3], hd_local_address(0x1000, 3, LAB_LOCAL_BYTES - 16));
	lab_execute(lab, &ldl, hd_exec_level(), HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][7], 1007);
	set_addresses(lab, 8, 0);
	lab_execute(lab, &stl, 0, HD_FULL);
	expect_fault(lab, HD_SIM_STACK_OVERFLOW, "stack overflow");
	set_addresses(lab, LAB_LOCAL_BYTES + 16, 0);
	lab_execute(lab, &ldl, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "512 bytes of local memory");
	/* generic: shared, local, global by lane */
	uint64_t array = device_array(lab, 256);
	struct hd_inst ld = memory_inst(HD_OP_LD, M(SIZE, HD_SIZE_32), 0);
	set_addresses(lab, HD_SHARED_WINDOW + 8, 4);
	lab_execute(lab, &ld, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.space, HD_MEM_SHARED);
	ck_assert_uint_eq(lab->warp.regs[0][9], 1009);
	hd_set_pair(&lab->warp, 4, 0, array);
	hd_set_pair(&lab->warp, 4, 1, HD_LOCAL_WINDOW + LAB_LOCAL_BYTES - 16);
	lab->effect.mask = HD_FULL;
	lab_execute(lab, &ld, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.space, HD_MEM_GLOBAL);
	ck_assert_uint_eq(lab->effect.mask, 1);
	ck_assert_uint_eq(lab->effect.elsewhere, HD_FULL & ~1u);
	ck_assert_uint_eq(lab->warp.regs[0][1], 1001);
	ck_assert_uint_eq(lab->warp.regs[0][2], 1002);
	struct hd_inst ldc = memory_inst(HD_OP_LDC, M(SIZE, HD_SIZE_32), HD_CB_STACK_TOP);
	set_addresses(lab, 0, 0);
	lab_execute(lab, &ldc, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.event, HD_EVENT_NONE);
	ck_assert_uint_eq(lab->warp.regs[0][1], LAB_LOCAL_BYTES);
	ldc.x = HD_CB_BYTES;
	lab_execute(lab, &ldc, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "constant bank");
	lab_free(lab);
}
END_TEST

/* op, type, old, b, c, stored */
struct atomic_case {
	unsigned op, type;
	uint64_t old, b, c, stored;
};

START_TEST(atomics)
{
	static const struct atomic_case cases[] = {
		{HD_ATOM_ADD, HD_U32, 5, 7, 0, 12},
		{HD_ATOM_ADD, HD_U64, UINT64_C(0xffffffff), 1, 0, UINT64_C(0x100000000)},
		{HD_ATOM_ADD, HD_F32, ONE, ONE, 0, 0x40000000},
		{HD_ATOM_ADD, HD_F64, D1, D2, 0, D3},
		{HD_ATOM_ADD, HD_F16, 0x3c00, 0x3c00, 0, 0x4000},
		{HD_ATOM_MIN, HD_S32, 5, 0xffffffff, 0, 0xffffffff},
		{HD_ATOM_MIN, HD_U32, 5, 0xffffffff, 0, 5},
		{HD_ATOM_MAX, HD_S64, 5, UINT64_MAX, 0, 5},
		{HD_ATOM_MAX, HD_U64, 5, UINT64_MAX, 0, UINT64_MAX},
		{HD_ATOM_INC, HD_U32, 5, 5, 0, 0},
		{HD_ATOM_INC, HD_U32, 4, 5, 0, 5},
		{HD_ATOM_DEC, HD_U32, 0, 9, 0, 9},
		{HD_ATOM_DEC, HD_U32, 10, 9, 0, 9},
		{HD_ATOM_DEC, HD_U32, 9, 9, 0, 8},
		{HD_ATOM_AND, HD_U32, 6, 3, 0, 2},
		{HD_ATOM_OR, HD_U32, 6, 3, 0, 7},
		{HD_ATOM_XOR, HD_U32, 6, 3, 0, 5},
		{HD_ATOM_EXCH, HD_U32, 6, 3, 0, 3},
		{HD_ATOM_CAS, HD_U32, 6, 6, 9, 9},
		{HD_ATOM_CAS, HD_U32, 6, 5, 9, 6},
		{HD_ATOM_CAS, HD_U64, UINT64_C(0x600000000), UINT64_C(0x600000000), 9, 9},
	};
	struct lab *lab = lab_bare();
	uint64_t array = device_array(lab, 64);
	uint8_t *host = hd_devmem_at(lab->gpu.devmem, array, 64);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hd_inst inst =
			memory_inst(HD_OP_ATOMG, (uint16_t)(M(ATOMOP, cases[i].op) | M(DTYPE, cases[i].type)), 8);
		unsigned bytes = hd_op_access_bytes(HD_OP_ATOMG, inst.mods);
		uint64_t stored = 0, before = cases[i].old;
		memcpy(host + 8, &before, 8);
		set_addresses(lab, array, 0);
		lab_set(lab, 8, cases[i].b);
		lab_set(lab, 12, cases[i].c);
		lab_execute(lab, &inst, 0, 4);
		memcpy(&stored, host + 8, bytes);
		ck_assert_msg(stored == cases[i].stored, "case %zu: 0x%llx", i, (unsigned long long)stored);
		ck_assert_uint_eq(lab->warp.regs[0][2], (uint32_t)cases[i].old);
	}
	/* 32 lanes on one word, in lane order */
	struct hd_inst add = memory_inst(HD_OP_ATOMS, M(ATOMOP, HD_ATOM_ADD) | M(DTYPE, HD_U32), 0);
	set_addresses(lab, 0, 0);
	lab_set(lab, 8, 2);
	lab_execute(lab, &add, 0, HD_FULL);
	ck_assert_uint_eq(lab->shared[0], 64);
	ck_assert_uint_eq(lab->warp.regs[0][31], 62);
	ck_assert_int_eq(lab->effect.space, HD_MEM_SHARED);
	lab_free(lab);
}
END_TEST

/* ---- services */

static uint64_t device_string(struct lab *lab, const char *text)
{
	uint64_t address = 0;
	ck_assert_int_eq(hd_devmem_alloc(lab->gpu.devmem, strlen(text) + 1, 256, &address), 0);
	memcpy(hd_devmem_at(lab->gpu.devmem, address, strlen(text) + 1), text, strlen(text) + 1);
	return address;
}

static struct lab *service_lab(enum hd_syscall service)
{
	struct hd_inst inst = hd_inst_new(HD_OP_SYSCALL);
	inst.xkind = HD_X_OTHER;
	inst.x = service;
	const struct hd_inst code[] = {inst, lab_op(HD_OP_EXIT)};
	return lab_kernel(code, 2, 2);
}

START_TEST(device_printf)
{
	struct lab *lab = service_lab(HD_SYS_VPRINTF);
	uint64_t format = device_string(lab, "%d|%-5u|%05x|%.2f|%s|%c|%lld|%p|%%|%*d|%lf\n"),
		 text = device_string(lab, "hi");
	uint64_t arguments = device_array(lab, 128);
	uint8_t *host = hd_devmem_at(lab->gpu.devmem, arguments, 128);
	int32_t number = -7, width = 4, padded = 3;
	uint32_t unsigned_number = 42, hexadecimal = 0xbeef, letter = 'Z';
	double real = 2.5;
	int64_t wide = INT64_C(-5000000000);
	memcpy(host, &number, 4), memcpy(host + 4, &unsigned_number, 4), memcpy(host + 8, &hexadecimal, 4);
	memcpy(host + 16, &real, 8), memcpy(host + 24, &text, 8), memcpy(host + 32, &letter, 4);
	memcpy(host + 40, &wide, 8), memcpy(host + 48, &wide, 8), memcpy(host + 56, &width, 4),
		memcpy(host + 60, &padded, 4);
	memcpy(host + 64, &real, 8);
	for (uint32_t lane = 0; lane < 2; lane++) {
		hd_set_pair(&lab->warp, 4, lane, format);
		hd_set_pair(&lab->warp, 6, lane, arguments);
	}
	char name[] = "/tmp/heddle-printf-XXXXXX";
	int file = mkstemp(name), saved = dup(1);
	fflush(stdout);
	dup2(file, 1);
	int status = lab_run(lab, 5);
	fflush(stdout);
	dup2(saved, 1);
	char got[512] = "";
	ssize_t length = pread(file, got, sizeof(got) - 1, 0);
	close(file);
	unlink(name);
	ck_assert_int_eq(status, 0);
	ck_assert_int_gt(length, 0);
	const char *line = "-7|42   |0beef|2.50|hi|Z|-5000000000|0xfffffffed5fa0e00|%|   3|2.500000\n";
	ck_assert_uint_eq(strlen(got), 2 * strlen(line));
	ck_assert_mem_eq(got, line, strlen(line));
	ck_assert_uint_eq(lab->warp.regs[4][1], 11);
	lab_free(lab);
}
END_TEST

START_TEST(device_assert)
{
	struct lab *lab = service_lab(HD_SYS_ASSERTFAIL);
	uint64_t texts[] = {device_string(lab, "n > 0"), device_string(lab, "a.cu"), device_string(lab, "f")};
	for (uint32_t lane = 0; lane < 2; lane++) {
		hd_set_pair(&lab->warp, 4, lane, texts[0]);
		hd_set_pair(&lab->warp, 6, lane, texts[1]);
		lab->warp.regs[8][lane] = 12;
		hd_set_pair(&lab->warp, 10, lane, texts[2]);
	}
	ck_assert_int_eq(lab_run(lab, 5), HD_SIM_ASSERT);
	ck_assert_ptr_nonnull(
		strstr(lab->gpu.error_text, "a.cu:12: f: block: [0,0,0], thread: [0,0,0] Assertion `n > 0` failed."));
	lab_free(lab);
}
END_TEST

START_TEST(device_malloc)
{
	struct lab *lab = service_lab(HD_SYS_MALLOC);
	for (uint32_t lane = 0; lane < 2; lane++)
		hd_set_pair(&lab->warp, 4, lane, 100);
	ck_assert_int_eq(lab_run(lab, 5), 0);
	uint64_t a = hd_lane_pair(&lab->warp, 4, 0), b = hd_lane_pair(&lab->warp, 4, 1);
	ck_assert(a && b && b >= a + 100);
	ck_assert_ptr_nonnull(hd_devmem_at(lab->gpu.devmem, a, 100));
	lab_free(lab);
}
END_TEST

START_TEST(a_trap_stops_the_kernel)
{
	const struct hd_inst code[] = {lab_guarded(0, lab_op(HD_OP_TRAP)), lab_op(HD_OP_TRAP), lab_op(HD_OP_EXIT)};
	struct lab *lab = lab_kernel(code, 3, 32);
	ck_assert_int_eq(lab_run(lab, 1), 1); /* P0 is false */
	ck_assert_int_eq(lab_run(lab, 5), HD_SIM_TRAP);
	ck_assert_uint_eq(lab->warp.pc, 1);
	lab_free(lab);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("exec_memory", (const TTest *const[]){
						  shuffles,
						  votes_and_matches,
						  lanes_reduce,
						  groups_with_masks_of_their_own,
						  special_registers_and_predicate_moves,
						  barrier_results,
						  immediates_constants_and_rz,
						  global_loads_and_stores_of_every_size,
						  global_faults_name_the_place,
						  several_allocations_and_stale_ranges,
						  shared_local_and_generic_accesses,
						  atomics,
						  device_printf,
						  device_assert,
						  device_malloc,
						  a_trap_stops_the_kernel,
						  NULL,
					  });
}

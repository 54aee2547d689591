/* The SM under core = modern: stall counts and dependence counters, in cycles between two readings of the clock. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "simbench.h"

enum { FIRST = 40, SECOND = 41 }; /* registers that get the clock */

static void begin(struct simbench *bench)
{
	simbench_init(bench);
	bench->config.compute_major = 7;
	bench->config.compute_minor = 5;
	bench->config.core = HD_CORE_MODERN;
	bench->config.operands = HD_OPERANDS_MODERN;
	bench->config.register_banks = 2;
	bench->config.register_ports = bench->config.register_write_ports = 1;
	bench->meta.registers = 128;
	bench->meta.shared_bytes = bench->meta.max_stack_bytes = 128;
	simbench_s2r(bench, FIRST, HD_SR_CLOCK_LO);
}

/* Cycles from the first reading to one behind all that was emitted since. A clock is read at issue. */
static uint32_t distance_of(struct simbench *bench)
{
	simbench_s2r(bench, SECOND, HD_SR_CLOCK_LO);
	simbench_ffma(bench, 43, SECOND, HD_RZ, HD_RZ); /* in this block, so that it shares no counter with others */
	simbench_ffma(bench, 44, FIRST, HD_RZ, HD_RZ);
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, 1, 32);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	return simbench_register(bench, 0, SECOND, 0) - simbench_register(bench, 0, FIRST, 0);
}

static uint32_t distance(struct simbench *bench)
{
	uint32_t cycles = distance_of(bench);
	simbench_release(bench);
	return cycles;
}

/*
 * The clock is read at 0. The FFMA of 1 reads three registers of bank 0, whose port is busy in cycles 2, 3 and 4. The
 * one of 2 would read in the window 3 to 5: with registers of bank 1 it does. With three of bank 0 it needs the port in
 * 5, 6 and 7, two cycles later. Its stall count, lat_fmad 5, begins in front of the window, so that the FFMA which
 * reads its result is at 2 + 5 or at 2 + 2 + 5, and the clock behind that one cycle later.
 */
START_TEST(a_stall_count_begins_behind_the_read_window)
{
	for (uint8_t conflict = 0; conflict < 2; conflict++) {
		struct simbench bench;
		begin(&bench);
		simbench_ffma(&bench, 20, 4, 6, 8);
		simbench_ffma(&bench, 21, (uint8_t)(11 - conflict), (uint8_t)(13 - conflict), (uint8_t)(15 - conflict));
		simbench_ffma(&bench, 23, 21, HD_RZ, HD_RZ);
		ck_assert_uint_eq(distance(&bench), conflict ? 2 + 2 + 5 + 1 : 2 + 5 + 1);
	}
}
END_TEST

/*
 * With two ports a bank, FFMAs from 1 on that read three registers of bank 0 each. The reads of the first begin at 2, 2
 * and 3, of the second at 3, 4 and 4, of the third at 5, 5 and 6, of the fourth, whose window is 5 to 7, at 6, 7 and 7:
 * three are just what is left of it. The fifth finds one place at a port each in 6 to 8, and is a cycle late. What
 * reads the result of the last is lat_fmad 5 behind.
 */
START_TEST(a_window_holds_what_its_ports_can_begin)
{
	for (uint32_t count = 1; count <= 5; count++) {
		struct simbench bench;
		begin(&bench);
		bench.config.register_ports = 2;
		for (uint32_t i = 0; i < count; i++)
			simbench_ffma(&bench, (uint8_t)(20 + i), 4, 6, 8);
		simbench_ffma(&bench, 30, (uint8_t)(20 + count - 1), HD_RZ, HD_RZ);
		ck_assert_uint_eq(distance(&bench), count + (count == 5) + 5 + 1);
	}
}
END_TEST

/*
 * The same with a second warp, which comes behind the clock that the first one reads at last, at count + 1, or one
 * later: the bubble is the scheduler's, and in it the other warp does not issue either.
 */
START_TEST(a_bubble_holds_other_warps)
{
	for (uint32_t count = 4; count <= 5; count++) {
		struct simbench bench;
		begin(&bench);
		bench.config.register_ports = 2;
		for (uint32_t i = 0; i < count; i++)
			simbench_ffma(&bench, (uint8_t)(20 + i), 4, 6, 8);
		simbench_s2r(&bench, SECOND, HD_SR_CLOCK_LO);
		simbench_ffma(&bench, 43, SECOND, FIRST, HD_RZ);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		ck_assert_int_eq(simbench_run(&bench, 1, 64), 0);
		uint32_t begun = simbench_register(&bench, 0, FIRST, 0);
		ck_assert_uint_eq(simbench_register(&bench, 0, SECOND, 0) - begun, count + (count == 5) + 1);
		ck_assert_uint_eq(simbench_register(&bench, 1, FIRST, 0) - begun, count + (count == 5) + 2);
		simbench_release(&bench);
	}
}
END_TEST

/* An FFMA of R0, R2 and R4 reads three registers of each warp: caches of operands hold nothing of a warp that has read
 * nothing, be it the first, the second or the third of the SM. */
START_TEST(nothing_is_reused_of_another_warp)
{
	uint64_t reads[4];
	for (uint32_t warps = 0; warps < 4; warps++) {
		struct simbench bench;
		begin(&bench);
		if (warps)
			simbench_ffma(&bench, 20, 0, 2, 4);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		ck_assert_int_eq(simbench_run(&bench, 1, 32 * (warps ? warps : 1)), 0);
		reads[warps] = simbench_stats(&bench)->counters.bank_reads;
		simbench_release(&bench);
	}
	for (uint32_t warps = 1; warps < 4; warps++)
		ck_assert_uint_eq(reads[warps], warps * (reads[0] + 3));
}
END_TEST

/* Reads of banks by an FFMA of R4, R8 and R12 that keeps those of the slots in `kept`, and by those that follow. */
static uint64_t reads_behind(uint8_t kept, const uint8_t (*after)[3], uint32_t count)
{
	uint64_t reads[2];
	for (uint32_t with = 0; with < 2; with++) {
		struct simbench bench;
		begin(&bench);
		if (with) {
			simbench_ffma(&bench, 20, 4, 8, 12);
			bench.code.data[bench.code.len - 1].reuse = kept;
		}
		for (uint32_t i = 0; with && i < count; i++)
			simbench_ffma(&bench, (uint8_t)(21 + i), after[i][0], after[i][1], after[i][2]);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
		reads[with] = simbench_stats(&bench)->counters.bank_reads;
		simbench_release(&bench);
	}
	return reads[1] - reads[0];
}

/*
 * A register that an instruction reads twice is read from its bank once. What an operand's slot has kept of the same
 * register needs no bank in the next instruction, in this slot; where the register is in another slot, too, it does.
 * The next instruction keeps nothing for those behind it.
 */
START_TEST(what_a_slot_keeps_needs_no_bank)
{
	enum { A = 1, B = 2, C = 4 };
	ck_assert_uint_eq(reads_behind(0, (const uint8_t[][3]){{5, 5, 6}}, 1), 3 + 2);
	ck_assert_uint_eq(reads_behind(0, (const uint8_t[][3]){{5, 5, 5}}, 1), 3 + 1);
	ck_assert_uint_eq(reads_behind(0, (const uint8_t[][3]){{4, 8, 12}}, 1), 3 + 3);
	ck_assert_uint_eq(reads_behind(A, (const uint8_t[][3]){{4, 8, 12}}, 1), 3 + 2);
	ck_assert_uint_eq(reads_behind(B, (const uint8_t[][3]){{4, 8, 12}}, 1), 3 + 2);
	ck_assert_uint_eq(reads_behind(C, (const uint8_t[][3]){{4, 8, 12}}, 1), 3 + 2);
	ck_assert_uint_eq(reads_behind(A | B | C, (const uint8_t[][3]){{4, 8, 12}}, 1), 3);
	ck_assert_uint_eq(reads_behind(A, (const uint8_t[][3]){{8, 4, 12}}, 1), 3 + 3);
	ck_assert_uint_eq(reads_behind(A, (const uint8_t[][3]){{4, 4, 12}}, 1), 3 + 2);
	ck_assert_uint_eq(reads_behind(B, (const uint8_t[][3]){{8, 8, 8}}, 1), 3 + 1);
	ck_assert_uint_eq(reads_behind(A | C, (const uint8_t[][3]){{4, 8, 12}, {4, 8, 12}}, 2), 3 + 1 + 3);
	/* Each bank has slots of its own: what R5's has in slot A stays, but is R4's no more. */
	ck_assert_uint_eq(reads_behind(A, (const uint8_t[][3]){{5, 9, 13}, {4, 8, 12}}, 2), 3 + 3 + 2);
	ck_assert_uint_eq(reads_behind(A, (const uint8_t[][3]){{6, 9, 13}, {4, 8, 12}}, 2), 3 + 3 + 3);
}
END_TEST

/* What the last instruction of a launch keeps is nothing to the next launch, whose warp is as old. */
START_TEST(nothing_is_reused_of_a_launch_before)
{
	struct simbench bench;
	begin(&bench);
	simbench_ffma(&bench, 20, 4, 8, 12);
	bench.code.data[bench.code.len - 1].reuse = 7;
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	uint64_t reads = simbench_stats(&bench)->counters.bank_reads;
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, reads);
	simbench_release(&bench);
}
END_TEST

/* A dependent FFMA: at lat_fmad 5, be there other instructions between or not. */
START_TEST(a_stall_count_covers_the_latency)
{
	for (uint8_t between = 0; between < 7; between++) {
		struct simbench bench;
		begin(&bench);
		simbench_ffma(&bench, 20, 4, 7, HD_RZ); /* at 1 */
		for (uint8_t i = 0; i < between; i++)
			simbench_mov(&bench, (uint8_t)(24 + i), 0);
		simbench_ffma(&bench, 21, 20, HD_RZ, HD_RZ);
		ck_assert_uint_eq(distance(&bench), 1 + (between < 4 ? 5 : between + 1) + 1);
	}
}
END_TEST

static void functions(struct simbench *bench, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct hd_inst *inst = simbench_emit(bench, HD_OP_MUFU);
		inst->dst = (uint8_t)(50 + i);
		inst->b = 4;
		inst->mods = HD_MOD(MUFUFN, HD_MUFU_SIN); /* lat_sfu */
	}
}

/*
 * Results that nobody in the block uses raise counter 5, which counts to 63. Special functions issue one a cycle from 1
 * on and take 200 cycles. The 63rd is at 63; the 64th, which would be at 64, waits until the first one's result is
 * written at 201; the 65th goes with that of the second.
 */
START_TEST(a_counter_that_is_full_holds_who_raises_it)
{
	static const struct {
		uint32_t count, last;
	} rows[] = {{1, 1}, {62, 62}, {63, 63}, {64, 201}, {65, 202}};
	for (uint32_t i = 0; i < 5; i++) {
		struct simbench bench;
		begin(&bench);
		bench.config.lat_sfu = 200;
		functions(&bench, rows[i].count);
		ck_assert_uint_eq(distance(&bench), rows[i].last + 1);
	}
}
END_TEST

/* A result of variable latency, which its reader in the block waits for: a special function of 20 cycles at 1. */
START_TEST(a_counter_comes_down_with_the_result)
{
	struct simbench bench;
	begin(&bench);
	bench.config.lat_sfu = 20;
	functions(&bench, 1);
	simbench_ffma(&bench, 20, 50, HD_RZ, HD_RZ);
	ck_assert_uint_eq(distance(&bench), 1 + 20 + 1);
}
END_TEST

/* An instruction at 1, a move that overwrites R4 or R5, which it reads, and the clock. */
static uint32_t overwritten(enum hd_op op, uint8_t data, uint32_t size, uint8_t overwrites)
{
	struct simbench bench;
	begin(&bench);
	bench.config.war_load = 111;
	bench.config.war_store = 122;
	bench.config.war_shared_load = 63;
	bench.config.war_shared_store = 74;
	bench.config.war_unit = 45;
	bench.config.war_constant = 86;
	bench.config.war_word = 3;
	struct hd_inst *inst = simbench_emit(&bench, op);
	if (op == HD_OP_MUFU) {
		inst->dst = 60;
		inst->b = 4;
	} else {
		inst->a = 4;
		inst->c = data;
		inst->dst = data == HD_RZ ? 60 : HD_RZ;
		inst->xkind = HD_X_OTHER;
		inst->mods = HD_MOD(SIZE, size);
	}
	simbench_mov(&bench, overwrites, 0);
	return distance(&bench);
}

/*
 * Registers of an instruction of variable latency may be overwritten so many cycles after it has its unit; data of a
 * store are read war_word 3 later a register. What overwrites is at 1 and that later, the clock one behind.
 */
START_TEST(registers_are_held_until_they_are_read)
{
	ck_assert_uint_eq(overwritten(HD_OP_MUFU, HD_RZ, 0, 4), 1 + 45 + 1);
	ck_assert_uint_eq(overwritten(HD_OP_LDS, HD_RZ, HD_SIZE_32, 4), 1 + 63 + 1);
	ck_assert_uint_eq(overwritten(HD_OP_STS, 8, HD_SIZE_32, 4), 1 + 74 + 3 + 1);
	ck_assert_uint_eq(overwritten(HD_OP_STS, 8, HD_SIZE_64, 4), 1 + 74 + 2 * 3 + 1);
	ck_assert_uint_eq(overwritten(HD_OP_STS, 8, HD_SIZE_128, 8), 1 + 74 + 4 * 3 + 1);
	ck_assert_uint_eq(overwritten(HD_OP_LDL, HD_RZ, HD_SIZE_32, 4), 1 + 111 + 1);
	ck_assert_uint_eq(overwritten(HD_OP_STL, 8, HD_SIZE_32, 8), 1 + 122 + 3 + 1);
	ck_assert_uint_eq(overwritten(HD_OP_LDC, HD_RZ, HD_SIZE_32, 4), 1 + 86 + 1);
	/* Who overwrites another register waits for nothing. */
	ck_assert_uint_eq(overwritten(HD_OP_MUFU, HD_RZ, 0, 5), 1 + 1 + 1);
}
END_TEST

/*
 * Two FFMAs of three registers of bank 0 have its port until 7, the second one's window is 5 to 7, and the store behind
 * it issues at 5. Of its address and four registers of data three are of bank 0: they are read at 8, 9 and 10, where
 * its window would have been 6 to 8. So it has its unit two cycles late, and its data may be overwritten as much later.
 */
START_TEST(reads_are_counted_from_when_the_unit_has_them)
{
	struct simbench bench;
	begin(&bench);
	bench.config.war_shared_store = 74;
	bench.config.war_word = 3;
	simbench_ffma(&bench, 30, 14, 16, 18);
	simbench_ffma(&bench, 31, 14, 16, 18);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_STS);
	inst->a = 4;
	inst->c = 8;
	inst->xkind = HD_X_OTHER;
	inst->mods = HD_MOD(SIZE, HD_SIZE_128);
	simbench_mov(&bench, 8, 0);
	ck_assert_uint_eq(distance(&bench), 5 + 2 + 74 + 4 * 3 + 1);
}
END_TEST

/*
 * An instruction at 1, whose result is used, or whose address is overwritten, at 1 + N, and the clock at 1 + N + 1: of
 * the slots between, N - 1, none issues: the first one for its stall count of 2, since a counter shows a cycle late,
 * the others for the reason that the counter's instruction gives.
 */
START_TEST(slots_are_lost_to_whom_they_wait_for)
{
	static const struct {
		enum hd_op op;
		enum hd_stall reason;
		bool overwrites;
	} rows[] = {
		{HD_OP_MUFU, HD_STALL_data_alu, false},	   {HD_OP_MUFU, HD_STALL_data_alu, true},
		{HD_OP_LDS, HD_STALL_data_shared, false},  {HD_OP_LDS, HD_STALL_data_shared, true},
		{HD_OP_SHFL, HD_STALL_data_shared, false}, {HD_OP_SHFL, HD_STALL_data_shared, true},
		{HD_OP_LDL, HD_STALL_data_memory, false},  {HD_OP_STL, HD_STALL_data_memory, true},
	};
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct simbench bench;
		begin(&bench);
		struct hd_inst *inst = simbench_emit(&bench, rows[i].op);
		inst->dst = rows[i].op == HD_OP_STL ? HD_RZ : 60;
		if (rows[i].op == HD_OP_MUFU) {
			inst->b = 4;
		} else {
			bool shuffles = rows[i].op == HD_OP_SHFL;
			inst->a = 4;
			inst->xkind = HD_X_OTHER;
			inst->x = shuffles ? 0x1f00 : 0;
			inst->mods = shuffles ? HD_MOD(BIMM, 1) | HD_MOD(CIMM, 1) : HD_MOD(SIZE, HD_SIZE_32);
		}
		if (rows[i].overwrites)
			simbench_mov(&bench, 4, 0);
		else
			simbench_ffma(&bench, 20, 60, HD_RZ, HD_RZ);
		uint64_t lost = distance_of(&bench) - 1 - 1 - 1 - 1;
		const struct hd_stats *stats = simbench_stats(&bench);
		ck_assert_uint_ge(lost, 2); /* war_unit 4 */
		ck_assert_uint_eq(stats->stalls[HD_STALL_data_shared],
				  rows[i].reason == HD_STALL_data_shared ? lost : 0);
		ck_assert_uint_eq(stats->stalls[HD_STALL_data_memory],
				  rows[i].reason == HD_STALL_data_memory ? lost : 0);
		simbench_release(&bench);
	}
}
END_TEST

/*
 * The first warp stores and waits at a barrier when its address has been read, the second comes there 40 FFMAs of 5
 * cycles later: the barrier holds the first one all the while.
 */
START_TEST(registers_that_are_read_let_nobody_pass_a_barrier)
{
	struct simbench bench;
	begin(&bench);
	bench.config.war_shared_store = 74;
	simbench_s2r(&bench, 30, HD_SR_WARPID);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_ISETP);
	inst->pdst = 0;
	inst->a = 30;
	inst->xkind = HD_X_IMM_B;
	inst->mods = HD_MOD(CMP, HD_CMP_EQ);
	inst = simbench_emit(&bench, HD_OP_BRA);
	inst->guard = 0;
	inst->xkind = HD_X_OTHER;
	inst->x = inst->reconv = bench.code.len + 40;
	simbench_chain(&bench, 40);
	inst = simbench_emit(&bench, HD_OP_STS);
	inst->a = 16;
	inst->c = HD_RZ;
	inst->xkind = HD_X_OTHER;
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	simbench_s2r(&bench, SECOND, HD_SR_CLOCK_LO);
	simbench_mov(&bench, 16, 0);
	simbench_ffma(&bench, 43, SECOND, FIRST, HD_RZ);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(simbench_run(&bench, 1, 64), 0);
	uint32_t end[2];
	for (uint32_t slot = 0; slot < 2; slot++)
		end[slot] = simbench_register(&bench, slot, SECOND, 0);
	ck_assert_uint_ge(end[0] - simbench_register(&bench, 0, FIRST, 0), 200);
	ck_assert_uint_le(end[0] > end[1] ? end[0] - end[1] : end[1] - end[0], 2);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("modern", (const TTest *const[]){
					     a_stall_count_begins_behind_the_read_window,
					     a_window_holds_what_its_ports_can_begin,
					     a_bubble_holds_other_warps,
					     nothing_is_reused_of_another_warp,
					     what_a_slot_keeps_needs_no_bank,
					     nothing_is_reused_of_a_launch_before,
					     a_stall_count_covers_the_latency,
					     a_counter_that_is_full_holds_who_raises_it,
					     a_counter_comes_down_with_the_result,
					     registers_are_held_until_they_are_read,
					     reads_are_counted_from_when_the_unit_has_them,
					     slots_are_lost_to_whom_they_wait_for,
					     registers_that_are_read_let_nobody_pass_a_barrier,
					     NULL,
				     });
}

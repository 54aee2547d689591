/* Copies in bulk for other blocks of the cluster, in time: to several at once, and from one to another. */
#include "bulk_bench.h"
#include "harness.h"
#include "heddle/opcodes.h"

enum { MULTICAST = 99, WAY = 60, SENT = 1024 };

/* Two blocks on an SM each, whose barriers expect the bytes before either goes on. R33 is the block's number, P2
 * whether it is the first, P3 whether it is the second. */
static void begin_cluster(struct simbench *bench, uint32_t bytes, int64_t way_there)
{
	bulk_begin(bench);
	bench->config.sm_count = 2;
	bench->config.tma_multicast = MULTICAST;
	bench->config.dsm_latency = way_there;
	bench->config.dsm_bytes = 16;
	bulk_barrier(bench);
	bulk_place(bench, bytes);
	simbench_mov(bench, 31, bytes);
	bulk_operation(bench, HD_SYNCS_ARRIVE_TX, 31);
	simbench_s2r(bench, 33, HD_SR_CTAID_X);
	for (uint8_t i = 0; i < 2; i++) {
		struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
		test->pdst = 2 + i, test->a = 33, test->xkind = HD_X_IMM_B, test->x = i;
		test->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
	}
}

static void meet(struct simbench *bench)
{
	simbench_emit(bench, HD_OP_CGABAR_ARV);
	simbench_emit(bench, HD_OP_CGABAR_WAIT);
	bulk_look(bench, 0);
}

static uint32_t clock_of(const struct simbench *bench, uint32_t sm, uint32_t number)
{
	return bench->sim->gpu.sms[sm]->warps[0].regs[CLOCKS + number][0];
}

static void run_cluster(struct simbench *bench)
{
	uint64_t address;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 65536, &address), 0);
	struct hd_launch launch = simbench_launch(bench, 2, 1, &address);
	launch.cluster[0] = 2, launch.cluster[1] = launch.cluster[2] = 1;
	for (uint32_t i = 0; i < 2; i++) {
		int error = hd_sim_launch(bench->sim, &launch);
		ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	}
	ck_assert_uint_eq(clock_of(bench, 0, 0), clock_of(bench, 1, 0));
}

/*
 * A line for both blocks is there tma_multicast cycles behind one for a block alone, in both at once; where a window
 * may be longer than that, as long as a way between SMs behind the answer, which is at shared memory a cycle later. The
 * copy is over when the other block has acknowledged it, a way later.
 */
START_TEST(several_blocks_get_a_copy)
{
	static const uint32_t ways[] = {WAY, 150}, more[] = {MULTICAST, 149};
	struct bulk_copies line = {.bytes = 128, .count = 1};
	uint32_t cycles = bulk_load(&line);
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		begin_cluster(&bench, 128, ways[i]);
		simbench_mov(&bench, BYTES + 1, 3);
		meet(&bench);
		bulk_copy(&bench, HD_BULK_G2S);
		hd_vec_last(&bench.code).guard = 2;
		hd_vec_last(&bench.code).mods |= HD_MOD(CAST, 1);
		bulk_wait(&bench, true, PARITY);
		bulk_look(&bench, 1);
		run_cluster(&bench);
		for (uint32_t sm = 0; sm < 2; sm++)
			ck_assert_uint_eq(clock_of(&bench, sm, 1) - clock_of(&bench, sm, 0), cycles + more[i]);
		ck_assert_uint_eq(bulk_counters(&bench)->multicast_bytes, 128);
		ck_assert_uint_eq(bulk_counters(&bench)->tma_loads, 1);
		ck_assert_uint_eq(bulk_counters(&bench)->tma_requests, 1);
		ck_assert_uint_eq(bulk_counters(&bench)->tma_barriers, 2);
		ck_assert_uint_eq(bulk_counters(&bench)->tma_flight_cycles, cycles + more[i] - WAKE - 1 + ways[i]);
		simbench_release(&bench);
	}
}
END_TEST

/* A copy of 16 bytes for the block alone is issued behind one for both, and is there before it: each in its own time,
 * at barriers of their own. */
START_TEST(copies_overtake_those_for_several_blocks)
{
	enum { OTHER = 56, SECOND = 38 };
	struct bulk_copies line = {.bytes = 128, .count = 1}, word = {.bytes = 16, .count = 1};
	uint32_t both = bulk_load(&line) + MULTICAST, alone = bulk_load(&word);
	struct simbench bench;
	begin_cluster(&bench, 128, WAY);
	simbench_mov(&bench, BYTES + 1, 3);
	simbench_mov(&bench, SECOND, 8);
	bulk_operation(&bench, HD_SYNCS_INIT, COUNT)->a = SECOND;
	simbench_param(&bench, OTHER);
	simbench_mov(&bench, OTHER + 2, PLACE + 512);
	simbench_mov(&bench, OTHER + 3, 8);
	simbench_mov(&bench, OTHER + 4, 16);
	simbench_mov(&bench, OTHER + 5, 0);
	bulk_operation(&bench, HD_SYNCS_ARRIVE_TX, OTHER + 4)->a = SECOND;
	meet(&bench);
	bulk_copy(&bench, HD_BULK_G2S);
	hd_vec_last(&bench.code).guard = 2;
	hd_vec_last(&bench.code).mods |= HD_MOD(CAST, 1);
	bulk_copy(&bench, HD_BULK_G2S);
	hd_vec_last(&bench.code).guard = 2;
	hd_vec_last(&bench.code).a = OTHER, hd_vec_last(&bench.code).c = OTHER + 4;
	bulk_wait(&bench, true, PARITY)->a = SECOND;
	hd_vec_last(&bench.code).guard = 2;
	bulk_look(&bench, 1);
	bulk_wait(&bench, true, PARITY);
	bulk_look(&bench, 2);
	run_cluster(&bench);
	ck_assert_uint_lt(alone + ISSUE, both);
	ck_assert_uint_eq(clock_of(&bench, 0, 1) - clock_of(&bench, 0, 0), alone + ISSUE);
	ck_assert_uint_eq(clock_of(&bench, 0, 2) - clock_of(&bench, 0, 0), both);
	ck_assert_uint_eq(clock_of(&bench, 1, 2) - clock_of(&bench, 1, 0), both);
	simbench_release(&bench);
}
END_TEST

/*
 * The second block sends 1 KB to the first: issued in cycle 1, eight lines of shared memory are read from 1 + 40 on,
 * five cycles apart, the last one in a cycle; they leave at 16 bytes a cycle, and are there a way later.
 */
START_TEST(a_block_sends_to_another)
{
	static const uint32_t ways[] = {WAY, 150};
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		begin_cluster(&bench, SENT, ways[i]);
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_MAPA); /* in the block of rank 0 */
		inst->dst = COPY, inst->a = COPY + 2, inst->b = HD_RZ;
		inst = simbench_emit(&bench, HD_OP_MAPA);
		inst->dst = COPY + 3, inst->a = BARRIER, inst->b = HD_RZ;
		meet(&bench);
		bulk_copy(&bench, HD_BULK_S2S);
		hd_vec_last(&bench.code).guard = 3;
		bulk_wait(&bench, true, PARITY);
		hd_vec_last(&bench.code).guard = 2;
		bulk_look(&bench, 1);
		run_cluster(&bench);
		ck_assert_uint_eq(clock_of(&bench, 0, 1) - clock_of(&bench, 0, 0),
				  1 + LATENCY + 7 * 5 + 1 + SENT / 16 + ways[i] + WAKE);
		ck_assert_uint_eq(clock_of(&bench, 1, 1) - clock_of(&bench, 1, 0), 3); /* it does not wait */
		ck_assert_uint_eq(bulk_counters(&bench)->tma_bytes, SENT);
		ck_assert_uint_eq(bulk_counters(&bench)->tma_requests, 0);
		ck_assert_uint_eq(bulk_counters(&bench)->tma_shared_cycles, SENT / 128);
		ck_assert_uint_eq(bulk_counters(&bench)->multicast_bytes, 0);
		simbench_release(&bench);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("multicast", (const TTest *const[]){
						several_blocks_get_a_copy,
						copies_overtake_those_for_several_blocks,
						a_block_sends_to_another,
						NULL,
					});
}

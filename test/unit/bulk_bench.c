/* See bulk_bench.h. */
#include "bulk_bench.h"
#include "harness.h"
#include "heddle/opcodes.h"

void bulk_begin(struct simbench *bench)
{
	simbench_init(bench);
	bench->config.compute_major = 9;
	bench->config.core_mhz = bench->config.icnt_mhz = bench->config.l2_mhz = 1000;
	bench->config.mbarrier_arrive = ARRIVE;
	bench->config.mbarrier_wake = WAKE;
	bench->config.mbarrier_busy = BUSY;
	bench->config.mbarrier_limit = LIMIT;
	bench->config.tma_latency = LATENCY;
	bench->config.tma_issue = ISSUE;
	bench->config.tma_row = 5;
	bench->meta.registers = 64;
	bench->meta.shared_bytes = ROOM;
}

struct hd_inst *bulk_operation(struct simbench *bench, uint32_t op, uint8_t count)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_SYNCS);
	inst->a = BARRIER, inst->c = count, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SYNCSOP, op);
	inst->dst = HD_RZ;
	return inst;
}

struct hd_inst *bulk_wait(struct simbench *bench, bool tries, uint8_t parity)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_SYNCS_WAIT);
	inst->a = BARRIER, inst->b = parity, inst->c = HD_RZ, inst->xkind = HD_X_OTHER, inst->pdst = 1;
	inst->mods = HD_MOD(PATIENCE, tries ? HD_PATIENCE_TRY : HD_PATIENCE_TEST);
	return inst;
}

void bulk_look(struct simbench *bench, uint32_t number)
{
	simbench_s2r(bench, (uint8_t)(CLOCKS + number), HD_SR_CLOCK_LO);
}

uint32_t bulk_clock(const struct simbench *bench, uint32_t warp, uint32_t number)
{
	return simbench_register(bench, warp, CLOCKS + number, 0);
}

uint32_t bulk_cycles(const struct simbench *bench, uint32_t number)
{
	return bulk_clock(bench, 0, number) - bulk_clock(bench, 0, 0);
}

void bulk_need(struct simbench *bench, uint8_t predicate)
{
	simbench_mov(bench, 30, 1);
	hd_vec_last(&bench->code).guard = predicate;
}

void bulk_barrier(struct simbench *bench)
{
	simbench_mov(bench, BARRIER, 0);
	simbench_mov(bench, COUNT, 1);
	simbench_mov(bench, PARITY, 0);
	simbench_mov(bench, PARITY + 1, 1);
	bulk_operation(bench, HD_SYNCS_INIT, COUNT);
}

void bulk_run_threads(struct simbench *bench, uint32_t threads)
{
	uint64_t address;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 65536, &address), 0);
	struct hd_launch launch = simbench_launch(bench, 1, threads, &address);
	if (!bench->meta.param_bytes)
		launch.param_bytes = 0;
	for (uint32_t i = 0; i < 2; i++) {
		int error = hd_sim_launch(bench->sim, &launch);
		ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	}
}

void bulk_run(struct simbench *bench)
{
	bulk_run_threads(bench, 1);
}

const struct hd_counters *bulk_counters(const struct simbench *bench)
{
	return &simbench_stats(bench)->counters;
}

void bulk_place(struct simbench *bench, uint32_t bytes)
{
	simbench_param(bench, COPY);
	simbench_mov(bench, COPY + 2, PLACE);
	simbench_mov(bench, COPY + 3, 0);
	simbench_mov(bench, BYTES, bytes);
	simbench_mov(bench, BYTES + 1, 0);
}

void bulk_copy(struct simbench *bench, uint32_t kind)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_UBLKCP);
	inst->a = COPY, inst->c = BYTES, inst->mods = HD_MOD(BULK, kind);
}

static void set_keys(struct simbench *bench, const struct bulk_copies *copies)
{
	bulk_begin(bench);
	if (copies->latency)
		bench->config.tma_latency = copies->latency;
	if (copies->issue)
		bench->config.tma_issue = copies->issue;
	if (copies->queue)
		bench->config.tma_queue = copies->queue;
	if (copies->requests)
		bench->config.tma_requests = copies->requests;
	if (copies->row > 0)
		bench->config.tma_row = copies->row;
	bench->config.tlb_entries = copies->translates;
	bench->config.tlb_page = 4096;
	bench->config.tlb_miss = 0;
}

uint32_t bulk_load(struct bulk_copies *copies)
{
	struct simbench bench;
	set_keys(&bench, copies);
	bulk_barrier(&bench);
	bulk_place(&bench, copies->bytes);
	simbench_mov(&bench, 31, copies->count * copies->bytes);
	bulk_operation(&bench, HD_SYNCS_ARRIVE_TX, 31);
	simbench_chain(&bench, 20);
	bulk_look(&bench, 0);
	for (uint32_t i = 0; i < copies->count; i++)
		bulk_copy(&bench, HD_BULK_G2S);
	bulk_look(&bench, 1);
	for (uint32_t i = 0; i < copies->loads; i++) {
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDG);
		inst->dst = 51, inst->a = COPY, inst->xkind = HD_X_OTHER, inst->x = 16384 + 4096 * i;
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	}
	if (copies->loads)
		bulk_look(&bench, 3);
	for (uint32_t i = 0; i < copies->more; i++)
		simbench_mov(&bench, (uint8_t)(50 + i), i);
	for (uint32_t i = 0; i < copies->barriers; i++)
		simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	for (uint32_t i = 0; i < copies->fences; i++)
		simbench_emit(&bench, HD_OP_MEMBAR)->mods = HD_MOD(SCOPE, HD_SCOPE_GPU);
	bulk_wait(&bench, true, PARITY);
	bulk_look(&bench, 2);
	bulk_run(&bench);
	copies->behind = bulk_cycles(&bench, 1);
	copies->loaded = copies->loads ? bulk_cycles(&bench, 3) : 0;
	copies->counters = *bulk_counters(&bench);
	uint32_t cycles = bulk_cycles(&bench, 2);
	simbench_release(&bench);
	return cycles;
}

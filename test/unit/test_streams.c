/* Streams that warps run before their bodies, and registers that a grid has on an SM beside those of its warps. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/stream.h"
#include "simbench.h"

enum { LOG = 64, ROWS = 4 };

static struct hd_policy probe;

static void start_with(struct simbench *bench, const struct hd_policy_hooks *hooks)
{
	probe = (struct hd_policy){.name = "probe", .hooks = hooks};
	ck_assert_int_eq(simbench_start(bench), 0);
	struct hd_gpu *gpu = &bench->sim->gpu;
	hd_policy_add(gpu, &probe, "");
	hd_policy_place(gpu);
	if (hooks->decode) /* the program is loaded already */
		hooks->decode(&gpu->policies[0], gpu, &gpu->program.functions.data[0], gpu->program.code.data);
}

static struct hd_counters run(struct simbench *bench, uint32_t ctas, uint32_t threads)
{
	int error = simbench_run(bench, ctas, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	struct hd_stats stats = *simbench_stats(bench);
	uint64_t slots = 0;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		slots += stats.stalls[i];
	ck_assert_uint_eq(slots, stats.counters.cycles * bench->config.schedulers);
	return stats.counters;
}

/* ---- streams */

/* The body is at 0; the first warp of the SM runs the stream at `first`, with one lane, then that at `second`, with
 * sixteen. All others wait for it. */
static uint32_t first, second, stage, ends, held, first_later;
static uint32_t issued_pcs[LOG], issued_lanes[LOG], issue_count;
static uint64_t waited; /* cycles from a stream's EXIT to its end, the most */

static void choose_stream(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self, (void)now;
	if (stage == 0) {
		hd_warp_run(warp, first, 1, first_later);
		stage++;
	} else if (stage < 3) {
		hd_warp_hold(warp->cta->sm, warp);
		held++;
	}
}

static void end_stream(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	(void)self;
	ends++;
	ck_assert(hd_warp_drained(warp));
	waited = now - warp->last_issue > waited ? now - warp->last_issue : waited;
	hd_range_row(sm, warp->cta->grid, 1)[stage] = warp->regs[8][0];
	if (++stage == 2) {
		hd_warp_run(warp, second, 0xffff, 0);
		return;
	}
	for (uint32_t slot = 0; slot < sm->warp_count; slot++)
		if (sm->warps[slot].held)
			hd_warp_resume(sm, &sm->warps[slot], now);
}

static void note(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		 const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)inst, (void)now;
	uint32_t pc = (uint32_t)(inst - warp->cta->sm->gpu->program.code.data);
	if (issue_count < LOG) {
		issued_pcs[issue_count] = pc;
		issued_lanes[issue_count++] = effect->mask;
	}
	ck_assert_uint_eq(warp->stream && effect->event != HD_EVENT_EXIT, pc >= first && inst->inst.op != HD_OP_EXIT);
}

static uint32_t reserve(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	(void)self, (void)sm, (void)grid;
	return ROWS;
}

static const struct hd_policy_hooks stream_hooks = {.issue.warp_start = choose_stream,
						    .issue.stream_end = end_stream,
						    .issue.issued = note,
						    .allocation.reserve = reserve};

/* Body: R9 = R8 + 1; @P0 R10 = 1; EXIT. First: R8 = 5, P0 true, a DADD; second: R8 = 7, a NOP. */
static void build(struct simbench *bench)
{
	simbench_init(bench);
	bench->meta.registers = 24;
	struct hd_inst *add = simbench_emit(bench, HD_OP_IADD3);
	add->dst = 9;
	add->a = 8;
	add->xkind = HD_X_IMM_B;
	add->x = 1;
	simbench_mov(bench, 10, 1);
	hd_vec_last(&bench->code).guard = 0;
	simbench_emit(bench, HD_OP_EXIT);
	first = bench->code.len;
	simbench_mov(bench, 8, 5);
	simbench_emit(bench, HD_OP_PLOP)->pdst = 0;
	struct hd_inst *dadd = simbench_emit(bench, HD_OP_DADD);
	dadd->dst = 12;
	dadd->a = dadd->b = 14;
	simbench_emit(bench, HD_OP_EXIT);
	second = bench->code.len;
	simbench_mov(bench, 8, 7);
	simbench_emit(bench, HD_OP_NOP);
	stage = ends = held = issue_count = 0;
	waited = 0;
}

/* Blocks of 40 threads: two warps, the second with eight lanes. */
START_TEST(streams_run_before_bodies)
{
	struct simbench bench;
	build(&bench);
	start_with(&bench, &stream_hooks);
	struct hd_counters counters = run(&bench, 2, 40);
	ck_assert_uint_eq(ends, 2);
	ck_assert_uint_eq(held, 3);
	ck_assert_uint_eq(counters.stream_instructions, 4 + 3);
	ck_assert_uint_eq(counters.warp_instructions, 4 + 3 + 4 * 3);
	/* Of four bodies three instructions, of which one is for nobody. */
	ck_assert_uint_eq(counters.thread_instructions, 4 + 3 * 16 + 2 * (32 + 8) * 2);
	for (uint32_t i = 0; i < 7; i++) {
		ck_assert_uint_eq(issued_pcs[i], first + i);
		ck_assert_uint_eq(issued_lanes[i], i < 4 ? 1 : 0xffff);
	}
	for (uint32_t i = 7; i < issue_count; i++)
		ck_assert_uint_lt(issued_pcs[i], first);
	/* The DADD's result is waited for, longer than the EXIT takes. */
	ck_assert_uint_ge(waited, bench.config.lat_dadd - 1);
	/* Bodies are fresh, and what the streams left is there: rows are zero before. */
	for (uint32_t slot = 0; slot < 4; slot++) {
		ck_assert_uint_eq(simbench_register(&bench, slot, 9, 0), 1);
		ck_assert_uint_eq(simbench_register(&bench, slot, 10, 0), 0);
	}
	const struct hd_sm *sm = bench.sim->gpu.sms[0];
	ck_assert_uint_eq(sm->grids[0].range.rows, ROWS);
	ck_assert_uint_eq(sm->grids[0].range.values[1][1], 5);
	ck_assert_uint_eq(sm->grids[0].range.values[1][2], 7);
	ck_assert_uint_eq(sm->grids[0].range.values[1][0] | sm->grids[0].range.values[0][0] |
				  sm->grids[0].range.values[2][1],
			  0);
	/* And zero again for the next grid, which runs no stream. */
	run(&bench, 1, 32);
	ck_assert_uint_eq(sm->grids[0].range.values[1][1], 0);
	ck_assert_uint_eq(ends, 2);
	simbench_release(&bench);
}
END_TEST

START_TEST(streams_may_begin_later)
{
	uint64_t cycles[2];
	for (uint32_t later = 0; later < 2; later++) {
		struct simbench bench;
		build(&bench);
		first_later = 7 * later;
		start_with(&bench, &stream_hooks);
		cycles[later] = run(&bench, 2, 40).cycles;
		simbench_release(&bench);
	}
	first_later = 0;
	ck_assert_uint_eq(cycles[1], cycles[0] + 7);
}
END_TEST

/* ---- ranges */

static uint32_t reserved, most_resident, range_row, range_lanes;
static uint8_t range_kind, extra_cycles;

static uint32_t reserve_some(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	(void)self, (void)sm, (void)grid;
	return reserved;
}

static void count_resident(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)self, (void)cta;
	most_resident = sm->resident_ctas > most_resident ? sm->resident_ctas : most_resident;
}

static const struct hd_policy_hooks reserve_hooks = {.several_grids = true,
						     .allocation.reserve = reserve_some,
						     .allocation.cta_launch = count_resident};

static uint32_t resident_with(uint32_t rows, uint32_t warp_unit)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.registers = 4096;
	bench.config.register_unit = 256;
	bench.config.warp_unit = warp_unit;
	reserved = rows;
	most_resident = 0;
	simbench_chain(&bench, 200);
	start_with(&bench, &reserve_hooks);
	run(&bench, 12, 32);
	simbench_release(&bench);
	return most_resident;
}

/* Warps have 16 registers, 512 words; rows are 32, allocated in units of 256. */
START_TEST(occupancy_counts_ranges)
{
	ck_assert_uint_eq(resident_with(0, 1), 8);
	ck_assert_uint_eq(resident_with(1, 1), 7);
	ck_assert_uint_eq(resident_with(16, 1), 7);
	ck_assert_uint_eq(resident_with(17, 1), 6);
	ck_assert_uint_eq(resident_with(120, 1), 1); /* a block runs all the same */
	ck_assert_uint_eq(resident_with(4, 4), 4);   /* of each of four parts a warp is left */
}
END_TEST

static uint64_t submit(struct simbench *bench, uint64_t stream)
{
	struct hd_launch launch = {.kernel = bench->kernel, .grid = {12, 1, 1}, .block = {32, 1, 1}, .stream = stream};
	uint64_t ticket;
	ck_assert_msg(!hd_sim_submit(bench->sim, &launch, &ticket), "%s", hd_sim_error_text(bench->sim));
	return ticket;
}

START_TEST(ranges_of_grids_lie_apart)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.registers = 4096;
	bench.config.register_unit = 256;
	bench.config.warp_unit = 1;
	reserved = 40;
	most_resident = 0;
	simbench_chain(&bench, 200);
	start_with(&bench, &reserve_hooks);
	submit(&bench, 1);
	submit(&bench, 2);
	ck_assert_int_eq(hd_sim_wait_all(bench.sim), 0);
	const struct hd_sm *sm = bench.sim->gpu.sms[0];
	ck_assert_uint_eq(sm->grids[0].range.first, 0);
	ck_assert_uint_eq(sm->grids[1].range.first, 40);
	/* A place behind the first of two ranges is taken by the second, which is looked at before. */
	struct hd_grid grids[3] = {{.slot = 0, .running = true}, {.slot = 1, .running = true}, {.slot = 2}};
	struct hd_gpu *gpu = &bench.sim->gpu;
	struct hd_sm *where = gpu->sms[0];
	for (uint32_t i = 0; i < 2; i++) {
		hd_vec_push(&gpu->grids, &grids[i]);
		where->grids[i].range.first = i ? 0 : 40;
		where->grids[i].range.rows = 40;
	}
	ck_assert_int_eq(hd_range_place(where, &grids[2], 40), 0);
	ck_assert_uint_eq(where->grids[2].range.first, 80);
	ck_assert_int_eq(hd_range_place(where, &grids[2], 0), 0);
	where->grids[0].range.rows = where->grids[1].range.rows = 0;
	gpu->grids.len = 0;
	/* 4096 - 2 * 1280 are three warps; the first grid, alone, had room for five. */
	ck_assert_uint_le(most_resident, 5);
	ck_assert_uint_ge(most_resident, 3);
	simbench_release(&bench);
}
END_TEST

static void mark(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		 struct hd_dinst *code)
{
	(void)self, (void)gpu;
	for (uint32_t i = 0; i < function->count; i++) {
		if (code[i].pipe == HD_PIPE_FP32 || code[i].inst.op == HD_OP_NOP)
			code[i].range = range_kind;
		if (code[i].pipe == HD_PIPE_LSU)
			code[i].extra = extra_cycles;
	}
}

static uint32_t list_rows(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  struct hd_range_access list[HD_MAX_RANGE])
{
	(void)self, (void)warp;
	ck_assert_uint_eq(inst->range, range_kind);
	list[0] = (struct hd_range_access){range_row, range_lanes};
	return 1;
}

static const struct hd_policy_hooks range_hooks = {.allocation.reserve = reserve,
						   .decode = mark,
						   .operands.range_reads = list_rows,
						   .operands.range_writes = list_rows};

/* Four banks with a port each: the FFMAs of the chain read R4, R5, R6. */
static struct hd_counters chain_with(uint8_t kind, uint32_t row, uint32_t lanes, uint32_t length, uint32_t subcores)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.schedulers = bench.config.units_fp32 = subcores ? 4 : 1;
	bench.config.subcores = subcores;
	bench.config.register_banks = subcores ? 16 : 4;
	bench.config.register_ports = bench.config.register_write_ports = 1;
	range_kind = kind;
	range_row = row;
	range_lanes = lanes;
	extra_cycles = 0;
	simbench_chain(&bench, length);
	start_with(&bench, &range_hooks);
	struct hd_counters counters = run(&bench, 1, 32);
	simbench_release(&bench);
	return counters;
}

static uint64_t each(uint8_t kind, uint32_t row, uint32_t lanes)
{
	uint64_t some = chain_with(kind, row, lanes, 10, 0).cycles;
	return (chain_with(kind, row, lanes, 30, 0).cycles - some) / 20;
}

START_TEST(ranges_are_operands)
{
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_uint_eq(each(0, 0, 32), config.lat_fmad);
	ck_assert_uint_eq(each(HD_RANGE_READS, 0, 32), config.lat_fmad + 1); /* the bank of R4 */
	ck_assert_uint_eq(each(HD_RANGE_READS, 2, 32), config.lat_fmad + 1); /* and R6 */
	ck_assert_uint_eq(each(HD_RANGE_READS, 3, 32), config.lat_fmad);
	ck_assert_uint_eq(chain_with(HD_RANGE_READS, 1, 32, 10, 0).bank_reads, 40);
	struct hd_counters lane = chain_with(HD_RANGE_READS, 1, 1, 10, 0);
	ck_assert_uint_eq(lane.bank_reads, 30);
	ck_assert_uint_eq(lane.bank_lane_reads, 10);
	ck_assert_uint_eq(lane.cycles, chain_with(HD_RANGE_READS, 1, 32, 10, 0).cycles);
}
END_TEST

/* In the one register file, or in that of each scheduler. */
START_TEST(ranges_are_written)
{
	struct hd_counters one = chain_with(HD_RANGE_WRITES, 2, 32, 10, 0),
			   copies = chain_with(HD_RANGE_WRITES, 2, 16, 10, 1);
	ck_assert_uint_eq(one.bank_writes, 20);
	ck_assert_uint_eq(one.bank_lane_writes, 0);
	ck_assert_uint_eq(copies.bank_writes, 10);
	ck_assert_uint_eq(copies.bank_lane_writes, 10 * 4 * 16); /* each scheduler's file has one */
}
END_TEST

/* With operands = accelsim when that is, is known when an instruction has its collector. */
START_TEST(ranges_are_written_behind_collectors)
{
	struct hd_counters counters[2];
	for (uint32_t writes = 0; writes < 2; writes++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.config.operands = HD_OPERANDS_ACCELSIM;
		bench.config.register_banks = 4;
		range_kind = writes ? HD_RANGE_WRITES : 0;
		range_row = 2;
		range_lanes = 32;
		simbench_chain(&bench, 10);
		start_with(&bench, &range_hooks);
		counters[writes] = run(&bench, 1, 32);
		simbench_release(&bench);
	}
	ck_assert_uint_eq(counters[0].bank_writes, 10);
	ck_assert_uint_eq(counters[1].bank_writes, 20);
	ck_assert_uint_eq(counters[1].bank_reads, 30);
}
END_TEST

/* A warp whose last instruction writes a range has not ended before that is written. */
START_TEST(the_end_waits_for_ranges)
{
	uint64_t cycles[2];
	for (uint32_t writes = 0; writes < 2; writes++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.config.lat_ctrl = 40;
		range_kind = writes ? HD_RANGE_WRITES : 0;
		range_row = 0;
		range_lanes = 32;
		simbench_emit(&bench, HD_OP_NOP);
		start_with(&bench, &range_hooks);
		cycles[writes] = run(&bench, 1, 32).cycles;
		simbench_release(&bench);
	}
	ck_assert_uint_ge(cycles[1], cycles[0] + 35);
}
END_TEST

/* Shared memory answers so many cycles later; what is behind it is not later than it. */
START_TEST(accesses_take_extra_cycles)
{
	uint64_t cycles[2];
	for (uint32_t more = 0; more < 2; more++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.meta.shared_bytes = 64;
		range_kind = 0;
		extra_cycles = more ? 9 : 0;
		struct hd_inst *load = simbench_emit(&bench, HD_OP_LDS);
		load->mods = HD_MOD(SIZE, HD_SIZE_32);
		load->a = 9;
		load->dst = 10;
		load->xkind = HD_X_OTHER;
		simbench_ffma(&bench, 11, 10, 5, 6);
		start_with(&bench, &range_hooks);
		cycles[more] = run(&bench, 1, 32).cycles;
		simbench_release(&bench);
	}
	ck_assert_uint_eq(cycles[1], cycles[0] + 9);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("streams", (const TTest *const[]){
					      streams_run_before_bodies,
					      streams_may_begin_later,
					      occupancy_counts_ranges,
					      ranges_of_grids_lie_apart,
					      ranges_are_operands,
					      ranges_are_written,
					      ranges_are_written_behind_collectors,
					      the_end_waits_for_ranges,
					      accesses_take_extra_cycles,
					      NULL,
				      });
}

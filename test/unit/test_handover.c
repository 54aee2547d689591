/* Blocks that go from SM to SM: what they compute, what goes along, and that host threads change nothing. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/context.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"
#include "simbench.h"

enum { SMS = 12, BLOCKS = 40, THREADS = 96, CHAIN = 60, MOVES = 12, EVERY = 5, LOG = 256 };

struct arrival {
	uint64_t cycle;
	uint32_t from, linear, moves;
	uint32_t unused; /* no padding: logs are compared as bytes */
};

/* An SM writes its own alone. */
static struct log {
	struct arrival list[LOG];
	uint32_t count, done;
} logs[SMS];

struct block_state {
	uint32_t moves;
	bool away, arrived;
};
struct warp_state {
	uint32_t mark; /* as its first SM wrote it */
};

static uint32_t mark_of(const struct hd_warp *warp)
{
	return 1000 * warp->cta->linear + warp->index + 1;
}

static void warp_start(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	((struct warp_state *)hd_policy_warp(self, warp))->mark = mark_of(warp);
}

static void on_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)cta;
	if (!sm->alarms.count)
		hd_policy_at(self, sm, sm->now + EVERY, 0);
}

/* Suspends the block, sends it when it may go, resumes it where it has come to. */
static void step(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct block_state *own = hd_policy_cta(self, cta);
	if (!own->away && own->moves < MOVES) {
		ck_assert(!hd_cta_can_leave(sm, cta));
		hd_cta_suspend(sm, cta, HD_PART_SHARED | HD_PART_REGISTERS | HD_PART_STACK);
		own->away = true;
		own->arrived = false;
	} else if (own->away && !own->arrived && hd_cta_can_leave(sm, cta)) {
		for (uint32_t part = HD_PART_SLOT; part <= HD_PART_SHARED; part *= 2) { /* who has a place stays */
			const bool matters = part == HD_PART_SLOT || part == HD_PART_SHARED;
			cta->away ^= (uint8_t)(matters ? part : 0);
			ck_assert(hd_cta_can_leave(sm, cta) != matters);
			cta->away ^= (uint8_t)(matters ? part : 0);
		}
		sm->grids[0].range.rows = 1; /* who has a range stays */
		ck_assert(!hd_cta_can_leave(sm, cta));
		sm->grids[0].range.rows = 0;
		hd_cta_send(sm, cta, (sm->id + 5 + cta->linear) % SMS);
		ck_assert(!hd_cta_can_leave(sm, cta)); /* once */
		ck_assert(!hd_cta_resume(sm, cta, now));
	} else if (own->arrived && own->away) {
		own->away = !hd_cta_resume(sm, cta, now);
	}
}

static void on_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	(void)arg;
	/* Grids that have blocks here share its queues. */
	ck_assert_uint_eq(sm->grid_mask, sm->grids[0].resident != 0);
	for (uint32_t i = 0; i < sm->cta_count; i++)
		if (sm->ctas[i].used)
			step(self, sm, &sm->ctas[i], now);
	if (sm->resident_warps)
		hd_policy_at(self, sm, now + EVERY, 0);
}

/* A warp's registers are in a file of its own SM, also where it has left one. */
static void check_files(const struct hd_sm *sm)
{
	uint32_t parts = sm->gpu->shape.parts;
	for (uint32_t id = 0; id < sm->warp_count; id++) {
		const struct hd_regfile *file = sm->warps[id].regfile;
		bool own = !file;
		for (uint32_t part = 0; part < parts; part++)
			own |= file == sm->operands.regfiles[part];
		ck_assert(own);
	}
}

static void on_arrive(const struct hd_policy_handle *self, struct hd_sm *from, struct hd_sm *sm, struct hd_cta *cta,
		      uint64_t now)
{
	struct block_state *own = hd_policy_cta(self, cta);
	struct log *log = &logs[sm->id];
	ck_assert(own->away && !own->arrived && cta->sm == sm && cta->used);
	ck_assert_uint_eq(cta->away, HD_PART_SLOT | HD_PART_SHARED);
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		const struct hd_warp *warp = hd_cta_warp(cta, i);
		ck_assert(!warp || !hd_warp_pending(sm, warp));
		if (warp && warp->state == HD_WARP_BARRIER)
			ck_assert_uint_eq(hd_warp_at(sm, warp)->inst.op, HD_OP_BAR);
	}
	check_files(from);
	check_files(sm);
	own->arrived = true;
	own->moves++;
	if (log->count < LOG)
		log->list[log->count++] = (struct arrival){now, from->id, cta->linear, own->moves, 0};
	if (!sm->alarms.count)
		hd_policy_at(self, sm, now + EVERY, 0);
}

static void on_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	ck_assert_uint_eq(((struct warp_state *)hd_policy_warp(self, warp))->mark, mark_of(warp));
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
		uint32_t thread = warp->index * HD_WARP_LANES + lane;
		ck_assert_uint_eq(warp->regs[4][lane], thread + CHAIN * 8);
		ck_assert_uint_eq(warp->regs[7][lane],
				  THREADS - 1 - thread); /* of another warp, through shared memory */
		ck_assert_uint_eq(warp->regs[10][lane], warp->cta->linear + thread); /* through local memory */
	}
	logs[warp->cta->sm->id].done++;
}

static const struct hd_policy_hooks hooks = {.moves = true,
					     .spare_warps = 32,
					     .spare_ctas = 30,
					     .cta_bytes = sizeof(struct block_state),
					     .warp_bytes = sizeof(struct warp_state),
					     .allocation.cta_launch = on_launch,
					     .issue.warp_start = warp_start,
					     .contexts.cta_arrive = on_arrive,
					     .allocation.warp_done = on_done,
					     .alarm = on_alarm};
static const struct hd_policy policy = {.name = "probe", .hooks = &hooks};

static struct hd_inst *transfer(struct simbench *bench, enum hd_op op)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	inst->xkind = HD_X_OTHER;
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	return inst;
}

static struct hd_inst *immediate(struct simbench *bench, enum hd_op op, uint8_t dst, uint8_t a, uint32_t x)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	inst->dst = dst;
	inst->a = a;
	inst->xkind = HD_X_IMM_B;
	inst->x = x;
	return inst;
}

/* R8: the thread, to shared memory at 4 * R8; R8 and the block's number to local memory; a barrier; R4: the thread +
 * CHAIN
 * * 8; R7 from shared memory at 4 * (THREADS - 1 - R8); R10 from local memory. */
static void build(struct simbench *bench)
{
	simbench_s2r(bench, 8, HD_SR_TID_X);
	immediate(bench, HD_OP_SHL, 9, 8, 2);
	transfer(bench, HD_OP_STS)->a = 9;
	hd_vec_last(&bench->code).c = 8;
	simbench_mov(bench, 11, 0);
	simbench_s2r(bench, 13, HD_SR_CTAID_X);
	struct hd_inst *sum = simbench_emit(bench, HD_OP_IADD3);
	sum->dst = 13, sum->a = 13, sum->b = 8, sum->c = HD_RZ;
	transfer(bench, HD_OP_STL)->a = 11;
	hd_vec_last(&bench->code).c = 13;
	simbench_s2r(bench, 4, HD_SR_TID_X);
	for (uint32_t i = 0; i < CHAIN / 2; i++)
		immediate(bench, HD_OP_IADD3, 4, 4, 8)->c = HD_RZ;
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	for (uint32_t i = 0; i < CHAIN / 2; i++)
		immediate(bench, HD_OP_IADD3, 4, 4, 8)->c = HD_RZ;
	immediate(bench, HD_OP_LOP3, 12, 9, UINT32_MAX); /* -1 - 4 * thread, below */
	hd_vec_last(&bench->code).c = HD_RZ;
	hd_vec_last(&bench->code).mods = HD_MOD(LUT, 0x3c); /* a ^ b */
	immediate(bench, HD_OP_IADD3, 12, 12, 4 * (THREADS - 1) + 1)->c = HD_RZ;
	transfer(bench, HD_OP_LDS)->a = 12;
	hd_vec_last(&bench->code).dst = 7;
	transfer(bench, HD_OP_LDL)->a = 11;
	hd_vec_last(&bench->code).dst = 10;
	simbench_mov(bench, 11, 0); /* behind what was loaded */
	bench->meta.shared_bytes = 4 * THREADS;
	bench->meta.max_stack_bytes = 16;
}

static struct hd_stats run(uint32_t host_threads, bool verify, uint32_t files, struct log kept[SMS])
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.schedulers = files;
	bench.config.subcores = files > 1;
	bench.config.collectors *= files;
	bench.config.sm_count = SMS;
	bench.config.max_ctas = 2; /* places that one has left are soon others' */
	bench.options.threads = host_threads;
	bench.options.verify = verify;
	build(&bench);
	memset(logs, 0, sizeof(logs));
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	hd_policy_add(&bench.sim->gpu, &policy, "");
	hd_policy_place(&bench.sim->gpu);
	ck_assert_msg(!simbench_run(&bench, BLOCKS, THREADS), "%s", hd_sim_error_text(bench.sim));
	struct hd_stats stats = *simbench_stats(&bench);
	for (uint32_t i = 0; i < SMS; i++) {
		const struct hd_sm *sm = bench.sim->gpu.sms[i];
		ck_assert_uint_eq(sm->places.placed_warps + sm->resident_warps + sm->places.placed_ctas +
					  sm->resident_ctas,
				  0);
		ck_assert_uint_eq(sm->grids[0].registers_away + sm->contexts.unplaced + sm->handover.count, 0);
	}
	memcpy(kept, logs, sizeof(logs));
	simbench_release(&bench);
	return stats;
}

static void check_moves(const struct log kept[SMS])
{
	uint32_t moves = 0, done = 0;
	for (uint32_t i = 0; i < SMS; i++) {
		moves += kept[i].count;
		done += kept[i].done;
	}
	ck_assert_uint_eq(done, BLOCKS * THREADS / HD_WARP_LANES);
	ck_assert_uint_gt(moves, BLOCKS * (MOVES - 2));
}

START_TEST(blocks_compute_the_same_on_other_sms)
{
	static struct log kept[SMS];
	for (uint32_t files = 1; files <= 2; files++) {		   /* register files of an SM */
		struct hd_stats stats = run(1, true, files, kept); /* what they leave is spoilt */
		check_moves(kept);
		ck_assert_uint_eq(stats.counters.ctas, BLOCKS);
		ck_assert_uint_eq(stats.counters.warps, BLOCKS * THREADS / HD_WARP_LANES);
	}
}
END_TEST

START_TEST(they_go_in_the_same_cycles_whatever_host_threads)
{
	static struct log one[SMS], more[SMS];
	struct hd_stats alone = run(1, false, 1, one);
	check_moves(one);
	for (uint32_t threads = 2; threads <= 4; threads *= 2) {
		struct hd_stats stats = run(threads, false, 1, more);
		ck_assert_mem_eq(one, more, sizeof(one));
		ck_assert_mem_eq(&alone, &stats, sizeof(stats));
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("handover", (const TTest *const[]){
					       blocks_compute_the_same_on_other_sms,
					       they_go_in_the_same_cycles_whatever_host_threads,
					       NULL,
				       });
}

/* Windows of cycles, and host threads: nothing that comes out depends on either. */
#include "harness.h"
#include "heddle/opcodes.h"

#include <pthread.h>
#include <stdatomic.h>

#include "runtime/gpu/crew.h"
#include "runtime/gpu/run.h"
#include "runtime/sim/sim_private.h"
#include "sample.h"
#include "simbench.h"

/* ---- the crew */

enum { PIECES = 100, PHASES = 300 };
struct phases {
	uint32_t done[PIECES]; /* by whoever has the piece */
	_Atomic uint32_t all;
};

static void do_piece(void *context, uint32_t index)
{
	struct phases *phases = context;
	phases->done[index]++;
	atomic_fetch_add(&phases->all, 1);
}

START_TEST(each_piece_is_done_once)
{
	static const uint32_t threads[] = {1, 2, 3, 8};
	for (uint32_t i = 0; i < 4; i++) {
		struct phases phases = {.all = 0};
		struct hd_crew *crew = hd_crew_new(threads[i]);
		for (uint32_t phase = 0; phase < PHASES; phase++) {
			uint32_t count = phase % (PIECES + 1), before = phases.all;
			hd_crew_run(crew, count, do_piece, &phases);
			ck_assert_uint_eq(phases.all, before + count);
		}
		for (uint32_t piece = 0; piece < PIECES; piece++) {
			uint32_t expected = 0;
			for (uint32_t phase = 0; phase < PHASES; phase++)
				expected += phase % (PIECES + 1) > piece;
			ck_assert_uint_eq(phases.done[piece], expected);
		}
		hd_crew_free(crew);
	}
}
END_TEST

struct met {
	_Atomic uint32_t here;
	pthread_t by[2];
};

/* Ends when two threads are here. */
static void meet(void *context, uint32_t index)
{
	struct met *met = context;
	met->by[index] = pthread_self();
	atomic_fetch_add(&met->here, 1);
	while (atomic_load(&met->here) < 2)
		sched_yield();
}

START_TEST(pieces_are_done_by_several_threads)
{
	struct hd_crew *crew = hd_crew_new(2);
	for (uint32_t i = 0; i < 20; i++) {
		struct met met = {0};
		hd_crew_run(crew, 2, meet, &met);
		ck_assert(!pthread_equal(met.by[0], met.by[1]));
	}
	hd_crew_free(crew);
}
END_TEST

/* ---- a kernel that loads, stores, takes tickets and loads what its block has stored */

enum { SMS = 6, CTAS = 50, THREADS = 64, TICKETS = 1 << 16, RESULTS = 2 << 16, BYTES = 3 << 16 };

static void access_at(struct simbench *bench, enum hd_op op, uint8_t base, uint32_t offset, uint8_t value)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	inst->a = base, inst->xkind = HD_X_OTHER, inst->x = offset;
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	if (op == HD_OP_STG)
		inst->c = value;
	else
		inst->dst = value;
}

static void step_pointer(struct simbench *bench, uint8_t index, uint32_t bytes)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IMAD_WIDE); /* R4:R5 += index * bytes */
	inst->dst = 4, inst->a = index, inst->c = 4, inst->xkind = HD_X_IMM_B, inst->x = bytes;
}

/* Blocks of this size end at once, without an access. */
enum { NOTHING = 5 * 32 };

/* A round is a load, a store and what sees it, and a ticket. With one round the first block has none. */
static void build(struct simbench *bench, uint32_t rounds)
{
	struct hd_inst *size = simbench_emit(bench, HD_OP_MOV);
	size->dst = 7, size->xkind = HD_X_CONST_B, size->x = HD_CONST_X(0, HD_CB_NTID_X);
	struct hd_inst *compare = simbench_emit(bench, HD_OP_ISETP);
	compare->a = 7, compare->xkind = HD_X_IMM_B, compare->x = NOTHING, compare->pdst = 0;
	compare->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
	simbench_emit(bench, HD_OP_EXIT)->guard = 0;
	simbench_s2r(bench, 8, HD_SR_TID_X);
	simbench_s2r(bench, 9, HD_SR_CTAID_X);
	for (uint32_t i = 0; i < 4; i++) { /* R2:R3 and R4:R5 are the array */
		struct hd_inst *inst = simbench_emit(bench, HD_OP_MOV);
		inst->dst = (uint8_t)(2 + i), inst->xkind = HD_X_CONST_B;
		inst->x = HD_CONST_X(0, HD_CB_PARAMS + i % 2 * 4);
	}
	step_pointer(bench, 9, 4 * THREADS);
	step_pointer(bench, 8, 4);
	compare = simbench_emit(bench, HD_OP_ISETP); /* the first block leaves by a branch */
	compare->a = 9, compare->xkind = HD_X_IMM_B, compare->x = rounds == 1 ? 0 : CTAS, compare->pdst = 1;
	compare->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
	uint32_t leave = bench->code.len;
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	branch->guard = 1, branch->xkind = HD_X_OTHER;
	for (uint32_t i = 0; i < rounds; i++) {
		access_at(bench, HD_OP_LDG, 4, 0, 11);
		simbench_ffma(bench, 11, 11, 11, 11);
		access_at(bench, HD_OP_STG, 4, 0, 9);
		struct hd_inst *bar = simbench_emit(bench, HD_OP_BAR);
		bar->xkind = HD_X_IMM_B;
		access_at(bench, HD_OP_LDG, 4, 0, 12); /* in the same window */
		access_at(bench, HD_OP_STG, 4, RESULTS, 12);
		struct hd_inst *atomic = simbench_emit(bench, HD_OP_ATOMG);
		atomic->dst = 14, atomic->a = 2, atomic->b = 12, atomic->xkind = HD_X_OTHER, atomic->x = TICKETS;
		atomic->mods = HD_MOD(ATOMOP, HD_ATOM_ADD) | HD_MOD(DTYPE, HD_U32);
		access_at(bench, HD_OP_LDG, 2, TICKETS, 15); /* sees it */
		access_at(bench, HD_OP_STG, 4, TICKETS / 2, 15);
		access_at(bench, HD_OP_STG, 4, 0, 14);
	}
	bench->code.data[leave].x = bench->code.data[leave].reconv = bench->code.len;
	bench->meta.param_bytes = 8;
}

struct outcome {
	struct hd_stats stats;
	uint64_t cycles;
	char message[1024];
	uint8_t memory[BYTES];
};

/* Grids beside each other: in streams, of blocks of several sizes; some wait for room, some end while others run. */
static int launch_several(struct simbench *bench, uint64_t *address)
{
	static const uint32_t ctas[] = {7, 50, 20, 3, 35, 1, 12, 9}, warps[] = {2, 1, 3, 2, NOTHING / 32, 1, 2, 3};
	for (uint32_t i = 0; i < sizeof ctas / sizeof *ctas; i++) {
		struct hd_launch launch = simbench_launch(bench, ctas[i], 32 * warps[i], address);
		uint64_t ticket;
		launch.stream = i % 3;
		launch.priority = i == 4 ? -1 : 0;
		ck_assert_int_eq(hd_sim_submit(bench->sim, &launch, &ticket), 0);
	}
	return hd_sim_wait_all(bench->sim);
}

/* Three blocks of eight warps, of which an SM has room for one, and behind them two of one warp, which fit beside it.
 */
static int launch_line(struct simbench *bench, uint64_t *address)
{
	static const uint32_t ctas[] = {3, 2}, warps[] = {8, 1};
	for (uint32_t i = 0; i < 2; i++) {
		struct hd_launch launch = simbench_launch(bench, ctas[i], 32 * warps[i], address);
		uint64_t ticket;
		launch.stream = i;
		ck_assert_int_eq(hd_sim_submit(bench->sim, &launch, &ticket), 0);
	}
	return hd_sim_wait_all(bench->sim);
}

/* Grids of random numbers and sizes of blocks, in streams and with priorities. */
static int launch_shapes(struct simbench *bench, uint64_t *address, uint64_t *state)
{
	uint32_t grids = 2 + (uint32_t)(sample_random(state) % 6);
	for (uint32_t i = 0; i < grids; i++) {
		uint32_t warps = 1 + (uint32_t)(sample_random(state) % (NOTHING / 32));
		uint32_t ctas = 1 + (uint32_t)(sample_random(state) % 12);
		struct hd_launch launch = simbench_launch(bench, ctas, 32 * warps, address);
		uint64_t ticket;
		launch.stream = sample_random(state) % 4;
		launch.priority = -(int)(sample_random(state) % 2);
		ck_assert_int_eq(hd_sim_submit(bench->sim, &launch, &ticket), 0);
	}
	return hd_sim_wait_all(bench->sim);
}

static void shape_gpu(struct hd_config *config, uint64_t *state)
{
	config->sm_count = 1 + sample_random(state) % SMS;
	config->max_ctas = 1 + sample_random(state) % 6;
	config->max_warps = 10 + sample_random(state) % 4 * 2; /* of two schedulers */
	config->cta_launch_interval = 1 + sample_random(state) % 5;
	config->cta_launch_latency =
		sample_random(state) % 2 ? 1 + sample_random(state) % 20 : config->cta_launch_latency;
}

/* Each thread takes some memory of the heap twice and gives the first back in between: where it lies depends on the
 * order of all blocks. R4:R5 are arguments and result, R16:R17 where it stores. With `twice` it also gives back what it
 * has given back. */
static void serve(struct simbench *bench, uint32_t service)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_SYSCALL);
	inst->xkind = HD_X_OTHER, inst->x = service;
}

static void build_services(struct simbench *bench, bool twice)
{
	simbench_s2r(bench, 8, HD_SR_TID_X);
	simbench_s2r(bench, 9, HD_SR_CTAID_X);
	for (uint32_t i = 0; i < 2; i++) {
		struct hd_inst *inst = simbench_emit(bench, HD_OP_MOV);
		inst->dst = (uint8_t)(4 + i), inst->xkind = HD_X_CONST_B;
		inst->x = HD_CONST_X(0, HD_CB_PARAMS + i * 4);
	}
	step_pointer(bench, 9, 8 * THREADS);
	struct hd_inst *own = simbench_emit(bench, HD_OP_IMAD_WIDE);
	own->dst = 16, own->a = 8, own->c = 4, own->xkind = HD_X_IMM_B, own->x = 8;
	for (uint32_t i = 0; i < 2; i++) {
		simbench_mov(bench, 5, 0);
		simbench_mov(bench, 4, 40);
		serve(bench, HD_SYS_MALLOC);
		access_at(bench, HD_OP_STG, 16, 4 * i, 4);
		if (i == 0 || twice)
			serve(bench, HD_SYS_FREE);
		if (i == 1 && twice)
			serve(bench, HD_SYS_FREE);
	}
	bench->meta.param_bytes = 8;
	bench->meta.registers = 18;
}

/* UNDER_POLICY, and under policies with quotas: several. COPIED: services where registers have copies. REWRITES: said
 * to write no word that it has read, as it does. LONELY: on one SM. LINE: launch_line. */
enum kind {
	ONE,
	SEVERAL,
	UNDER_POLICY,
	COMBINED,
	SHARED,
	THROTTLED,
	SERVICES,
	COPIED,
	FREES_TWICE,
	REWRITES,
	LONELY,
	LINE,
	SHAPES
};
static const char *const policies[LINE] = {[UNDER_POLICY] = "rfc",
					   [COMBINED] = "combination:2,3,1",
					   [SHARED] = "smk",
					   [THROTTLED] = "ccbp",
					   [COPIED] = "rfc"};

/* --verify asks for points of switching where results of loads are needed: here all instructions are some. */
enum { MOST_POINTS = 96 };
static void add_points(struct simbench *bench, struct hd_meta_switch points[MOST_POINTS])
{
	const struct hd_meta_registers all = {.regs = {0x3fffff}, .preds = 0x7f};
	ck_assert_uint_le(bench->code.len, MOST_POINTS);
	for (uint32_t i = 0; i < bench->code.len; i++)
		points[i] = (struct hd_meta_switch){.pc = i * HD_INST_BYTES,
						    .live = all,
						    .live_divergent = all,
						    .loading = all};
	bench->meta.switches = points;
	bench->meta.switch_count = bench->code.len;
}

/* MOVES and further: policies that move or kill blocks, with blocks and GPUs of random sizes. */
enum { MOVES = 1 << 20 };
static const char *const moving[][2] = {{"shuffle:40", ""},
					{"duet:2", ""},
					{"preempt", "preempt.interval=150"},
					{"vt", ""},
					{"integrated", "integrated.interval=150"},
					{"flush", "flush.interval=100"},
					{"preempt:in-place", "preempt.interval=0"},
					{"preempt", "preempt.slice=200"},
					{"preempt+ccbp", "preempt.share_cycles=60"}};
enum { MOVING = sizeof moving / sizeof *moving };

/* Nobody; who needs single cycles; those who take windows; all of them. */
enum watchers { NOBODY, BY_CYCLE, BESIDE, BESIDE_BY_CYCLE };

static const struct hd_watcher by_cycle = {.name = "by cycle", .stepwise = true};

static void watch(struct simbench *bench, enum watchers watchers, bool several)
{
	bool beside = watchers >= BESIDE;
	bench->options.profile = bench->options.verify = beside;
	bench->options.ideal = beside && !several;
}

/* One after the other, where what is left of the first one's alarms concerns no other; or beside each other. */
static int launch_moving(struct simbench *bench, uint64_t *address, uint64_t *state)
{
	bool beside = sample_random(state) % 2;
	for (uint32_t i = 0; i < 2u + beside; i++) {
		uint32_t warps = 1 + (uint32_t)(sample_random(state) % 3);
		uint32_t ctas = 1 + (uint32_t)(sample_random(state) % (sample_random(state) % 2 ? 20 : 60));
		struct hd_launch launch = simbench_launch(bench, ctas, 32 * warps, address);
		uint64_t ticket;
		launch.stream = beside ? i : 0;
		launch.priority = beside ? -(int)(sample_random(state) % 2) : 0;
		ck_assert_int_eq(hd_sim_submit(bench->sim, &launch, &ticket), 0);
	}
	return hd_sim_wait_all(bench->sim);
}

static void use_moving(struct simbench *bench, uint32_t number, uint64_t *state)
{
	static struct hd_meta_idempotence restarts = {.why = HD_BREAK_NONE};
	const char *const *policy = moving[number % MOVING];
	shape_gpu(&bench->config, state);
	bench->config.registers = 4096 << sample_random(state) % 3;
	bench->options.policy = policy[0];
	if (*policy[1])
		ck_assert_int_eq(hd_config_set(&bench->config, policy[1], &bench->diag), 0);
	bench->meta.switch_context_bytes = 16 * HD_ROW_BYTES;
	bench->meta.idempotence = &restarts; /* which changes no cycle of a block */
}

static void run(struct outcome *outcome, enum kind kind, uint32_t threads, enum watchers watchers, uint32_t fault_from)
{
	struct simbench bench;
	struct hd_meta_switch points[MOST_POINTS];
	struct hd_meta_idempotence idempotence = {.why = HD_BREAK_NONE};
	uint64_t address;
	simbench_init(&bench);
	bench.config.sm_count = kind == LONELY ? 1 : kind == LINE ? 2 : SMS;
	if (kind == LINE) /* as long as a window: no grid may end before */
		bench.config.cta_launch_latency = 10;
	bench.config.schedulers = 2;
	bool several = kind >= SEVERAL && kind <= THROTTLED;
	bench.options.policy = kind < LINE ? policies[kind] : NULL;
	bench.config.max_ctas = several ? 8 : 3;
	bench.config.max_warps = 10; /* places of warps are what blocks of several sizes lack */
	bench.config.max_threads_per_cta = bench.config.max_threads = 320;
	bench.config.cta_launch_interval = 3;
	uint64_t state = kind - SHAPES + 1; /* the shape's */
	bool moves = kind >= MOVES;
	if (moves) {
		use_moving(&bench, kind - MOVES, &state);
	} else if (kind >= SHAPES) {
		shape_gpu(&bench.config, &state);
		bench.options.policy = (kind - SHAPES) % 2 ? NULL : policies[UNDER_POLICY + (kind - SHAPES) / 2 % 4];
	}
	/* An L2 so small that DRAM is still written to when the last block has ended. */
	bench.config.l2_slices = 2;
	bench.config.dram_channels = 1;
	bench.config.l2_slice_bytes = 4096;
	bench.config.l2_ways = 2;
	bench.options.threads = threads;
	watch(&bench, watchers, several);
	if (kind == SERVICES || kind == COPIED || kind == FREES_TWICE)
		build_services(&bench, kind == FREES_TWICE);
	else
		build(&bench, kind >= LINE && !moves ? 1 : 3);
	if (watchers >= BESIDE || moves)
		add_points(&bench, points);
	if (kind == REWRITES)
		bench.meta.idempotence = &idempotence;
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	if (watchers & BY_CYCLE)
		hd_watcher_add(&bench.sim->gpu, &by_cycle, NULL);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, fault_from ? fault_from : BYTES, &address), 0);
	struct hd_launch launch = simbench_launch(&bench, CTAS, THREADS, &address);
	int error = several	     ? launch_several(&bench, &address)
		    : moves	     ? launch_moving(&bench, &address, &state)
		    : kind == LINE   ? launch_line(&bench, &address)
		    : kind >= SHAPES ? launch_shapes(&bench, &address, &state)
				     : hd_sim_launch(bench.sim, &launch);
	int due = fault_from || kind == FREES_TWICE ? HD_SIM_BAD_ADDRESS : kind == REWRITES ? HD_SIM_VERIFY : 0;
	ck_assert_msg(error == due, "%d: %s", error, hd_sim_error_text(bench.sim));
	ck_assert_uint_gt(hd_window_most(bench.sim->gpu.run->window), 4);
	*outcome = (struct outcome){.stats = *simbench_stats(&bench), .cycles = hd_sim_cycles(bench.sim)};
	snprintf(outcome->message, sizeof outcome->message, "%s", hd_sim_error_text(bench.sim));
	ck_assert_int_eq(hd_sim_read(bench.sim, address, outcome->memory, fault_from ? fault_from : BYTES), 0);
	simbench_release(&bench);
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
	ck_assert_mem_eq(a->memory, b->memory, BYTES);
	ck_assert_str_eq(a->message, b->message);
	ck_assert_uint_eq(a->cycles, b->cycles);
	ck_assert_mem_eq(&a->stats, &b->stats, sizeof a->stats);
}

static struct outcome expected, seen;

/* Blocks end and begin inside of windows, stores are seen by their SM, tickets have the order of cycles. */
START_TEST(windows_change_nothing)
{
	run(&expected, ONE, 1, BY_CYCLE, 0);
	run(&seen, ONE, 1, NOBODY, 0);
	check_same(&expected, &seen);
	for (uint32_t i = 0; i < CTAS * THREADS; i++) { /* the load behind the barrier saw the block's number */
		uint32_t result;
		memcpy(&result, seen.memory + RESULTS + i * sizeof result, sizeof result);
		ck_assert_uint_eq(result, i / THREADS);
	}
}
END_TEST

START_TEST(threads_change_nothing)
{
	static const uint32_t threads[] = {2, 3, 4, 8};
	for (enum kind kind = ONE; kind <= SERVICES; kind++) {
		bool quotas = kind >= COMBINED && kind <= THROTTLED; /* on three threads alone */
		run(&expected, kind, 1, NOBODY, 0);
		for (uint32_t i = quotas; i < (quotas ? 2 : 4); i++) {
			run(&seen, kind, threads[i], NOBODY, 0);
			check_same(&expected, &seen);
		}
	}
}
END_TEST

/* An SM that has work alone goes on without windows. */
START_TEST(being_alone_changes_nothing)
{
	run(&expected, LONELY, 1, BY_CYCLE, 0);
	run(&seen, LONELY, 1, NOBODY, 0);
	check_same(&expected, &seen);
	run(&expected, LONELY, 1, BY_CYCLE, RESULTS + 128);
	run(&seen, LONELY, 1, NOBODY, RESULTS + 128);
	ck_assert_str_eq(seen.message, expected.message);
	ck_assert_mem_eq(seen.memory, expected.memory, BYTES);
	ck_assert_uint_eq(seen.cycles, expected.cycles);
}
END_TEST

/* The same where --verify, --profile and --ideal look at each instruction; what they count, too. */
START_TEST(watchers_take_windows)
{
	static const enum kind kinds[] = {ONE, SEVERAL, COMBINED, SERVICES};
	for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		enum kind kind = kinds[i];
		run(&expected, kind, 1, NOBODY, 0);
		for (uint32_t threads = 1; threads < 5; threads++) {
			run(&seen, kind, threads, BESIDE, 0);
			if ((kind == ONE || kind == SERVICES) && threads == 1)
				ck_assert_uint_gt(seen.stats.counters.ideal_computations, 0);
			if (threads == 1) { /* what --ideal counts was not counted before */
				ck_assert_mem_eq(expected.memory, seen.memory, BYTES);
				ck_assert_uint_eq(expected.cycles, seen.cycles);
				expected = seen;
			}
			check_same(&expected, &seen);
		}
	}
}
END_TEST

/* A grid ends, or gets a place that another one's warp has left, in the cycle in which it would without windows. */
START_TEST(windows_change_nothing_for_several_grids)
{
	for (enum kind kind = SEVERAL; kind <= THROTTLED; kind++) {
		run(&expected, kind, 1, BY_CYCLE, 0);
		run(&seen, kind, 1, NOBODY, 0);
		check_same(&expected, &seen);
	}
}
END_TEST

/* The first block leaves at once. While the other two of its size are on their way, one on an SM and one in the line,
 * the place that it gives up is all that the line lacks: in the cycle in which the third block takes it, the line is
 * empty, and a small block begins on the other SM, which loses no warp. A window must not go past that cycle. */
START_TEST(a_window_ends_where_the_line_may)
{
	run(&expected, LINE, 1, BY_CYCLE, 0);
	run(&seen, LINE, 1, NOBODY, 0);
	check_same(&expected, &seen);
}
END_TEST

/* The same of grids of all kinds, on GPUs of several sizes; what cycles are right, a run by single ones says. */
static void check_shape(uint32_t shape)
{
	run(&expected, SHAPES + shape, 1, BY_CYCLE, 0);
	run(&seen, SHAPES + shape, 1, NOBODY, 0);
	check_same(&expected, &seen);
}

START_TEST(windows_change_nothing_for_shapes)
{
	uint32_t shapes = hd_samples(80, 2000);
	for (uint32_t shape = 0; shape < shapes; shape++)
		check_shape(shape);
}
END_TEST

/* Blocks leave, come back, are killed and begin again, and get places of those that left, in the cycles in which they
 * do without windows. */
START_TEST(windows_change_nothing_where_blocks_move)
{
	uint32_t shapes = hd_samples(40, 600);
	for (uint32_t shape = 0; shape < shapes; shape++) {
		run(&expected, MOVES + shape, 1, BY_CYCLE, 0);
		run(&seen, MOVES + shape, shape % 4 ? 1 : 3, NOBODY, 0);
		check_same(&expected, &seen);
	}
}
END_TEST

/* Addresses that malloc gives are those of single cycles, and all blocks get some. */
START_TEST(services_come_in_the_order_of_cycles)
{
	run(&expected, SERVICES, 1, BY_CYCLE, 0);
	run(&seen, SERVICES, 1, NOBODY, 0);
	check_same(&expected, &seen);
	for (uint32_t i = 0; i < 2 * CTAS * THREADS; i++) {
		uint32_t result;
		memcpy(&result, seen.memory + i * sizeof result, sizeof result);
		ck_assert_uint_ne(result, 0);
	}
}
END_TEST

/* What concerns all blocks is found in the order of cycles: the same word, written by the same thread. */
/* The size that malloc is asked for is written into its register, and so into the register cache, cycles after the
 * request is issued. --verify holds the cache against the register, where the address lies once the request is done:
 * in the cycle of its issue, or not before the window's end. Without --verify windows are long, and change nothing. */
START_TEST(services_come_before_copies_of_their_arguments)
{
	run(&expected, COPIED, 1, BY_CYCLE, 0);
	run(&seen, COPIED, 1, NOBODY, 0);
	check_same(&expected, &seen);
	run(&seen, COPIED, 1, BESIDE, 0);
	ck_assert_mem_eq(expected.memory, seen.memory, BYTES);
	ck_assert_uint_eq(expected.cycles, seen.cycles);
}
END_TEST

START_TEST(facts_of_the_grid_are_checked_in_the_order_of_cycles)
{
	run(&expected, REWRITES, 1, BESIDE_BY_CYCLE, 0);
	ck_assert_ptr_nonnull(strstr(expected.message, "is overwritten, a block has read it"));
	for (uint32_t threads = 1; threads < 5; threads++) {
		run(&seen, REWRITES, threads, BESIDE, 0);
		ck_assert_str_eq(seen.message, expected.message);
	}
}
END_TEST

/* What is stored behind it is not in memory. */
START_TEST(faults_of_services_end_a_window)
{
	run(&expected, FREES_TWICE, 1, BY_CYCLE, 0);
	ck_assert_ptr_nonnull(strstr(expected.message, "was freed before"));
	for (uint32_t threads = 1; threads < 5; threads++) {
		run(&seen, FREES_TWICE, threads, NOBODY, 0);
		ck_assert_str_eq(seen.message, expected.message);
		ck_assert_mem_eq(seen.memory, expected.memory, BYTES);
	}
}
END_TEST

/* The first fault is told, and nothing behind its cycle is in memory. */
START_TEST(faults_are_told_in_their_order)
{
	run(&expected, ONE, 1, BY_CYCLE, RESULTS + 128);
	for (uint32_t threads = 1; threads < 5; threads++) {
		run(&seen, ONE, threads, NOBODY, RESULTS + 128);
		ck_assert_str_eq(seen.message, expected.message);
		ck_assert_mem_eq(seen.memory, expected.memory, BYTES);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("window", (const TTest *const[]){
					     each_piece_is_done_once,
					     pieces_are_done_by_several_threads,
					     windows_change_nothing,
					     windows_change_nothing_for_several_grids,
					     a_window_ends_where_the_line_may,
					     windows_change_nothing_for_shapes,
					     windows_change_nothing_where_blocks_move,
					     services_come_in_the_order_of_cycles,
					     services_come_before_copies_of_their_arguments,
					     threads_change_nothing,
					     being_alone_changes_nothing,
					     watchers_take_windows,
					     facts_of_the_grid_are_checked_in_the_order_of_cycles,
					     faults_are_told_in_their_order,
					     faults_of_services_end_a_window,
					     NULL,
				     });
}

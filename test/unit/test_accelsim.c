/*
 * The SM under operands = accelsim: cycles worked out by hand, and rates beside a model of the public simulator's
 * operand collector that goes from step to step.
 */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/sm.h"
#include "simbench.h"

enum { WARPS = 8, BANKS = 2, UNITS = 2, LATENCY = 4, INTERVAL = 2, REGISTERS = 64, LONGEST = 768 };

/* A scheduler of the public configurations of Volta and Turing. */
static void begin(struct simbench *bench, int64_t steps)
{
	simbench_init(bench);
	bench->config.operands = HD_OPERANDS_ACCELSIM;
	bench->config.register_banks = BANKS;
	bench->config.collectors = UNITS;
	bench->config.register_ports = steps;
	bench->config.ii_fp32 = bench->config.ii_int = INTERVAL;
	bench->config.lat_fmad = bench->config.lat_iadd = LATENCY;
	bench->config.scheduler = HD_SCHED_LRR;
	bench->meta.registers = REGISTERS;
}

static uint64_t cycles_of(struct simbench *bench, uint32_t threads)
{
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	ck_assert_int_eq(simbench_run(bench, 1, threads), 0);
	uint64_t cycles = simbench_stats(bench)->counters.cycles;
	simbench_release(bench);
	return cycles;
}

/* ---- by hand */

/* Cycles from one instruction to the next, which reads its result. */
static double link_of(int64_t steps, uint8_t a, uint8_t b, uint8_t c)
{
	uint64_t cycles[2];
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		begin(&bench, steps);
		for (uint32_t k = 0; k < 10 + 10 * i; k++)
			simbench_ffma(&bench, 4, a, b, c);
		cycles[i] = cycles_of(&bench, 32);
	}
	return (double)(cycles[1] - cycles[0]) / 10;
}

/*
 * Issued in cycle 0, it has its collector in the first step of cycle 1. With two steps a cycle, reads are served in
 * 1b, 2a, 2b: two banks in one step, so that three registers of two banks have come after 2a, it is dispatched in 2b,
 * starts in 3, and its result is written in 3 + 4 + 2. Three of one bank come until 2b: one later. With one step a
 * cycle one register is served in 2, dispatched in 3, started in 4: 10; three of two banks one later.
 */
START_TEST(results_come_by_steps)
{
	ck_assert_double_eq(link_of(2, 4, 4, HD_RZ), 9);
	ck_assert_double_eq(link_of(2, 4, 5, 6), 9);
	ck_assert_double_eq(link_of(2, 4, 6, 8), 10);
	ck_assert_double_eq(link_of(1, 4, 4, HD_RZ), 10);
	ck_assert_double_eq(link_of(1, 4, 5, 6), 11);
	ck_assert_double_eq(link_of(1, 4, 6, 8), 12);
}
END_TEST

/* Cycles of a chain of ten sums of a register, in which an access takes a port for so long. */
static uint64_t chain_where(double busy, int64_t steps)
{
	struct simbench bench;
	begin(&bench, steps);
	bench.config.register_busy = busy;
	for (uint32_t i = 0; i < 10; i++)
		simbench_ffma(&bench, 4, 4, 4, HD_RZ);
	return cycles_of(&bench, 32);
}

/*
 * A step is at least a tick: at the shortest, collector, read and dispatch are in cycle 1, and a sum starts in 2. A
 * cycle has at least a step, which gives collectors: the read takes S cycles from 1 + S on, and it starts in 2 + 2S.
 */
START_TEST(steps_may_have_any_length)
{
	static const struct {
		double busy;
		uint64_t steps, link;
	} cases[] = {
		{0.001, 1, 8}, {0.001, 2, 8}, {0.001, 8, 8}, {0.005, 8, 8}, {1, 1, 10},	     {2, 1, 12},
		{3, 1, 14},    {4, 2, 12},    {10, 1, 28},   {64, 1, 136},  {1000, 1, 2008}, {1000, 8, 258},
	};
	uint64_t tail = chain_where(1, 1) - 10 * 10;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_uint_eq(chain_where(cases[i].busy, (int64_t)cases[i].steps), 10 * cases[i].link + tail);
}
END_TEST

/* Results of R4 are due in cycles 1 and 33, and its bank is taken until 33. Steps of 32 cycles that begin there are the
 * results' in 33 and, if cycles were counted modulo 64, in all others. */
START_TEST(results_are_due_for_64_cycles)
{
	struct simbench bench;
	begin(&bench, 1);
	bench.config.register_busy = 32;
	simbench_ffma(&bench, 4, HD_RZ, HD_RZ, HD_RZ);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	struct hd_sm *sm = bench.sim->gpu.sms[0];
	struct hd_warp *warp = &sm->warps[0];
	struct hd_cta cta = {.sm = sm};
	warp->cta = &cta;
	struct hd_dinst inst = {.inst = {.dst = 4}, .write_count = 1};
	hd_registers_due(sm, warp, &inst, 0, 1);
	hd_registers_due(sm, warp, &inst, 0, 33);
	ck_assert_uint_eq(hd_bank_read(sm, warp, 4, 0), (0 + 32) * HD_TICKS);
	ck_assert_uint_eq(hd_bank_read(sm, warp, 4, 33 * HD_TICKS), (33 + 32 + 32) * HD_TICKS);
	/* A result that is not written after all gives back its step, once, to reads that were behind it. */
	uint64_t *port = &warp->regfile->ports[hd_bank_of(sm, warp, 4)], before = *port;
	hd_register_not_written(sm, warp, 4, 34);
	ck_assert_uint_eq(*port, before);
	for (uint32_t i = 0; i < 2; i++) {
		hd_register_not_written(sm, warp, 4, 33);
		ck_assert_uint_eq(*port, before - 32 * HD_TICKS);
	}
	hd_registers_due(sm, warp, &inst, 90, 100); /* nobody is behind this one */
	hd_register_not_written(sm, warp, 4, 100);
	ck_assert_uint_eq(*port, before - 32 * HD_TICKS);
	simbench_release(&bench);
}
END_TEST

/* All registers of a result that is written have the steps that were kept for them. */
START_TEST(results_have_their_steps)
{
	struct simbench bench;
	begin(&bench, 1);
	simbench_ffma(&bench, 4, HD_RZ, HD_RZ, HD_RZ);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	struct hd_sm *sm = bench.sim->gpu.sms[0];
	struct hd_warp *warp = &sm->warps[0];
	struct hd_cta cta = {.sm = sm};
	warp->cta = &cta;
	struct hd_dinst inst = {.inst = {.dst = 4}, .write_count = 2}; /* a bank each */
	hd_registers_due(sm, warp, &inst, 0, 33);
	for (uint32_t reg = 4; reg < 6; reg++)
		ck_assert_uint_eq(warp->regfile->due[hd_bank_of(sm, warp, reg)], UINT64_C(1) << 33);
	ck_assert_uint_eq(hd_operands_write(sm, warp, &inst, 33), 33);
	for (uint32_t reg = 4; reg < 6; reg++)
		ck_assert_uint_eq(warp->regfile->due[hd_bank_of(sm, warp, reg)], 0);
	simbench_release(&bench);
}
END_TEST

static uint32_t dispatched;

static void look_on(const struct hd_policy_handle *self, struct hd_collector *collector, uint64_t now)
{
	(void)self, (void)collector, (void)now;
	dispatched++;
}

/* Cycles of ten more sums of three registers of a bank, whose results go to the other bank, with one collector. A
 * policy may look on, and sees each of them dispatched. */
static uint64_t chain_between(bool looks_on)
{
	static const struct hd_policy_hooks hooks = {.operands.dispatch = look_on};
	static const struct hd_policy probe = {.name = "probe", .hooks = &hooks};
	uint64_t cycles[2];
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		begin(&bench, 1);
		bench.config.collectors = 1;
		bench.config.ii_fp32 = 1;
		bench.beside = looks_on ? &probe : NULL;
		dispatched = 0;
		for (uint32_t k = 0; k < 10 + 10 * i; k++)
			simbench_ffma(&bench, (uint8_t)(21 + 2 * (k % 4)), 4, 6, 8);
		cycles[i] = cycles_of(&bench, 32);
		ck_assert_uint_eq(dispatched, looks_on ? 10 + 10 * i : 0);
	}
	return cycles[1] - cycles[0];
}

/* With one collector and a step a cycle, sums of three registers of a bank have it in the step in which the one before
 * is dispatched, behind three steps in which its registers are read: one every four cycles. Where policies look on,
 * such a sum issues in the cycle before it has the collector, which makes no difference. */
START_TEST(collectors_go_from_one_to_the_next)
{
	ck_assert_uint_eq(chain_between(false), 10 * 4);
	ck_assert_uint_eq(chain_between(true), 10 * 4);
}
END_TEST

static uint64_t conflicts_of(int64_t steps, uint32_t count, uint8_t a, uint8_t b, uint8_t c)
{
	struct simbench bench;
	begin(&bench, steps);
	for (uint32_t i = 0; i < count; i++)
		simbench_ffma(&bench, (uint8_t)(20 + i), a, b, c);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	uint64_t conflicts = simbench_stats(&bench)->counters.bank_conflicts;
	simbench_release(&bench);
	return conflicts;
}

/* Whole cycles between the steps in which the first and the last register of an instruction are served: with one step a
 * cycle the second register of a bank comes a cycle behind the first, with two of them the third does. */
START_TEST(conflicts_are_cycles_between_first_and_last)
{
	ck_assert_uint_eq(conflicts_of(1, 1, 4, 4, HD_RZ), 0);
	ck_assert_uint_eq(conflicts_of(1, 1, 4, 5, HD_RZ), 0);
	ck_assert_uint_eq(conflicts_of(1, 1, 4, 5, 6), 1);
	ck_assert_uint_eq(conflicts_of(1, 1, 4, 6, 8), 2);
	ck_assert_uint_eq(conflicts_of(2, 1, 4, 5, 6), 0);
	ck_assert_uint_eq(conflicts_of(2, 1, 4, 6, 8), 1);
}
END_TEST

/* Cycles from one load from shared memory to the next, which has its address from it. */
static double load_link_of(int64_t steps)
{
	uint64_t cycles[2];
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		begin(&bench, steps);
		bench.meta.shared_bytes = 64;
		simbench_mov(&bench, 4, 0);
		for (uint32_t k = 0; k < 10 + 10 * i; k++) {
			struct hd_inst *load = simbench_emit(&bench, HD_OP_LDS);
			load->dst = load->a = 4, load->xkind = HD_X_OTHER, load->mods = HD_MOD(SIZE, HD_SIZE_32);
		}
		cycles[i] = cycles_of(&bench, 32);
	}
	return (double)(cycles[1] - cycles[0]) / 10;
}

/* As a sum of one register a load starts in 3, or in 4 with a step a cycle. Two cycles behind the unit has it, and
 * shared memory in the next one. */
START_TEST(accesses_begin_behind_collectors)
{
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_double_eq(load_link_of(2), 3 + 2 + 1 + (double)config.shared_latency);
	ck_assert_double_eq(load_link_of(1), 4 + 2 + 1 + (double)config.shared_latency);
}
END_TEST

/* Cycles of a chain of sums, behind a store or not. */
static uint64_t chain_of(bool store)
{
	struct simbench bench;
	begin(&bench, 1);
	bench.meta.shared_bytes = 64;
	if (store) {
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_STS);
		inst->a = HD_RZ, inst->c = 8, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	}
	for (uint32_t i = 0; i < 20; i++)
		simbench_ffma(&bench, 13, i ? 13 : HD_RZ, HD_RZ, HD_RZ);
	return cycles_of(&bench, 32);
}

/* The order of a warp's accesses is not that of its arithmetic: the first sum has nothing to read and passes a store
 * that waits for a register. All that it takes is the cycle in which it is issued. */
START_TEST(arithmetic_passes_accesses)
{
	ck_assert_uint_eq(chain_of(true) - chain_of(false), 1);
}
END_TEST

/* Cycles of a load of no register and what reads it, behind an instruction that reads some of the only bank: a sum, or
 * a store to shared memory. */
static uint64_t load_behind(unsigned op, uint8_t a, unsigned size)
{
	struct simbench bench;
	begin(&bench, 1);
	bench.config.register_banks = 1;
	bench.meta.shared_bytes = 64;
	struct hd_inst *inst = simbench_emit(&bench, op);
	if (op == HD_OP_STS)
		inst->a = a, inst->c = 8, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, size);
	else
		inst->dst = 20, inst->a = inst->b = inst->c = HD_RZ;
	struct hd_inst *load = simbench_emit(&bench, HD_OP_LDS);
	load->dst = 4, load->a = HD_RZ, load->xkind = HD_X_OTHER, load->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_ffma(&bench, 5, 4, HD_RZ, HD_RZ);
	return cycles_of(&bench, 32);
}

/* A scheduler's one unit keeps the accesses of a warp in order. A store issued in cycle 0 has its collector in 1; its
 * registers are served in 2, 3 and 4, so that it starts in 4 with one register, 5 with two and 6 with three. The load,
 * issued in 1, would start in 4, as it does behind a sum; it starts a cycle behind the store. Two words of each thread
 * keep shared memory busy for another cycle. */
START_TEST(accesses_stay_in_order)
{
	uint64_t alone = load_behind(HD_OP_FFMA, 0, 0);
	ck_assert_uint_eq(load_behind(HD_OP_STS, HD_RZ, HD_SIZE_32) - alone, 1);
	ck_assert_uint_eq(load_behind(HD_OP_STS, 6, HD_SIZE_32) - alone, 2);
	ck_assert_uint_eq(load_behind(HD_OP_STS, 6, HD_SIZE_64) - alone, 3 + 1);
}
END_TEST

/* ---- beside the steps */

struct op {
	bool integer;
	uint8_t dst, count, reads[3];
};

/* What the model keeps of an instruction. */
struct held {
	const struct op *op;
	uint32_t warp, missing; /* reads that have not been served */
};

struct model {
	struct held front[2], unit[UNITS], behind[2]; /* of the pipes: single precision, integer */
	struct held *queue[BANKS][UNITS * 3];	      /* a read each */
	uint32_t queued[BANKS];
	uint64_t unit_free[2];
	uint64_t written[WARPS][REGISTERS]; /* cycle in which a register is there */
};

static void dispatch(struct model *model)
{
	for (uint32_t i = 0; i < UNITS; i++) {
		struct held *unit = &model->unit[i];
		if (!unit->op || unit->missing || model->behind[unit->op->integer].op)
			continue;
		model->behind[unit->op->integer] = *unit;
		unit->op = NULL;
	}
}

static void serve(struct model *model, const bool *busy)
{
	for (uint32_t bank = 0; bank < BANKS; bank++) {
		if (busy[bank] || !model->queued[bank])
			continue;
		model->queue[bank][0]->missing--;
		memmove(model->queue[bank], model->queue[bank] + 1, --model->queued[bank] * sizeof(struct held *));
	}
}

static void allocate(struct model *model)
{
	for (uint32_t pipe = 0; pipe < 2; pipe++)
		for (uint32_t i = 0; i < UNITS && model->front[pipe].op; i++) {
			struct held *unit = &model->unit[i];
			if (unit->op)
				continue;
			*unit = model->front[pipe];
			model->front[pipe].op = NULL;
			unit->missing = unit->op->count;
			for (uint32_t k = 0; k < unit->op->count; k++) {
				uint32_t bank = (unit->op->reads[k] + unit->warp) % BANKS;
				model->queue[bank][model->queued[bank]++] = unit;
			}
		}
}

static bool is_there(const struct model *model, const struct op *op, uint32_t warp, uint64_t now)
{
	bool there = model->written[warp][op->dst] <= now && !model->front[op->integer].op;
	for (uint32_t i = 0; i < op->count; i++)
		there = there && model->written[warp][op->reads[i]] <= now;
	return there;
}

/* The cycles of `count` instructions of each warp. */
static uint64_t model_cycles(const struct op *code, uint32_t count, uint32_t steps)
{
	struct model model;
	memset(&model, 0, sizeof model);
	uint32_t pc[WARPS] = {0}, last = WARPS - 1, left = WARPS * count;
	bool writes[64][BANKS] = {{false}}; /* in cycles, modulo 64 */
	uint64_t now, end = 0;
	for (now = 0; left || now <= end; now++) {
		for (uint32_t pipe = 0; pipe < 2; pipe++) {
			struct held *behind = &model.behind[pipe];
			if (!behind->op || model.unit_free[pipe] > now)
				continue;
			end = now + LATENCY + 2;
			model.unit_free[pipe] = now + INTERVAL;
			model.written[behind->warp][behind->op->dst] = end;
			writes[end % 64][(behind->op->dst + behind->warp) % BANKS] = true;
			behind->op = NULL;
		}
		for (uint32_t step = 0; step < steps; step++) {
			dispatch(&model);
			serve(&model, writes[now % 64]);
			allocate(&model);
			memset(writes[now % 64], 0, sizeof writes[0]);
		}
		for (uint32_t i = 1; i <= WARPS; i++) {
			uint32_t warp = (last + i) % WARPS;
			const struct op *op = &code[pc[warp]];
			if (pc[warp] == count || !is_there(&model, op, warp, now))
				continue;
			model.front[op->integer] = (struct held){.op = op, .warp = warp};
			model.written[warp][op->dst] = UINT64_MAX;
			pc[warp]++;
			left--;
			last = warp;
			break;
		}
	}
	return end;
}

static void emit(struct simbench *bench, const struct op *op)
{
	struct hd_inst *inst = simbench_emit(bench, op->integer ? HD_OP_LOP3 : HD_OP_FFMA);
	if (op->integer)
		inst->mods = HD_MOD(LUT, 0x96);
	inst->dst = op->dst;
	inst->a = op->reads[0];
	inst->b = op->count > 1 ? op->reads[1] : HD_RZ;
	inst->c = op->count > 2 ? op->reads[2] : HD_RZ;
}

static uint64_t engine_cycles(const struct op *code, uint32_t count, uint32_t steps)
{
	struct simbench bench;
	begin(&bench, steps);
	for (uint32_t i = 0; i < count; i++)
		emit(&bench, &code[i]);
	return cycles_of(&bench, WARPS * 32);
}

static uint32_t random_below(uint32_t *state, uint32_t bound)
{
	*state = *state * 1103515245 + 12345;
	return (*state >> 16) % bound;
}

/* Of four, `integers` are; one to three registers are read, which are other ones than those that are written. */
static void random_code(struct op *code, uint32_t seed, uint32_t integers)
{
	uint32_t state = seed;
	for (uint32_t i = 0; i < LONGEST; i++) {
		struct op *op = &code[i];
		*op = (struct op){.integer = random_below(&state, 4) < integers, .dst = (uint8_t)(32 + i % 24)};
		for (uint32_t wanted = 1 + random_below(&state, 3); op->count < wanted;) {
			uint8_t reg = (uint8_t)(4 + random_below(&state, 24));
			if (!memchr(op->reads, reg, op->count))
				op->reads[op->count++] = reg;
		}
	}
}

/* Cycles of 512 instructions of eight warps, without what is before and behind: the order in which collectors are
 * dispatched from, and the last results, make up to 1.6 % of them. */
START_TEST(rates_are_those_of_the_steps)
{
	static struct op code[LONGEST];
	for (uint32_t i = 0; i < 12; i++) {
		uint32_t steps = 1 + i % 2, few = LONGEST - 512;
		random_code(code, 100 + i, i / 2 % 4);
		double model = (double)(model_cycles(code, LONGEST, steps) - model_cycles(code, few, steps));
		double engine = (double)(engine_cycles(code, LONGEST, steps) - engine_cycles(code, few, steps));
		ck_assert_double_eq_tol(engine / model, 1, 0.02);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("accelsim", (const TTest *const[]){
					       results_come_by_steps,
					       steps_may_have_any_length,
					       results_are_due_for_64_cycles,
					       results_have_their_steps,
					       collectors_go_from_one_to_the_next,
					       conflicts_are_cycles_between_first_and_last,
					       accesses_begin_behind_collectors,
					       arithmetic_passes_accesses,
					       accesses_stay_in_order,
					       rates_are_those_of_the_steps,
					       NULL,
				       });
}

/*
 * What holds of every policy: grids of different streams and priorities compute the same as on the baseline, every
 * issue slot and instruction is accounted for, and skipping cycles in which nothing happens changes no counter.
 */
#include "harness.h"

#include "runtime/sim/sim_private.h"
#include "runtime/sm/sm.h"
#include "runtime/verify/conservation.h"
#include "simbench.h"

static const char *const policies[] = {
#define HD_POLICY(name, ...) name,
#include "runtime/policy/policies.def"
#undef HD_POLICY
	"preempt:naive", "preempt:in-place", "duet:2", "malekeh:sthld=4", "malekeh:unordered",
	"cars:low",	 "cars:2",	     "bow:2",  "cars+duet",
};

enum { COUNT = sizeof policies / sizeof *policies, THREADS = 64, SMS = 2, WORDS = 8192, GRIDS = 4 };

static struct hd_inst *emit(struct simbench *bench, enum hd_op op, uint8_t dst, uint8_t a, uint8_t b, uint8_t c)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	inst->dst = dst, inst->a = a, inst->b = b, inst->c = c;
	return inst;
}

static void access_memory(struct simbench *bench, enum hd_op op, uint8_t data, uint8_t address, uint32_t offset)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	*(hd_opinfo[op].effects & HD_FX_STORE ? &inst->c : &inst->dst) = data;
	inst->a = address, inst->xkind = HD_X_OTHER, inst->x = offset;
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
}

/* `dst` pair = `base` pair + factor * `index`. */
static void address_of(struct simbench *bench, uint8_t dst, uint8_t index, uint8_t base, uint32_t factor)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IMAD_WIDE);
	inst->dst = dst, inst->a = index, inst->c = base, inst->xkind = HD_X_IMM_B, inst->x = factor;
}

/*
 * Each thread adds up eight words of the first half of memory, of lines that others read at other times, by a function
 * that saves two registers; passes the sum through shared memory to the thread of the other warp; and stores it to the
 * word of its own in the second half.
 */
static void build(struct simbench *bench)
{
	struct hd_inst *inst;
	simbench_stack(bench);
	simbench_s2r(bench, 8, HD_SR_TID_X);
	simbench_s2r(bench, 9, HD_SR_CTAID_X);
	for (uint8_t half = 0; half < 2; half++) {
		inst = simbench_emit(bench, HD_OP_MOV);
		inst->dst = (uint8_t)(2 + half), inst->xkind = HD_X_CONST_B;
		inst->x = HD_CONST_X(0, HD_CB_PARAMS + 4u * half);
	}
	inst = simbench_emit(bench, HD_OP_IMAD); /* R10: number of the thread */
	inst->dst = 10, inst->a = 9, inst->c = 8, inst->xkind = HD_X_IMM_B, inst->x = THREADS;
	address_of(bench, 4, 10, 2, 4);
	simbench_mov(bench, 15, 0);
	simbench_mov(bench, 12, 0);
	uint32_t top = bench->code.len;
	access_memory(bench, HD_OP_LDG, 13, 4, 0);
	simbench_call(bench, "add");
	address_of(bench, 4, 12, 4, 128 + 4); /* R12 turns are done */
	inst = emit(bench, HD_OP_ISETP, HD_RZ, 12, HD_RZ, HD_RZ);
	inst->pdst = 0, inst->xkind = HD_X_IMM_B, inst->x = 8, inst->mods = HD_MOD(CMP, HD_CMP_LT);
	inst = simbench_emit(bench, HD_OP_BRA);
	inst->guard = 0, inst->xkind = HD_X_OTHER, inst->x = top, inst->reconv = bench->code.len;
	inst = emit(bench, HD_OP_SHL, 14, 8, HD_RZ, HD_RZ);
	inst->xkind = HD_X_IMM_B, inst->x = 2;
	access_memory(bench, HD_OP_STS, 15, 14, 0);
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	inst = emit(bench, HD_OP_LOP3, 14, 14, HD_RZ, HD_RZ);
	inst->xkind = HD_X_IMM_B, inst->x = 4 * THREADS / 2, inst->mods = HD_MOD(LUT, 0x3c); /* a ^ b */
	access_memory(bench, HD_OP_LDS, 13, 14, 0);
	address_of(bench, 4, 10, 2, 4);
	access_memory(bench, HD_OP_STG, 13, 4, 4 * WORDS / 2);
	simbench_emit(bench, HD_OP_EXIT);
	bench->meta.shared_bytes = 4 * THREADS;
	bench->meta.param_bytes = 8;
	bench->meta.max_stack_bytes = 64;
	simbench_function(bench, "add");
	simbench_prologue(bench, 2);
	simbench_mov(bench, 16, 1);
	emit(bench, HD_OP_IADD3, 17, 15, 13, HD_RZ);
	emit(bench, HD_OP_IADD3, 12, 12, 16, HD_RZ);
	emit(bench, HD_OP_IADD3, 15, 17, HD_RZ, HD_RZ);
	simbench_epilogue(bench, 2);
	simbench_emit(bench, HD_OP_RET);
}

struct outcome {
	uint32_t words[WORDS];
	struct hd_stats stats[GRIDS];
	uint64_t cycles;
};

/*
 * A grid for several rounds of the SMs; one of two blocks on another stream, and behind it one of higher priority,
 * which finds the first one's blocks in its place; and one more of the first stream.
 */
static void submit_all(struct simbench *bench, uint64_t address)
{
	static const struct {
		uint32_t ctas;
		uint64_t stream;
		int priority;
	} grids[GRIDS] = {{24, 1, 0}, {2, 2, 0}, {6, 2, -1}, {8, 1, 0}};
	for (uint32_t i = 0; i < GRIDS; i++) {
		uint64_t ticket;
		struct hd_launch launch = {.kernel = bench->kernel,
					   .grid = {grids[i].ctas, 1, 1},
					   .block = {THREADS, 1, 1},
					   .stream = grids[i].stream,
					   .priority = grids[i].priority,
					   .params = &address,
					   .param_bytes = sizeof address};
		ck_assert_msg(!hd_sim_submit(bench->sim, &launch, &ticket), "%s", bench->message);
	}
}

static void run(const char *policy, bool every_cycle, struct outcome *outcome)
{
	struct simbench bench;
	uint64_t address;
	simbench_init(&bench);
	bench.options.policy = policy;
	bench.config.sm_count = SMS;
	bench.config.schedulers = 2;
	bench.config.register_banks = 16;
	bench.config.max_ctas = 4;
	bench.config.l1_bytes = 16384;
	build(&bench);
	ck_assert_msg(!simbench_start(&bench), "%s: %s", policy, bench.message);
	bench.sim->gpu.every_cycle = every_cycle;
	for (uint32_t i = 0; i < SMS; i++)
		bench.sim->gpu.sms[i]->every_cycle = every_cycle;
	for (uint32_t i = 0; i < WORDS; i++)
		outcome->words[i] = i < WORDS / 2 ? i * i : 0;
	ck_assert_int_eq(hd_sim_malloc(bench.sim, sizeof outcome->words, &address), 0);
	ck_assert_int_eq(hd_sim_write(bench.sim, address, outcome->words, sizeof outcome->words), 0);
	uint64_t before = hd_sim_cycles(bench.sim);
	submit_all(&bench, address);
	ck_assert_msg(!hd_sim_wait_all(bench.sim), "%s: %s", policy, bench.message);
	outcome->cycles = hd_sim_cycles(bench.sim) - before;
	ck_assert_int_eq(hd_sim_read(bench.sim, address, outcome->words, sizeof outcome->words), 0);
	ck_assert_uint_eq(hd_sim_launch_count(bench.sim), GRIDS);
	for (uint32_t i = 0; i < GRIDS; i++)
		outcome->stats[i] = hd_sim_launch_stats(bench.sim, i)->stats;
	struct hd_stats since = bench.sim->now;
	hd_stats_subtract(&since, &bench.sim->before);
	ck_assert_msg(!hd_verify_conservation(&bench.sim->gpu, &since, NULL), "%s: %s", policy,
		      bench.sim->gpu.error_text);
	simbench_release(&bench);
}

/* Those that cannot do without a parameter. */
static const char *spelled(const char *policy)
{
	static const char *const with[] = {"swl:2", "combination:2,1", "shuffle:100"};
	for (uint32_t i = 0; i < sizeof with / sizeof *with; i++)
		if (!strncmp(with[i], policy, strlen(policy)) && with[i][strlen(policy)] == ':')
			return with[i];
	return policy;
}

static struct outcome baseline, skipping, stepping;

/* The definition, on the host. */
static uint32_t expected(uint32_t thread)
{
	uint32_t sum = 0, word = thread ^ THREADS / 2;
	for (uint32_t turn = 0; turn < 8; turn++, word += 33 * turn)
		sum += word * word;
	return sum;
}

START_TEST(all_compute_the_same)
{
	const char *policy = spelled(policies[_i]);
	run("baseline", false, &baseline);
	for (uint32_t thread = 0; thread < 24 * THREADS; thread++)
		ck_assert_uint_eq(baseline.words[WORDS / 2 + thread], expected(thread));
	run(policy, false, &skipping);
	run(policy, true, &stepping);
	ck_assert_msg(!memcmp(baseline.words, skipping.words, sizeof baseline.words), "%s", policy);
	ck_assert_msg(skipping.cycles == stepping.cycles, "%s: %lu and %lu cycles", policy, skipping.cycles,
		      stepping.cycles);
	for (uint32_t i = 0; i < GRIDS; i++) {
		ck_assert_msg(!memcmp(&skipping.stats[i].counters, &stepping.stats[i].counters,
				      sizeof skipping.stats[i].counters),
			      "%s: grid %u", policy, i);
	}
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("policies");
	TCase *cases = tcase_create("cases");
	tcase_add_loop_test(cases, all_compute_the_same, 0, COUNT);
	suite_add_tcase(suite, cases);
	return suite;
}

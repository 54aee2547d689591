/*
 * What holds of every policy: grids of different streams and priorities compute what they should, every issue slot and
 * instruction is accounted for, and skipping cycles in which nothing happens changes no counter. And each one's
 * figures, to read what a change of the model does to them. The kernel is written by hand: no compiler moves a figure.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include <jansson.h>

#include "runtime/sim/sim_private.h"
#include "runtime/sm/sm.h"
#include "runtime/verify/conservation.h"
#include "simbench.h"

/* Each as it is, where it can do without a parameter, and some with settings that let more happen in a short run. */
static const struct {
	const char *name, *settings; /* joined by spaces */
} policies[] = {
#define HD_POLICY(name, ...) {name, ""},
#include "runtime/policy/policies.def"
#undef HD_POLICY
	{"preempt:naive", "preempt.interval=500"},
	{"preempt", "preempt.interval=700 preempt.seed=3"},
	{"preempt", "preempt.interval=0 preempt.slice=900"},
	{"preempt:live", "preempt.interval=500"},
	{"preempt:in-place", "preempt.interval=0 preempt.fewest=1"},
	{"preempt:block", "preempt.interval=500"},
	{"flush", "flush.interval=500"},
	{"drain", "drain.interval=500"},
	{"integrated", "integrated.interval=500"},
	{"duet", "duet.window=300"},
	{"duet:2", ""},
	{"duet:2", "duet.blocks=1"},
	{"duet:4", "duet.barriers=0 duet.eager=0"},
	{"shuffle:100", "shuffle.across=1"},
	{"malekeh:sthld=4", ""},
	{"malekeh:unordered", ""},
	{"malekeh:results", ""},
	{"cars:low", ""},
	{"cars:2", ""},
	{"bow:2", ""},
	{"cars+duet", ""},
	{"rfc", "rfc.entries=4 rfc.shared=1"},
	{"ltrf", "ltrf.banks=32"},
	{"ltrf-plus", "ltrf-plus.banks=32"},
	{"ltrf-strands", "ltrf-strands.banks=32"},
	{"ccbp", "ccbp.window=300 ccbp.review=600 ccbp.noc_above=2 ccbp.dram_above=2 ccbp.auto=1"},
	{"ccbp:bandwidth", "ccbp.window=300 ccbp.review=600 ccbp.noc_above=5 ccbp.apart=1 ccbp.carry=2"},
	{"ccbp:blocks", "ccbp.window=300 ccbp.review=600"},
	{"warped-slicer", "warped-slicer.window=300"},
	{"warped-slicer-memory", "warped-slicer-memory.window=300 warped-slicer-memory.quota=4 "
				 "warped-slicer-memory.interval=16"},
	{"smk", "smk.window=300 smk.epoch=400"},
	{"smk", "smk.window=300 smk.quotas=0"},
	{"preempt+ccbp", "preempt.interval=0 preempt.share_cycles=100 preempt.beyond_share=500 ccbp.window=300"},
};

enum { COUNT = sizeof policies / sizeof *policies, THREADS = 64, SMS = 2, WORDS = 8192, GRIDS = 4, MOST = 16 };

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

/* What the compiler would say of the kernel: boundaries at which warps may leave. All registers are kept there. */
static struct hd_meta_switch switches[2];
static struct hd_meta_point points[2];

static struct hd_meta_registers all_registers(void)
{
	return (struct hd_meta_registers){.regs = {(1u << 20) - 1}, .preds = 1};
}

static uint32_t next_pc(const struct simbench *bench)
{
	return bench->code.len * HD_INST_BYTES;
}

static void add_point(struct simbench *bench, enum hd_preempt_kind kind, uint32_t loop)
{
	points[bench->meta.point_count] = (struct hd_meta_point){.pc = next_pc(bench), .kind = kind, .loop_pc = loop};
	struct hd_meta_point *point = &points[bench->meta.point_count++];
	point->live = point->live_divergent = all_registers();
	point->mask = point->mask_divergent = (1u << 20) - 1;
	bench->meta.points = points;
}

static void add_switch(struct simbench *bench, enum hd_switch_kind kind)
{
	switches[bench->meta.switch_count] = (struct hd_meta_switch){.pc = next_pc(bench), .kind = kind};
	struct hd_meta_switch *at = &switches[bench->meta.switch_count++];
	at->live = at->live_divergent = all_registers();
	if (kind == HD_SWITCH_LOAD)
		at->loading.regs[0] = 1 << 13;
	at->bytes = 20 * 4 * HD_WARP_LANES;
	bench->meta.switches = switches;
	bench->meta.switch_context_bytes = at->bytes;
}

/* Register-intervals, and strands in their place: what comes before the loop, its turns, the rest. */
static void add_intervals(struct simbench *bench, uint32_t top, uint32_t behind)
{
	static struct hd_meta_interval intervals[3];
	static uint32_t pcs[128];
	const uint32_t starts[] = {0, top, behind, bench->code.len + 1}; /* EXIT follows */
	ck_assert_uint_le(starts[3], 128);
	for (uint32_t i = 0; i < starts[3]; i++)
		pcs[i] = i * HD_INST_BYTES;
	for (uint32_t i = 0; i < 3; i++)
		intervals[i] = (struct hd_meta_interval){.id = i,
							 .entry_pc = pcs[starts[i]],
							 .pcs = &pcs[starts[i]],
							 .pc_count = starts[i + 1] - starts[i],
							 .working_set = {(1u << 16) - 1},
							 .live_in = {(1u << 16) - 1}};
	bench->meta.intervals = bench->meta.strands = intervals;
	bench->meta.interval_count = bench->meta.strand_count = 3;
}

/* Where blocks of an SM end: their number, shared memory with facts, or registers with facts. */
enum shape { PLAIN, SHARED, REGISTERS, SHAPES };

/*
 * Each thread adds up eight words of the first half of memory, of lines that others read at other times, by a function
 * that saves two registers, or in its place where there are facts; passes the sum through shared memory to the thread
 * of the other warp; and stores it to the word of its own in the second half.
 */
static void build(struct simbench *bench, enum shape shape)
{
	struct hd_inst *inst;
	simbench_stack(bench);
	simbench_s2r(bench, 8, HD_SR_TID_X);
	simbench_s2r(bench, 9, HD_SR_CTAID_X);
	simbench_param(bench, 2);
	inst = simbench_emit(bench, HD_OP_IMAD); /* R10: number of the thread */
	inst->dst = 10, inst->a = 9, inst->c = 8, inst->xkind = HD_X_IMM_B, inst->x = THREADS;
	address_of(bench, 4, 10, 2, 4);
	simbench_mov(bench, 15, 0);
	simbench_mov(bench, 12, 0);
	uint32_t top = bench->code.len;
	if (shape != PLAIN)
		add_point(bench, HD_PREEMPT_PP, top * HD_INST_BYTES);
	access_memory(bench, HD_OP_LDG, 13, 4, 0);
	if (shape == PLAIN) {
		simbench_call(bench, "add");
	} else {
		add_switch(bench, HD_SWITCH_LOAD);
		emit(bench, HD_OP_IADD3, 15, 15, 13, HD_RZ);
		inst = emit(bench, HD_OP_IADD3, 12, 12, HD_RZ, HD_RZ);
		inst->xkind = HD_X_IMM_B, inst->x = 1;
	}
	address_of(bench, 4, 12, 4, 128 + 4); /* R12 turns are done */
	inst = emit(bench, HD_OP_ISETP, HD_RZ, 12, HD_RZ, HD_RZ);
	inst->pdst = 0, inst->xkind = HD_X_IMM_B, inst->x = 8, inst->mods = HD_MOD(CMP, HD_CMP_LT);
	inst = simbench_emit(bench, HD_OP_BRA);
	inst->guard = 0, inst->xkind = HD_X_OTHER, inst->x = top, inst->reconv = bench->code.len;
	uint32_t behind = bench->code.len;
	inst = emit(bench, HD_OP_SHL, 14, 8, HD_RZ, HD_RZ);
	inst->xkind = HD_X_IMM_B, inst->x = 2;
	access_memory(bench, HD_OP_STS, 15, 14, 0);
	if (shape != PLAIN) {
		add_point(bench, HD_PREEMPT_BAR, UINT32_MAX);
		add_switch(bench, HD_SWITCH_BARRIER);
	}
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	inst = emit(bench, HD_OP_LOP3, 14, 14, HD_RZ, HD_RZ);
	inst->xkind = HD_X_IMM_B, inst->x = 4 * THREADS / 2, inst->mods = HD_MOD(LUT, 0x3c); /* a ^ b */
	access_memory(bench, HD_OP_LDS, 13, 14, 0);
	address_of(bench, 4, 10, 2, 4);
	access_memory(bench, HD_OP_STG, 13, 4, 4 * WORDS / 2);
	bench->meta.shared_bytes = shape == SHARED ? 20000 : 4 * THREADS;
	bench->meta.registers = shape == REGISTERS ? 200 : 20;
	bench->meta.max_stack_bytes = 64;
	if (shape != PLAIN) {
		static struct hd_meta_idempotence restarts = {.why = HD_BREAK_NONE};
		bench->meta.idempotence = &restarts; /* it writes what nobody reads */
		add_intervals(bench, top, behind);
		return;
	}
	simbench_emit(bench, HD_OP_EXIT);
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
	FILE *record; /* where a line of figures goes, or NULL */
};

/* A line: cycles of each grid, what moved and what it took, issue slots by reason, and what the policy itself counts.
 */
static void record(const struct hd_sim *sim, const char *policy, const char *settings, enum shape shape, FILE *out)
{
	static const char *const names[SHAPES] = {"plain", "shared", "registers"};
	static const char *const keys[][2] = {{"warp_instructions", "instructions"},
					      {"bank_reads", "reads"},
					      {"bank_writes", "writes"},
					      {"l1d_accesses", "L1"},
					      {"l1d_misses", "misses"},
					      {"icnt_flits_up", "up"},
					      {"icnt_flits_down", "down"},
					      {"dram_reads", "DRAM"},
					      {"dynamic_joules", "dynamic"},
					      {"static_joules", "static"}};
	char *text = hd_sim_stats_json(sim);
	json_t *document = json_loads(text, 0, NULL), *total = json_object_get(document, "total"), *value, *launch;
	size_t index;
	const char *key;
	fprintf(out, "%s%s%s, %s: cycles", policy, *settings ? " " : "", settings, names[shape]);
	json_array_foreach(json_object_get(document, "launches"), index, launch)
		fprintf(out, " %lld", json_integer_value(json_object_get(launch, "cycles")));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		fprintf(out, ", %s %.6g", keys[i][1], json_number_value(json_object_get(total, keys[i][0])));
	json_object_foreach(json_object_get(total, "stalls"), key, value) if (json_integer_value(value))
		fprintf(out, ", %s %lld", key, json_integer_value(value));
	for (uint32_t i = 0; i < sim->gpu.policy_count; i++)
		json_object_foreach(json_object_get(total, sim->gpu.policies[i].policy->name), key,
				    value) if (json_number_value(value) != 0)
			fprintf(out, ", %s %.6g", key, json_number_value(value));
	fputc('\n', out);
	json_decref(document);
	free(text);
}

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
	} grids[GRIDS] = {{MOST, 1, 0}, {2, 2, 0}, {4, 2, -1}, {4, 1, 0}};
	for (uint32_t i = 0; i < GRIDS; i++) {
		uint64_t ticket;
		struct hd_launch launch = {.kernel = bench->kernel,
					   .grid = {grids[i].ctas, 1, 1},
					   .block = {THREADS, 1, 1},
					   .stream = grids[i].stream,
					   .priority = grids[i].priority,
					   .params = &address,
					   .param_bytes = sizeof address};
		ck_assert_msg(!hd_sim_submit(bench->sim, &launch, &ticket), "%s", hd_sim_error_text(bench->sim));
	}
}

static void run(const char *policy, const char *settings, enum shape shape, bool every_cycle, struct outcome *outcome)
{
	struct simbench bench;
	uint64_t address;
	const char *all = settings;
	simbench_init(&bench);
	bench.options.policy = policy;
	bench.config.sm_count = SMS;
	bench.config.schedulers = 2;
	bench.config.register_banks = 16;
	if (shape == PLAIN)
		bench.config.max_ctas = 4;
	for (; *settings; settings += strcspn(settings, " "), settings += *settings == ' ') {
		char setting[64];
		snprintf(setting, sizeof setting, "%.*s", (int)strcspn(settings, " "), settings);
		ck_assert_msg(!hd_config_set(&bench.config, setting, &bench.diag), "%s", bench.message);
	}
	bench.config.l1_bytes = 16384;
	build(&bench, shape);
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
	ck_assert_msg(!hd_sim_wait_all(bench.sim), "%s: %s", policy, hd_sim_error_text(bench.sim));
	outcome->cycles = hd_sim_cycles(bench.sim) - before;
	ck_assert_int_eq(hd_sim_read(bench.sim, address, outcome->words, sizeof outcome->words), 0);
	ck_assert_uint_eq(hd_sim_launch_count(bench.sim), GRIDS);
	for (uint32_t i = 0; i < GRIDS; i++)
		outcome->stats[i] = hd_sim_launch_stats(bench.sim, i)->stats;
	struct hd_stats since = bench.sim->now;
	hd_stats_subtract(&since, &bench.sim->before);
	ck_assert_msg(!hd_verify_conservation(&bench.sim->gpu, &since, NULL), "%s: %s", policy,
		      bench.sim->gpu.error_text);
	if (outcome->record)
		record(bench.sim, policy, all, shape, outcome->record);
	simbench_release(&bench);
}

/* Those that cannot do without a parameter. */
static const char *spelled(const char *policy)
{
	static const char *const with[] = {"swl:2", "combination:2,1", "mps:50,75", "shuffle:100"};
	for (uint32_t i = 0; i < sizeof with / sizeof *with; i++)
		if (!strncmp(with[i], policy, strlen(policy)) && with[i][strlen(policy)] == ':')
			return with[i];
	return policy;
}

static struct outcome skipping, stepping;

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
	const char *policy = spelled(policies[_i / SHAPES].name), *settings = policies[_i / SHAPES].settings;
	enum shape shape = (enum shape)(_i % SHAPES);
	run(policy, settings, shape, false, &skipping);
	run(policy, settings, shape, true, &stepping);
	for (uint32_t i = 0; i < WORDS; i++) {
		uint32_t thread = i - WORDS / 2, word = i < WORDS / 2		  ? i * i
							: thread < MOST * THREADS ? expected(thread)
										  : 0;
		ck_assert_msg(skipping.words[i] == word, "%s: word %u", policy, i);
	}
	ck_assert_msg(skipping.cycles == stepping.cycles, "%s: %lu and %lu cycles", policy, skipping.cycles,
		      stepping.cycles);
	for (uint32_t i = 0; i < GRIDS; i++) {
		ck_assert_msg(!memcmp(&skipping.stats[i].counters, &stepping.stats[i].counters,
				      sizeof skipping.stats[i].counters),
			      "%s: grid %u", policy, i);
	}
}
END_TEST

/*
 * The figures of each policy, on record: what a change of the model does to them is seen in its diff. `make
 * update-golden` writes them anew.
 */
START_TEST(figures_are_those_on_record)
{
	static struct outcome outcome;
	outcome.record = popen("test/golden/check-golden test/golden/policies.expected", "w");
	ck_assert_ptr_nonnull(outcome.record);
	for (uint32_t i = 0; i < COUNT * SHAPES; i++)
		run(spelled(policies[i / SHAPES].name), policies[i / SHAPES].settings, (enum shape)(i % SHAPES), false,
		    &outcome);
	ck_assert_int_eq(pclose(outcome.record), 0);
}
END_TEST

/*
 * Settings with their defaults and limits, and what each event costs. Papers and `heddle policies` name them; a figure
 * that was published with others could not be had again.
 */
START_TEST(settings_are_those_on_record)
{
	FILE *out = popen("test/golden/check-golden test/golden/settings.expected", "w");
	ck_assert_ptr_nonnull(out);
	for (const struct hd_policy *policy = hd_policies; policy->name; policy++) {
		const struct hd_policy_setting *setting = policy->hooks->settings;
		const struct hd_policy_energy *energy = policy->hooks->energy;
		for (; setting && setting->name; setting++)
			fprintf(out, "%s.%s: %.15g, %.15g to %.15g\n", policy->name, setting->name, setting->value,
				setting->least, setting->most);
		for (; energy && energy->name; energy++)
			fprintf(out, "%s.pj_%s: %.15g\n", policy->name, energy->name, energy->pj);
	}
	ck_assert_int_eq(pclose(out), 0);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("policies");
	TCase *cases = tcase_create("cases");
	tcase_add_test(cases, settings_are_those_on_record);
	tcase_add_test(cases, figures_are_those_on_record);
	tcase_add_loop_test(cases, all_compute_the_same, 0, COUNT * SHAPES);
	suite_add_tcase(suite, cases);
	return suite;
}

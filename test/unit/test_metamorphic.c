/*
 * Rules between two runs of machine code: registers with other names take as long, and an instruction whose result
 * nobody reads adds itself and nothing else. test/e2e/metamorphic.test has those between machines.
 */
#include "harness.h"
#include "heddle/opcodes.h"
#include "sample.h"
#include "simbench.h"

/* Registers of the code, which begin at a multiple of SHIFT: itself one of the number of banks, and of pairs and quads.
 */
enum { REGISTERS = 24, FIRST = 16, SHIFT = 16, NOBODYS = 100, LENGTH = 60 };

/* A machine that the rules are tried on. */
struct machine {
	uint64_t operands, banks, ports, schedulers;
	bool caches; /* of instructions that miss */
};

static const struct machine machines[] = {
	{HD_OPERANDS_COLLECTORS, 4, 1, 1, false}, {HD_OPERANDS_COLLECTORS, 16, 2, 2, true},
	{HD_OPERANDS_MODERN, 2, 1, 1, false},	  {HD_OPERANDS_MODERN, 8, 1, 4, true},
	{HD_OPERANDS_ACCELSIM, 8, 2, 2, false},
};

static void set_machine(struct simbench *bench, const struct machine *machine)
{
	simbench_init(bench);
	bench->config.operands = machine->operands;
	bench->config.register_banks = machine->banks;
	bench->config.register_ports = machine->ports;
	bench->config.register_write_ports = machine->ports;
	bench->config.schedulers = machine->schedulers;
	bench->config.subcores = 1;
	if (machine->caches)
		bench->config.l1i_bytes = 1024, bench->config.l1i_line = 128, bench->config.l1i_ways = 2;
	bench->meta.registers = 128;
}

/* Random arithmetic, special functions, moves, and loads and stores of the buffer, on registers from `base` on. `dead`:
 * in front of which instruction there is one more, whose result nobody reads. */
static void build(struct simbench *bench, uint64_t seed, uint8_t base, uint32_t dead)
{
	uint8_t address = (uint8_t)(base + REGISTERS);
	simbench_param(bench, address);
	for (uint8_t i = 0; i < REGISTERS; i++)
		simbench_mov(bench, (uint8_t)(base + i), 0x3f800000u + i);
	for (uint32_t i = 0; i < LENGTH; i++) {
		uint8_t r[4];
		for (uint32_t k = 0; k < 4; k++)
			r[k] = (uint8_t)(base + sample_random(&seed) % REGISTERS);
		uint64_t kind = sample_random(&seed) % 8;
		if (i == dead)
			simbench_mov(bench, NOBODYS, i);
		if (kind < 4) {
			simbench_ffma(bench, r[0], r[1], r[2], r[3]);
		} else if (kind == 4) {
			struct hd_inst *root = simbench_emit(bench, HD_OP_MUFU);
			root->dst = r[0], root->b = r[1], root->mods = HD_MOD(MUFUFN, HD_MUFU_RCP);
		} else if (kind == 5) {
			struct hd_inst *add = simbench_emit(bench, HD_OP_IADD3);
			add->dst = r[0], add->a = r[1], add->b = r[2], add->c = r[3];
		} else {
			struct hd_inst *access = simbench_emit(bench, kind == 6 ? HD_OP_LDG : HD_OP_STG);
			access->a = address;
			access->xkind = HD_X_OTHER;
			/* What is read is not what is written: warps do not race. */
			access->x = (uint32_t)(sample_random(&seed) % 32) * 128 + (kind == 6 ? 0 : 8192);
			access->mods = HD_MOD(SIZE, HD_SIZE_32);
			*(kind == 6 ? &access->dst : &access->c) = r[0];
		}
	}
	for (uint8_t i = 0; i < REGISTERS; i++) { /* all of it is read */
		struct hd_inst *store = simbench_emit(bench, HD_OP_STG);
		store->a = address, store->c = (uint8_t)(base + i), store->xkind = HD_X_OTHER;
		store->x = 4096 + i * 4u;
		store->mods = HD_MOD(SIZE, HD_SIZE_32);
	}
}

/* Of two warps; what they have written goes to `words`. */
static struct hd_stats measure(const struct machine *machine, uint64_t seed, uint8_t base, uint32_t dead,
			       uint32_t words[REGISTERS])
{
	struct simbench bench;
	uint64_t address;
	set_machine(&bench, machine);
	build(&bench, seed, base, dead);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 16384, &address), 0);
	struct hd_launch launch = simbench_launch(&bench, 1, 64, &address);
	ck_assert_msg(!hd_sim_launch(bench.sim, &launch), "%s", hd_sim_error_text(bench.sim));
	ck_assert_int_eq(hd_sim_read(bench.sim, address + 4096, words, REGISTERS * sizeof *words), 0);
	struct hd_stats stats = *simbench_stats(&bench);
	simbench_release(&bench);
	return stats;
}

START_TEST(registers_with_other_names_take_as_long)
{
	for (uint32_t m = 0; m < sizeof machines / sizeof *machines; m++)
		for (uint64_t seed = 1; seed <= hd_samples(5, 60); seed++) {
			uint32_t words[REGISTERS], others[REGISTERS];
			struct hd_stats one = measure(&machines[m], seed, FIRST, LENGTH, words);
			struct hd_stats other = measure(&machines[m], seed, FIRST + SHIFT, LENGTH, others);
			ck_assert_uint_eq(one.counters.cycles, other.counters.cycles);
			ck_assert_mem_eq(&one, &other, sizeof one);
			ck_assert_mem_eq(words, others, sizeof words);
		}
}
END_TEST

/* Each of the two warps executes it once more: an issue slot, a register that is written. */
START_TEST(an_instruction_that_nobody_needs_adds_itself)
{
	for (uint32_t m = 0; m < sizeof machines / sizeof *machines; m++)
		for (uint64_t seed = 1; seed <= hd_samples(5, 60); seed++) {
			uint32_t words[REGISTERS], others[REGISTERS];
			struct hd_stats without = measure(&machines[m], seed, FIRST, LENGTH, words);
			struct hd_stats more =
				measure(&machines[m], seed, FIRST, (uint32_t)(seed * 7 % LENGTH), others);
			struct hd_counters *a = &without.counters, *b = &more.counters;
			ck_assert_mem_eq(words, others, sizeof words);
			ck_assert_uint_eq(b->warp_instructions, a->warp_instructions + 2);
			ck_assert_uint_eq(b->thread_instructions, a->thread_instructions + 64);
			ck_assert_uint_eq(b->register_writes, a->register_writes + 2);
			ck_assert_uint_eq(b->register_reads, a->register_reads);
			ck_assert_uint_eq(more.stalls[HD_STALL_issued], without.stalls[HD_STALL_issued] + 2);
			ck_assert_uint_eq(b->lsu_instructions, a->lsu_instructions);
			ck_assert_uint_eq(b->sfu_instructions, a->sfu_instructions);
			ck_assert_uint_eq(b->fp32_instructions, a->fp32_instructions);
			ck_assert_uint_eq(b->load_requests, a->load_requests);
			ck_assert_uint_eq(b->l1d_accesses, a->l1d_accesses);
			ck_assert_uint_eq(b->dram_writes, a->dram_writes);
		}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("metamorphic", (const TTest *const[]){
						  registers_with_other_names_take_as_long,
						  an_instruction_that_nobody_needs_adds_itself,
						  NULL,
					  });
}

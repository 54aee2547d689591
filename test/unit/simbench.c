/* The engine's test bench: see simbench.h. */
#include "simbench.h"

#include <check.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void keep_message(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct simbench *bench = context;
	(void)severity;
	(void)loc;
	snprintf(bench->message, sizeof bench->message, "%s", message);
}

static void simple_gpu(struct hd_config *config)
{
	hd_config_defaults(config);
	snprintf(config->name, sizeof config->name, "bench");
	config->sm_count = 1;
	config->schedulers = 1;
	config->units_int = config->units_fp32 = config->units_fp64 = config->units_sfu = 1;
	config->ii_int = config->ii_fp32 = config->ii_fp64 = config->ii_sfu = config->ii_lsu = 1;
	config->register_banks = 64;
	config->collectors = 8;
	config->l1i_miss_latency = 1;
	config->launch_latency = 10;
	config->dram_bytes = 1 << 26;
}

void simbench_init(struct simbench *bench)
{
	memset(bench, 0, sizeof *bench);
	hd_arena_init(&bench->arena);
	simple_gpu(&bench->config);
	bench->diag = (struct hd_diag){.emit = keep_message, .context = bench, .tool = "test"};
	bench->options = (struct hd_sim_options){.policy = "baseline", .diag = &bench->diag};
	bench->meta.name = bench->meta.demangled = "kernel";
	bench->meta.kernel = true;
	bench->meta.registers = 16;
}

void simbench_release(struct simbench *bench)
{
	hd_sim_free(bench->sim);
	hd_vec_release(&bench->code);
	hd_arena_release(&bench->arena);
}

struct hd_inst *simbench_emit(struct simbench *bench, enum hd_op op)
{
	hd_vec_push(&bench->code, hd_inst_new(op));
	return &hd_vec_last(&bench->code);
}

void simbench_ffma(struct simbench *bench, uint8_t dst, uint8_t a, uint8_t b, uint8_t c)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_FFMA);
	inst->dst = dst;
	inst->a = a;
	inst->b = b;
	inst->c = c;
}

void simbench_mov(struct simbench *bench, uint8_t dst, uint32_t value)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_MOV);
	inst->dst = dst;
	inst->xkind = HD_X_IMM_B;
	inst->x = value;
}

void simbench_s2r(struct simbench *bench, uint8_t dst, enum hd_sr sr)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_S2R);
	inst->dst = dst;
	inst->mods = HD_MOD(SR, sr);
}

void simbench_chain(struct simbench *bench, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		simbench_ffma(bench, 4, 4, 5, 6);
}

static struct hd_object make_object(struct simbench *bench)
{
	struct hd_arena *arena = &bench->arena;
	struct hd_object object = {.arena = arena, .function_count = 1, .symbol_count = 1};
	struct hd_function *function = HD_ARENA_NEW(arena, struct hd_function, 1);
	struct hd_symbol *symbol = HD_ARENA_NEW(arena, struct hd_symbol, 1);
	struct hd_meta_function *meta = HD_ARENA_NEW(arena, struct hd_meta_function, 1);
	*function = (struct hd_function){.name = "kernel",
					 .kernel = true,
					 .insts = bench->code.data,
					 .inst_count = bench->code.len,
					 .registers = bench->meta.registers,
					 .shared_bytes = bench->meta.shared_bytes,
					 .param_bytes = bench->meta.param_bytes};
	function->origins = HD_ARENA_NEW(arena, struct hd_origin, bench->code.len);
	for (uint32_t i = 0; i < bench->code.len; i++)
		function->origins[i] = (struct hd_origin){.file = UINT32_MAX, .ir = UINT32_MAX};
	*symbol = (struct hd_symbol){.name = "kernel", .kind = HD_SYM_FUNCTION, .defined = true, .global = true};
	*meta = bench->meta;
	meta->instructions = bench->code.len;
	meta->own_registers = meta->registers;
	object.functions = function;
	object.symbols = symbol;
	object.metadata = (struct hd_metadata){.arena = arena,
					       .module = "bench",
					       .target = "sm_70",
					       .producer = "test",
					       .flags = "",
					       .functions = meta,
					       .function_count = 1};
	return object;
}

int simbench_start(struct simbench *bench)
{
	uint8_t *bytes;
	size_t size;
	simbench_emit(bench, HD_OP_EXIT);
	struct hd_object object = make_object(bench);
	bench->options.config = &bench->config;
	int error = hd_sim_new(&bench->options, &bench->sim);
	if (error)
		return error;
	ck_assert_msg(!hd_object_write(&object, &bytes, &size, &bench->diag), "%s", bench->message);
	error = hd_sim_load(bench->sim, bytes, size, "bench", &bench->module);
	ck_assert_msg(!error, "%s", bench->message);
	free(bytes);
	bench->kernel = hd_sim_kernel(bench->module, "kernel");
	ck_assert_ptr_nonnull(bench->kernel);
	return 0;
}

int simbench_run(struct simbench *bench, uint32_t ctas, uint32_t threads)
{
	struct hd_launch launch = {.kernel = bench->kernel, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
	fflush(stderr);
	int saved = dup(2), quiet = memfd_create("quiet", 0);
	dup2(quiet, 2);
	int error = hd_sim_launch(bench->sim, &launch);
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	close(quiet);
	return error;
}

const struct hd_stats *simbench_stats(const struct simbench *bench)
{
	return &hd_sim_launch_stats(bench->sim, hd_sim_launch_count(bench->sim) - 1)->stats;
}

struct hd_stats simbench_measure(void (*build)(struct simbench *bench, uint32_t size), uint32_t size, uint32_t threads)
{
	struct simbench bench;
	simbench_init(&bench);
	build(&bench, size);
	ck_assert_int_eq(simbench_start(&bench), 0);
	int error = simbench_run(&bench, 1, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
	struct hd_stats stats = *simbench_stats(&bench);
	simbench_release(&bench);
	return stats;
}

uint32_t simbench_register(const struct simbench *bench, uint32_t slot, uint32_t reg, uint32_t lane)
{
	return bench->sim->gpu.sms[0]->warps[slot].regs[reg][lane];
}

/* The engine's test bench: see simbench.h. */
#include "simbench.h"
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/hooks.h"

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

void simbench_param(struct simbench *bench, uint8_t dst)
{
	for (uint8_t half = 0; half < 2; half++) {
		struct hd_inst *inst = simbench_emit(bench, HD_OP_MOV);
		inst->dst = (uint8_t)(dst + half);
		inst->xkind = HD_X_CONST_B;
		inst->x = HD_CONST_X(0, HD_CB_PARAMS + 4u * half);
	}
	bench->meta.param_bytes = sizeof(uint64_t);
}

struct hd_launch simbench_launch(const struct simbench *bench, uint32_t ctas, uint32_t threads, const uint64_t *param)
{
	return (struct hd_launch){.kernel = bench->kernel,
				  .grid = {ctas, 1, 1},
				  .block = {threads, 1, 1},
				  .params = param,
				  .param_bytes = sizeof *param};
}

void simbench_chain(struct simbench *bench, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		simbench_ffma(bench, 4, 4, 5, 6);
}

/* ---- device functions */

static struct hd_meta_function *current_meta(struct simbench *bench)
{
	return bench->function_count ? &bench->functions[bench->function_count - 1].meta : &bench->meta;
}

static uint32_t current_first(const struct simbench *bench)
{
	return bench->function_count ? bench->functions[bench->function_count - 1].first : 0;
}

struct hd_meta_function *simbench_function(struct simbench *bench, const char *name)
{
	if (!bench->function_count)
		simbench_emit(bench, HD_OP_EXIT);
	struct simbench_function *function = &bench->functions[bench->function_count++];
	ck_assert_uint_le(bench->function_count, SIMBENCH_FUNCTIONS);
	function->first = bench->code.len;
	function->meta = (struct hd_meta_function){.name = name, .demangled = name, .registers = 16, .fru = 1};
	return &function->meta;
}

void simbench_call(struct simbench *bench, const char *callee)
{
	ck_assert_uint_lt(bench->call_count, SIMBENCH_CALLS);
	bench->calls[bench->call_count++] = (struct simbench_call){.caller = bench->function_count,
								   .inst = bench->code.len - current_first(bench),
								   .callee = callee};
	simbench_emit(bench, HD_OP_CALL)->xkind = HD_X_OTHER;
}

static void access_frame(struct simbench *bench, enum hd_role role, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		bool restore = role == HD_ROLE_CALLEE_RESTORE;
		struct hd_inst *inst = simbench_emit(bench, restore ? HD_OP_LDL : HD_OP_STL);
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
		inst->role = (uint8_t)role;
		inst->a = 1;
		inst->xkind = HD_X_OTHER;
		inst->x = 4u * i;
		*(restore ? &inst->dst : &inst->c) = (uint8_t)(16 + i);
	}
}

static void move_stack(struct simbench *bench, uint32_t by)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IADD3);
	inst->dst = inst->a = 1;
	inst->xkind = HD_X_IMM_B;
	inst->x = by;
}

static uint32_t frame_bytes(uint32_t count)
{
	return (4 * count + 15) / 16 * 16;
}

void simbench_prologue(struct simbench *bench, uint32_t count)
{
	struct hd_meta_function *meta = current_meta(bench);
	meta->registers = 16 + count;
	meta->pushed_registers = count;
	meta->fru = count + 1;
	meta->stack_bytes = frame_bytes(count);
	move_stack(bench, -frame_bytes(count));
	access_frame(bench, HD_ROLE_CALLEE_SAVE, count);
}

void simbench_epilogue(struct simbench *bench, uint32_t count)
{
	access_frame(bench, HD_ROLE_CALLEE_RESTORE, count);
	move_stack(bench, frame_bytes(count));
}

void simbench_stack(struct simbench *bench)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_MOV);
	inst->dst = 1;
	inst->xkind = HD_X_CONST_B;
	inst->x = HD_CONST_X(0, HD_CB_STACK_TOP);
}

/* ---- the object */

static const struct hd_meta_function *meta_of(const struct simbench *bench, const char *name)
{
	for (uint32_t i = 0; i < bench->function_count; i++)
		if (!strcmp(bench->functions[i].meta.name, name))
			return &bench->functions[i].meta;
	return NULL;
}

static uint32_t index_of(const struct simbench *bench, const char *name)
{
	for (uint32_t i = 0; i < bench->function_count; i++)
		if (!strcmp(bench->functions[i].meta.name, name))
			return i + 1;
	return 0;
}

static void link_calls(struct simbench *bench, uint32_t index, struct hd_function *function,
		       struct hd_meta_function *meta)
{
	function->relocs = HD_ARENA_NEW(&bench->arena, struct hd_reloc, SIMBENCH_CALLS);
	meta->calls = HD_ARENA_NEW(&bench->arena, struct hd_meta_call, SIMBENCH_CALLS);
	for (uint32_t i = 0; i < bench->call_count; i++) {
		const struct simbench_call *call = &bench->calls[i];
		if (call->caller != index)
			continue;
		const struct hd_meta_function *callee = meta_of(bench, call->callee);
		struct hd_meta_call *site = &meta->calls[meta->call_count++];
		*site = (struct hd_meta_call){.pc = call->inst * HD_INST_BYTES, .callee_count = 1, .fru = callee->fru};
		site->recursive = callee->recursive && meta->recursive;
		site->unknown_callees = call->unknown;
		site->callees = HD_ARENA_NEW(&bench->arena, const char *, 1);
		site->callees[0] = call->callee;
		function->relocs[function->reloc_count++] = (struct hd_reloc){.kind = HD_REL_CALL,
									      .symbol = index_of(bench, call->callee),
									      .offset = call->inst};
	}
}

static void add_object_function(struct simbench *bench, struct hd_object *object, uint32_t index, uint32_t first,
				uint32_t end)
{
	const struct hd_meta_function *from = index ? &bench->functions[index - 1].meta : &bench->meta;
	struct hd_function *function = &object->functions[index];
	struct hd_meta_function *meta = &object->metadata.functions[index];
	*function = (struct hd_function){.name = from->name,
					 .kernel = index == 0,
					 .insts = bench->code.data + first,
					 .inst_count = end - first,
					 .registers = from->registers,
					 .frame_bytes = from->stack_bytes,
					 .shared_bytes = from->shared_bytes,
					 .param_bytes = from->param_bytes};
	function->origins = HD_ARENA_NEW(&bench->arena, struct hd_origin, end - first);
	for (uint32_t i = 0; i < end - first; i++)
		function->origins[i] = (struct hd_origin){.file = UINT32_MAX, .ir = UINT32_MAX};
	object->symbols[index] = (struct hd_symbol){
		.name = from->name, .kind = HD_SYM_FUNCTION, .defined = true, .global = true, .function = index};
	*meta = *from;
	meta->instructions = end - first;
	meta->own_registers = meta->registers;
	link_calls(bench, index, function, meta);
}

static struct hd_object make_object(struct simbench *bench)
{
	struct hd_arena *arena = &bench->arena;
	uint32_t count = 1 + bench->function_count;
	struct hd_object object = {.arena = arena, .function_count = count, .symbol_count = count};
	object.functions = HD_ARENA_NEW(arena, struct hd_function, count);
	object.symbols = HD_ARENA_NEW(arena, struct hd_symbol, count);
	object.metadata = (struct hd_metadata){.arena = arena,
					       .module = "bench",
					       .target = "sm_70",
					       .producer = "test",
					       .flags = "",
					       .functions = HD_ARENA_NEW(arena, struct hd_meta_function, count),
					       .function_count = count};
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = i ? bench->functions[i - 1].first : 0;
		uint32_t end = i < bench->function_count ? bench->functions[i].first : bench->code.len;
		add_object_function(bench, &object, i, first, end);
	}
	return object;
}

/* Before code is loaded, of which policies take note. */
static void add_policy(struct hd_gpu *gpu, const struct hd_policy *policy)
{
	hd_policy_add(gpu, policy, "");
	hd_policy_place(gpu); /* all state is zero again */
	HD_HOOKED (gpu, self, start)
		self->hooks->start(self, gpu);
}

int simbench_start(struct simbench *bench)
{
	uint8_t *bytes;
	size_t size;
	if (!bench->function_count)
		simbench_emit(bench, HD_OP_EXIT);
	struct hd_object object = make_object(bench);
	bench->options.config = &bench->config;
	int error = hd_sim_new(&bench->options, &bench->sim);
	if (error)
		return error;
	if (bench->beside)
		add_policy(&bench->sim->gpu, bench->beside);
	ck_assert_msg(!hd_object_write(&object, &bytes, &size, &bench->diag), "%s", bench->message);
	error = hd_sim_load(bench->sim, bytes, size, "bench", &bench->module);
	ck_assert_msg(!error, "%s", bench->message);
	free(bytes);
	bench->kernel = hd_sim_kernel(bench->module, "kernel");
	ck_assert_ptr_nonnull(bench->kernel);
	return 0;
}

int simbench_capture(struct simbench *bench, uint32_t ctas, uint32_t threads, char *text, size_t size)
{
	struct hd_launch launch = {.kernel = bench->kernel, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
	fflush(stderr);
	int saved = dup(2), quiet = memfd_create("quiet", 0);
	dup2(quiet, 2);
	int error = hd_sim_launch(bench->sim, &launch);
	fflush(stderr);
	dup2(saved, 2);
	ssize_t length = pread(quiet, text, size - 1, 0);
	text[length > 0 ? length : 0] = 0;
	close(saved);
	close(quiet);
	return error;
}

int simbench_run(struct simbench *bench, uint32_t ctas, uint32_t threads)
{
	char text[2];
	return simbench_capture(bench, ctas, threads, text, sizeof text);
}

const struct hd_stats *simbench_stats(const struct simbench *bench)
{
	return &hd_sim_launch_stats(bench->sim, hd_sim_launch_count(bench->sim) - 1)->stats;
}

double simbench_figure(const struct simbench *bench, const char *key)
{
	const struct hd_launch_record *record = bench->sim->launches.data[bench->sim->launches.len - 1];
	for (uint32_t i = 0; i < record->figures.len; i++)
		if (!strcmp(record->figures.data[i].key, key)) {
			/* A count below zero is one beyond all that there can be. */
			ck_assert_msg(record->figures.data[i].value < 1e15, "%s: %g", key,
				      record->figures.data[i].value);
			return record->figures.data[i].value;
		}
	ck_abort_msg("no figure %s", key);
	return 0;
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

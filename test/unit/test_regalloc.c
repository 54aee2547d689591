/* Register allocation, frames, its checker, emission: by hand and against random functions. LINK: passes */
#include "harness.h"
#include "heddle/opcodes.h"

#include "mir_interp.h"
#include "mir_make.h"
#include "mir_random.h"
#include "passes/regalloc/regalloc.h"

static void lower(struct hd_make *make)
{
	ck_assert_int_eq(hd_lower_function(&make->func, true, &make->diag), 0);
}

static uint32_t count_role(const struct hd_make *make, enum hd_role role)
{
	uint32_t count = 0;
	for (uint32_t b = 0; b < make->func.blocks.len; b++)
		for (uint32_t i = 0; i < make->func.blocks.data[b].insts.len; i++)
			count += make->func.blocks.data[b].insts.data[i].role == role;
	return count;
}

/* out[0] = in[0] * in[1] + in[2] * in[3], all from one 128-bit load: address pair, quad. */
START_TEST(quad_is_aligned_and_reused)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg p = hd_make_pointer(&make, 0), v = hd_make_load(&make, p, 4, 0);
	struct hd_mreg w[4];
	for (uint8_t i = 0; i < 4; i++)
		w[i] = (struct hd_mreg){v.id, i, 1};
	struct hd_mreg product = hd_make_op(&make, HD_OP_FFMA, w[0], w[1], w[2]);
	hd_make_store(&make, p, hd_make_op(&make, HD_OP_FFMA, product, w[3], w[0]), 0);
	hd_make_exit(&make);
	lower(&make);
	/* The pair is live with the quad: R2:R3 and R4..R7, and a product; nothing above but what the ABI reserves. */
	ck_assert_uint_le(make.func.registers, 10 + 2);
	ck_assert_uint_eq(make.func.frame_bytes, 0);
	hd_make_release(&make);
}
END_TEST

/* R1 is the stack pointer also where a kernel has no stack, as ptxas has it. */
START_TEST(kernel_counts_reserved_registers)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg p = hd_make_pointer(&make, 0);
	hd_make_store(&make, p, hd_make_op(&make, HD_OP_IMAD, (struct hd_mreg){p.id, 0, 1}, p, HD_MREG_RZ), 0);
	make.func.blocks.data[0].insts.data[3].b = (struct hd_mreg){p.id, 1, 1};
	hd_make_exit(&make);
	lower(&make);
	/* The pointer's pair and a product beside R1, and two that the ABI reserves. */
	ck_assert_uint_ge(make.func.registers, 4 + 2);
	ck_assert_uint_le(make.func.registers, 8);
	hd_make_release(&make);
}
END_TEST

/* A device function: argument in R4, three values across a call in R16, R17, R18, saved as a run. */
START_TEST(values_across_a_call_are_pushed)
{
	struct hd_make make;
	hd_make_init(&make, false, 1);
	struct hd_mreg a = hd_mfunc_vreg(&make.func, 1), fixed = {4, 0, 1};
	hd_make_copy(&make, a, fixed);
	struct hd_mreg b = hd_make_op(&make, HD_OP_IMAD, a, a, a), c = hd_make_op(&make, HD_OP_IMAD, b, a, b);
	struct hd_mreg r = hd_make_call(&make, &c, 1);
	r = hd_make_op(&make, HD_OP_IMAD, r, a, b);
	r = hd_make_op(&make, HD_OP_IMAD, r, c, r);
	hd_make_copy(&make, fixed, r);
	hd_make_exit(&make);
	hd_vec_last(&make.func.blocks.data[0].insts).extra = hd_mfunc_extras(&make.func, &fixed, 1);
	hd_vec_last(&make.func.blocks.data[0].insts).extra_count = 1;
	lower(&make);
	ck_assert_uint_eq(make.func.saved_first, 16);
	ck_assert_uint_eq(make.func.saved_count, 3);
	ck_assert_uint_eq(count_role(&make, HD_ROLE_CALLEE_SAVE), 3); /* an access each */
	ck_assert_uint_eq(count_role(&make, HD_ROLE_CALLEE_RESTORE), 3);
	ck_assert_uint_eq(make.func.frame_bytes, 16);
	ck_assert_uint_eq(make.func.registers, 19 + 2);
	hd_make_release(&make);
}
END_TEST

/* A leaf keeps to the caller-saved registers and needs no frame. */
START_TEST(leaf_pushes_nothing)
{
	struct hd_make make;
	hd_make_init(&make, false, 1);
	struct hd_mreg a = hd_mfunc_vreg(&make.func, 1), fixed = {4, 0, 1};
	hd_make_copy(&make, a, fixed);
	hd_make_copy(&make, fixed, hd_make_op(&make, HD_OP_IMAD, a, a, a));
	hd_make_exit(&make);
	hd_vec_last(&make.func.blocks.data[0].insts).extra = hd_mfunc_extras(&make.func, &fixed, 1);
	hd_vec_last(&make.func.blocks.data[0].insts).extra_count = 1;
	lower(&make);
	ck_assert_uint_eq(make.func.saved_count, 0);
	ck_assert_uint_eq(make.func.frame_bytes, 0);
	/* IMAD R4, R4, R4, R4; RET: both copies are gone. */
	ck_assert_uint_eq(make.func.blocks.data[0].insts.len, 2);
	hd_make_release(&make);
}
END_TEST

/* A constant is made again behind the call, not kept across it. */
START_TEST(constants_are_remade_behind_calls)
{
	struct hd_make make;
	hd_make_init(&make, false, 1);
	struct hd_mreg k = hd_make_param(&make, 3), r = hd_make_call(&make, &k, 1);
	r = hd_make_op(&make, HD_OP_SHF_L, k, r, r);
	hd_make_store(&make, (struct hd_mreg){HD_RZ, 0, 2}, r, 0);
	hd_make_exit(&make);
	lower(&make);
	ck_assert_uint_eq(make.func.saved_count, 0);
	ck_assert_uint_eq(make.func.frame_bytes, 0);
	hd_make_release(&make);
}
END_TEST

/* Twelve loaded pairs, all live at once, in 16 registers: spilled by pairs, within the limit. */
START_TEST(pairs_are_spilled_as_pairs)
{
	struct hd_make make;
	struct hd_mreg values[12];
	hd_make_init(&make, true, 1);
	make.func.max_registers = 16;
	struct hd_mreg p = hd_make_pointer(&make, 0);
	for (uint32_t i = 0; i < 12; i++)
		values[i] = hd_make_load(&make, p, 2, 8 * i);
	struct hd_mreg sum = values[0];
	for (uint32_t i = 1; i < 12; i++)
		sum = hd_make_op(&make, HD_OP_DFMA, sum, values[i], sum);
	for (uint32_t i = 0; i < 12; i++) /* all of them again, behind the whole sum */
		sum = hd_make_op(&make, HD_OP_DADD, sum, values[i], HD_MREG_NONE);
	for (uint32_t i = 0; i < 12; i++)
		hd_make_store(&make, p, values[i], 128 + 8 * i);
	hd_make_store(&make, p, sum, 0);
	hd_make_exit(&make);
	lower(&make);
	ck_assert_uint_le(make.func.registers, 16);
	ck_assert_uint_gt(make.func.spill_store_bytes, 0);
	/* Each by one access, but for the address, whose words are made apart. */
	uint32_t stores = count_role(&make, HD_ROLE_SPILL_STORE), words = make.func.spill_store_bytes / 4;
	ck_assert(words == 2 * stores || words == 2 * (stores - 1));
	/* 12 pairs, the sum and the address are live; R1 is the stack pointer, so 7 pairs are left: 7 go to memory, at
	 * most all. */
	ck_assert_uint_ge(make.func.spill_store_bytes, 8 * 7);
	ck_assert_uint_le(make.func.spill_store_bytes, 8 * 12);
	hd_make_release(&make);
}
END_TEST

static struct hd_mfunc *allocated(struct hd_make *make, struct hd_mfunc *before)
{
	ck_assert_int_eq(hd_out_of_ssa_run(&make->func, &make->diag), 0);
	hd_allocation_snapshot(&make->func, &make->arena, before);
	ck_assert_int_eq(hd_regalloc_run(&make->func, &make->diag), 0);
	ck_assert_int_eq(hd_shared_slots_run(&make->func, &make->diag), 0);
	ck_assert_int_eq(hd_allocation_check(before, &make->func, &make->diag), 0);
	return &make->func;
}

static void count_message(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)severity;
	(void)loc;
	(void)message;
	++*(unsigned *)context;
}

/* Any single register operand that is changed to another register is noticed, unless that one holds the same value. */
START_TEST(checker_finds_wrong_operands)
{
	struct hd_make make;
	struct hd_mfunc before;
	unsigned messages = 0;
	hd_make_init(&make, true, 1);
	struct hd_mreg p = hd_make_pointer(&make, 0), v = hd_make_load(&make, p, 1, 0),
		       w = hd_make_load(&make, p, 1, 4);
	hd_make_store(&make, p, hd_make_op(&make, HD_OP_FFMA, v, w, v), 8);
	hd_make_exit(&make);
	struct hd_mfunc *func = allocated(&make, &before);
	make.diag.emit = count_message;
	make.diag.context = &messages;
	unsigned changed = 0;
	for (uint32_t i = 0; i < func->blocks.data[0].insts.len; i++) {
		struct hd_minst *inst = &func->blocks.data[0].insts.data[i];
		if (inst->op != HD_OP_FFMA)
			continue;
		struct hd_mreg *slots[] = {&inst->a, &inst->b, &inst->c};
		for (unsigned s = 0; s < 3; s++) {
			uint32_t kept = slots[s]->id;
			slots[s]->id = kept + 1;
			ck_assert_int_eq(hd_allocation_check(&before, func, &make.diag), -1);
			slots[s]->id = kept;
			changed++;
		}
	}
	ck_assert_uint_eq(changed, 3);
	ck_assert_uint_eq(messages, 3);
	ck_assert_int_eq(hd_allocation_check(&before, func, &make.diag), 0);
	hd_mfunc_release(&before);
	hd_make_release(&make);
}
END_TEST

/* A value in a caller-saved register is not expected to survive a call. */
START_TEST(checker_knows_what_calls_clobber)
{
	struct hd_make make;
	struct hd_mfunc before;
	unsigned messages = 0;
	hd_make_init(&make, true, 1);
	struct hd_mreg v = hd_make_load(&make, hd_make_pointer(&make, 0), 1, 0);
	struct hd_mreg r = hd_make_call(&make, &v, 1);
	hd_make_store(&make, (struct hd_mreg){HD_RZ, 0, 2}, hd_make_op(&make, HD_OP_SHF_L, v, r, r), 0);
	hd_make_exit(&make);
	struct hd_mfunc *func = allocated(&make, &before);
	make.diag.emit = count_message;
	make.diag.context = &messages;
	uint32_t renamed = 0;
	for (uint32_t i = 0; i < func->blocks.data[0].insts.len; i++) {
		struct hd_minst *inst = &func->blocks.data[0].insts.data[i];
		struct hd_mreg *slots[] = {&inst->dst, &inst->a, &inst->b, &inst->c};
		for (unsigned s = 0; s < 4; s++)
			if (slots[s]->words && slots[s]->id == 16) {
				slots[s]->id = 3; /* consistently, but caller-saved */
				renamed++;
			}
	}
	ck_assert_uint_ge(renamed, 2);
	ck_assert_int_eq(hd_allocation_check(&before, func, &make.diag), -1);
	hd_mfunc_release(&before);
	hd_make_release(&make);
}
END_TEST

/* ---- random functions ---- */

static void emit_and_compare(struct hd_make *make, const struct hd_mrun *expected, uint32_t seed)
{
	struct hd_object object = {.arena = &make->arena};
	struct hd_function function = {0};
	ck_assert_int_eq(hd_mfunc_emit(&make->func, &object, &function, &make->arena, &make->diag), 0);
	struct hd_mrun run = hd_function_interpret(&function, &make->func);
	ck_assert_msg(!run.error && hd_mrun_equal(&run, expected), "seed %u, emitted: %s", seed,
		      run.error ? run.error : "another result");
}

static void try_seed(uint32_t seed, uint32_t cap)
{
	struct hd_make make = {0};
	struct hd_random_options options = hd_random_options(seed);
	if (cap)
		options.max_registers = cap;
	hd_arena_init(&make.arena);
	hd_random_mfunc(&make.func, &make.arena, &options);
	make.func.uniform = seed % 3 ? HD_UNIFORM_NEVER : seed % 2 ? HD_UNIFORM_SHORT : HD_UNIFORM_ALWAYS;
	struct hd_mrun before = hd_mfunc_interpret(&make.func, false);
	ck_assert_msg(!before.error, "seed %u: %s", seed, before.error);
	ck_assert_msg(!hd_lower_function(&make.func, true, &make.diag), "seed %u", seed);
	ck_assert_uint_le(make.func.registers, hd_mfunc_cap(&make.func) + make.func.abi->reserved_registers);
	struct hd_mrun after = hd_mfunc_interpret(&make.func, true);
	ck_assert_msg(!after.error && hd_mrun_equal(&before, &after), "seed %u: %s", seed,
		      after.error ? after.error : "another result");
	if (!options.calls)
		emit_and_compare(&make, &before, seed);
	hd_make_release(&make);
}

START_TEST(random_functions_keep_their_meaning)
{
	uint32_t last = hd_samples(600, 2500);
	for (uint32_t seed = 1; seed <= last; seed++)
		try_seed(seed, 0);
}
END_TEST

START_TEST(random_functions_fit_sixteen_registers)
{
	uint32_t last = 5000 + hd_samples(300, 500);
	for (uint32_t seed = 5001; seed <= last; seed++)
		try_seed(seed, 16);
}
END_TEST

/* The same function comes out the same, whatever was allocated before. */
START_TEST(lowering_is_deterministic)
{
	char *texts[2] = {0};
	for (unsigned i = 0; i < 2; i++) {
		size_t size;
		struct hd_make make = {0};
		struct hd_random_options options = hd_random_options(77);
		FILE *out = open_memstream(&texts[i], &size);
		void *noise = malloc(12345 * (i + 1));
		hd_arena_init(&make.arena);
		hd_random_mfunc(&make.func, &make.arena, &options);
		lower(&make);
		hd_mfunc_print(out, &make.func);
		fclose(out);
		free(noise);
		hd_make_release(&make);
	}
	ck_assert_str_eq(texts[0], texts[1]);
	free(texts[0]);
	free(texts[1]);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		quad_is_aligned_and_reused,	     kernel_counts_reserved_registers,
		values_across_a_call_are_pushed,     leaf_pushes_nothing,
		constants_are_remade_behind_calls,   pairs_are_spilled_as_pairs,
		checker_finds_wrong_operands,	     checker_knows_what_calls_clobber,
		random_functions_keep_their_meaning, random_functions_fit_sixteen_registers,
		lowering_is_deterministic,	     NULL,
	};
	return hd_suite_of("regalloc", tests);
}

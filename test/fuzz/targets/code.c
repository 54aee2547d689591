/*
 * Machine code: the first byte chooses the policy, and the rest are a kernel's instructions, of 16 bytes each. What the
 * verifier accepts runs.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdlib.h>

#include "heddle/figures.h"
#include "heddle/object.h"
#include "heddle/opcodes.h"
#include "test/fuzz/targets/engine.h"

enum { MOST_INSTRUCTIONS = 256, REGISTERS = 32, SHARED_BYTES = 1024 };

static uint32_t decode(struct hd_inst *insts, const uint8_t *bytes, size_t size)
{
	uint32_t count = 0;
	for (size_t at = 0; at + HD_INST_BYTES <= size && count < MOST_INSTRUCTIONS; at += HD_INST_BYTES)
		if (!hd_inst_decode(bytes + at, &insts[count]))
			count++;
	insts[count] = hd_inst_new(HD_OP_EXIT);
	return count + 1;
}

static void describe(struct hd_object *object, struct hd_arena *arena, const uint8_t *bytes, size_t size)
{
	struct hd_function *function = HD_ARENA_NEW(arena, struct hd_function, 1);
	struct hd_meta_function *meta = HD_ARENA_NEW(arena, struct hd_meta_function, 1);
	struct hd_symbol *symbol = HD_ARENA_NEW(arena, struct hd_symbol, 1);
	*function = (struct hd_function){.name = "k",
					 .kernel = true,
					 .registers = REGISTERS,
					 .shared_bytes = SHARED_BYTES,
					 .param_bytes = sizeof(uint64_t)};
	function->insts = HD_ARENA_NEW(arena, struct hd_inst, MOST_INSTRUCTIONS + 1);
	function->inst_count = decode(function->insts, bytes, size);
	function->origins = HD_ARENA_NEW(arena, struct hd_origin, function->inst_count);
	for (uint32_t i = 0; i < function->inst_count; i++)
		function->origins[i] = (struct hd_origin){.file = UINT32_MAX, .ir = UINT32_MAX};
	*meta = (struct hd_meta_function){.name = "k",
					  .demangled = "k",
					  .kernel = true,
					  .registers = REGISTERS,
					  .own_registers = REGISTERS,
					  .shared_bytes = SHARED_BYTES,
					  .param_bytes = sizeof(uint64_t),
					  .instructions = function->inst_count};
	*symbol = (struct hd_symbol){.name = "k", .kind = HD_SYM_FUNCTION, .defined = true, .global = true};
	*object = (struct hd_object){.arena = arena,
				     .functions = function,
				     .function_count = 1,
				     .symbols = symbol,
				     .symbol_count = 1,
				     .metadata = {.arena = arena,
						  .module = "input",
						  .target = "sm_90a",
						  .producer = "fuzz",
						  .flags = "",
						  .functions = meta,
						  .function_count = 1}};
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_arena arena;
	struct hd_object object;
	uint8_t *written;
	size_t length;
	if (!size)
		return 0;
	hd_arena_init(&arena);
	describe(&object, &arena, bytes + 1, size - 1);
	if (!hd_object_verify(&object, "input", &diag) && !hd_object_write(&object, &written, &length, &diag)) {
		fuzz_simulate(written, length, bytes[0]);
		free(written);
	}
	hd_arena_release(&arena);
	return 0;
}

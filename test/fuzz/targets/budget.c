/*
 * Budgets of `heddle check`.
 */
#include "test/fuzz/targets/fuzz.h"

#include "tools/heddle/gate/budget.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct gate_gpus gpus;
	struct hd_diag diag = fuzz_diag();
	struct hd_arena arena;
	struct gate_budget budget;
	gpus.count = 0;
	hd_arena_init(&arena);
	gate_budget_init(&budget, &arena, &gpus);
	gate_budget_load(&budget, fuzz_file(bytes, size, ".ini"), &diag);
	gate_budget_release(&budget);
	hd_arena_release(&arena);
	return 0;
}

/*
 * Baselines of `heddle check`.
 */
#include "test/fuzz/targets/fuzz.h"

#include "tools/heddle/gate/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_arena arena;
	struct gate_baseline baseline;
	hd_arena_init(&arena);
	gate_baseline_init(&baseline, &arena, fuzz_file(bytes, size, ".json"));
	gate_baseline_load(&baseline, false, &diag);
	gate_baseline_release(&baseline);
	hd_arena_release(&arena);
	return 0;
}

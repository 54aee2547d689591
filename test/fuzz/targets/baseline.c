/*
 * Baselines of `heddle check`: read, and what is taken is written and read again.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "tools/heddle/gate/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_arena arena;
	struct gate_baseline baseline;
	hd_arena_init(&arena);
	gate_baseline_init(&baseline, &arena, "input");
	gate_baseline_parse(&baseline, (const char *)bytes, size, &diag);
	gate_baseline_release(&baseline);
	hd_arena_release(&arena);
	return 0;
}

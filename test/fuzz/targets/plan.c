/*
 * Plans of sweeps.
 */
#include "test/fuzz/targets/fuzz.h"

#include "tools/heddle/sweep/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct plan plan;
	plan_read(&plan, fuzz_file(bytes, size, ".ini"), &diag);
	plan_release(&plan);
	return 0;
}

/*
 * Exports of profilers for `heddle validate`.
 */
#include "test/fuzz/targets/fuzz.h"

#include "tools/heddle/validate/validate.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct validation validation = {.diag = &diag, .profile = fuzz_file(bytes, size, ".csv")};
	hd_arena_init(&validation.arena);
	profile_read(&validation);
	hd_vec_release(&validation.card);
	hd_arena_release(&validation.arena);
	return 0;
}

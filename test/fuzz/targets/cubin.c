/*
 * NVIDIA's machine code: cubins, fat binaries, host files and archives with them, and a check of what they say.
 */
#include "test/fuzz/targets/fuzz.h"

#include "tools/heddle/cmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *path = fuzz_file(bytes, size, ".o");
	fuzz_command(cmd_info, "--figures", "--gpu", "a100", path, NULL);
	fuzz_command(cmd_check, "--baseline", "/nonexistent/lock.json", "--patch", "-q", path, NULL);
	return 0;
}

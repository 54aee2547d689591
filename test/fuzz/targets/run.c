/*
 * Kernel objects in the simulator. The first byte chooses the policy; the rest is the object.
 */
#include "test/fuzz/targets/fuzz.h"

#include "test/fuzz/targets/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size)
		fuzz_simulate(bytes + 1, size - 1, bytes[0]);
	return 0;
}

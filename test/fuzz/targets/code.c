/*
 * Machine code: the first byte chooses the policy, and the rest are a kernel's instructions, of 16 bytes each. What the
 * verifier accepts runs.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdlib.h>

#include "test/fuzz/targets/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint8_t *object;
	size_t length;
	if (!size || fuzz_object(bytes + 1, size - 1, &object, &length))
		return 0;
	fuzz_simulate(object, length, bytes[0]);
	free(object);
	return 0;
}

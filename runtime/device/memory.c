/*
 * memcmp and strlen where device code calls them, as std::equal and comparisons of arrays do: loops over bytes, which
 * may lie in any address space and at any address.
 */
#include "builtins.h"

#define HD_HELPER __attribute__((noinline, nothrow))

HD_HELPER int32_t __heddle_memcmp(const void *a, const void *b, uint64_t bytes)
{
	const uint8_t *left = a, *right = b;
	for (uint64_t i = 0; i < bytes; i++)
		if (left[i] != right[i])
			return left[i] - right[i];
	return 0;
}

HD_HELPER uint64_t __heddle_strlen(const char *text)
{
	uint64_t length = 0;
	while (text[length])
		length++;
	return length;
}

/*
 * memcmp, strlen and their kin where device code calls them, as std::equal, comparisons of arrays and string_view do:
 * loops over bytes, which may lie in any address space and at any address.
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

HD_HELPER void *__heddle_memchr(const void *bytes, int32_t wanted, uint64_t count)
{
	const uint8_t *at = bytes;
	for (uint64_t i = 0; i < count; i++)
		if (at[i] == (uint8_t)wanted)
			return (void *)(at + i);
	return 0;
}

HD_HELPER int32_t __heddle_strncmp(const char *a, const char *b, uint64_t bytes)
{
	const uint8_t *left = (const uint8_t *)a, *right = (const uint8_t *)b;
	for (uint64_t i = 0; i < bytes; i++)
		if (left[i] != right[i] || !left[i])
			return left[i] - right[i];
	return 0;
}

HD_HELPER int32_t __heddle_strcmp(const char *a, const char *b)
{
	const uint8_t *left = (const uint8_t *)a, *right = (const uint8_t *)b;
	for (; *left == *right; left++, right++)
		if (!*left)
			return 0;
	return *left - *right;
}

HD_HELPER char *__heddle_strchr(const char *text, int32_t wanted)
{
	for (;; text++) {
		if (*text == (char)wanted)
			return (char *)text;
		if (!*text)
			return 0;
	}
}

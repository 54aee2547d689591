/*
 * The runtime of csmith's programs where they run as one thread of the device, in place of its own csmith.h: the
 * checksum of what a program leaves in its variables. The arithmetic that cannot overflow is csmith's.
 */
#ifndef CSMITH_ON_DEVICE_H
#define CSMITH_ON_DEVICE_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef __CUDACC__
#define __device__
#endif

/* CRC-32 as in Ethernet, bit by bit. */
static __device__ uint32_t checksum = 0xffffffffu;

static __device__ inline void transparent_crc(uint64_t value, const char *, int)
{
	for (int bit = 0; bit < 64; bit++)
		checksum = checksum >> 1 ^ (((checksum ^ (uint32_t)(value >> bit)) & 1) ? 0xedb88320u : 0);
}

static __device__ inline void transparent_crc_bytes(const void *bytes, int count, const char *, int)
{
	for (int i = 0; i < count; i++)
		transparent_crc(((const unsigned char *)bytes)[i], "", 0);
}

#define crc32_context checksum
#define crc32_gentab() ((void)0)
#define platform_main_begin() ((void)0)
#define platform_main_end(value, flag) printf("checksum = %X\n", (unsigned)(value))

#ifdef __CUDACC__
#define BOTH_BEGIN _Pragma("clang force_cuda_host_device begin")
#define BOTH_END _Pragma("clang force_cuda_host_device end")
#else
#define BOTH_BEGIN
#define BOTH_END
#endif

BOTH_BEGIN
#define STATIC static
#define UNDEFINED(__val) (__val)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(x) (safe_##x)
#include "safe_math.h"
BOTH_END

#endif

/*
 * What device code calls from the C library (malloc, free, printf, assert), and the conversions of the built-in
 * variables to dim3 and uint3 that clang declares but leaves to the header that defines these types.
 */
#ifndef HEDDLE_CUDA_DEVICE_H
#define HEDDLE_CUDA_DEVICE_H

extern "C" {
__device__ void *malloc(size_t size) __attribute__((nothrow, malloc));
__device__ void free(void *ptr) __attribute__((nothrow));

/* clang turns a call of printf in device code into vprintf with the arguments packed into a buffer. */
__device__ int printf(const char *format, ...);
__device__ int vprintf(const char *format, const char *arguments);

/* The device's system call behind assert; size_t is the size of a character of the three strings. */
__device__ void __assertfail(const char *message, const char *file, unsigned int line, const char *function,
			     size_t charSize);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned int line,
					    const char *function)
{
	__assertfail(message, file, line, function, sizeof(char));
}
}

namespace std
{
__device__ static inline void *malloc(size_t size)
{
	return ::malloc(size);
}
__device__ static inline void free(void *ptr)
{
	::free(ptr);
}
} // namespace std

/* clang declares it and leaves it out. */
__device__ static inline float nanf(const char *)
{
	return __builtin_nanf("");
}

/* Traps; the launch then fails with cudaErrorLaunchFailure. */
__device__ static inline void __trap(void)
{
	__builtin_trap();
}

#define HD_BUILTIN_VARIABLE(type)                      \
	__device__ inline type::operator uint3() const \
	{                                              \
		uint3 v = {x, y, z};                   \
		return v;                              \
	}                                              \
	__device__ inline type::operator dim3() const  \
	{                                              \
		return dim3(x, y, z);                  \
	}
HD_BUILTIN_VARIABLE(__cuda_builtin_threadIdx_t)
HD_BUILTIN_VARIABLE(__cuda_builtin_blockIdx_t)
HD_BUILTIN_VARIABLE(__cuda_builtin_blockDim_t)
HD_BUILTIN_VARIABLE(__cuda_builtin_gridDim_t)
#undef HD_BUILTIN_VARIABLE

/*
 * 32 bits of high:low shifted left (the upper word of the result) or right (the lower), by the shift modulo 32 or, in
 * the _lc and _rc forms, by 32 at most.
 */
__device__ static inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift)
{
	shift &= 31;
	return shift ? high << shift | low >> (32 - shift) : high;
}
__device__ static inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift)
{
	shift &= 31;
	return shift ? high << (32 - shift) | low >> shift : low;
}
__device__ static inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift)
{
	return shift < 32 ? __funnelshift_l(low, high, shift) : low;
}
__device__ static inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift)
{
	return shift < 32 ? __funnelshift_r(low, high, shift) : high;
}

/* Address-space predicates. */
__device__ static inline unsigned int __isGlobal(const void *p)
{
	return __nvvm_isspacep_global(p);
}
__device__ static inline unsigned int __isShared(const void *p)
{
	return __nvvm_isspacep_shared(p);
}
__device__ static inline unsigned int __isConstant(const void *p)
{
	return __nvvm_isspacep_const(p);
}
__device__ static inline unsigned int __isLocal(const void *p)
{
	return __nvvm_isspacep_local(p);
}
__device__ static inline unsigned int __isGridConstant(const void *p)
{
	unsigned int is;
	asm("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(p));
	return is;
}

/* An address in its own space, as a number, and back. */
#define HD_CVTA(space, number)                                                         \
	__device__ static inline size_t __cvta_generic_to_##space(const void *p)       \
	{                                                                              \
		return (size_t)(const void __attribute__((address_space(number))) *)p; \
	}                                                                              \
	__device__ static inline void *__cvta_##space##_to_generic(size_t address)     \
	{                                                                              \
		return (void *)(void __attribute__((address_space(number))) *)address; \
	}
HD_CVTA(global, 1)
HD_CVTA(shared, 3)
HD_CVTA(constant, 4)
HD_CVTA(local, 5)
#undef HD_CVTA

/* Lanes of the mask that hold the same value; _all: the mask when all agree, else 0, and *same says which. */
#define HD_MATCH(type, bits, word)                                                                                      \
	__device__ static inline unsigned int __match_any_sync(unsigned int mask, HD_MAYBE_UNDEF type value)            \
	{                                                                                                               \
		return __nvvm_match_any_sync_i##bits(mask, word);                                                       \
	}                                                                                                               \
	__device__ static inline unsigned int __match_all_sync(unsigned int mask, HD_MAYBE_UNDEF type value, int *same) \
	{                                                                                                               \
		return __nvvm_match_all_sync_i##bits##p(mask, word, same);                                              \
	}
HD_MATCH(int, 32, (unsigned int)value)
HD_MATCH(unsigned int, 32, value)
HD_MATCH(long, 64, (unsigned long long)value)
HD_MATCH(unsigned long, 64, value)
HD_MATCH(long long, 64, (unsigned long long)value)
HD_MATCH(unsigned long long, 64, value)
HD_MATCH(float, 32, __float_as_uint(value))
HD_MATCH(double, 64, (unsigned long long)__double_as_longlong(value))
#undef HD_MATCH

/* c and the products of a's and b's four bytes. */
__device__ static inline int __dp4a(int a, int b, int c)
{
	int d;
	asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
__device__ static inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int d;
	asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
__device__ static inline int __dp4a(char4 a, char4 b, int c)
{
	return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c;
}
__device__ static inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c)
{
	return (unsigned int)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) + c;
}

/* c and the products of a's two halves with b's two low (or high) bytes. */
__device__ static inline int __dp2a_lo(int a, int b, int c)
{
	return (short)a * (signed char)b + (a >> 16) * (signed char)(b >> 8) + c;
}
__device__ static inline int __dp2a_hi(int a, int b, int c)
{
	return __dp2a_lo(a, b >> 16, c);
}
__device__ static inline unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c)
{
	return (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff) + c;
}
__device__ static inline unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c)
{
	return __dp2a_lo(a, b >> 16, c);
}

/* Bytes in the other order. */
__host__ __device__ static inline unsigned short __nv_bswap16(unsigned short word)
{
	return __builtin_bswap16(word);
}
__host__ __device__ static inline unsigned int __nv_bswap32(unsigned int word)
{
	return __builtin_bswap32(word);
}
__host__ __device__ static inline unsigned long long __nv_bswap64(unsigned long long word)
{
	return __builtin_bswap64(word);
}

/* Nanoseconds, about. */
__device__ static inline void __nanosleep(unsigned int time)
{
	asm volatile("nanosleep.u32 %0;" ::"r"(time));
}

#endif

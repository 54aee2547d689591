/*
 * What the device library's sources share. They are C compiled by clang for nvptx64 into bitcode; nothing of the host
 * is included.
 */
#ifndef HEDDLE_RUNTIME_DEVICE_H
#define HEDDLE_RUNTIME_DEVICE_H

/* Functions that are copied into the caller: most of them are a handful of instructions. */
#define HD_DEVICE __attribute__((nothrow))
#define HD_INLINE_DEVICE __attribute__((nothrow, always_inline))

/* The symbol of an OpenCL function in libclc: its C++-mangled name. */
#define HD_CLC(length, name, arguments) __asm__("_Z" #length #name arguments)

/* 1/sqrt(a) to 20 bits or so from the high word of a, denormals as zero. clang 19 has no builtin for the intrinsic. */
extern double hd_rsqrt_approx_d(double a) __asm__("llvm.nvvm.rsqrt.approx.ftz.d");

/* Horner's scheme; counts are constants, so that loops become chains of fused multiply-adds. */
#define HD_CHAIN(T, fma, name)                                                                      \
	HD_INLINE_DEVICE static inline T name(const T *table, int count, T x)                       \
	{                                                                                           \
		T sum = table[count - 1];                                                           \
		_Pragma("unroll") for (int i = count - 2; i >= 0; i--) sum = fma(sum, x, table[i]); \
		return sum;                                                                         \
	}
HD_CHAIN(double, __builtin_fma, chain)
HD_CHAIN(float, __builtin_fmaf, chainf)
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

#endif

/*
 * The overloaded atomic functions of CUDA C++ (atomicAdd, atomicCAS, ... and their _block and _system forms), over the
 * typed ones that clang's device functions provide.
 */
#ifndef __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__

#define HD_ATOMIC(name, T, impl)                             \
	__device__ static inline T name(T *address, T value) \
	{                                                    \
		return impl(address, value);                 \
	}

#define HD_ATOMIC_AS(name, T, impl, U)                       \
	__device__ static inline T name(T *address, T value) \
	{                                                    \
		return (T)impl((U *)address, (U)value);      \
	}

/* The same operation at the three scopes. */
#define HD_ATOMIC_SCOPES(name, T, impl)          \
	HD_ATOMIC(name, T, impl)                 \
	HD_ATOMIC(name##_block, T, impl##_block) \
	HD_ATOMIC(name##_system, T, impl##_system)

#define HD_ATOMIC_SCOPES_AS(name, T, impl, U)          \
	HD_ATOMIC_AS(name, T, impl, U)                 \
	HD_ATOMIC_AS(name##_block, T, impl##_block, U) \
	HD_ATOMIC_AS(name##_system, T, impl##_system, U)

HD_ATOMIC_SCOPES(atomicAdd, int, __iAtomicAdd)
HD_ATOMIC_SCOPES(atomicAdd, unsigned int, __uAtomicAdd)
HD_ATOMIC_SCOPES(atomicAdd, unsigned long long, __ullAtomicAdd)
HD_ATOMIC_SCOPES(atomicAdd, float, __fAtomicAdd)
HD_ATOMIC_SCOPES(atomicAdd, double, __dAtomicAdd)

HD_ATOMIC_SCOPES(atomicExch, int, __iAtomicExch)
HD_ATOMIC_SCOPES(atomicExch, unsigned int, __uAtomicExch)
HD_ATOMIC_SCOPES(atomicExch, unsigned long long, __ullAtomicExch)
HD_ATOMIC_SCOPES(atomicExch, float, __fAtomicExch)

HD_ATOMIC_SCOPES(atomicMin, int, __iAtomicMin)
HD_ATOMIC_SCOPES(atomicMin, unsigned int, __uAtomicMin)
HD_ATOMIC_SCOPES(atomicMin, long long, __illAtomicMin)
HD_ATOMIC_SCOPES(atomicMin, unsigned long long, __ullAtomicMin)
HD_ATOMIC_SCOPES(atomicMax, int, __iAtomicMax)
HD_ATOMIC_SCOPES(atomicMax, unsigned int, __uAtomicMax)
HD_ATOMIC_SCOPES(atomicMax, long long, __illAtomicMax)
HD_ATOMIC_SCOPES(atomicMax, unsigned long long, __ullAtomicMax)

HD_ATOMIC_SCOPES(atomicInc, unsigned int, __uAtomicInc)
HD_ATOMIC_SCOPES(atomicDec, unsigned int, __uAtomicDec)

HD_ATOMIC_SCOPES(atomicAnd, int, __iAtomicAnd)
HD_ATOMIC_SCOPES(atomicAnd, unsigned int, __uAtomicAnd)
HD_ATOMIC_SCOPES_AS(atomicAnd, unsigned long long, __llAtomicAnd, long long)
HD_ATOMIC_SCOPES(atomicOr, int, __iAtomicOr)
HD_ATOMIC_SCOPES(atomicOr, unsigned int, __uAtomicOr)
HD_ATOMIC_SCOPES_AS(atomicOr, unsigned long long, __llAtomicOr, long long)
HD_ATOMIC_SCOPES(atomicXor, int, __iAtomicXor)
HD_ATOMIC_SCOPES(atomicXor, unsigned int, __uAtomicXor)
HD_ATOMIC_SCOPES_AS(atomicXor, unsigned long long, __llAtomicXor, long long)

#undef HD_ATOMIC
#undef HD_ATOMIC_AS
#undef HD_ATOMIC_SCOPES
#undef HD_ATOMIC_SCOPES_AS

/* Subtraction adds the negated value, which wraps the same way. */
#define HD_ATOMIC_SUB(name, add)                                                              \
	__device__ static inline int name(int *address, int value)                            \
	{                                                                                     \
		return add(address, (int)(0u - (unsigned int)value));                         \
	}                                                                                     \
	__device__ static inline unsigned int name(unsigned int *address, unsigned int value) \
	{                                                                                     \
		return add(address, 0u - value);                                              \
	}
HD_ATOMIC_SUB(atomicSub, atomicAdd)
HD_ATOMIC_SUB(atomicSub_block, atomicAdd_block)
HD_ATOMIC_SUB(atomicSub_system, atomicAdd_system)
#undef HD_ATOMIC_SUB

#define HD_ATOMIC_CAS(name, T, impl)                                    \
	__device__ static inline T name(T *address, T compare, T value) \
	{                                                               \
		return impl(address, compare, value);                   \
	}
#define HD_ATOMIC_CAS_SCOPES(T, impl)                   \
	HD_ATOMIC_CAS(atomicCAS, T, impl)               \
	HD_ATOMIC_CAS(atomicCAS_block, T, impl##_block) \
	HD_ATOMIC_CAS(atomicCAS_system, T, impl##_system)
HD_ATOMIC_CAS_SCOPES(int, __iAtomicCAS)
HD_ATOMIC_CAS_SCOPES(unsigned int, __uAtomicCAS)
HD_ATOMIC_CAS_SCOPES(unsigned long long, __ullAtomicCAS)
#undef HD_ATOMIC_CAS
#undef HD_ATOMIC_CAS_SCOPES

/* 16 bits: the device functions of clang have none. */
__device__ static inline unsigned short atomicCAS(unsigned short *address, unsigned short compare, unsigned short value)
{
	__atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return compare;
}

#endif

/*
 * The lock of OpenMP's critical regions. LLVM 19's device library calls it (impl::setCriticalLock) and has it for other
 * targets alone. A lane that spins makes way for the one that has the lock (docs/limits.md, Forward progress).
 */
#include "builtins.h"

#define HD_HELPER __attribute__((noinline, nothrow))

HD_HELPER void __heddle_lock(uint32_t *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_SEQ_CST))
		;
	__nvvm_membar_gl();
}

HD_HELPER void __heddle_unlock(uint32_t *lock)
{
	__nvvm_membar_gl();
	__atomic_exchange_n(lock, 0, __ATOMIC_SEQ_CST);
}

/* Atomics: every operation, width, ordering and scope; compare-and-exchange; fences. */
#include "cover.h"

#define OPERATIONS(T)                                                                                    \
	static NOINLINE unsigned atomics_##T(T *p, T a, T b, u64 *out)                                   \
	{                                                                                                \
		unsigned n = 0;                                                                          \
		T want = b;                                                                              \
		*p = a;                                                                                  \
		RESULT(__atomic_fetch_add(p, b, __ATOMIC_RELAXED));                                      \
		RESULT(__atomic_fetch_sub(p, (T)3, __ATOMIC_ACQUIRE));                                   \
		RESULT(__atomic_fetch_and(p, (T)~0xf0, __ATOMIC_RELEASE));                               \
		RESULT(__atomic_fetch_or(p, (T)0x21, __ATOMIC_ACQ_REL));                                 \
		RESULT(__atomic_fetch_xor(p, b, __ATOMIC_SEQ_CST));                                      \
		RESULT(__atomic_fetch_nand(p, b, __ATOMIC_RELAXED));                                     \
		RESULT(__atomic_fetch_min(p, b, __ATOMIC_RELAXED));                                      \
		RESULT(__atomic_fetch_max(p, a, __ATOMIC_RELAXED));                                      \
		RESULT(__atomic_exchange_n(p, b, __ATOMIC_SEQ_CST));                                     \
		RESULT(__atomic_compare_exchange_n(p, &want, a, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
		RESULT(want);                                                                            \
		want = (T)(a + 1);                                                                       \
		RESULT(__atomic_compare_exchange_n(p, &want, b, 1, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)); \
		RESULT(want);                                                                            \
		__atomic_store_n(p, (T)(b + 5), __ATOMIC_RELEASE);                                       \
		RESULT(__atomic_load_n(p, __ATOMIC_ACQUIRE));                                            \
		__atomic_fetch_add(p, b, __ATOMIC_RELAXED);                                              \
		__atomic_thread_fence(__ATOMIC_SEQ_CST);                                                 \
		RESULT(__atomic_load_n(p, __ATOMIC_RELAXED));                                            \
		return n;                                                                                \
	}
OPERATIONS(u8)
OPERATIONS(s8)
OPERATIONS(u16)
OPERATIONS(s16)
OPERATIONS(u32)
OPERATIONS(s32)
OPERATIONS(u64)
OPERATIONS(s64)

/* Eight threads on each word: the sums do not depend on their order. */
static unsigned contended(u64 *out, unsigned thread)
{
	unsigned n = 0;
#ifdef __NVPTX__
	static SHARED u32 sums[8];
	static SHARED u8 small[8];
	static u64 wide[8];
	static float reals[8];
	static double doubles[8];
	static SHARED u32 wrapped;
	if (thread < 8)
		sums[thread] = 0, small[thread] = 0;
	if (thread == 0)
		wrapped = 0;
	__syncthreads();
	__atomic_fetch_add((u32 *)&sums[thread & 7], thread, __ATOMIC_RELAXED);
	__atomic_fetch_add((u8 *)&small[thread & 7], (u8)thread, __ATOMIC_RELAXED);
	__atomic_fetch_max(&wide[thread & 7], (u64)thread << 33, __ATOMIC_RELAXED);
	__nvvm_atom_add_gen_f(&reals[thread & 7], (float)thread);
	__atomic_fetch_add(&doubles[thread & 7], (double)thread, __ATOMIC_RELAXED);
	__nvvm_atom_inc_gen_ui((u32 *)&wrapped, 9);
	__syncthreads();
	u32 sum = 8 * (thread & 7) + 8 * 28;
	CHECK(sums[thread & 7] == sum);
	CHECK(small[thread & 7] == (u8)sum);
	CHECK(wide[thread & 7] == (u64)(56 + (thread & 7)) << 33);
	CHECK(reals[thread & 7] == (float)sum);
	CHECK(doubles[thread & 7] == (double)sum);
	CHECK(wrapped == 64 % 10);
	u32 own = thread;
	CHECK(__nvvm_atom_cta_add_gen_i((int *)&sums[thread & 7], 0) == (int)sum);
	CHECK(__nvvm_atom_sys_max_gen_i((int *)&sums[thread & 7], 0) == (int)sum);
	CHECK(__nvvm_atom_dec_gen_ui(&own, 5) == thread && own == (thread == 0 || thread > 5 ? 5 : thread - 1));
#else
	for (unsigned i = 0; i < 9; i++)
		out[n++] = 1;
	(void)thread;
#endif
	return n;
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = contended(out, thread);
	u64 *p = out + SLOTS - 1;
	n += atomics_u32((u32 *)p, (u32)in[0], (u32)in[1], out + n);
	n += atomics_s32((s32 *)p + 1, (s32)in[1], (s32)in[2], out + n);
	n += atomics_u64(p, in[2], in[3], out + n);
	n += atomics_s64((s64 *)p, (s64)in[3], (s64)in[4], out + n);
	n += atomics_u8((u8 *)p + 3, (u8)in[4], (u8)in[5], out + n);
	n += atomics_s8((s8 *)p + 1, (s8)in[5], (s8)in[6], out + n);
	n += atomics_u16((u16 *)p + 1, (u16)in[6], (u16)in[7], out + n);
	n += atomics_s16((s16 *)p + 2, (s16)in[7], (s16)in[8], out + n);
	*p = 0;
	return n;
}

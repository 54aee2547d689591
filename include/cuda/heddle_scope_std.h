/*
 * cuda::std, for where no toolkit's libcu++ is at hand: the host library's names, of which clang runs constexpr functions
 * on devices, too, and for atomics and barriers those of this folder, of the whole system's scope. No include guard: what
 * has been included when this is read is what there is.
 */
#ifndef HEDDLE_SCOPE_STD_H
#define HEDDLE_SCOPE_STD_H
namespace cuda
{
namespace std
{
using namespace ::std;
} // namespace std
} // namespace cuda
#endif

#if defined(HEDDLE_SCOPE_ATOMIC_H) && !defined(HEDDLE_SCOPE_STD_ATOMIC)
#define HEDDLE_SCOPE_STD_ATOMIC
namespace cuda
{
namespace std
{
template <class _T> using atomic = ::cuda::atomic<_T, thread_scope_system>;
template <class _T> using atomic_ref = ::cuda::atomic_ref<_T, thread_scope_system>;
using atomic_flag = ::cuda::atomic_flag<thread_scope_system>;
using ::cuda::atomic_signal_fence;
using ::cuda::memory_order;
__host__ __device__ inline void atomic_thread_fence(memory_order order)
{
	::cuda::atomic_thread_fence(order);
}
} // namespace std
} // namespace cuda
#endif

#if defined(HEDDLE_SCOPE_BARRIER_H) && !defined(HEDDLE_SCOPE_STD_BARRIER)
#define HEDDLE_SCOPE_STD_BARRIER
namespace cuda
{
namespace std
{
template <class _Completion = __hd_no_completion> using barrier = ::cuda::barrier<thread_scope_system, _Completion>;
using latch = ::cuda::latch<thread_scope_system>;
template <ptrdiff_t _Most = 0x7fffffff>
using counting_semaphore = ::cuda::counting_semaphore<thread_scope_system, _Most>;
using binary_semaphore = counting_semaphore<1>;
} // namespace std
} // namespace cuda
#endif

// One warp brings pieces to a ring of slots when it is told of room, and another one works on them: test/e2e/copy-roles.test
// judges the wait for pieces. Each kernel differs from the first one in one thing. Nothing runs them.
#include "bulk-pieces.h"

enum { BYTES = 1024 };
enum way {
	PLAIN, AFTER, LATE, DONE, FLAG, TOGETHER, THIRD, ELSEWHERE, STEP, SOME, LOOKS_AHEAD, ONE_RING, MEETS, REMOTE, SELDOM, BEFORE,
	DROPS, STUCK, IDLE, BYTES_TOO, ALL, TWO_COPIES, LAST, STAYS, TRIES, GIVES_UP, HIDDEN, LEAVES, SEEN, MET, MEETS_OTHERS
};
__device__ void arrive(unsigned long long *bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(bar)) : "memory"); }
template <int WAY> __device__ int next(int s, int stages)
{
	if (WAY == STAYS || WAY == HIDDEN || WAY == LAST || WAY == LEAVES)
		asm volatile("" : "+r"(s)); // so that the compiler does not see what it is
	if (WAY == LEAVES)
		return s > stages - 2 ? s + 1 : 0;
	if (WAY == LAST)
		return s > stages - 2 ? 0 : s + 1;
	if (WAY == STAYS)
		return s + 1 == stages ? s + 1 : 0;
	return s + 1 == stages ? 0 : s + 1;
}
__device__ bool test(unsigned long long *bar, unsigned parity)
{
	unsigned is_over;
	asm volatile("{\n.reg .pred over;\nmbarrier.test_wait.parity.shared::cta.b64 over, [%1], %2;\nselp.u32 %0, 1, 0, over;\n}" : "=r"(is_over) : "r"(at(bar)), "r"(parity) : "memory");
	return is_over;
}
__device__ void try_once(unsigned long long *bar, unsigned parity)
{
	asm volatile("{\n.reg .pred over;\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n}" ::"r"(at(bar)), "r"(parity) : "memory");
}

#define HEAD                                                                                                        \
	__shared__ alignas(128) float tile[8][BYTES / 4];                                                          \
	__shared__ unsigned long long full[8], room[8], done[8];                                                   \
	__shared__ volatile int flag;                                                                              \
	if (threadIdx.x == 0)                                                                                      \
		for (int i = 0; i < 8; i++) {                                                                      \
			init(&full[i]);                                                                            \
			init(&room[i]);                                                                            \
			init(&done[i]);                                                                            \
		}                                                                                                  \
	__syncthreads();                                                                                           \
	(void)flag, (void)done;

template <int WAY, int STAGES> __device__ void roles(const float *in, float *out, int n)
{
	HEAD
	int s = 0, phase = 0;
	if (threadIdx.x < 32) {
		if (WAY == MEETS ? threadIdx.x < 16 : threadIdx.x == 0)
#pragma unroll 1
			for (int i = 0; i < n; i++) {
				if (WAY == TRIES)
					test(&room[s], phase ^ 1);
				else if (WAY == GIVES_UP)
					try_once(&room[s], phase ^ 1);
				else if (WAY != AFTER)
					wait(WAY == ONE_RING ? &full[s] : &room[s], phase ^ 1);
				if (WAY == DONE && i)
					wait(&done[0], i & 1);
				if (WAY == FLAG)
					while (flag < i)
						;
				if (WAY == MEETS)
					__syncwarp();
				if (WAY == SOME ? in[i] > 0 : true)
					load(tile[s], in + i * BYTES / 4, BYTES, &full[s]);
				if (WAY == TWO_COPIES)
					load(tile[s + 4], in + i * BYTES / 4, BYTES, &full[s]);
				if (WAY == AFTER)
					wait(&room[s], phase);
				if (WAY == TOGETHER)
					asm volatile("bar.sync 2, 64;" ::: "memory");
				if (WAY != STUCK || in[i] > 0) {
					phase ^= next<WAY>(s, STAGES) == 0;
					s = WAY == STEP ? (s + 2) % STAGES : next<WAY>(s, STAGES);
				}
			}
		else if (WAY == MEETS)
			for (int i = 0; i < n; i++)
				__syncwarp();
	} else if (WAY == THIRD && threadIdx.x >= 64) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&done[s], phase);
			arrive(&room[s]);
			s = next<WAY>(s, STAGES);
			phase ^= s == 0;
		}
	} else if ((WAY == SEEN || WAY == MET || WAY == MEETS_OTHERS) && threadIdx.x >= 64) {
		s = next<WAY>(s, STAGES);
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			if (WAY != MEETS_OTHERS && i + 1 < n)
				wait(&full[s], phase);
			if (WAY == SEEN && threadIdx.x == 64)
				arrive(&done[i & 1]);
			if (WAY != SEEN)
				asm volatile("bar.sync 2, 64;" ::: "memory");
			s = next<WAY>(s, STAGES);
			phase ^= s == 0;
		}
	} else {
		float sum = 0;
		s = WAY == ELSEWHERE ? 1 : 0;
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			if (WAY == SEEN)
				wait(&done[i & 1], i / 2 & 1);
			if (WAY == LOOKS_AHEAD)
				wait(&full[next<WAY>(s, STAGES)], phase);
			if (WAY == BEFORE && threadIdx.x == 32)
				arrive(&room[s]);
			wait(&full[s], phase);
			if (WAY == MET || WAY == MEETS_OTHERS)
				asm volatile("bar.sync 2, 64;" ::: "memory");
			if (WAY != IDLE)
				sum += tile[s][threadIdx.x - 32];
			asm volatile("bar.sync 1, 32;" : "+f"(sum)::"memory");
			if (WAY == FLAG)
				flag = i;
			if (WAY == TOGETHER)
				asm volatile("bar.sync 2, 64;" ::: "memory");
			if (WAY == THIRD || WAY == DONE)
				arrive(&done[WAY == DONE ? 0 : s]);
			if (WAY == REMOTE)
				asm volatile("{.reg .b32 there; mapa.shared::cluster.u32 there, %0, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];}" ::"r"(at(&room[s])) : "memory");
			else if (WAY == DROPS)
				asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(at(&room[s])) : "memory");
			else if (WAY == LATE) {
				if (i && threadIdx.x == 32)
					arrive(&room[s ? s - 1 : STAGES - 1]);
			} else if (WAY == ONE_RING)
				arrive(&full[s]);
			else if (WAY == SELDOM ? sum > 0 : WAY == ALL || threadIdx.x == 32)
				arrive(&room[s]);
			if (WAY == BYTES_TOO)
				asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 0;" ::"r"(at(&room[1])) : "memory");
			phase ^= next<WAY>(s, STAGES) == 0;
			s = WAY == STEP ? (s + 2) % STAGES : next<WAY>(s, STAGES);
		}
		out[threadIdx.x - 32] = sum;
	}
}
#define KERNEL(name, way, stages) __global__ void name(const float *in, float *out, int n) { roles<way, stages>(in, out, n); }
// A copy may be ahead.
KERNEL(plain, PLAIN, 4)
KERNEL(two, PLAIN, 2)
KERNEL(three, PLAIN, 3)
KERNEL(all_arrive, ALL, 4)
KERNEL(two_copies, TWO_COPIES, 4)
KERNEL(last, LAST, 4)
KERNEL(last_of_two, LAST, 2)
// Threads that wait for no piece say when the work begins.
KERNEL(meets_others, MEETS_OTHERS, 4)
// None may, or it is not proven. There is one slot.
KERNEL(one, PLAIN, 1)
KERNEL(one_hidden, HIDDEN, 1)
// The warp that brings pieces waits until its piece is read.
KERNEL(after, AFTER, 4)
// A slot is free when the next piece is read, so that of two none is free during work.
KERNEL(late, LATE, 2)
// The warp that brings pieces waits for the last one's end in other ways, too.
KERNEL(done, DONE, 4)
KERNEL(flagged, FLAG, 4)
KERNEL(together, TOGETHER, 4)
KERNEL(meets, MEETS, 4)
// A third warp tells of room, and may be late.
KERNEL(third, THIRD, 4)
// A third warp waits for the next piece and lets the work begin then: of two slots, both have come. In a run of 40 pieces warps work
// during 2.8 % and 3.2 % of the time that copies are in flight, 17.2 % with `two` (copy_overlap).
KERNEL(seen_first, SEEN, 2)
KERNEL(met_first, MET, 2)
// The warp that reads begins with another slot: when it comes to the first one, no other piece is on its way.
KERNEL(elsewhere, ELSEWHERE, 4)
// The number of the slot stays zero.
KERNEL(stays, STAYS, 4)
// It is zero for ever, or grows without end, by how many there are.
KERNEL(leaves, LEAVES, 4)
// Nobody waits for room.
KERNEL(tries, TRIES, 4)
// The wait for room has a limit, and nobody asks whether there is room.
KERNEL(gives_up, GIVES_UP, 4)
// Of two slots one is used.
KERNEL(step, STEP, 2)
// Pieces, slots and room come in some turns alone.
KERNEL(some, SOME, 4)
KERNEL(stuck, STUCK, 4)
KERNEL(seldom, SELDOM, 4)
// The next piece has been waited for before the work.
KERNEL(looks_ahead, LOOKS_AHEAD, 2)
// One ring tells of both.
KERNEL(one_ring, ONE_RING, 4)
// Nobody works before the next wait.
KERNEL(idle, IDLE, 4)
// A barrier may be in another block, or change in ways that are not followed.
KERNEL(remote, REMOTE, 4)
KERNEL(drops, DROPS, 4)
KERNEL(bytes_too, BYTES_TOO, 4)
// Room is told of before the piece has come.
KERNEL(before, BEFORE, 4)

// The slot is a counter's remainder, or a number of bits.
template <int STAGES> __device__ void counted(const float *in, float *out, int n, unsigned step, unsigned from)
{
	HEAD
	if (threadIdx.x == 0) {
#pragma unroll 1
		for (unsigned i = 0; i < n; i += step) {
			asm volatile("" : "+r"(i)); // so that the compiler does not see how it grows
			wait(&room[i % STAGES], (i / STAGES & 1) ^ 1);
			load(tile[i % STAGES], in + i * BYTES / 4, BYTES, &full[i % STAGES]);
		}
	} else if (threadIdx.x >= 32) {
		float sum = 0;
#pragma unroll 1
		for (unsigned i = from; i < n; i += step) {
			asm volatile("" : "+r"(i));
			wait(&full[i % STAGES], i / STAGES & 1);
			sum += tile[i % STAGES][threadIdx.x - 32];
			asm volatile("bar.sync 1, 32;" : "+f"(sum)::"memory");
			arrive(&room[i % STAGES]);
		}
		out[threadIdx.x - 32] = sum;
	}
}
__global__ void counts(const float *in, float *out, int n) { counted<4>(in, out, n, 1, 0); }
__global__ void counts_three(const float *in, float *out, int n) { counted<3>(in, out, n, 1, 0); }
__global__ void counts_twos(const float *in, float *out, int n) { counted<4>(in, out, n, 2, 0); }
__global__ void counts_threes(const float *in, float *out, int n) { counted<3>(in, out, n, 3, 0); }
__global__ void counts_from(const float *in, float *out, int n) { counted<4>(in, out, n, 1, 1); }

// Not known before the run: the number of slots, the first one, and which of two loops brings the pieces.
__global__ void unknown_slots(const float *in, float *out, int n, int stages)
{
	HEAD
	int s = 0, phase = 0;
	if (threadIdx.x == 0) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&room[s], phase ^ 1);
			load(tile[s], in + i * BYTES / 4, BYTES, &full[s]);
			if (++s == stages)
				s = 0, phase ^= 1;
		}
	} else if (threadIdx.x >= 32) {
		float sum = 0;
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&full[s], phase);
			sum += tile[s][threadIdx.x - 32];
			arrive(&room[s]);
			if (++s == stages)
				s = 0, phase ^= 1;
		}
		out[threadIdx.x - 32] = sum;
	}
}
__global__ void unknown_first(const float *in, float *out, int n, int first)
{
	HEAD
	if (threadIdx.x == 0) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&room[i & 3], (i / 4 & 1) ^ 1);
			load(tile[i & 3], in + i * BYTES / 4, BYTES, &full[i & 3]);
		}
	} else if (threadIdx.x >= 32) {
		float sum = 0;
#pragma unroll 1
		for (int i = first; i < n; i++) {
			wait(&full[i & 3], i / 4 & 1);
			sum += tile[i & 3][threadIdx.x - 32];
			arrive(&room[i & 3]);
		}
		out[threadIdx.x - 32] = sum;
	}
}
__global__ void two_ways(const float *in, float *out, int n, int way)
{
	HEAD
	if (threadIdx.x == 0 && way) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&room[i & 3], (i / 4 & 1) ^ 1);
			load(tile[i & 3], in + i * BYTES / 4, BYTES, &full[i & 3]);
		}
	} else if (threadIdx.x == 0) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			load(tile[i & 3], in + i * BYTES / 4, BYTES, &full[i & 3]);
			wait(&room[i & 3], i / 4 & 1);
		}
	} else if (threadIdx.x >= 32) {
		float sum = 0;
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&full[i & 3], i / 4 & 1);
			sum += tile[i & 3][threadIdx.x - 32];
			arrive(&room[i & 3]);
		}
		out[threadIdx.x - 32] = sum;
	}
}
// Two groups take pieces in turn: while one works, the other one's piece may be the only one in flight.
__global__ void two_groups(const float *in, float *out, int n)
{
	HEAD
	float sum = 0;
	if (threadIdx.x == 0) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&room[i & 3], (i / 4 & 1) ^ 1);
			load(tile[i & 3], in + i * BYTES / 4, BYTES, &full[i & 3]);
		}
	} else if (threadIdx.x >= 64) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&full[i & 3], i / 4 & 1);
			sum += tile[i & 3][threadIdx.x - 64];
			arrive(&room[i & 3]);
		}
		out[threadIdx.x] = sum;
	} else if (threadIdx.x >= 32) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&full[i & 3], i / 4 & 1);
			sum *= tile[i & 3][threadIdx.x - 32];
			arrive(&room[i & 3]);
		}
		out[threadIdx.x] = sum;
	}
}
// A loop around both, and barriers that are made again in it.
__global__ void again(const float *in, float *out, int n, int m)
{
	HEAD
	float sum = 0;
#pragma unroll 1
	for (int j = 0; j < m; j++) {
		if (threadIdx.x == 0) {
			init(&room[0]);
#pragma unroll 1
			for (int i = 0; i < n; i++) {
				wait(&room[i & 3], (i / 4 & 1) ^ 1);
				load(tile[i & 3], in + i * BYTES / 4, BYTES, &full[i & 3]);
			}
		} else if (threadIdx.x >= 32) {
#pragma unroll 1
			for (int i = 0; i < n; i++) {
				wait(&full[i & 3], i / 4 & 1);
				sum += tile[i & 3][threadIdx.x - 32];
				arrive(&room[i & 3]);
			}
		}
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// The warp that brings pieces begins with the first slot again and again, and so stays there where `n` is one.
__global__ void restarts(const float *in, float *out, int n, int m)
{
	HEAD
	if (threadIdx.x == 0) {
#pragma unroll 1
		for (int j = 0; j < m; j++)
#pragma unroll 1
			for (int i = 0; i < n; i++) {
				wait(&room[i & 3], (i / 4 & 1) ^ 1);
				load(tile[i & 3], in + i * BYTES / 4, BYTES, &full[i & 3]);
			}
	} else if (threadIdx.x >= 32) {
		float sum = 0;
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&full[i & 3], i / 4 & 1);
			sum += tile[i & 3][threadIdx.x - 32];
			arrive(&room[i & 3]);
		}
		out[threadIdx.x - 32] = sum;
	}
}
// As that, and the warp that reads says how many bytes are to come.
__global__ void restarts_told(const float *in, float *out, int n, int m)
{
	HEAD
	if (threadIdx.x == 0) {
#pragma unroll 1
		for (int j = 0; j < m; j++)
#pragma unroll 1
			for (int i = 0; i < n; i++) {
				wait(&room[i & 3], (i / 4 & 1) ^ 1);
				asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(tile[i & 3])), "l"(in + i * BYTES / 4), "r"(BYTES), "r"(at(&full[i & 3])) : "memory");
			}
	} else if (threadIdx.x >= 32) {
		float sum = 0;
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			if (threadIdx.x == 32)
				asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&full[i & 3])), "r"(BYTES) : "memory");
			wait(&full[i & 3], i / 4 & 1);
			sum += tile[i & 3][threadIdx.x - 32];
			arrive(&room[i & 3]);
		}
		out[threadIdx.x - 32] = sum;
	}
}
// The slot of both is another one in some turns alone.
__global__ void sometimes(const float *in, float *out, int n)
{
	HEAD
	int c = 0;
	if (threadIdx.x == 0) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&room[c & 3], (i / 4 & 1) ^ 1);
			load(tile[c & 3], in + i * BYTES / 4, BYTES, &full[c & 3]);
			if (in[i] > 0) {
				asm volatile("membar.gl;" ::: "memory");
				c++;
			}
		}
	} else if (threadIdx.x >= 32) {
		float sum = 0;
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&full[c & 3], i / 4 & 1);
			sum += tile[c & 3][threadIdx.x - 32];
			arrive(&room[c & 3]);
			if (in[i] > 0) {
				asm volatile("membar.gl;" ::: "memory");
				c++;
			}
		}
		out[threadIdx.x - 32] = sum;
	}
}
// One thread first brings all pieces and then works on them.
__global__ void in_line(const float *in, float *out, int n)
{
	HEAD
	float sum = 0;
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		wait(&room[i & 3], (i / 4 & 1) ^ 1);
		load(tile[i & 3], in + i * BYTES / 4, BYTES, &full[i & 3]);
	}
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		wait(&full[i & 3], i / 4 & 1);
		sum += tile[i & 3][threadIdx.x];
		arrive(&room[i & 3]);
	}
	out[threadIdx.x] = sum;
}

/*
 * NVVM intrinsics that are about other threads, memory and the machine: every barrier, vote, match, shuffle and
 * reduction, with all lanes and with some; loads through the read-only path, casts between spaces; approximations;
 * registers and exits. What each makes is checked where it runs.
 */
#include "cover.h"

enum { CHECKS = 330 };

#ifdef __NVPTX__
#define SAID(name, ...) __asm__("llvm.nvvm." name)

extern void barrier_all(void) SAID("barrier0");
extern void barrier_n(u32) SAID("barrier.n");
extern void barrier_counted(u32, u32) SAID("barrier");
extern void bar_sync(u32) SAID("bar.sync");
extern void barrier_sync(u32) SAID("barrier.sync");
extern void barrier_sync_counted(u32, u32) SAID("barrier.sync.cnt");
extern u32 barrier_popc(u32) SAID("barrier0.popc");
extern u32 barrier_and(u32) SAID("barrier0.and");
extern u32 barrier_or(u32) SAID("barrier0.or");
extern void warp_sync(u32) SAID("bar.warp.sync");
extern void fence_cta(void) SAID("membar.cta");
extern void fence_gl(void) SAID("membar.gl");
extern void fence_sys(void) SAID("membar.sys");

extern _Bool vote_all(_Bool) SAID("vote.all");
extern _Bool vote_any(_Bool) SAID("vote.any");
extern _Bool vote_uni(_Bool) SAID("vote.uni");
extern u32 vote_ballot(_Bool) SAID("vote.ballot");
extern _Bool vote_all_sync(u32, _Bool) SAID("vote.all.sync");
extern _Bool vote_any_sync(u32, _Bool) SAID("vote.any.sync");
extern _Bool vote_uni_sync(u32, _Bool) SAID("vote.uni.sync");
extern u32 vote_ballot_sync(u32, _Bool) SAID("vote.ballot.sync");
extern u32 active(void) SAID("activemask");
extern u32 nth(u32, u32, s32) SAID("fns");
extern u32 match_any32(u32, u32) SAID("match.any.sync.i32");
extern u32 match_any64(u32, u64) SAID("match.any.sync.i64");

#define REDUCE(name) extern u32 reduce_##name(u32, u32) SAID("redux.sync." #name);
REDUCE(add)
REDUCE(and)
REDUCE(or)
REDUCE(xor)
REDUCE(min)
REDUCE(max)
REDUCE(umin)
REDUCE(umax)

/* Results in two come back as a structure, which C hands on by memory: the text of the call is IR's. */
#define SHUFFLE(mode)                                                                    \
	extern u32 shfl_##mode(u32, u32, u32) SAID("shfl." #mode ".i32");                \
	extern float shfl_##mode##_f(float, u32, u32) SAID("shfl." #mode ".f32");        \
	extern u32 shfl_sync_##mode(u32, u32, u32, u32) SAID("shfl.sync." #mode ".i32"); \
	extern float shfl_sync_##mode##_f(u32, float, u32, u32) SAID("shfl.sync." #mode ".f32");
SHUFFLE(idx)
SHUFFLE(up)
SHUFFLE(down)
SHUFFLE(bfly)

extern u32 ldg32(const GLOBAL u32 *, u32) SAID("ldg.global.i.i32.p1");
extern u64 ldg64(const GLOBAL u64 *, u32) SAID("ldg.global.i.i64.p1");
extern u8 ldg8(const GLOBAL u8 *, u32) SAID("ldg.global.i.i8.p1");
extern float ldg_float(const GLOBAL float *, u32) SAID("ldg.global.f.f32.p1");
extern double ldg_double(const GLOBAL double *, u32) SAID("ldg.global.f.f64.p1");
extern void *ldg_pointer(const GLOBAL void *, u32) SAID("ldg.global.p.p0.p1");
extern u32 ldu32(const GLOBAL u32 *, u32) SAID("ldu.global.i.i32.p1");
extern u16 ldu16(const GLOBAL u16 *, u32) SAID("ldu.global.i.i16.p1");
extern float ldu_float(const GLOBAL float *, u32) SAID("ldu.global.f.f32.p1");
extern void *ldu_pointer(const GLOBAL void *, u32) SAID("ldu.global.p.p0.p1");

extern GLOBAL u32 *to_global(u32 *) SAID("ptr.gen.to.global.p1.p0");
extern SHARED u32 *to_shared(u32 *) SAID("ptr.gen.to.shared.p3.p0");
extern CONSTANT u32 *to_constant(const u32 *) SAID("ptr.gen.to.constant.p4.p0");
extern __attribute__((address_space(5))) u32 *to_local(u32 *) SAID("ptr.gen.to.local.p5.p0");
extern u32 *from_global(GLOBAL u32 *) SAID("ptr.global.to.gen.p0.p1");
extern u32 *from_shared(SHARED u32 *) SAID("ptr.shared.to.gen.p0.p3");
extern u32 *from_constant(const CONSTANT u32 *) SAID("ptr.constant.to.gen.p0.p4");
extern u32 *from_local(__attribute__((address_space(5))) u32 *) SAID("ptr.local.to.gen.p0.p5");
extern _Bool is_global(const void *) SAID("isspacep.global");
extern _Bool is_shared(const void *) SAID("isspacep.shared");
extern _Bool is_local(const void *) SAID("isspacep.local");
extern _Bool is_constant(const void *) SAID("isspacep.const");
extern u32 *moved(u32 *) SAID("move.ptr.p0");

#define APPROXIMATE(name, text) extern float name(float) SAID(text);
APPROXIMATE(sin_f, "sin.approx.f")
APPROXIMATE(sin_ftz, "sin.approx.ftz.f")
APPROXIMATE(cos_f, "cos.approx.f")
APPROXIMATE(cos_ftz, "cos.approx.ftz.f")
APPROXIMATE(ex2_f, "ex2.approx.f")
APPROXIMATE(ex2_ftz, "ex2.approx.ftz.f")
APPROXIMATE(lg2_f, "lg2.approx.f")
APPROXIMATE(lg2_ftz, "lg2.approx.ftz.f")
APPROXIMATE(rsqrt_f, "rsqrt.approx.f")
APPROXIMATE(rsqrt_ftz, "rsqrt.approx.ftz.f")
APPROXIMATE(sqrt_a, "sqrt.approx.f")
APPROXIMATE(sqrt_ftz, "sqrt.approx.ftz.f")
APPROXIMATE(sqrt_plain, "sqrt.f")
APPROXIMATE(rcp_ftz, "rcp.approx.ftz.f")
extern double rsqrt_d(double) SAID("rsqrt.approx.d");
extern double rsqrt_ftz_d(double) SAID("rsqrt.approx.ftz.d");
extern double rcp_ftz_d(double) SAID("rcp.approx.ftz.d");
extern float div_f(float, float) SAID("div.approx.f");
extern float div_ftz(float, float) SAID("div.approx.ftz.f");
extern _Float16 ex2_half(_Float16) SAID("ex2.approx.f16");
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
extern half2 ex2_half2(half2) SAID("ex2.approx.f16x2");
extern double exact_sin(double) __asm__("llvm.sin.f64");
extern double exact_cos(double) __asm__("llvm.cos.f64");
extern double exact_exp2(double) __asm__("llvm.exp2.f64");
extern double exact_log2(double) __asm__("llvm.log2.f64");
extern double exact_sqrt(double) __asm__("llvm.sqrt.f64");

#define SPECIAL(name, text) extern u32 name(void) SAID("read.ptx.sreg." text);
SPECIAL(warp_size, "warpsize")
SPECIAL(grid_id, "gridid")
SPECIAL(lane_lt, "lanemask.lt")
SPECIAL(lane_ge, "lanemask.ge")
SPECIAL(lane_eq, "lanemask.eq")
SPECIAL(tid_w, "tid.w")
SPECIAL(ctaid_w, "ctaid.w")
SPECIAL(envreg0, "envreg0")
SPECIAL(envreg31, "envreg31")
SPECIAL(pm3, "pm3")
extern u64 timer(void) SAID("read.ptx.sreg.globaltimer");
extern void leave(void) SAID("exit");
extern void sleep_for(u32) SAID("nanosleep");

/* What the other warp wrote is there behind each of them. */
#define BEHIND(barrier)                                    \
	cells[thread] = thread * ++turn;                   \
	barrier;                                           \
	CHECK(cells[thread ^ 37] == (thread ^ 37) * turn); \
	__syncthreads();

static NOINLINE unsigned barriers(u64 *out, u32 thread)
{
	static SHARED volatile u32 cells[64];
	u32 turn = 1, lane = thread & 31;
	unsigned n = 0;
	BEHIND(barrier_all())
	BEHIND(barrier_n(3))
	BEHIND(barrier_counted(4, 64))
	BEHIND(bar_sync(5))
	BEHIND(barrier_sync(6))
	BEHIND(barrier_sync_counted(7, 64))
	BEHIND(CHECK(barrier_popc(thread % 3 == 0) == 22))
	BEHIND(CHECK(barrier_and(thread < 64) && !barrier_and(thread != 63)))
	BEHIND(CHECK(barrier_or(thread == 40) && !barrier_or(thread == 64)))
	/* by a number that is known when it runs */
	BEHIND(barrier_sync_counted(8 + (cells[0] & 1), 64))
	/* some lanes on their own */
	cells[thread] = thread;
	if (lane >= 20) {
		warp_sync(0xfff00000);
		cells[thread] = cells[thread] + 100;
		warp_sync(0xfff00000);
		CHECK(cells[(thread & 32) + 20 + (lane - 20 + 5) % 12] ==
		      (thread & 32) + 20 + (lane - 20 + 5) % 12 + 100);
	} else {
		warp_sync(0xfffff);
		CHECK(cells[(thread & 32) + (lane + 7) % 20] == (thread & 32) + (lane + 7) % 20);
	}
	fence_cta();
	fence_gl();
	fence_sys();
	return n;
}

static NOINLINE unsigned votes(u64 *out, u32 lane)
{
	const u32 all = 0xffffffff;
	unsigned n = 0;
	CHECK(vote_all(lane < 32) && !vote_all(lane < 31));
	CHECK(vote_any(lane == 31) && !vote_any(lane == 32));
	CHECK(vote_uni(lane < 32) && vote_uni(lane > 32) && !vote_uni(lane < 5));
	CHECK(vote_ballot(lane & 2) == 0xcccccccc);
	CHECK(match_any32(all, lane % 7 * 1000) ==
	      (0x10204081u << lane % 7 | (lane % 7 < 4 ? 1u << (28 + lane % 7) : 0)));
	CHECK(match_any64(all, (u64)(lane / 16) << 60) == 0xffffu << (lane & 16));
	CHECK(reduce_and(all ^ 1u << lane, all) == 0 && reduce_or(1u << lane, all) == all);
	CHECK(reduce_xor(lane, all) == 0 && reduce_add(lane * lane, all) == 10416);
	CHECK((s32)reduce_min(lane - 9, all) == -9 && (s32)reduce_max(lane - 9, all) == 22);
	CHECK(reduce_umin(lane - 9, all) == 0 && reduce_umax(lane - 9, all) == (u32)-1);
	if (lane % 4 == 1) { /* the same of some, as groups of their own and as members of a mask */
		u32 mine = 0x22222222;
		CHECK(active() == mine);
		CHECK(vote_all_sync(mine, lane & 1) && !vote_all_sync(mine, lane < 29));
		CHECK(vote_any_sync(mine, lane == 29) && !vote_any_sync(mine, lane == 30));
		CHECK(vote_uni_sync(mine, lane & 1) && !vote_uni_sync(mine, lane & 4));
		CHECK(vote_ballot_sync(mine, lane > 8) == 0x22222200);
		CHECK(match_any32(mine, lane & 4) == (lane & 4 ? 0x20202020 : 0x02020202));
		CHECK(match_any64(mine, ~(u64)(lane & 8)) == (lane & 8 ? 0x22002200 : 0x00220022));
		CHECK(reduce_add(lane, mine) == 120 && reduce_umin(lane, mine) == 1 && reduce_umax(lane, mine) == 29);
		CHECK(reduce_and(lane | 32, mine) == 33 && reduce_or(lane, mine) == 29 && reduce_xor(lane, mine) == 0);
		CHECK((s32)reduce_min(-lane, mine) == -29 && (s32)reduce_max(-lane, mine) == -1);
		CHECK(vote_ballot(lane < 10) == 0x222);
		CHECK(shfl_sync_idx(mine, lane * 3, 5, 31) == 15);
		CHECK(shfl_sync_bfly(mine, lane * 3, 4, 31) == (lane ^ 4) * 3);
	} else {
		for (unsigned i = 0; i < 13; i++)
			CHECK(lane < 32);
	}
	CHECK(nth(0xf0f0, 4, 1) == 4 && nth(0xf0f0, 0, 5) == 12 && nth(0xf0f0, 31, -1) == 15 &&
	      nth(0xf0f0, 16, 1) == all);
	return n;
}

static NOINLINE unsigned shuffles(u64 *out, u32 lane)
{
	unsigned n = 0;
	for (u32 by = 0; by < 36; by += 5) {
		u32 whole = lane + by < 32 ? lane + by : lane, part = (lane & 7) + by < 8 ? lane + by : lane;
		u32 before = lane >= by ? lane - by : lane, in8 = (lane & 7) >= by ? lane - by : lane;
		CHECK(shfl_down(lane, by, 31) == (by < 32 ? whole : shfl_down(lane, by & 31, 31)));
		CHECK(shfl_sync_down(~0u, lane, by & 31, 0x181f) ==
		      ((lane & 7) + (by & 31) < 8 ? lane + (by & 31) : lane));
		CHECK(shfl_sync_down_f(~0u, (float)lane, by & 7, 31) ==
		      (float)(lane + (by & 7) < 32 ? lane + (by & 7) : lane));
		CHECK(shfl_down_f((float)lane, by & 3, 31) == (float)(lane + (by & 3) < 32 ? lane + (by & 3) : lane));
		if (by < 32) {
			CHECK(shfl_up(lane, by, 0) == before && shfl_sync_up(~0u, lane, by, 0) == before);
			CHECK(shfl_up_f((float)lane, by, 0) == (float)before);
			CHECK(shfl_sync_up_f(~0u, (float)lane, by, 0x1800) == (float)in8);
			CHECK(by > 7 || shfl_sync_down(~0u, lane, by, 0x181f) == part);
		}
		CHECK(shfl_bfly(lane, by & 31, 31) == (lane ^ (by & 31)));
		CHECK(shfl_sync_bfly_f(~0u, (float)lane, by & 31, 31) == (float)(lane ^ (by & 31)));
		CHECK(shfl_bfly_f((float)lane, by & 15, 31) == (float)(lane ^ (by & 15)));
		CHECK(shfl_idx(lane * 9, by & 31, 31) == (by & 31) * 9);
		CHECK(shfl_idx_f((float)lane, lane ^ by & 31, 31) == (float)((lane ^ by & 31) & 31));
		CHECK(shfl_sync_idx(~0u, lane, by, 0x181f) == (lane & 24) + (by & 7));
		CHECK(shfl_sync_idx_f(~0u, (float)lane, 31 - lane, 31) == (float)(31 - lane));
	}
	return n;
}

static NOINLINE unsigned memory(const u64 *in, u64 *out, u32 thread)
{
	static u32 table[4] = {3, 5, 7, 9};
	static const CONSTANT u32 fixed[4] = {2, 4, 6, 8};
	static SHARED u32 tile[64];
	u32 local[2] = {thread, thread + 1};
	const GLOBAL u64 *words = (const GLOBAL u64 *)in;
	unsigned n = 0;
	u32 *at = &table[thread & 3];
	CHECK(ldg64(words + 1, 8) == in[1] && ldg32((const GLOBAL u32 *)words + 3, 4) == (u32)(in[1] >> 32));
	CHECK(ldg8((const GLOBAL u8 *)words + 5, 1) == (u8)(in[0] >> 40));
	CHECK(f32_bits(ldg_float((const GLOBAL float *)words + 2, 4)) == f32_bits(as_f32(in[1])));
	CHECK(f64_bits(ldg_double((const GLOBAL double *)words + 2, 8)) == f64_bits(as_f64(in[2])));
	CHECK((u64)ldg_pointer(words + 3, 8) == in[3] && (u64)ldu_pointer(words + 4, 8) == in[4]);
	CHECK(ldu32((const GLOBAL u32 *)words + 9, 4) == (u32)(in[4] >> 32));
	CHECK(ldu16((const GLOBAL u16 *)words + 7, 2) == (u16)(in[1] >> 48));
	CHECK(f32_bits(ldu_float((const GLOBAL float *)words + 4, 4)) == f32_bits(as_f32(in[2])));
	CHECK(*to_global(at) == *at && from_global(to_global(at)) == at);
	tile[thread] = thread * 7;
	CHECK(*from_shared(&tile[thread]) == thread * 7 && to_shared(from_shared(&tile[thread])) == &tile[thread]);
	CHECK(*from_constant(&fixed[thread & 3]) == 2 * (thread & 3) + 2);
	CHECK(*to_constant(from_constant(&fixed[1])) == 4);
	CHECK(*to_local(&local[1]) == thread + 1 && *from_local(to_local(&local[0])) == thread);
	CHECK(is_global(at) && !is_shared(at) && !is_local(at));
	CHECK(is_shared(from_shared(tile)) && !is_global(from_shared(tile)) && !is_constant(from_shared(tile)));
	CHECK(is_local(local) && !is_global(local) && !is_shared(local));
	CHECK(*moved(at) == *at);
	return n;
}

static _Bool near(double got, double want, double bound)
{
	double error = got - want;
	return error <= bound && -error <= bound;
}

static NOINLINE unsigned approximations(u64 *out, u32 thread)
{
	float x = (float)((s32)thread - 32) / 10.25f + 0.01f, size = x < 0 ? -x : x, tiny = as_f32(0x00400000 + thread);
	double d = (double)size * 3.7, root = 1 / exact_sqrt(d);
	unsigned n = 0;
	CHECK(near(sin_f(x), exact_sin(x), 0x1p-20) && near(sin_ftz(x), exact_sin(x), 0x1p-20));
	CHECK(near(cos_f(x), exact_cos(x), 0x1p-20) && near(cos_ftz(x), exact_cos(x), 0x1p-20));
	CHECK(near(ex2_f(x), exact_exp2(x), 0x1p-21 * exact_exp2(x)) && ex2_ftz(-130) == 0 && ex2_f(-130) == 0x1p-130f);
	CHECK(near(lg2_f(size), exact_log2(size), 0x1p-20) && lg2_ftz(tiny) == -__builtin_inff());
	CHECK(near(lg2_f(tiny), exact_log2(tiny), 0x1p-15));
	CHECK(near(rsqrt_f(size), 1 / exact_sqrt(size), 0x1p-21 / exact_sqrt(size)) &&
	      rsqrt_ftz(tiny) == __builtin_inff());
	CHECK(near(sqrt_a(size), exact_sqrt(size), 0x1p-21 * exact_sqrt(size)) && sqrt_ftz(tiny) == 0);
	CHECK(near(sqrt_plain(size), exact_sqrt(size), 0x1p-21 * exact_sqrt(size)));
	CHECK(near(rcp_ftz(x), 1 / (double)x, 0x1p-21 / (double)size) && rcp_ftz(-tiny) == -__builtin_inff());
	CHECK(near(div_f(x, 3), x / 3.0, 0x1p-21 * size) && near(div_ftz(x, 3), x / 3.0, 0x1p-21 * size));
	CHECK(near(rsqrt_d(d), root, 0x1p-50 * root) && near(rsqrt_ftz_d(d), root, 0x1p-19 * root));
	CHECK(near(rcp_ftz_d(d), 1 / d, 0x1p-19 / d));
	CHECK(near(ex2_half((_Float16)x), exact_exp2((_Float16)x), 0x1p-9 * exact_exp2(x)));
	half2 both = ex2_half2((half2){(_Float16)x, 3});
	CHECK(both[0] == ex2_half((_Float16)x) && both[1] == 8);
	return n;
}

static NOINLINE unsigned registers(u64 *out, u32 lane)
{
	unsigned n = 0;
	u64 before = timer();
	CHECK(warp_size() == 32 && tid_w() == 0 && ctaid_w() == 0);
	CHECK(lane_eq() == 1u << lane && lane_lt() == (1u << lane) - 1 && lane_ge() == ~((1u << lane) - 1));
	CHECK(envreg0() == 0 && envreg31() == 0 && pm3() == 0 && grid_id() < 1000);
	sleep_for(2000);
	CHECK(timer() >= before);
	return n;
}
#endif

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
	(void)in, (void)thread;
#ifdef __NVPTX__
	n += barriers(out + n, thread);
	n += votes(out + n, thread & 31);
	n += shuffles(out + n, thread & 31);
	n += memory(in, out + n, thread);
	n += approximations(out + n, thread);
	n += registers(out + n, thread & 31);
#endif
	while (n < CHECKS)
		CHECK(1);
#ifdef __NVPTX__
	if (thread & 1)
		leave();
#endif
	RESULT(!(thread & 1)); /* odd threads are gone */
	return n;
}

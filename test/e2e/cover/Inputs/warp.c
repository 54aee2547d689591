/* Across the warp and the block: shuffles, votes, match, reductions, barriers; special registers; NVVM integers. */
#include "cover.h"

#ifdef __NVPTX__
extern u32 redux_add(u32, u32) __asm__("llvm.nvvm.redux.sync.add");
extern s32 redux_min(s32, u32) __asm__("llvm.nvvm.redux.sync.min");
extern u32 redux_umax(u32, u32) __asm__("llvm.nvvm.redux.sync.umax");
extern u32 redux_xor(u32, u32) __asm__("llvm.nvvm.redux.sync.xor");
extern u32 fns(u32, u32, s32) __asm__("llvm.nvvm.fns");
extern u32 active(void) __asm__("llvm.nvvm.activemask");
extern u32 sad(u32, u32, u32) __asm__("llvm.nvvm.sad.ui");
struct both {
	u32 value;
	_Bool flag;
};

static u32 divergent(u32 lane)
{
	/* A warp-wide operation of those that come here. */
	if (lane & 1)
		return (u32)__nvvm_vote_ballot_sync(0xaaaaaaaa, lane < 16);
	return active();
}
#endif

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
#ifdef __NVPTX__
	u32 lane = thread & 31, all = 0xffffffff, a = (u32)in[0], b = (u32)in[1], c = (u32)in[2];
	s32 sa = (s32)a, sb = (s32)b;
	s64 wa = (s64)in[0], wb = (s64)in[1];

	CHECK(__nvvm_shfl_sync_idx_i32(all, (int)thread, 5, 31) == (int)(thread & 32) + 5);
	CHECK(__nvvm_shfl_sync_idx_i32(all, (int)thread, (int)(lane ^ 9), 31) == (int)(thread ^ 9));
	CHECK(__nvvm_shfl_sync_up_i32(all, (int)lane, 3, 0) == (int)(lane < 3 ? lane : lane - 3));
	CHECK(__nvvm_shfl_sync_down_i32(all, (int)lane, 4, 31) == (int)(lane > 27 ? lane : lane + 4));
	CHECK(__nvvm_shfl_sync_bfly_f32(all, (float)lane, 16, 31) == (float)(lane ^ 16));
	CHECK(__nvvm_shfl_sync_idx_i32(all, (int)lane, 1, 0x181f) == (int)(lane & 24) + 1); /* segments of 8 */
	CHECK(__nvvm_vote_ballot_sync(all, lane % 3 == 0) == 0x49249249);
	CHECK(__nvvm_vote_all_sync(all, lane < 32) && !__nvvm_vote_all_sync(all, lane < 31));
	CHECK(__nvvm_vote_any_sync(all, lane == 7) && !__nvvm_vote_any_sync(all, lane == 70));
	CHECK(__nvvm_vote_uni_sync(all, thread < 32) && !__nvvm_vote_uni_sync(all, lane < 3));
	CHECK(__nvvm_match_any_sync_i32(all, lane >> 3) == 0xffu << (lane & 24));
	CHECK(__nvvm_match_any_sync_i64(all, (u64)(lane & 1) << 40) == (lane & 1 ? 0xaaaaaaaa : 0x55555555));
	CHECK(divergent(lane) == (lane & 1 ? 0xaaaa : 0x55555555));
	__nvvm_bar_warp_sync(all);
	CHECK(active() == all);
	CHECK(__nvvm_bar0_popc(thread < 40) == 40);
	CHECK(__nvvm_bar0_and(thread < 64) && !__nvvm_bar0_and(thread < 63));
	CHECK(__nvvm_bar0_or(thread == 63) && !__nvvm_bar0_or(thread == 64));
	__nvvm_bar_sync(3);
	__nvvm_barrier_sync_cnt(4, 64);
	CHECK(redux_add(lane, all) == 496);
	CHECK(redux_min((s32)lane - 5, all) == -5);
	if (lane & 4)
		CHECK(redux_umax(lane, 0xf0f0f0f0) == 31 && redux_xor(1u << lane, 0xf0f0f0f0) == 0xf0f0f0f0);
	else
		CHECK(redux_umax(lane, 0x0f0f0f0f) == 27);
	CHECK(fns(0x8421, 0, 3) == 10);
	CHECK(fns(0x8421, 15, -2) == 10);
	CHECK(fns(0x8421, 1, 9) == all);

	CHECK(__nvvm_read_ptx_sreg_ntid_x() == 64 && __nvvm_read_ptx_sreg_nctaid_y() == 1);
	CHECK(__nvvm_read_ptx_sreg_ctaid_x() == 0 && __nvvm_read_ptx_sreg_laneid() == (int)lane);
	CHECK(__nvvm_read_ptx_sreg_warpid() == (int)thread / 32 && __nvvm_read_ptx_sreg_nwarpid() >= 2);
	CHECK(__nvvm_read_ptx_sreg_lanemask_le() == (int)((2u << lane) - 1));
	CHECK(__nvvm_read_ptx_sreg_lanemask_gt() == (int)~((2u << lane) - 1));
	CHECK(__nvvm_read_ptx_sreg_smid() < __nvvm_read_ptx_sreg_nsmid());
	CHECK(__nvvm_read_ptx_sreg_clock64() <= __nvvm_read_ptx_sreg_clock64());
	CHECK((u32)__nvvm_read_ptx_sreg_clock() != 0);
	__nvvm_membar_cta();
	__nvvm_membar_gl();
	__nvvm_membar_sys();

	CHECK(__nvvm_mulhi_i(sa, sb) == (s32)((s64)sa * sb >> 32));
	CHECK(__nvvm_mulhi_ui(a, b) == (u32)((u64)a * b >> 32));
	CHECK(__nvvm_mulhi_ll(wa, wb) == (s64)((s128)wa * wb >> 64));
	CHECK(__nvvm_mulhi_ull(in[0], in[1]) == (u64)((u128)in[0] * in[1] >> 64));
	CHECK(__nvvm_mul24_ui(a, b) == (a & 0xffffff) * (b & 0xffffff));
	CHECK(__nvvm_mul24_i(sa, sb) == (s32)((u32)(sa << 8 >> 8) * (u32)(sb << 8 >> 8)));
	CHECK(sad(a, b, c) == (a > b ? a - b : b - a) + c);
	CHECK(__nvvm_prmt(a, b, 0x7531) == ((a >> 8 & 255) | (a >> 24) << 8 | (b >> 8 & 255) << 16 | (b >> 24) << 24));
	CHECK(__nvvm_prmt(a, b, 0x8888) == (a & 0x80 ? all : 0));

	CHECK(__nvvm_add_rz_f(1.0f, 0x1p-30f) == 1.0f && __nvvm_add_rp_f(1.0f, 0x1p-30f) > 1.0f);
	CHECK(__nvvm_add_rm_d(-1.0, -0x1p-60) < -1.0 && __nvvm_add_rz_d(-1.0, -0x1p-60) == -1.0);
	CHECK(__nvvm_mul_rz_f(1.0f / 3, 3.0f) < 1.0f + 0x1p-20f && __nvvm_fma_rp_f(1.0f, 1.0f, 0x1p-40f) > 1.0f);
	CHECK(__nvvm_div_rn_f(1.0f, 3.0f) == 1.0f / 3.0f && __nvvm_sqrt_rn_d(2.0) == __builtin_sqrt(2.0));
	CHECK(__nvvm_rcp_rn_d(3.0) == 1.0 / 3.0);
	CHECK(__nvvm_rcp_approx_ftz_f(2.0f) == 0.5f && __nvvm_sqrt_approx_f(4.0f) == 2.0f);
	CHECK(__nvvm_ex2_approx_f(3.0f) == 8.0f && __nvvm_lg2_approx_f(8.0f) == 3.0f);
	CHECK(__nvvm_f2i_rm(-1.5f) == -2 && __nvvm_f2i_rp(-1.5f) == -1 && __nvvm_d2ll_rn(2.5) == 2);
	CHECK(__nvvm_d2i_hi(1.0) == 0x3ff00000 && __nvvm_lohi_i2d(0, 0x40000000) == 2.0);
	CHECK(__nvvm_saturate_f(1.5f) == 1.0f && __nvvm_saturate_f(-1.0f) == 0.0f);
	CHECK(__nvvm_fabs_ftz_f(-2.0f) == 2.0f && __nvvm_floor_d(-0.5) == -1.0 && __nvvm_round_f(2.5f) == 2.0f);
	__nvvm_nanosleep(10);
#else
	for (unsigned i = 0; i < 51; i++)
		out[n++] = 1;
#endif
	return n;
}

/* Inline PTX, checked against the same operation in C. */
#include "cover.h"

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
#ifdef __NVPTX__
	u32 a = (u32)in[0], b = (u32)in[1], c = (u32)in[2], s = (u32)in[3] & 63, r, r2, lane = thread & 31;
	s32 sa = (s32)a, sb = (s32)b;
	u64 wa = in[4], wb = in[5], w, w2;
	u16 ha = (u16)a, hb = (u16)b, h;
	float fa = as_f32(a), fb = as_f32(b), f;
	double da = as_f64(wa), db = as_f64(wb), d;
	static SHARED u32 tile[THREADS * 4];
	u64 scratch = (u64)(out + 400);

	/* special registers */
	__asm__("mov.u32 %0, %%laneid;" : "=r"(r));
	CHECK(r == lane);
	__asm__("mov.u32 %0, %%warpid;" : "=r"(r));
	CHECK(r == thread / 32);
	__asm__("mov.u32 %0, %%tid.x;" : "=r"(r));
	CHECK(r == thread);
	__asm__("mov.u32 %0, %%ntid.x;" : "=r"(r));
	CHECK(r == 64);
	__asm__("mov.u32 %0, %%ctaid.y;" : "=r"(r));
	CHECK(r == 0);
	__asm__("mov.u32 %0, %%nctaid.x;" : "=r"(r));
	CHECK(r == 1);
	__asm__ volatile("mov.u32 %0, %%smid;" : "=r"(r));
	__asm__ volatile("mov.u32 %0, %%nsmid;" : "=r"(r2));
	CHECK(r < r2);
	__asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
	CHECK(r == (1u << lane) - 1);
	__asm__("mov.u32 %0, %%lanemask_ge;" : "=r"(r));
	CHECK(r == ~((1u << lane) - 1));
	__asm__("mov.u32 %0, %%lanemask_eq;" : "=r"(r));
	CHECK(r == 1u << lane);
	__asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(w));
	__asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(w2));
	CHECK(w2 > w && w2 - w < 100000);
	__asm__ volatile("mov.u32 %0, %%clock;" : "=r"(r));
	CHECK(r - (u32)w2 < 100000);
	__asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(w));
	__asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(w2));
	CHECK(w2 >= w);
	__asm__("mov.u32 %0, WARP_SZ;" : "=r"(r));
	CHECK(r == 32);

	/* carries */
	__asm__("{\n\t.reg .u32 lo, hi;\n\tadd.cc.u32 lo, %1, %2;\n\taddc.u32 hi, 0, 0;\n\tmov.b64 %0, {lo, hi};\n\t}"
		: "=l"(w)
		: "r"(a), "r"(b));
	CHECK(w == (u64)a + b);
	u64 x[3] = {in[6], in[7], in[8]}, y[3] = {in[9], in[10], in[11]}, z[3];
	__asm__("add.cc.u64 %0, %3, %6; addc.cc.u64 %1, %4, %7; addc.u64 %2, %5, %8;"
		: "=&l"(z[0]), "=&l"(z[1]), "=&l"(z[2])
		: "l"(x[0]), "l"(x[1]), "l"(x[2]), "l"(y[0]), "l"(y[1]), "l"(y[2]));
	u128 low = (u128)x[0] + y[0], middle = (u128)x[1] + y[1] + (low >> 64);
	CHECK(z[0] == (u64)low && z[1] == (u64)middle && z[2] == x[2] + y[2] + (u64)(middle >> 64));
	__asm__("sub.cc.u64 %0, %3, %6; subc.cc.u64 %1, %4, %7; subc.u64 %2, %5, %8;"
		: "=&l"(z[0]), "=&l"(z[1]), "=&l"(z[2])
		: "l"(x[0]), "l"(x[1]), "l"(x[2]), "l"(y[0]), "l"(y[1]), "l"(y[2]));
	low = (u128)x[0] - y[0], middle = (u128)x[1] - y[1] - (x[0] < y[0]);
	CHECK(z[0] == (u64)low && z[1] == (u64)middle && z[2] == x[2] - y[2] - (u64)(middle >> 127));
	__asm__("sub.cc.u32 %0, %2, %3; subc.u32 %1, 0, 0;" : "=&r"(r), "=r"(r2) : "r"(a), "r"(b));
	CHECK(r == a - b && r2 == (a < b ? ~0u : 0));
	__asm__("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0;"
		: "=&r"(r), "=r"(r2)
		: "r"(a), "r"(b), "r"(c));
	CHECK(((u64)r2 << 32 | r) == (u64)a * b + c);

	/* multiplication */
	__asm__("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	CHECK(r == a * b + c);
	__asm__("mad.hi.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	CHECK(r == (u32)((s64)sa * sb >> 32) + c);
	__asm__("mul.wide.u32 %0, %1, %2;" : "=l"(w) : "r"(a), "r"(b));
	CHECK(w == (u64)a * b);
	__asm__("mad.wide.s32 %0, %1, %2, %3;" : "=l"(w) : "r"(a), "r"(b), "l"(wa));
	CHECK(w == (u64)((s64)sa * sb) + wa);
	__asm__("mul.hi.u64 %0, %1, %2;" : "=l"(w) : "l"(wa), "l"(wb));
	CHECK(w == (u64)((u128)wa * wb >> 64));
	__asm__("mul.hi.s64 %0, %1, %2;" : "=l"(w) : "l"(wa), "l"(wb));
	CHECK(w == (u64)((s128)(s64)wa * (s64)wb >> 64));
	__asm__("mul.wide.u16 %0, %1, %2;" : "=r"(r) : "h"(ha), "h"(hb));
	CHECK(r == (u32)ha * hb);
	__asm__("mul.lo.u16 %0, %1, %2;" : "=h"(h) : "h"(ha), "h"(hb));
	CHECK(h == (u16)(ha * hb));
	__asm__("mul24.lo.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	CHECK(r == (a & 0xffffff) * (b & 0xffffff));
	__asm__("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	CHECK(r == (a > b ? a - b : b - a) + c);
	__asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	CHECK(r == c + (a & 255) * (b & 255) + (a >> 8 & 255) * (b >> 8 & 255) + (a >> 16 & 255) * (b >> 16 & 255) +
			   (a >> 24) * (b >> 24));

	/* bits */
	__asm__("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	CHECK(r == (a ^ b ^ c));
	__asm__("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "n"(0xca));
	CHECK(r == ((a & b) | (~a & c)));
	__asm__("and.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	CHECK(r == (a & b));
	__asm__("not.b64 %0, %1;" : "=l"(w) : "l"(wa));
	CHECK(w == ~wa);
	__asm__("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(s));
	CHECK(r == (s < 32 ? a << s : 0));
	__asm__("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(s));
	CHECK(r == (u32)(sa >> (s < 32 ? s : 31)));
	__asm__("shr.u64 %0, %1, %2;" : "=l"(w) : "l"(wa), "r"(s + 8));
	CHECK(w == (s + 8 < 64 ? wa >> (s + 8) : 0));
	__asm__("shl.b64 %0, %1, 72;" : "=l"(w) : "l"(wa));
	CHECK(w == 0);
	__asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s));
	CHECK(r == (u32)(((u64)b << 32 | a) << (s & 31) >> 32));
	__asm__("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s));
	CHECK(r == (u32)(((u64)b << 32 | a) >> (s < 32 ? s : 32)));
	__asm__("popc.b32 %0, %1;" : "=r"(r) : "r"(a));
	CHECK(r == (u32)__builtin_popcount(a));
	__asm__("popc.b64 %0, %1;" : "=r"(r) : "l"(wa));
	CHECK(r == (u32)__builtin_popcountll(wa));
	__asm__("clz.b32 %0, %1;" : "=r"(r) : "r"(a));
	CHECK(r == (a ? (u32)__builtin_clz(a) : 32));
	__asm__("brev.b32 %0, %1;" : "=r"(r) : "r"(a));
	CHECK(r == __builtin_bitreverse32(a));
	__asm__("bfind.u32 %0, %1;" : "=r"(r) : "r"(a));
	CHECK(r == (a ? 31u - (u32)__builtin_clz(a) : ~0u));
	u32 ones = s >= 32 ? ~0u : (1u << s) - 1, rest = (1u << (s & 31)) - 1;
	__asm__("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(s), "r"(7));
	CHECK(r == (s >= 32 ? 0 : 0x7fu << s));
	__asm__("bmsk.clamp.b32 %0, 3, %1;" : "=r"(r) : "r"(s));
	CHECK(r == ones << 3);
	__asm__("bmsk.wrap.b32 %0, %1, %1;" : "=r"(r) : "r"(s));
	CHECK(r == rest << (s & 31));
	__asm__("szext.clamp.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(s));
	CHECK(r == (a & ones));
	__asm__("szext.wrap.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(s));
	CHECK(r == ((s & 31) && a >> ((s & 31) - 1) & 1 ? a | ~rest : a & rest));
	__asm__("bfe.u32 %0, %1, 4, 8;" : "=r"(r) : "r"(a));
	CHECK(r == (a >> 4 & 255));
	__asm__("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(s & 31), "r"(5));
	CHECK(r == (u32)((s32)((u32)(sa >> (s & 31)) << 27) >> 27));
	__asm__("bfe.u64 %0, %1, %2, %3;" : "=l"(w) : "l"(wa), "r"(s), "r"(9));
	CHECK(w == (wa >> s & 511));
	__asm__("bfe.s64 %0, %1, 60, 20;" : "=l"(w) : "l"(wa));
	CHECK(w == (u64)((s64)wa >> 60));
	__asm__("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(r) : "r"(a), "r"(b));
	CHECK(r == ((b & ~0xff0u) | (a << 4 & 0xff0)));
	u32 mask = s & 31 ? (1u << (s & 31)) - 1 : 0;
	__asm__("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(3), "r"(s & 31));
	CHECK(r == ((b & ~(mask << 3)) | ((a & mask) << 3)));
	__asm__("bfi.b64 %0, %1, %2, %3, 64;" : "=l"(w) : "l"(wa), "l"(wb), "r"(s));
	CHECK(w == ((wb & ~(~UINT64_C(0) << s)) | wa << s));
	__asm__("prmt.b32 %0, %1, %2, 0x0246;" : "=r"(r) : "r"(a), "r"(b));
	CHECK(r == ((b >> 16 & 255) | (b & 255) << 8 | (a >> 16 & 255) << 16 | (a & 255) << 24));

	/* minimum, maximum, sign, choice */
	__asm__("min.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	CHECK(r == (u32)(sa < sb ? sa : sb));
	__asm__("max.u64 %0, %1, %2;" : "=l"(w) : "l"(wa), "l"(wb));
	CHECK(w == (wa > wb ? wa : wb));
	__asm__("abs.s32 %0, %1;" : "=r"(r) : "r"(a));
	CHECK(r == (sa < 0 ? 0u - a : a));
	__asm__("neg.s64 %0, %1;" : "=l"(w) : "l"(wa));
	CHECK(w == 0 - wa);
	__asm__("{ .reg .pred p, q; setp.lt.u32 p, %1, %2; setp.gt.and.s32 q, %1, %2, p; selp.u32 %0, 7, 9, q; }"
		: "=r"(r)
		: "r"(a), "r"(b));
	CHECK(r == (a < b && sa > sb ? 7 : 9));
	__asm__("{ .reg .pred p, q; setp.le.s64 p|q, %2, %3; selp.b32 %0, 1, 0, p; selp.b32 %1, 1, 0, q; }"
		: "=r"(r), "=r"(r2)
		: "l"(wa), "l"(wb));
	CHECK(r == ((s64)wa <= (s64)wb) && r2 == !r);
	__asm__("{ .reg .pred p; setp.ne.u32 p, %1, 0; mov.u32 %0, 3; @p add.u32 %0, %0, 1; @!p mov.u32 %0, 9; }"
		: "=&r"(r)
		: "r"(lane));
	CHECK(r == (lane ? 4 : 9));
	__asm__("set.gt.u32.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	CHECK(r == (sa > sb ? ~0u : 0));

	__asm__("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	s64 exact = (s64)sa + sb;
	CHECK((s32)r == (exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : (s32)exact));
	__asm__("sub.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
	exact = (s64)sa - sb;
	CHECK((s32)r == (exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : (s32)exact));
	__asm__("slct.u32.s32 %0, 7, 9, %1;" : "=r"(r) : "r"(a));
	CHECK(r == (sa >= 0 ? 7 : 9));
	__asm__("slct.u64.f32 %0, %1, %2, %3;" : "=l"(w) : "l"(wa), "l"(wb), "f"(fa));
	CHECK(w == (fa >= 0 ? wa : wb));
	__asm__("cnot.b32 %0, %1;" : "=r"(r) : "r"(a & 3));
	CHECK(r == ((a & 3) == 0));
	__asm__("cvt.sat.u8.s32 %0, %1;" : "=r"(r) : "r"(sa >> 20));
	CHECK(r == (u32)(sa >> 20 < 0 ? 0 : sa >> 20 > 255 ? 255 : sa >> 20));
	__asm__("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(sa >> 20));
	CHECK((s32)r == (sa >> 20 < -128 ? -128 : sa >> 20 > 127 ? 127 : sa >> 20));
	__asm__("cvt.sat.s16.u32 %0, %1;" : "=h"(h) : "r"(a));
	CHECK(h == (a > 32767 ? 32767 : a));
	__asm__("cvt.sat.s32.s64 %0, %1;" : "=r"(r) : "l"(wa));
	CHECK((s32)r == ((s64)wa > INT32_MAX ? INT32_MAX : (s64)wa < INT32_MIN ? INT32_MIN : (s32)wa));
	__asm__("cvt.sat.u64.s32 %0, %1;" : "=l"(w) : "r"(a));
	CHECK(w == (sa < 0 ? 0 : a));

	/* floats */
	__asm__("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(f) : "f"(fa), "f"(fb));
	CHECK(f32_bits(f) == f32_bits(__builtin_fmaf(fa, fb, 1.0f)));
	__asm__("add.rn.f64 %0, %1, %2;" : "=d"(d) : "d"(da), "d"(db));
	CHECK(f64_bits(d) == f64_bits(da + db));
	__asm__("sub.f32 %0, %1, %2;" : "=f"(f) : "f"(fa), "f"(fb));
	CHECK(f32_bits(f) == f32_bits(fa - fb));
	__asm__("mul.rn.sat.f32 %0, %1, %2;" : "=f"(f) : "f"(fa), "f"(1.0f));
	CHECK(f == (fa > 0 ? fa < 1 ? fa : 1 : 0));
	__asm__("neg.f64 %0, %1;" : "=d"(d) : "d"(da));
	CHECK(f64_bits(d) == f64_bits(-da));
	__asm__("max.f32 %0, %1, %2;" : "=f"(f) : "f"(fa), "f"(1.5f));
	CHECK(f == (fa > 1.5f ? fa : 1.5f));
	__asm__("ex2.approx.f32 %0, %1;" : "=f"(f) : "f"((float)(int)lane));
	CHECK(f == (float)(1u << lane));
	__asm__("rcp.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(4.0f));
	CHECK(f == 0.25f);
	__asm__("copysign.f32 %0, %1, %2;" : "=f"(f) : "f"(-1.0f), "f"(2.0f));
	CHECK(f == -2.0f);

	/* conversions */
	__asm__("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"((float)(s16)ha / 3));
	CHECK((s32)r == (s32)((float)(s16)ha / 3));
	__asm__("cvt.rni.f32.f32 %0, %1;" : "=f"(f) : "f"((float)(s16)ha / 2));
	CHECK(f == __builtin_rintf((float)(s16)ha / 2));
	__asm__("cvt.rn.f32.u64 %0, %1;" : "=f"(f) : "l"(wa));
	CHECK(f == (float)wa);
	__asm__("cvt.u32.u16 %0, %1;" : "=r"(r) : "h"(ha));
	CHECK(r == ha);
	__asm__("cvt.s64.s32 %0, %1;" : "=l"(w) : "r"(a));
	CHECK(w == (u64)(s64)sa);
	__asm__("cvt.u16.u32 %0, %1;" : "=h"(h) : "r"(a));
	CHECK(h == ha);
	__asm__("cvt.s32.s8 %0, %1;" : "=r"(r) : "r"(a));
	CHECK((s32)r == (s8)a);
	__asm__("{ .reg .b16 t; cvt.rn.f16.f32 t, %1; cvt.f32.f16 %0, t; }" : "=f"(f) : "f"(1.0f / 3));
	CHECK(f == (float)(_Float16)(1.0f / 3));
	__asm__("{add.f16 %0, %1, %2;}" : "=h"(h) : "h"((u16)0x3c00), "h"((u16)0x4000));
	CHECK(h == 0x4200);
	__asm__("{fma.rn.f16x2 %0, %1, %1, %2;}" : "=r"(r) : "r"(0x40003c00), "r"(0x3c003c00));
	CHECK(r == 0x45004000);
	__asm__("mov.b32 {%0, %1}, %2;" : "=h"(h), "=h"(hb) : "r"(c));
	CHECK(h == (u16)c && hb == (u16)(c >> 16));
	__asm__("mov.b64 {%0, %1}, %2;" : "=r"(r), "=r"(r2) : "l"(wa));
	CHECK(r == (u32)wa && r2 == (u32)(wa >> 32));
	__asm__("mov.b32 %0, %1;" : "=r"(r) : "f"(fa));
	CHECK(r == a);

	/* memory */
	__asm__ volatile("st.global.u32 [%0], %1;" ::"l"(scratch), "r"(a) : "memory");
	__asm__ volatile("st.global.cg.v2.u32 [%0+8], {%1, %2};" ::"l"(scratch), "r"(c), "r"(b) : "memory");
	__asm__ volatile("ld.global.cg.u64 %0, [%1+8];" : "=l"(w) : "l"(scratch) : "memory");
	CHECK(w == ((u64)b << 32 | c));
	__asm__ volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(scratch + 16), "r"(a), "r"(b), "r"(c), "r"(s)
			 : "memory");
	CHECK(out[402] == ((u64)b << 32 | a) && out[403] == ((u64)s << 32 | c));
	__asm__ volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
			 : "=r"(r), "=r"(r2), "=r"(mask), "=r"(s)
			 : "l"(scratch + 16)
			 : "memory");
	CHECK(r == a && r2 == b && mask == c);
	__asm__ volatile("ld.volatile.u8 %0, [%1+1];" : "=r"(r) : "l"(scratch + 16));
	CHECK(r == (a >> 8 & 255));
	__asm__ volatile("ld.global.s8 %0, [%1];" : "=r"(r) : "l"(scratch + 16));
	CHECK((s32)r == (s8)a);
	__asm__ volatile("{ .reg .pred p; setp.gt.u32 p, %0, 15; @p st.global.u32 [%1], 77; }" ::"r"(lane),
			 "l"(scratch + 16)
			 : "memory");
	CHECK((u32)out[402] == (lane > 15 ? 77 : a));
	__asm__ volatile("{ .reg .pred p; setp.gt.u32 p, %1, 15; mov.u32 %0, 5; @p ld.global.u32 %0, [%2]; }"
			 : "=&r"(r)
			 : "r"(lane), "l"(scratch + 16)
			 : "memory");
	CHECK(r == (lane > 15 ? 77 : 5));
	out[404] = 10;
	__asm__ volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(scratch + 32), "r"(5) : "memory");
	CHECK(r == 10 && out[404] == 15);
	__asm__ volatile("red.global.max.u32 [%0], %1;" ::"l"(scratch + 32), "r"(40) : "memory");
	__asm__ volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "l"(scratch + 32), "r"(40), "r"(41) : "memory");
	CHECK(r == 40 && out[404] == 41);
	__asm__ volatile("{ .reg .u64 t; cvta.to.global.u64 t, %1; ld.global.u32 %0, [t]; }"
			 : "=r"(r)
			 : "l"(scratch + 32));
	CHECK(r == 41);
	for (unsigned i = 400; i < 405; i++)
		out[i] = 0;

	/* shared memory, barriers */
	u32 place = (u32)(u64)(tile + thread);
	__asm__ volatile("st.shared.u32 [%0], %1;" ::"r"(place), "r"(thread * 3) : "memory");
	__asm__ volatile("bar.sync 0;" ::: "memory");
	__asm__ volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"((u32)(u64)(tile + (thread ^ 33))) : "memory");
	CHECK(r == (thread ^ 33) * 3);
	__asm__ volatile("barrier.sync 1, 64;" ::: "memory");
	__asm__ volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; ld.shared.u32 %0, [t+4]; }"
			 : "=r"(r)
			 : "l"((u64)(u32 *)(tile + (thread & 31)))
			 : "memory");
	CHECK(r == ((thread & 31) + 1) * 3);
	__asm__ volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 10; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }"
			 : "=r"(r)
			 : "r"(thread));
	CHECK(r == 1);
	__asm__ volatile("{ .reg .pred p; setp.lt.u32 p, %1, 10; bar.red.popc.u32 %0, 0, p; }" : "=r"(r) : "r"(thread));
	CHECK(r == 10);
	/* one warp produces, the other waits */
	if (thread < 32)
		__asm__ volatile("st.shared.u32 [%0], %1; membar.cta; bar.arrive 2, 64;" ::"r"(
					 (u32)(u64)(tile + 64 + lane)),
				 "r"(lane)
				 : "memory");
	else
		__asm__ volatile("bar.sync 2, 64; ld.shared.u32 %0, [%1];"
				 : "=r"(r)
				 : "r"((u32)(u64)(tile + 64 + lane))
				 : "memory");
	CHECK(thread < 32 || r == lane);
	__asm__ volatile("membar.gl; fence.acq_rel.sys; fence.sc.gpu;" ::: "memory");
	__asm__ volatile("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }"
			 : "=r"(r)
			 : "l"((u64)(u32 *)tile));
	CHECK(r == 1);
	__asm__ volatile("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"((u64)out));
	CHECK(r == 1);

	/* the warp */
	__asm__ volatile("activemask.b32 %0;" : "=r"(r));
	CHECK(r == ~0u);
	__asm__ volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(r) : "r"(lane));
	CHECK(r == (lane ^ 1));
	__asm__ volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, %3, 0, -1; selp.u32 %1, 1, 0, p; }"
			 : "=r"(r), "=r"(r2)
			 : "r"(lane), "r"(2));
	CHECK(r == (lane < 2 ? lane : lane - 2) && r2 == (lane >= 2));
	__asm__ volatile("{ .reg .pred p; setp.lt.u32 p, %1, 7; vote.sync.ballot.b32 %0, p, -1; }"
			 : "=r"(r)
			 : "r"(lane));
	CHECK(r == 127);
	__asm__ volatile("{ .reg .pred p; setp.lt.u32 p, %1, 9; vote.ballot.sync.b32 %0, p, -1; }"
			 : "=r"(r)
			 : "r"(lane));
	CHECK(r == 511);
	__asm__ volatile(
		"{ .reg .pred p, q; setp.lt.u32 p, %1, 7; vote.sync.all.pred q, !p, -1; selp.u32 %0, 1, 0, q; }"
		: "=r"(r)
		: "r"(lane));
	CHECK(r == 0);
	__asm__ volatile("match.any.sync.b32 %0, %1, -1;" : "=r"(r) : "r"(lane & 3));
	CHECK(r == 0x11111111u << (lane & 3));
	__asm__ volatile("bar.warp.sync -1; nanosleep.u32 20;");
	__asm__ volatile("");
	__asm__ volatile("// nothing but a comment\n");
	/* a tied operand, and one that is read and written */
	r = a;
	__asm__("add.u32 %0, %0, 1;" : "+r"(r));
	CHECK(r == a + 1);
	__asm__("/* twice */ add.u32 %0, %0, %1; add.u32 %0, %0, %1;" : "+r"(r) : "r"(b));
	CHECK(r == a + 1 + 2 * b);
	if (thread == 63)
		__asm__ volatile("exit;");
	CHECK(thread != 63);
#else
	for (unsigned i = 0; i < 124; i++)
		out[n++] = 1;
	out[n++] = thread != 63;
#endif
	return n;
}
#include "cover.h"

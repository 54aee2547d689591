/* Applies every function of functions.def to its row of arguments: `count` threads, one row of results a function. */
#define ONE(name)                           \
	extern float __nv_##name##f(float); \
	extern double __nv_##name(double);
#define TWO(name)                                  \
	extern float __nv_##name##f(float, float); \
	extern double __nv_##name(double, double);
#define THREE(name)                                       \
	extern float __nv_##name##f(float, float, float); \
	extern double __nv_##name(double, double, double);
#define FOUR(name)                                               \
	extern float __nv_##name##f(float, float, float, float); \
	extern double __nv_##name(double, double, double, double);
#define POWER(name)                              \
	extern float __nv_##name##f(float, int); \
	extern double __nv_##name(double, int);
#define ORDER(name)                              \
	extern float __nv_##name##f(int, float); \
	extern double __nv_##name(int, double);
#define WHOLE(name, T)                  \
	extern T __nv_##name##f(float); \
	extern T __nv_##name(double);
ONE(sqrt)
ONE(rsqrt) ONE(cbrt) ONE(rcbrt) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(
	sin) ONE(cos) ONE(tan) ONE(sinpi) ONE(cospi) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh)
	ONE(asinh) ONE(acosh) ONE(atanh) ONE(erf) ONE(erfc) ONE(erfcx) ONE(erfinv) ONE(erfcinv) ONE(normcdf)
		ONE(normcdfinv) ONE(lgamma) ONE(tgamma) ONE(j0) ONE(j1) ONE(y0) ONE(y1) ONE(cyl_bessel_i0)
			ONE(cyl_bessel_i1) ONE(logb) ONE(trunc) ONE(floor) ONE(ceil) ONE(round) ONE(rint) ONE(nearbyint)
				TWO(hypot) TWO(rhypot) TWO(pow) TWO(atan2) TWO(fmod) TWO(remainder) TWO(fdim) TWO(fmin)
					TWO(fmax) THREE(norm3d) THREE(rnorm3d) THREE(fma) FOUR(norm4d) FOUR(rnorm4d)
						POWER(powi) POWER(ldexp) POWER(scalbn) ORDER(jn) ORDER(yn)
							WHOLE(ilogb, int) WHOLE(llrint, long long)
								WHOLE(llround,
								      long long) extern float __nv_frcp_rn(float),
	__nv_frsqrt_rn(float), __nv_fast_fdividef(float, float);
extern float __nv_fast_expf(float), __nv_fast_exp10f(float), __nv_fast_logf(float), __nv_fast_log2f(float);
extern float __nv_fast_log10f(float), __nv_fast_sinf(float), __nv_fast_cosf(float);

/* Two results: the argument's number says which. */
#define BOTH(T, f)                                           \
	extern void __nv_sincos##f(T, T *, T *);             \
	extern void __nv_sincospi##f(T, T *, T *);           \
	extern T __nv_modf##f(T, T *);                       \
	extern T __nv_frexp##f(T, int *);                    \
	extern T __nv_remquo##f(T, T, int *);                \
	static inline T __nv_sincos_both##f(T a, int i)      \
	{                                                    \
		T s, c;                                      \
		__nv_sincos##f(a, &s, &c);                   \
		return i & 1 ? c : s;                        \
	}                                                    \
	static inline T __nv_sincospi_both##f(T a, int i)    \
	{                                                    \
		T s, c;                                      \
		__nv_sincospi##f(a, &s, &c);                 \
		return i & 1 ? c : s;                        \
	}                                                    \
	static inline T __nv_modf_both##f(T a, int i)        \
	{                                                    \
		T whole, part = __nv_modf##f(a, &whole);     \
		return i & 1 ? whole : part;                 \
	}                                                    \
	static inline T __nv_frexp_both##f(T a, int i)       \
	{                                                    \
		int exponent;                                \
		T part = __nv_frexp##f(a, &exponent);        \
		return i & 1 ? exponent : part;              \
	}                                                    \
	static inline T __nv_remquo_both##f(T a, T b, int i) \
	{                                                    \
		int quotient;                                \
		T rest = __nv_remquo##f(a, b, &quotient);    \
		return i & 1 ? (quotient & 7) : rest;        \
	}
BOTH(float, f)
BOTH(double, )

#define ROW(result)            \
	a = pa[at];            \
	b = pb[at];            \
	c = pb[at ^ 1];        \
	out[at] = (T)(result); \
	at += count;

#define ULP(label, low, high, f32, f64, device, reference) ROW(device)
#define FAR(label, low, high, f32, f64, device, reference) ROW(device)
__attribute__((nvptx_kernel)) void ulp_f32(const float *pa, const float *pb, float *out, unsigned count)
{
	typedef float T;
	unsigned at = (unsigned)__nvvm_read_ptx_sreg_ctaid_x() * 128 + (unsigned)__nvvm_read_ptx_sreg_tid_x();
	int i = (int)at;
	T a, b, c;
#define F(name) __nv_##name##f
#define FAST(label, low, high, f32, device, reference) ROW(device)
#define NEAR(label, low, high, f32, device, reference) ROW(device)
#include "functions.def"
#undef F
#undef FAST
#undef NEAR
}

__attribute__((nvptx_kernel)) void ulp_f64(const double *pa, const double *pb, double *out, unsigned count)
{
	typedef double T;
	unsigned at = (unsigned)__nvvm_read_ptx_sreg_ctaid_x() * 128 + (unsigned)__nvvm_read_ptx_sreg_tid_x();
	int i = (int)at;
	T a, b, c;
#define F(name) __nv_##name
#define FAST(label, low, high, f32, device, reference) at += count;
#define NEAR(label, low, high, f32, device, reference) at += count;
#include "functions.def"
}

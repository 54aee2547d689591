/* Applies every function of functions.def to its row of arguments: `count` threads, one row of results a function. */
#define ULP1(name, low, high, f32, f64)     \
	extern float __nv_##name##f(float); \
	extern double __nv_##name(double);
#define ULP2(name, low, high, f32, f64)            \
	extern float __nv_##name##f(float, float); \
	extern double __nv_##name(double, double);
#include "functions.def"
#undef ULP1
#undef ULP2

static unsigned thread(void)
{
	return (unsigned)__nvvm_read_ptx_sreg_ctaid_x() * 128 + (unsigned)__nvvm_read_ptx_sreg_tid_x();
}

__attribute__((nvptx_kernel)) void ulp_f32(const float *a, const float *b, float *out, unsigned count)
{
	unsigned at = thread();
#define ULP1(name, low, high, f32, f64) out[at] = __nv_##name##f(a[at]), at += count;
#define ULP2(name, low, high, f32, f64) out[at] = __nv_##name##f(a[at], b[at]), at += count;
#include "functions.def"
#undef ULP1
#undef ULP2
}

__attribute__((nvptx_kernel)) void ulp_f64(const double *a, const double *b, double *out, unsigned count)
{
	unsigned at = thread();
#define ULP1(name, low, high, f32, f64) out[at] = __nv_##name(a[at]), at += count;
#define ULP2(name, low, high, f32, f64) out[at] = __nv_##name(a[at], b[at]), at += count;
#include "functions.def"
#undef ULP1
#undef ULP2
}

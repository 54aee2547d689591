// Special functions of constants beside those of the same numbers from memory: the compiler's results are MUFU's, bit for bit.
#include <cstdio>
#include <cstring>

// Among them neighbours of multiples of pi / 2, angles with a denormal number of turns, numbers with a denormal reciprocal.
#define NUMBERS(X) \
	X(0.0f) X(-0.0f) X(1.0f) X(-1.0f) X(0.5f) X(-0.5f) X(2.0f) X(3.0f) X(-3.0f) X(0.1f) X(1.5f) X(7.25f) X(-7.25f) X(10.0f) X(100.3f) \
	X(-100.3f) X(126.5f) X(-126.0f) X(-127.5f) X(128.0f) X(-150.0f) X(3.14159274f) X(1.57079637f) X(-1.57079637f) X(6.28318548f) X(1e-3f) \
	X(1e-20f) X(-1e-20f) X(1e-39f) X(-1e-39f) X(1e20f) X(3e38f) X(123456.7f) X(9e6f) X(__builtin_inff()) X(-__builtin_inff()) \
	X(1.57079625f) X(1.57079649f) X(-1.57079649f) X(3.1415925f) X(3.14159298f) X(-3.14159298f) X(4.71238899f) X(7.85398197f) X(11.0f) X(355.0f) \
	X(2e-38f) X(-2e-38f) X(1.2e-38f) X(7.5e-38f) X(0x1p126f) X(0x1.000002p126f) X(-0x1p127f) X(3.40282347e38f) X(0x1p-149f)
#define FUNCTIONS(X) X(ex2) X(lg2) X(rcp) X(rsqrt) X(sqrt) X(sin) X(cos)
#define QUOTIENTS(X) X("div.approx.f32") X("div.approx.ftz.f32") X("div.full.f32") X("div.full.ftz.f32")

#define COUNT 55
enum { FUNCTION_COUNT = 7, QUOTIENT_COUNT = 4, TOPS = 3 };

struct results {
	float values[COUNT][FUNCTION_COUNT][2];
	float quotients[COUNT][QUOTIENT_COUNT + 1][TOPS];
};

#define BOTH(name) \
	out[0] = __nvvm_##name##_approx_ftz_f(x); \
	out[1] = __nvvm_##name##_approx_f(x); \
	out += 2;
#define QUOTIENT(name) \
	for (int i = 0; i < TOPS; i++) \
		asm(name " %0, %1, %2;" : "=f"(quotients[i]) : "f"(tops[i]), "f"(x)); \
	quotients += TOPS;
// It has no name of its own among these.
__device__ __forceinline__ float __nvvm_rcp_approx_f(float x)
{
	float result;
	asm("rcp.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
	return result;
}

#define ALL \
	float *out = all->values[n][0], *quotients = all->quotients[n][0]; \
	FUNCTIONS(BOTH) \
	QUOTIENTS(QUOTIENT) \
	for (int i = 0; i < TOPS; i++) \
		quotients[i] = __fdividef(tops[i], x);

__global__ void constants(results *all, const float *tops)
{
	int n = 0;
#define ONE(number) \
	{ \
		const float x = number; \
		ALL \
		n++; \
	}
	NUMBERS(ONE)
}

__global__ void loaded(results *all, const float *tops, const float *numbers)
{
	for (int n = 0; n < COUNT; n++) {
		const float x = numbers[n];
		ALL
	}
}

static bool differ(const float *a, const float *b)
{
	return memcmp(a, b, sizeof(float)) && !(*a != *a && *b != *b);
}

static int compare(const char *what, int kinds, const float *numbers, const float *own, const float *other)
{
	int wrong = 0;
	for (int i = 0; i < COUNT * kinds; i++)
		if (differ(&own[i], &other[i])) {
			printf("%s %d of %a: %a %a\n", what, i % kinds, numbers[i / kinds], own[i], other[i]);
			wrong++;
		}
	return wrong;
}

int main()
{
	static const float numbers[COUNT] = {
#define NAME(number) number,
		NUMBERS(NAME)};
	static const float tops[TOPS] = {5.5f, 1e-20f, -1e38f};
	static results own[2];
	results *all;
	float *far, *far_tops;
	cudaMalloc(&all, sizeof(own));
	cudaMalloc(&far, sizeof(numbers));
	cudaMalloc(&far_tops, sizeof(tops));
	cudaMemcpy(far, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
	cudaMemcpy(far_tops, tops, sizeof(tops), cudaMemcpyHostToDevice);
	constants<<<1, 1>>>(all, far_tops);
	loaded<<<1, 1>>>(all + 1, far_tops, far);
	cudaMemcpy(own, all, sizeof(own), cudaMemcpyDeviceToHost);
	int wrong = compare("function", FUNCTION_COUNT * 2, numbers, own[0].values[0][0], own[1].values[0][0]) +
		    compare("quotient", (QUOTIENT_COUNT + 1) * TOPS, numbers, own[0].quotients[0][0], own[1].quotients[0][0]);
	printf("known specials: %s\n", wrong || cudaGetLastError() ? "FAILED" : "PASSED");
	return 0;
}

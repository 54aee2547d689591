// Headers for parts of CUDA: 8-bit numbers, tensor cores' matrices, pipelines, tiles' memory, marks for profilers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <math.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvtx3.hpp>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                                     \
    do {                                                                      \
        if (!(condition)) {                                                   \
            printf("parts: FAILED at line %d: %s\n", __LINE__, #condition);   \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

/* ---- 8 bits: every code by the format's definition, and every rounding by search in the list of numbers */

static double number(int code, bool e4m3) /* of the 7 bits without the sign; what is none: NaN or infinity */
{
    int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, field = code >> mantissa, part = code & ((1 << mantissa) - 1);
    if (e4m3 ? code == 0x7f : code > 0x7c)
        return NAN;
    if (!e4m3 && code == 0x7c)
        return INFINITY;
    return field ? ldexp(1 + ldexp(part, -mantissa), field - bias) : ldexp(part, 1 - bias - mantissa);
}
static int rounded(double x, bool e4m3, bool saturate)
{
    int sign = signbit(x) ? 0x80 : 0, most = e4m3 ? 0x7e : 0x7b, best = 0;
    double size = fabs(x), step = number(most, e4m3) - number(most - 1, e4m3);
    if (x != x)
        return 0x7f;
    double beyond = number(most, e4m3) + step; /* the next number, if the format went on; its code is even or odd */
    for (int code = 1; code <= most; code++) {
        double now = fabs(number(code, e4m3) - size), then = fabs(number(best, e4m3) - size);
        if (now < then || (now == then && !(code & 1)))
            best = code;
    }
    double to_beyond = beyond - size, to_most = size - number(most, e4m3);
    if (to_beyond < to_most || (to_beyond == to_most && (most & 1)))
        best = saturate ? most : most + 1;
    return sign | best;
}
__global__ void convert(const float *in, unsigned char *out, float *back, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[4 * i] = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E4M3);
        out[4 * i + 1] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E4M3);
        out[4 * i + 2] = __nv_cvt_float_to_fp8(in[i], __NV_SATFINITE, __NV_E5M2);
        out[4 * i + 3] = __nv_fp8_e5m2(in[i]).__x;
    }
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        __nv_fp8_e4m3 a;
        __nv_fp8_e5m2 b;
        a.__x = b.__x = (unsigned char)i;
        back[i] = (float)a;
        back[256 + i] = (float)b;
    }
}
static bool same(double a, double b) { return (a != a && b != b) || (a == b && signbit(a) == signbit(b)); }

static void numbers()
{
    /* each number of either format, what lies between two, and what is beyond */
    static float in[4096];
    int n = 0;
    for (int format = 0; format < 2; format++)
        for (int code = 0; code < 0x7b; code++) {
            float low = (float)number(code, format), high = (float)number(code + 1, format), half = (low + high) / 2;
            const float some[] = {low, -low, half, -half, nextafterf(half, 0), nextafterf(half, 1e9f)};
            for (float x : some)
                in[n++] = x;
        }
    const float more[] = {448, 449, 463.9f, 464, 464.1f, 480, 57344, 61439, 61440, 61441, 65536, 1e30f, INFINITY, -INFINITY, NAN, -1e30f,
                          1e-30f, -0.0f, 0x1p-10f, 0x1.8p-10f, 0x1p-17f, 0x1.000002p-17f};
    for (float x : more)
        in[n++] = x;
    float *values, *back;
    unsigned char *codes;
    OK(cudaMallocManaged(&values, sizeof in));
    OK(cudaMallocManaged(&codes, 4 * sizeof in));
    OK(cudaMallocManaged(&back, 512 * sizeof(float)));
    for (int i = 0; i < n; i++)
        values[i] = in[i];
    convert<<<1, 256>>>(values, codes, back, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        EXPECT(codes[4 * i] == rounded(in[i], true, true) && codes[4 * i + 1] == rounded(in[i], true, false));
        EXPECT(codes[4 * i + 2] == rounded(in[i], false, true) && codes[4 * i + 3] == rounded(in[i], false, true));
        EXPECT(__nv_cvt_double_to_fp8(in[i], __NV_NOSAT, __NV_E5M2) == rounded(in[i], false, false));
    }
    for (int i = 0; i < 256; i++)
        for (int format = 0; format < 2; format++) {
            double is = number(i & 0x7f, !format) * (i & 0x80 ? -1 : 1);
            EXPECT(same(back[256 * format + i], is));
        }
    /* the same four numbers from every type that has them in pairs */
    __half2 halves[2] = {__floats2half2_rn(1, -2), __floats2half2_rn(448, 0.5f)};
    __nv_bfloat162 brains[2] = {__floats2bfloat162_rn(1, -2), __floats2bfloat162_rn(448, 0.5f)};
    EXPECT(__nv_fp8x4_e4m3(halves[0], halves[1]).__x == 0x307ec038);
    EXPECT(__nv_fp8x4_e4m3(brains[0], brains[1]).__x == 0x307ec038);
    EXPECT(__nv_fp8x4_e4m3(make_double4(1, -2, 448, 0.5)).__x == 0x307ec038);
    EXPECT(__nv_fp8x2_e5m2(brains[0]).__x == 0xc03c);
    __nv_fp8x4_e4m3 four(make_float4(1, -2, 448, 0.5f));
    float4 out = (float4)four;
    EXPECT(out.x == 1 && out.y == -2 && out.z == 448 && out.w == 0.5f && (four.__x >> 24) == 0x30);
    EXPECT((float)__nv_fp8_e4m3(__float2half(3.0f)) == 3 && (int)__nv_fp8_e5m2(9) == 8 && (bool)__nv_fp8_e4m3(0.0f) == false);
}

/* ---- the rest */

namespace cg = cooperative_groups;
__global__ void staged(const float4 *in, float *out)
{
    __shared__ float4 tile[2][64];
    __shared__ cg::block_tile_memory<64> memory;
    auto block = cg::this_thread_block(memory);
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], sizeof(float4));
    __pipeline_memcpy_async(&tile[1][threadIdx.x], &in[threadIdx.x], sizeof(float4), 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    block.sync();
    float4 v = tile[0][63 - threadIdx.x], z = tile[1][threadIdx.x];
    auto warp = cg::tiled_partition<32>(block);
    out[threadIdx.x] = cg::reduce(warp, v.x + v.w, cg::plus<float>()) + z.x + z.z + z.w;
}

int main()
{
    nvtxRangePushA("all");
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    nvtxMarkEx(&attributes);
    {
        static const nvtx3::v1::registered_string_in<nvtx3::domain::global> name{"numbers"};
        static const nvtx3::v1::event_attributes named{name, nvtx3::rgb{255, 0, 0}};
        nvtx3::scoped_range range{named};
        numbers();
    }
#if !defined(NVTX3_CPP_DEFINITIONS_V1_0) // what libraries ask before they name a version
#error "no version of NVTX for C++"
#endif

    float4 *in;
    float *out;
    OK(cudaMallocManaged(&in, 64 * sizeof(float4)));
    OK(cudaMallocManaged(&out, 64 * sizeof(float)));
    for (int i = 0; i < 64; i++)
        in[i] = make_float4(i, 1000, 2000, 1);
    staged<<<1, 64>>>(in, out);
    OK(cudaDeviceSynchronize());
    EXPECT(out[3] == 32 * 32 + 31 * 16 + 32 * 1 + 3 && out[40] == 31 * 16 + 32 + 40);
    nvtxRangePop();
    puts("parts: PASSED");
}

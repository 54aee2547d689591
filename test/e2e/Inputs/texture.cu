// Arrays, textures and surfaces: every address mode, filter, format and dimension, held against the formulas of CUDA's
// programming guide worked out on the host.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                     \
    do {                                                                      \
        if (!(condition)) {                                                   \
            printf("texture: FAILED at line %d: %s\n", __LINE__, #condition); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

enum { W = 7, H = 5, D = 3, PLACES = 200 };

__global__ void walk(cudaTextureObject_t object, int dims, float low, float step, float4 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PLACES)
        return;
    float x = low + step * i, y = low + step * (i * 7 % PLACES), z = low + step * (i * 13 % PLACES);
    out[i] = dims == 1 ? tex1D<float4>(object, x) : dims == 2 ? tex2D<float4>(object, x, y) : tex3D<float4>(object, x, y, z);
}

/* Index i of n elements by an address mode; -1 outside of a border. */
static int place(int i, int n, cudaTextureAddressMode mode)
{
    if (mode == cudaAddressModeClamp)
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    if (mode == cudaAddressModeWrap)
        return ((i % n) + n) % n;
    if (mode == cudaAddressModeMirror) {
        i = ((i % (2 * n)) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    return i < 0 || i >= n ? -1 : i;
}

static float texels[D][H][W][4];
static const float border[4] = {0.5f, -1, 2, 8};

static float texel(const int *at, const int *size, int c, cudaTextureAddressMode mode)
{
    int p[3];
    for (int d = 0; d < 3; d++)
        if ((p[d] = place(at[d], size[d], mode)) < 0)
            return border[c];
    return texels[p[2]][p[1]][p[0]][c];
}

static float expected(int dims, const int *size, const float *x, int c, cudaTextureAddressMode mode, bool linear, bool normalized)
{
    int at[3] = {0, 0, 0};
    float part[3] = {0, 0, 0}, sum = 0;
    for (int d = 0; d < dims; d++) {
        float u = normalized ? x[d] * size[d] : x[d];
        at[d] = (int)floorf(linear ? u - 0.5f : u);
        part[d] = linear ? rintf((u - 0.5f - floorf(u - 0.5f)) * 256) / 256 : 0;
    }
    for (int k = 0; k < 8; k++) {
        int corner[3];
        float weight = 1;
        for (int d = 0; d < 3; d++) {
            corner[d] = at[d] + (k >> d & 1);
            weight *= k >> d & 1 ? part[d] : 1 - part[d];
        }
        if (weight != 0)
            sum += weight * texel(corner, size, c, mode);
    }
    return sum;
}

static void check(int dims)
{
    int size[3] = {W, dims > 1 ? H : 1, dims > 2 ? D : 1};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    cudaExtent extent = make_cudaExtent(W, dims > 1 ? H : 0, dims > 2 ? D : 0);
    cudaArray_t array;
    OK(cudaMalloc3DArray(&array, &format, extent));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, sizeof texels[0][0], W, H);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(size[0], size[1], size[2]);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    float4 *device, host[PLACES];
    OK(cudaMalloc(&device, sizeof host));
    for (int mode = 0; mode < 4; mode++) {
        for (int variant = 0; variant < 4; variant++) {
            bool linear = variant & 1, normalized = variant & 2;
            if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
                continue;
            cudaTextureDesc how = {};
            for (int d = 0; d < 3; d++)
                how.addressMode[d] = (cudaTextureAddressMode)mode;
            memcpy(how.borderColor, border, sizeof border);
            how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
            how.normalizedCoords = normalized;
            cudaTextureObject_t object;
            OK(cudaCreateTextureObject(&object, &resource, &how, NULL));
            float low = normalized ? -1.53f : -9.3f, step = normalized ? 0.0213f : 0.127f;
            walk<<<(PLACES + 63) / 64, 64>>>(object, dims, low, step, device);
            OK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
            for (int i = 0; i < PLACES; i++) {
                float x[3] = {fmaf(step, i, low), fmaf(step, i * 7 % PLACES, low), fmaf(step, i * 13 % PLACES, low)};
                for (int c = 0; c < 4; c++) {
                    float want = expected(dims, size, x, c, (cudaTextureAddressMode)mode, linear, normalized);
                    float got = (&host[i].x)[c];
                    EXPECT(fabsf(got - want) <= 1e-4f * (1 + fabsf(want)));
                }
            }
            OK(cudaDestroyTextureObject(object));
        }
    }
    OK(cudaFree(device));
    OK(cudaFreeArray(array));
}

__global__ void narrow(cudaTextureObject_t bytes, cudaTextureObject_t shorts, cudaTextureObject_t unit, cudaTextureObject_t halves,
                       float *out)
{
    int i = threadIdx.x;
    uchar2 b = tex1Dfetch<uchar2>(bytes, i);
    out[i] = b.x + 256.0f * b.y;
    out[16 + i] = tex1Dfetch<short>(shorts, i);
    out[32 + i] = tex1Dfetch<float>(unit, i);
    out[48 + i] = tex1Dfetch<float>(halves, i);
}

static cudaTextureObject_t linear_texture(const void *device, size_t bytes, cudaChannelFormatDesc format, cudaTextureReadMode mode)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t object;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)device;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = bytes;
    how.readMode = mode;
    OK(cudaCreateTextureObject(&object, &resource, &how, NULL));
    return object;
}

static void formats()
{
    short host[16], *device;
    float out[64], *results;
    for (int i = 0; i < 16; i++)
        host[i] = (short)(i * 4096 - 32768);
    OK(cudaMalloc(&device, sizeof host));
    OK(cudaMalloc(&results, sizeof out));
    OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    narrow<<<1, 16>>>(linear_texture(device, 24, cudaCreateChannelDesc<uchar2>(), cudaReadModeElementType),
                      linear_texture(device, 32, cudaCreateChannelDesc<short>(), cudaReadModeElementType),
                      linear_texture(device, 32, cudaCreateChannelDesc<short>(), cudaReadModeNormalizedFloat),
                      linear_texture(device, 32, cudaCreateChannelDescHalf(), cudaReadModeElementType), results);
    OK(cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) {
        EXPECT(out[i] == (i < 12 ? (float)(unsigned short)host[i] : 0)); /* beyond the end: zero */
        EXPECT(out[16 + i] == host[i]);
        EXPECT(out[32 + i] == fmaxf(host[i] / 32767.0f, -1));
        EXPECT(out[48 + i] == (float)__builtin_bit_cast(_Float16, host[i]) || host[i] << 1 == 0);
    }
    OK(cudaFree(device));
    OK(cudaFree(results));
}

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = blockIdx.x;
    int value = surf2Dread<int>(from, x * 4, y);
    surf2Dwrite(value + surf2Dread<int>(from, -4, y, cudaBoundaryModeZero) + surf2Dread<int>(from, 400, y, cudaBoundaryModeClamp),
                to, y * 4, x);
}

static cudaSurfaceObject_t surface(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t object;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    OK(cudaCreateSurfaceObject(&object, &resource));
    return object;
}

static void surfaces()
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>(), same;
    cudaArray_t from, to, plain;
    cudaExtent extent;
    unsigned flags;
    int in[H][W], out[W][H];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            in[y][x] = 100 * y + x;
    OK(cudaMallocArray(&from, &format, W, H, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&to, &format, H, W, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&plain, &format, W, H));
    OK(cudaArrayGetInfo(&same, &extent, &flags, from));
    EXPECT(same.x == 32 && same.f == cudaChannelFormatKindSigned && extent.width == W && extent.height == H && flags == 2);
    OK(cudaMemcpy2DToArray(from, 0, 0, in, sizeof in[0], sizeof in[0], H, cudaMemcpyHostToDevice));
    turn<<<H, W>>>(surface(from), surface(to));
    OK(cudaMemcpy2DFromArray(out, sizeof out[0], to, 0, 0, sizeof out[0], W, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            EXPECT(out[x][y] == in[y][x] + in[y][W - 1]);
    int run[W + 3];
    OK(cudaMemcpyFromArray(run, from, 8, 1, sizeof run, cudaMemcpyDeviceToHost)); /* from the middle of a row on */
    for (int i = 0; i < W + 3; i++)
        EXPECT(run[i] == in[1 + (i + 2) / W][(i + 2) % W]);

    cudaResourceDesc resource = {};
    cudaSurfaceObject_t object;
    resource.res.array.array = plain;
    EXPECT(cudaCreateSurfaceObject(&object, &resource) == cudaErrorInvalidValue); /* no flag for surfaces */
    EXPECT(cudaMemcpy2DToArray(from, 4, 0, in, sizeof in[0], sizeof in[0], H, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    format.x = 7;
    EXPECT(cudaMallocArray(&plain, &format, W, H) == cudaErrorInvalidChannelDescriptor);
    OK(cudaFreeArray(from));
    OK(cudaFreeArray(to));
}

int main()
{
    unsigned seed = 1;
    for (unsigned i = 0; i < sizeof texels / sizeof(float); i++) {
        seed = seed * 1664525u + 1013904223u;
        (&texels[0][0][0][0])[i] = (float)(seed >> 8) / (1 << 20) - 8;
    }
    for (int dims = 1; dims <= 3; dims++)
        check(dims);
    formats();
    surfaces();
    EXPECT(cudaGetLastError() == cudaErrorInvalidChannelDescriptor);
    puts("texture: PASSED");
}

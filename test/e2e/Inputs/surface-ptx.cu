/*
 * Surfaces as inline PTX: suld, sust and sured of each geometry and width, with what is outside clamped, zero or a trap,
 * and the sizes that txq and suq tell, against the host. With an argument the last kernel reads outside.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { W = 8, H = 5, D = 3 };
static int wrong;
#define OK(call)                                                                        \
	do {                                                                            \
		cudaError_t error = (call);                                             \
		if (error != cudaSuccess) {                                             \
			printf("line %d: %s\n", __LINE__, cudaGetErrorName(error));     \
			exit(1);                                                        \
		}                                                                       \
	} while (0)
#define EXPECT(what)                                          \
	do {                                                  \
		if (!(what)) {                                \
			printf("line %d: wrong\n", __LINE__); \
			wrong++;                              \
		}                                             \
	} while (0)

typedef unsigned long long object;
__device__ unsigned results[64];

/* From one surface to another one, each element one to the right, and what stood left of the first. */
__global__ void one(object from, object to)
{
	unsigned x = threadIdx.x, a, b;
	asm volatile("suld.b.1d.v2.b16.zero {%0,%1}, [%2, {%3}];" : "=r"(a), "=r"(b) : "l"(from), "r"(4 * x - 4));
	asm volatile("sust.b.1d.v2.b16.trap [%2, {%3}], {%0,%1};" : : "r"(b), "r"(a), "l"(to), "r"(4 * x));
}
__global__ void two(object from, object to)
{
	unsigned x = threadIdx.x, y = blockIdx.x, a, b, c;
	asm volatile("suld.b.2d.b32.trap %0, [%1, {%2,%3}];" : "=r"(a) : "l"(from), "r"(4 * x), "r"(y));
	asm volatile("suld.b.2d.b32.clamp %0, [%1, {%2,%3}];" : "=r"(b) : "l"(from), "r"(4 * x + 400), "r"(y + 100));
	asm volatile("suld.b.2d.b32.zero %0, [%1, {%2,%3}];" : "=r"(c) : "l"(from), "r"(4 * x), "r"(y - 1));
	asm volatile("sust.b.2d.b32.zero [%0, {%1,%2}], %3;" : : "l"(to), "r"(4 * x), "r"(y), "r"(a + b + c));
	asm volatile("sust.b.2d.b32.zero [%0, {%1,%2}], %3;" : : "l"(to), "r"(4 * x), "r"(H), "r"(1));
	asm volatile("sust.b.2d.b32.zero [%0, {%1,%2}], %3;" : : "l"(to), "r"(-4), "r"(y), "r"(1));
}
__global__ void three(object from, object to)
{
	unsigned x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
	unsigned long long v;
	asm volatile("suld.b.3d.b64.clamp {%0}, [%1, {%2,%3,%4,%4}];" : "=l"(v) : "l"(from), "r"(8 * x), "r"(y), "r"(z + 1));
	asm volatile("sust.b.3d.b64.clamp [%0, {%1,%2,%3,%3}], {%4};" : : "l"(to), "r"(8 * x), "r"(y), "r"(z), "l"(v + 1));
}
__global__ void layers(object from, object to)
{
	unsigned x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, v[4];
	asm volatile("suld.b.a2d.v4.b8.trap {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}];"
		     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
		     : "l"(from), "r"(z), "r"(4 * x), "r"(y));
	asm volatile("sust.b.a2d.v4.b8.trap [%4, {%5,%6,%7,%7}], {%0,%1,%2,%3};"
		     :
		     : "r"(v[3]), "r"(v[2]), "r"(v[1]), "r"(v[0]), "l"(to), "r"(D - 1 - z), "r"(4 * x), "r"(y));
}
__global__ void sums(object to)
{
	unsigned x = threadIdx.x % W;
	asm volatile("sured.b.add.2d.u32.zero [%0, {%1,%2}], %3;" : : "l"(to), "r"(4 * x), "r"(1), "r"(threadIdx.x));
	asm volatile("sured.b.max.2d.s32.trap [%0, {%1,%2}], %3;" : : "l"(to), "r"(4 * x), "r"(2), "r"(-(int)threadIdx.x));
	asm volatile("sured.b.min.2d.u32.trap [%0, {%1,%2}], %3;" : : "l"(to), "r"(4 * x), "r"(3), "r"(threadIdx.x + 7));
	asm volatile("sured.b.or.2d.b32.trap [%0, {%1,%2}], %3;" : : "l"(to), "r"(4 * x), "r"(4), "r"(1 << threadIdx.x));
	asm volatile("sured.b.and.2d.b32.zero [%0, {%1,%2}], %3;" : : "l"(to), "r"(4 * x), "r"(9), "r"(0));
}
__global__ void sizes(object t, object mip, object s)
{
	asm volatile("txq.width.b32 %0, [%3]; txq.height.b32 %1, [%3]; txq.depth.b32 %2, [%3];"
		     : "=r"(results[0]), "=r"(results[1]), "=r"(results[2]) : "l"(t));
	asm volatile("txq.level.width.b32 %0, [%2], 1; txq.num_mipmap_levels.b32 %1, [%2];"
		     : "=r"(results[3]), "=r"(results[4]) : "l"(mip));
	asm volatile("txq.normalized_coords.b32 %0, [%1];" : "=r"(results[5]) : "l"(mip));
	asm volatile("suq.width.b32 %0, [%2]; suq.array_size.b32 %1, [%2];" : "=r"(results[6]), "=r"(results[7]) : "l"(s));
}
/* In the surface's format; what has more elements than the surface leaves them away. */
__global__ void formatted(object bytes, object halves, object words, object whole)
{
	unsigned x = threadIdx.x, y = blockIdx.x, out = x == 3 ? 0xffffff00 : x * 100;
	float f = x * 0.75f - 1.0f;
	asm volatile("sust.p.2d.v4.b32.trap [%0, {%1,%2}], {%3,%4,%5,%6};"
		     : : "l"(bytes), "r"(x), "r"(y), "r"(out), "r"(x), "r"(255), "r"(256));
	asm volatile("sust.p.1d.v4.b32.zero [%0, {%1}], {%2,%3,%4,%4};" : : "l"(halves), "r"(x), "f"(f), "f"(f * 2), "r"(1));
	asm volatile("sust.p.1d.v2.b32.zero [%0, {%1}], {%2,%2};" : : "l"(halves), "r"(W), "f"(f));
	asm volatile("sust.p.1d.b32.clamp [%0, {%1}], {%2};" : : "l"(words), "r"(x + 4), "r"(-40000));
	asm volatile("sured.p.max.1d.b32.trap [%0, {%1}], %2;" : : "l"(whole), "r"(x), "r"(-5));
	asm volatile("sured.p.add.1d.b32.trap [%0, {%1}], %2;" : : "l"(whole), "r"(x), "r"(x));
}
__global__ void kinds(object t, object s)
{
	asm volatile("{ .reg .pred p, q; istypep.texref p, %4; istypep.surfref q, %4; selp.u32 %0, 1, 0, p; selp.u32 %1, 1, 0, q;"
		     " istypep.texref p, %5; istypep.surfref q, %5; selp.u32 %2, 1, 0, p; selp.u32 %3, 1, 0, q; }"
		     : "=r"(results[0]), "=r"(results[1]), "=r"(results[2]), "=r"(results[3]) : "l"(t), "l"(s));
	asm volatile("{ .reg .pred p; istypep.samplerref p, %4; selp.u32 %0, 1, 0, p; txq.filter_mode.b32 %1, [%4];"
		     " txq.addr_mode_0.b32 %2, [%4]; txq.addr_mode_1.b32 %3, [%4]; }"
		     : "=r"(results[4]), "=r"(results[5]), "=r"(results[6]), "=r"(results[7]) : "l"(t));
}
__global__ void outside(object from)
{
	unsigned a;
	asm volatile("suld.b.2d.b32.trap %0, [%1, {%2,%3}];" : "=r"(a) : "l"(from), "r"(4 * W - 4 + threadIdx.x), "r"(0));
	results[0] = a;
}
/* The same by LLVM's intrinsics. */
extern "C" __device__ bool is_texture(object) __asm__("llvm.nvvm.istypep.texture");
extern "C" __device__ bool is_surface(object) __asm__("llvm.nvvm.istypep.surface");
extern "C" __device__ bool is_sampler(object) __asm__("llvm.nvvm.istypep.sampler");
__global__ void intrinsics(object t, object s)
{
	results[0] = is_texture(t) + 2 * is_surface(t) + 4 * is_sampler(t);
	results[1] = is_texture(s) + 2 * is_surface(s) + 4 * is_sampler(s);
	results[2] = is_texture((object)results) + 2 * is_surface((object)results);
}

static object surface(cudaArray_t array)
{
	cudaResourceDesc resource = {};
	cudaSurfaceObject_t made;
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	OK(cudaCreateSurfaceObject(&made, &resource));
	return made;
}

template <class T> static cudaArray_t array_of(const T *from, int w, int h, int d, unsigned flags)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
	cudaArray_t array;
	OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags | cudaArraySurfaceLoadStore));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr((void *)from, w * sizeof *from, w, h ? h : 1);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
	copy.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&copy));
	return array;
}
template <class T> static void read_back(T *to, cudaArray_t array, int w, int h, int d)
{
	cudaMemcpy3DParms copy = {};
	copy.dstPtr = make_cudaPitchedPtr(to, w * sizeof *to, w, h ? h : 1);
	copy.srcArray = array;
	copy.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
	copy.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&copy));
}

static void in_format()
{
	static uchar4 bytes[H][W];
	static ushort2 halves[W];
	static short words[W];
	static int signs[W];
	static unsigned whole[W];
	cudaArray_t a = array_of(&bytes[0][0], W, H, 0, 0), c = array_of(words, W, 0, 0, 0), d, b;
	for (int x = 0; x < W; x++)
		whole[x] = signs[x] = x;
	d = array_of(signs, W, 0, 0, 0);
	cudaChannelFormatDesc pair = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
	OK(cudaMallocArray(&b, &pair, W, 0, cudaArraySurfaceLoadStore));
	formatted<<<H, W>>>(surface(a), surface(b), surface(c), surface(d));
	read_back(&bytes[0][0], a, W, H, 0);
	OK(cudaMemcpy2DFromArray(halves, sizeof halves, b, 0, 0, sizeof halves, 1, cudaMemcpyDeviceToHost));
	read_back(words, c, W, 0, 0);
	read_back(signs, d, W, 0, 0);
	/* x * 0.75 - 1 and twice that, as halves */
	static const ushort2 want[W] = {{0xbc00, 0xc000}, {0xb400, 0xb800}, {0x3800, 0x3c00}, {0x3d00, 0x4100},
					{0x4000, 0x4400}, {0x4180, 0x4580}, {0x4300, 0x4700}, {0x4440, 0x4840}};
	for (int x = 0; x < W; x++) {
		EXPECT(halves[x].x == want[x].x && halves[x].y == want[x].y);
		EXPECT(signs[x] == x + H * x);
		EXPECT(words[x] == (x < 4 ? 0 : -32768));
		for (int y = 0; y < H; y++)
			EXPECT(bytes[y][x].x == (x * 100 > 255 ? 255 : x * 100) && bytes[y][x].y == x && bytes[y][x].z == 255 &&
			       bytes[y][x].w == 255);
	}
	/* the greatest of 32 bits without a sign */
	d = array_of(whole, W, 0, 0, 0);
	formatted<<<1, W>>>(surface(a), surface(b), surface(c), surface(d));
	read_back(whole, d, W, 0, 0);
	for (int x = 0; x < W; x++)
		EXPECT(whole[x] == (unsigned)(x - 5));
}

int main(int argc, char **)
{
	in_format();
	static ushort2 pairs[W], pairs_out[W];
	static unsigned plane[H][W], plane_out[H][W];
	static uint2 space[D][H][W], space_out[D][H][W];
	static uchar4 stack[D][H][W], stack_out[D][H][W];
	for (int i = 0; i < D * H * W; i++) {
		pairs[i % W] = make_ushort2(i + 1, 1000 + i);
		(&plane[0][0])[i % (H * W)] = 77 * i + 5;
		(&space[0][0][0])[i] = make_uint2(i == 7 ? 0xffffffff : 3 * i, i);
		(&stack[0][0][0])[i] = make_uchar4(i, 2 * i, 3 * i, 255 - i);
	}
	cudaArray_t a = array_of(pairs, W, 0, 0, 0), b = array_of(pairs, W, 0, 0, 0);
	one<<<1, W>>>(surface(a), surface(b));
	read_back(pairs_out, b, W, 0, 0);
	for (int x = 0; x < W; x++)
		EXPECT(pairs_out[x].x == (x ? pairs[x - 1].y : 0) && pairs_out[x].y == (x ? pairs[x - 1].x : 0));

	a = array_of(&plane[0][0], W, H, 0, 0), b = array_of(&plane[0][0], W, H, 0, 0);
	two<<<H, W>>>(surface(a), surface(b));
	read_back(&plane_out[0][0], b, W, H, 0);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			EXPECT(plane_out[y][x] == plane[y][x] + plane[H - 1][W - 1] + (y ? plane[y - 1][x] : 0));
	sums<<<1, 32>>>(surface(a));
	read_back(&plane_out[0][0], a, W, H, 0);
	for (int x = 0; x < W; x++) {
		EXPECT(plane_out[0][x] == plane[0][x] && plane_out[1][x] == plane[1][x] + 4 * x + 48);
		EXPECT(plane_out[2][x] == plane[2][x]);
		EXPECT(plane_out[3][x] == (unsigned)x + 7 && plane_out[4][x] == (plane[4][x] | 0x01010101u << x));
	}

	a = array_of(&space[0][0][0], W, H, D, 0), b = array_of(&space[0][0][0], W, H, D, 0);
	three<<<dim3(H, D), W>>>(surface(a), surface(b));
	read_back(&space_out[0][0][0], b, W, H, D);
	for (int i = 0; i < D * H * W; i++) {
		uint2 s = (&space[0][0][0])[i + (i < (D - 1) * H * W ? H * W : 0)], d = (&space_out[0][0][0])[i];
		EXPECT(d.x == s.x + 1 && d.y == s.y + (s.x == 0xffffffff));
	}

	a = array_of(&stack[0][0][0], W, H, D, cudaArrayLayered), b = array_of(&stack[0][0][0], W, H, D, cudaArrayLayered);
	layers<<<dim3(H, D), W>>>(surface(a), surface(b));
	read_back(&stack_out[0][0][0], b, W, H, D);
	for (int z = 0; z < D; z++)
		for (int i = 0; i < H * W; i++) {
			uchar4 s = stack[z][0][i], d = stack_out[D - 1 - z][0][i];
			EXPECT(d.x == s.w && d.y == s.z && d.z == s.y && d.w == s.x);
		}

	cudaArray_t whole = array_of(&space[0][0][0], W, H, D, 0);
	cudaMipmappedArray_t mipmap;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	OK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(W, H, 0), 3));
	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};
	cudaTextureObject_t t, mip;
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = whole;
	OK(cudaCreateTextureObject(&t, &resource, &how, NULL));
	resource.resType = cudaResourceTypeMipmappedArray;
	resource.res.mipmap.mipmap = mipmap;
	how.normalizedCoords = 1;
	how.maxMipmapLevelClamp = 2;
	how.filterMode = cudaFilterModeLinear;
	how.addressMode[0] = cudaAddressModeClamp;
	how.addressMode[1] = cudaAddressModeMirror;
	OK(cudaCreateTextureObject(&mip, &resource, &how, NULL));
	sizes<<<1, 1>>>(t, mip, surface(b));
	unsigned told[8];
	OK(cudaMemcpyFromSymbol(told, results, sizeof told));
	EXPECT(told[0] == W && told[1] == H && told[2] == D);
	EXPECT(told[3] == W / 2 && told[4] == 3 && told[5] == 1);
	EXPECT(told[6] == W && told[7] == D);
	kinds<<<1, 1>>>(mip, surface(b));
	OK(cudaMemcpyFromSymbol(told, results, sizeof told));
	EXPECT(told[0] == 1 && told[1] == 0 && told[2] == 0 && told[3] == 1);
	EXPECT(told[4] == 0 && told[5] == 1 && told[6] == 3 && told[7] == 1);
	intrinsics<<<1, 1>>>(mip, surface(b));
	OK(cudaMemcpyFromSymbol(told, results, sizeof told));
	EXPECT(told[0] == 1 && told[1] == 2 && told[2] == 0);
	printf("surfaces: %d wrong\n", wrong);
	if (argc > 1) {
		outside<<<1, 2>>>(surface(array_of(&plane[0][0], W, H, 0, 0)));
		printf("outside: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
	}
	return wrong != 0;
}

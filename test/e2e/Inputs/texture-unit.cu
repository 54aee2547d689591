// Each form of fetch, bit for bit what the same fetch gives when the thread computes it (texture-software.h): formats of
// every kind in all dimensions, in lanes that diverge and from objects that differ from lane to lane. float4 has all sixteen
// combinations of address mode, filter and coordinates. The others have every third of them: each address mode, and, of
// formats that can be filtered, linear filters in both kinds of coordinates. ALL: also char4, short2 and uint2.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "heddle_texture.h"
#include "texture-software.h"

#define OK(call)                                                                 \
	do {                                                                     \
		cudaError_t error_ = (call);                                     \
		if (error_ != cudaSuccess) {                                     \
			printf("line %d: %s\n", __LINE__, cudaGetErrorString(error_)); \
			exit(1);                                                 \
		}                                                                \
	} while (0)

enum { W = 7, H = 5, D = 3, THREADS = 96, FORMS = 15 };

template <class T> __device__ void compare(int form, const T &a, const T &b, unsigned *differ)
{
	unsigned char left[sizeof(T)], right[sizeof(T)];
	memcpy(left, &a, sizeof(T));
	memcpy(right, &b, sizeof(T));
	for (unsigned i = 0; i < sizeof(T); i++)
		if (left[i] != right[i]) {
			atomicAdd(&differ[form], 1);
			return;
		}
}

/* Half of the lanes take the second object, and a third of them are in another branch. */
template <class T> __global__ void fetch(cudaTextureObject_t first, cudaTextureObject_t second, float low, float step,
					  unsigned *differ)
{
	int i = threadIdx.x + blockIdx.x * THREADS;
	cudaTextureObject_t t = i & 2 ? first : second;
	float x = low + step * i, y = low + step * (i * 7 % THREADS), z = low + step * (i * 13 % THREADS), level = z * 0.5f;
	if (i % 3) {
		compare<T>(1, tex1D<T>(t, x), software::tex1D<T>(t, x), differ);
		compare<T>(2, tex2D<T>(t, x, y), software::tex2D<T>(t, x, y), differ);
		compare<T>(3, tex3D<T>(t, x, y, z), software::tex3D<T>(t, x, y, z), differ);
		compare<T>(4, tex1DLayered<T>(t, x, i % 7 - 2), software::tex1DLayered<T>(t, x, i % 7 - 2), differ);
		compare<T>(5, tex2DLayered<T>(t, x, y, i % 7 - 2), software::tex2DLayered<T>(t, x, y, i % 7 - 2), differ);
	} else {
		compare<T>(6, tex1DLod<T>(t, x, level), software::tex1DLod<T>(t, x, level), differ);
		compare<T>(7, tex2DLod<T>(t, x, y, level), software::tex2DLod<T>(t, x, y, level), differ);
		compare<T>(8, tex3DLod<T>(t, x, y, z, level), software::tex3DLod<T>(t, x, y, z, level), differ);
		compare<T>(9, tex1DLayeredLod<T>(t, x, i % 5 - 1, level), software::tex1DLayeredLod<T>(t, x, i % 5 - 1, level),
			   differ);
		compare<T>(10, tex2DLayeredLod<T>(t, x, y, i % 5 - 1, level),
			   software::tex2DLayeredLod<T>(t, x, y, i % 5 - 1, level), differ);
		compare<T>(11, tex1DGrad<T>(t, x, z, 0.1f), software::tex1DGrad<T>(t, x, z, 0.1f), differ);
		compare<T>(12, tex2DGrad<T>(t, x, y, make_float2(z, 0.2f), make_float2(0.1f, x)),
			   software::tex2DGrad<T>(t, x, y, make_float2(z, 0.2f), make_float2(0.1f, x)), differ);
		compare<T>(13, tex3DGrad<T>(t, x, y, z, make_float4(z, 0.2f, 0, 0), make_float4(0.1f, x, y, 0)),
			   software::tex3DGrad<T>(t, x, y, z, make_float4(z, 0.2f, 0, 0), make_float4(0.1f, x, y, 0)), differ);
	}
}
template <class T> __global__ void fetch_words(cudaTextureObject_t t, unsigned *differ)
{
	int at = (int)threadIdx.x - 20;
	compare<T>(0, tex1Dfetch<T>(t, at), software::tex1Dfetch<T>(t, at), differ);
}
template <class T> __global__ void gather(cudaTextureObject_t first, cudaTextureObject_t second, float low, float step,
					   unsigned *differ)
{
	int i = threadIdx.x;
	cudaTextureObject_t t = i & 2 ? first : second;
	float x = low + step * i, y = low + step * (i * 7 % 96);
	compare<T>(14, tex2Dgather<T>(t, x, y, i), software::tex2Dgather<T>(t, x, y, i), differ);
}

static unsigned *differ, wrong;

static void told(const char *what, int variant)
{
	unsigned host[FORMS];
	OK(cudaMemcpy(host, differ, sizeof host, cudaMemcpyDeviceToHost));
	for (int form = 0; form < FORMS; form++)
		if (host[form]) {
			printf("%s, variant %d, form %d: %u differ\n", what, variant, form, host[form]);
			wrong++;
		}
	OK(cudaMemset(differ, 0, sizeof host));
}

static cudaTextureObject_t object(const cudaResourceDesc &resource, int mode, bool linear, bool normalized,
				  cudaTextureReadMode read)
{
	cudaTextureDesc how = {};
	cudaTextureObject_t made;
	for (int d = 0; d < 3; d++)
		how.addressMode[d] = (cudaTextureAddressMode)((mode + d) & 3);
	how.borderColor[0] = 0.5f, how.borderColor[1] = 3, how.borderColor[2] = 2, how.borderColor[3] = 8;
	how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	how.mipmapFilterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	how.readMode = read;
	how.normalizedCoords = normalized;
	how.mipmapLevelBias = 0.25f;
	how.minMipmapLevelClamp = 0;
	how.maxMipmapLevelClamp = 9;
	OK(cudaCreateTextureObject(&made, &resource, &how, NULL));
	return made;
}

static unsigned seed = 1;
static unsigned char random_byte()
{
	seed = seed * 1664525u + 1013904223u;
	return (unsigned char)(seed >> 24);
}

/* `finite`: floats of the format, as large as bytes. */
static void fill(cudaArray_t array, size_t element, bool floats, int w, int h, int d)
{
	static unsigned char bytes[16 * W * H * D * 8];
	size_t size = element * w * h * d;
	for (size_t i = 0; i < size; i++)
		bytes[i] = random_byte();
	for (size_t i = 0; floats && i < size / 4; i++)
		((float *)bytes)[i] = (float)random_byte() / 3 - 40;
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr(bytes, element * w, w, h);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(w, h, d);
	copy.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&copy));
}

template <class T>
static void arrays(const char *what, cudaChannelFormatDesc format, cudaTextureReadMode read, bool filters, int step = 3)
{
	cudaArray_t array;
	cudaResourceDesc resource = {};
	bool floats = format.f == cudaChannelFormatKindFloat && format.x == 32;
	OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(W, H, D)));
	fill(array, (format.x + format.y + format.z + format.w) / 8, floats, W, H, D);
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	for (int variant = 0; variant < 16; variant += step) {
		bool linear = variant & 4, normalized = variant & 8;
		if (linear && !filters)
			continue;
		cudaTextureObject_t a = object(resource, variant & 3, linear, normalized, read);
		cudaTextureObject_t b = object(resource, variant + 1 & 3, false, normalized, read);
		float low = normalized ? -1.53f : -9.3f, step = normalized ? 0.0426f : 0.254f;
		fetch<T><<<1, THREADS>>>(a, b, low, step, differ);
		told(what, variant);
		OK(cudaDestroyTextureObject(a));
		OK(cudaDestroyTextureObject(b));
	}
	OK(cudaFreeArray(array));
}

static void gathers(cudaChannelFormatDesc format)
{
	cudaArray_t array;
	cudaResourceDesc resource = {};
	OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(W, H, 0), cudaArrayTextureGather));
	fill(array, 16, true, W, H, 1);
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	for (int mode = 0; mode < 4; mode++) {
		gather<float4><<<1, THREADS>>>(object(resource, mode, false, true, cudaReadModeElementType),
					       object(resource, mode, true, false, cudaReadModeElementType), -1.2f, 0.05f,
					       differ);
		told("gather", mode);
	}
}

template <class T> static void memory(const char *what, cudaChannelFormatDesc format, cudaTextureReadMode read)
{
	cudaResourceDesc resource = {};
	unsigned char host[1024];
	void *device;
	for (int i = 0; i < 1024; i++)
		host[i] = random_byte();
	OK(cudaMalloc(&device, sizeof host));
	OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = device;
	resource.res.linear.desc = format;
	resource.res.linear.sizeInBytes = (format.x + format.y + format.z + format.w) / 8 * 60;
	cudaTextureObject_t t = object(resource, 0, false, false, read);
	fetch_words<T><<<1, THREADS>>>(t, differ);
	told(what, 0);
	OK(cudaFree(device));
}

static void mipmaps()
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
	cudaMipmappedArray_t mipmap;
	cudaResourceDesc resource = {};
	OK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(16, 8, 4), 4));
	for (int l = 0; l < 4; l++) {
		cudaArray_t level;
		OK(cudaGetMipmappedArrayLevel(&level, mipmap, l));
		fill(level, 8, true, 16 >> l, 8 >> l, 4 >> l ? 4 >> l : 1);
	}
	resource.resType = cudaResourceTypeMipmappedArray;
	resource.res.mipmap.mipmap = mipmap;
	for (int variant = 0; variant < 4; variant++) {
		fetch<float2><<<1, THREADS>>>(object(resource, variant, true, true, cudaReadModeElementType),
					      object(resource, variant, false, true, cudaReadModeElementType), -1.53f, 0.0426f,
					      differ);
		told("mipmap", variant);
	}
}

int main()
{
	OK(cudaMalloc(&differ, FORMS * sizeof *differ));
	OK(cudaMemset(differ, 0, FORMS * sizeof *differ));
	arrays<float4>("float4", cudaCreateChannelDesc<float4>(), cudaReadModeElementType, true, 1);
	arrays<float>("float", cudaCreateChannelDesc<float>(), cudaReadModeElementType, true);
	arrays<float4>("float2 as four", cudaCreateChannelDesc<float2>(), cudaReadModeElementType, true);
	arrays<float2>("half2", cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat), cudaReadModeElementType, true);
	arrays<uchar4>("uchar4", cudaCreateChannelDesc<uchar4>(), cudaReadModeElementType, false);
	arrays<float4>("uchar4 as floats", cudaCreateChannelDesc<uchar4>(), cudaReadModeNormalizedFloat, true);
	arrays<float2>("char2 as floats", cudaCreateChannelDesc<char2>(), cudaReadModeNormalizedFloat, true);
	arrays<float>("ushort as floats", cudaCreateChannelDesc<ushort1>(), cudaReadModeNormalizedFloat, true);
	arrays<float2>("short2 as floats", cudaCreateChannelDesc<short2>(), cudaReadModeNormalizedFloat, true);
	arrays<int4>("int4", cudaCreateChannelDesc<int4>(), cudaReadModeElementType, false);
#ifdef ALL
	arrays<char4>("char4", cudaCreateChannelDesc<char4>(), cudaReadModeElementType, false);
	arrays<short2>("short2", cudaCreateChannelDesc<short2>(), cudaReadModeElementType, false);
	arrays<uint2>("uint2", cudaCreateChannelDesc<uint2>(), cudaReadModeElementType, false);
#endif
	arrays<int4>("uint as four", cudaCreateChannelDesc<int>(), cudaReadModeElementType, false);
	gathers(cudaCreateChannelDesc<float4>());
	memory<int>("int", cudaCreateChannelDesc<int>(), cudaReadModeElementType);
	memory<int4>("int4", cudaCreateChannelDesc<int4>(), cudaReadModeElementType);
	memory<uchar2>("uchar2", cudaCreateChannelDesc<uchar2>(), cudaReadModeElementType);
	memory<float>("short as float", cudaCreateChannelDesc<short>(), cudaReadModeNormalizedFloat);
	mipmaps();
	puts(wrong ? "FAILED" : "texture unit: PASSED");
	return wrong != 0;
}

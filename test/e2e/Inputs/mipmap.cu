/* Mipmapped arrays: levels, what lies between two of them, gradients, gathers; and what objects are made of. */
#include <cstdio>
#include <cstring>

static int failures;
#define EXPECT(condition) (condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition))
#define OK(call) EXPECT((call) == cudaSuccess)

enum { W = 16, H = 8, LEVELS = 5 };

/* Level l has 100 * l in each element, and its place. */
__global__ void fill(cudaSurfaceObject_t level, int w, int h, int l)
{
	for (int i = threadIdx.x; i < w * h; i += blockDim.x)
		surf2Dwrite(100.0f * l + i, level, i % w * 4, i / w);
}
__global__ void fetch(cudaTextureObject_t object, float x, float y, const float *levels, int n, float *out)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		out[i] = tex2DLod<float>(object, x, y, levels[i]);
}
__global__ void others(cudaTextureObject_t object, float *out)
{
	out[0] = tex2DGrad<float>(object, 0.0f, 0.0f, make_float2(4.0f / W, 0), make_float2(0, 1.0f / H));
	out[1] = tex2DGrad<float>(object, 0.0f, 0.0f, make_float2(0, 0), make_float2(0, 0));
	out[2] = tex2D<float>(object, 2.5f / W, 1.5f / H);
	float4 corners = tex2Dgather<float4>(object, 3.0f / W, 2.0f / H);
	out[3] = corners.x;
	out[4] = corners.y;
	out[5] = corners.z;
	out[6] = corners.w;
}

int main()
{
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t mipmap;
	float *levels, *out;
	OK(cudaMallocManaged(&levels, 4096));
	OK(cudaMallocManaged(&out, 4096));
	OK(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(W, H, 0), 99, cudaArraySurfaceLoadStore));
	cudaArray_t level;
	for (int l = 0; l < LEVELS; l++) {
		cudaExtent extent;
		cudaResourceDesc resource = {};
		cudaSurfaceObject_t surface;
		OK(cudaGetMipmappedArrayLevel(&level, mipmap, l));
		OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
		EXPECT((int)extent.width == W >> l && extent.height == (H >> l ? H >> l : 1) && extent.depth == 0);
		resource.resType = cudaResourceTypeArray;
		resource.res.array.array = level;
		OK(cudaCreateSurfaceObject(&surface, &resource));
		fill<<<1, 32>>>(surface, (int)extent.width, (int)extent.height, l);
		OK(cudaDestroySurfaceObject(surface));
	}
	EXPECT(cudaGetMipmappedArrayLevel(&level, mipmap, LEVELS) == cudaErrorInvalidValue);
	EXPECT(cudaGetMipmappedArrayLevel(&level, mipmap, 1) == cudaSuccess && cudaFreeArray(level) == cudaErrorInvalidValue);
	cudaArrayMemoryRequirements needs;
	OK(cudaMipmappedArrayGetMemoryRequirements(&needs, mipmap, 0));
	EXPECT(needs.size >= W * H * 4 && needs.alignment > 0);

	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};
	resource.resType = cudaResourceTypeMipmappedArray;
	resource.res.mipmap.mipmap = mipmap;
	how.filterMode = cudaFilterModePoint;
	how.mipmapFilterMode = cudaFilterModePoint;
	how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
	how.maxMipmapLevelClamp = LEVELS - 1;
	cudaTextureObject_t object;
	EXPECT(cudaCreateTextureObject(&object, &resource, &how, nullptr) == cudaErrorInvalidValue); /* not normalized */
	how.normalizedCoords = 1;
	OK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
	const float at[] = {-1, 0, 0.25f, 0.5f, 1, 1.75f, 2.5f, 3, 4, 9};
	memcpy(levels, at, sizeof at);
	fetch<<<1, 32>>>(object, 0, 0, levels, 10, out);
	OK(cudaDeviceSynchronize());
	const float nearest[] = {0, 0, 0, 100, 100, 200, 300, 300, 400, 400};
	for (int i = 0; i < 10; i++)
		EXPECT(out[i] == nearest[i]);
	fetch<<<1, 32>>>(object, 0.99f, 0.99f, levels, 10, out);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 10; i++) {
		int l = (int)nearest[i] / 100, w = W >> l, h = H >> l ? H >> l : 1;
		EXPECT(out[i] == nearest[i] + w * h - 1);
	}
	others<<<1, 1>>>(object, out);
	OK(cudaDeviceSynchronize());
	EXPECT(out[0] == 200 && out[1] == 0 && out[2] == W + 2);
	EXPECT(out[3] == 2 * W + 2 && out[4] == 2 * W + 3 && out[5] == W + 3 && out[6] == W + 2);

	cudaResourceDesc resource_of;
	cudaTextureDesc how_of;
	OK(cudaGetTextureObjectResourceDesc(&resource_of, object));
	OK(cudaGetTextureObjectTextureDesc(&how_of, object));
	EXPECT(resource_of.resType == cudaResourceTypeMipmappedArray && resource_of.res.mipmap.mipmap == mipmap);
	EXPECT(how_of.normalizedCoords == 1 && how_of.maxMipmapLevelClamp == LEVELS - 1);
	OK(cudaDestroyTextureObject(object));
	EXPECT(cudaGetTextureObjectTextureDesc(&how_of, object) == cudaErrorInvalidValue);

	/* Between levels, with a bias, within bounds. */
	how.mipmapFilterMode = cudaFilterModeLinear;
	how.mipmapLevelBias = 0.5f;
	how.minMipmapLevelClamp = 1;
	how.maxMipmapLevelClamp = 3;
	OK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
	fetch<<<1, 32>>>(object, 0, 0, levels, 10, out);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 10; i++) {
		float l = at[i] + 0.5f;
		EXPECT(out[i] == 100 * (l < 1 ? 1 : l > 3 ? 3 : l));
	}
	OK(cudaDestroyTextureObject(object));
	OK(cudaFreeMipmappedArray(mipmap));

	/* Integers have no value between levels; layers are no dimension that halves. */
	cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
	OK(cudaMallocMipmappedArray(&mipmap, &ints, make_cudaExtent(4, 4, 3), 2, cudaArrayLayered));
	resource.res.mipmap.mipmap = mipmap;
	EXPECT(cudaCreateTextureObject(&object, &resource, &how, nullptr) == cudaErrorInvalidValue);
	cudaExtent extent;
	OK(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
	OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
	EXPECT(extent.width == 2 && extent.height == 2 && extent.depth == 3);
	OK(cudaFreeMipmappedArray(mipmap));
	printf(failures ? "FAILED\n" : "mipmap: PASSED\n");
	return failures != 0;
}

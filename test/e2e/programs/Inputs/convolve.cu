// Images: convolution with a filter in constant memory, tiles with halos in dynamic shared memory, four channels of
// bytes, a median by a sorting network, a separable filter through a transposed tile, summed areas; sizes that fit no
// tile.
#include "common.h"
#include <algorithm>
#include <vector>

enum { W = 77, H = 53, MOST = 7 };

__constant__ float weights[MOST * MOST];
__constant__ struct {
	int radius;
	short bias[4];
} setting;

__host__ __device__ inline int clamped(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

// The halo is as wide as the setting says when the kernel runs.
__global__ void convolve(const uchar4 *in, uchar4 *out)
{
	extern __shared__ uchar4 tile[];
	int r = setting.radius, side = blockDim.x + 2 * r, x0 = blockIdx.x * blockDim.x - r,
	    y0 = blockIdx.y * blockDim.y - r;
	for (int y = threadIdx.y; y < (int)blockDim.y + 2 * r; y += blockDim.y)
		for (int x = threadIdx.x; x < side; x += blockDim.x)
			tile[y * side + x] = in[clamped(y0 + y, 0, H - 1) * W + clamped(x0 + x, 0, W - 1)];
	__syncthreads();
	int x = x0 + r + threadIdx.x, y = y0 + r + threadIdx.y;
	if (x >= W || y >= H)
		return;
	float4 sum = make_float4(setting.bias[0], setting.bias[1], setting.bias[2], setting.bias[3]);
	for (int dy = 0; dy <= 2 * r; dy++)
		for (int dx = 0; dx <= 2 * r; dx++) {
			uchar4 c = tile[(threadIdx.y + dy) * side + threadIdx.x + dx];
			float w = weights[dy * (2 * r + 1) + dx];
			sum.x += w * c.x, sum.y += w * c.y, sum.z += w * c.z, sum.w += w * c.w;
		}
	out[y * W + x] = make_uchar4((unsigned char)clamped(__float2int_rn(sum.x), 0, 255),
				     (unsigned char)clamped(__float2int_rn(sum.y), 0, 255),
				     (unsigned char)clamped(__float2int_rn(sum.z), 0, 255),
				     (unsigned char)clamped(__float2int_rn(sum.w), 0, 255));
}

template <typename T>
__device__ __forceinline__ void order(T &a, T &b)
{
	T low = min(a, b);
	b = max(a, b);
	a = low;
}
__global__ void median(const unsigned char *in, unsigned char *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= W || y >= H)
		return;
	unsigned char v[9];
	for (int k = 0; k < 9; k++)
		v[k] = in[clamped(y + k / 3 - 1, 0, H - 1) * W + clamped(x + k % 3 - 1, 0, W - 1)];
#pragma unroll
	for (int end = 8; end > 0; end--)
#pragma unroll
		for (int k = 0; k < end; k++)
			order(v[k], v[k + 1]);
	out[y * W + x] = v[4];
}

// Rows first, columns of the same tile afterwards: a triangle of `2 * R + 1` whole weights.
template <int R>
__global__ void __launch_bounds__(256) separable(const short *in, int *out)
{
	__shared__ short raw[16 + 2 * R][16 + 2 * R + 1];
	__shared__ int rows[16][16 + 2 * R + 1]; /* transposed */
	int x0 = blockIdx.x * 16 - R, y0 = blockIdx.y * 16 - R;
	for (int i = threadIdx.x; i < (16 + 2 * R) * (16 + 2 * R); i += 256) {
		int x = x0 + i % (16 + 2 * R), y = y0 + i / (16 + 2 * R);
		raw[i / (16 + 2 * R)][i % (16 + 2 * R)] = x < 0 || y < 0 || x >= W || y >= H ? 0 : in[y * W + x];
	}
	__syncthreads();
	for (int i = threadIdx.x; i < 16 * (16 + 2 * R); i += 256) {
		int y = i / 16, x = i % 16, sum = 0;
#pragma unroll
		for (int k = -R; k <= R; k++)
			sum += (R + 1 - (k < 0 ? -k : k)) * raw[y][x + R + k];
		rows[x][y] = sum;
	}
	__syncthreads();
	int tx = threadIdx.x % 16, ty = threadIdx.x / 16, sum = 0, x = x0 + R + tx, y = y0 + R + ty;
#pragma unroll
	for (int k = -R; k <= R; k++)
		sum += (R + 1 - (k < 0 ? -k : k)) * rows[tx][ty + R + k];
	if (x < W && y < H)
		out[y * W + x] = sum;
}

// One warp a row: prefix sums by shuffles, what came before is carried from chunk to chunk; then the same down columns.
__global__ void sum_rows(const unsigned char *in, unsigned long long *out)
{
	unsigned long long before = 0;
	int y = blockIdx.x, lane = threadIdx.x;
	for (int x = lane; x - lane < W; x += 32) {
		unsigned long long v = x < W ? in[y * W + x] : 0;
#pragma unroll
		for (int d = 1; d < 32; d *= 2) {
			unsigned long long other = __shfl_up_sync(~0u, v, d);
			v += lane >= d ? other : 0;
		}
		v += before;
		if (x < W)
			out[y * W + x] = v;
		before = __shfl_sync(~0u, v, 31);
	}
}
__global__ void sum_columns(unsigned long long *sums)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	if (x < W)
		for (int y = 1; y < H; y++)
			sums[y * W + x] += sums[(y - 1) * W + x];
}

int main()
{
	uchar4 *image = shared_array<uchar4>(W * H), *out = shared_array<uchar4>(W * H);
	unsigned char *plane = shared_array<unsigned char>(W * H), *middle = shared_array<unsigned char>(W * H);
	short *raw = shared_array<short>(W * H);
	int *smooth = shared_array<int>(W * H);
	unsigned long long *sums = shared_array<unsigned long long>(W * H);
	unsigned seed = 9;
	for (int i = 0; i < W * H; i++) {
		seed = seed * 1664525 + 1013904223;
		memcpy(&image[i], &seed, 4);
		plane[i] = (unsigned char)(seed >> 13);
		raw[i] = (short)(seed >> 9);
	}
	for (int r = 1; r <= 3; r += 2) {
		float w[MOST * MOST];
		int n = 2 * r + 1;
		struct {
			int radius;
			short bias[4];
		} s = {r, {3, -4, 0, 20}};
		for (int i = 0; i < n * n; i++)
			w[i] = (float)(i * 5 % 7 - 2) / 16; /* sums are exact */
		OK(cudaMemcpyToSymbol(weights, w, n * n * sizeof(float)));
		OK(cudaMemcpyToSymbol(setting, &s, sizeof s));
		dim3 block(16, 8), grid((W + 15) / 16, (H + 7) / 8);
		convolve<<<grid, block, (16 + 2 * r) * (8 + 2 * r) * sizeof(uchar4)>>>(image, out);
		finish_kernel();
		for (int i = 0; i < W * H; i++) {
			unsigned char want[4];
			for (int c = 0; c < 4; c++) {
				float sum = s.bias[c];
				for (int k = 0; k < n * n; k++)
					sum += w[k] *
					       ((unsigned char *)&image[clamped(i / W + k / n - r, 0, H - 1) * W +
									clamped(i % W + k % n - r, 0, W - 1)])[c];
				want[c] = (unsigned char)clamped((int)nearbyintf(sum), 0, 255);
			}
			expect(!memcmp(want, &out[i], 4), "convolution", i);
		}
	}
	median<<<dim3(5, 14), dim3(16, 4)>>>(plane, middle);
	separable<2><<<dim3(5, 4), 256>>>(raw, smooth);
	sum_rows<<<H, 32>>>(plane, sums);
	sum_columns<<<2, 64>>>(sums);
	finish_kernel();
	for (int i = 0; i < W * H; i++) {
		std::vector<unsigned char> near;
		for (int k = 0; k < 9; k++)
			near.push_back(
				plane[clamped(i / W + k / 3 - 1, 0, H - 1) * W + clamped(i % W + k % 3 - 1, 0, W - 1)]);
		std::nth_element(near.begin(), near.begin() + 4, near.end());
		expect(middle[i] == near[4], "median", i);
		int sum = 0;
		for (int dy = -2; dy <= 2; dy++)
			for (int dx = -2; dx <= 2; dx++) {
				int x = i % W + dx, y = i / W + dy;
				if (x >= 0 && y >= 0 && x < W && y < H)
					sum += (3 - abs(dx)) * (3 - abs(dy)) * raw[y * W + x];
			}
		expect(smooth[i] == sum, "separable", i);
		unsigned long long area = plane[i];
		if (i % W)
			area += sums[i - 1];
		if (i / W)
			area += sums[i - W];
		if (i % W && i / W)
			area -= sums[i - W - 1];
		expect(sums[i] == area, "areas", i);
	}
	puts("PASSED");
}

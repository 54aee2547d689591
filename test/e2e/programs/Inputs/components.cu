// Connected components in three levels: runs of a warp, union-find of a block in shared memory with atomicMin, union
// across blocks in global memory; then areas and bounding boxes by atomics on packed structures. Flood fill on the
// host.
#include "common.h"
#include <vector>

enum { W = 70, H = 45, TX = 32, TY = 8 };

struct Box {
	int left, top, right, bottom;
	unsigned area;
};

template <typename T>
__device__ int root_of(volatile T *parent, int i)
{
	while (parent[i] != i)
		i = parent[i];
	return i;
}

template <typename T>
__device__ void unite(T *parent, int a, int b)
{
	for (;;) {
		a = root_of<T>(parent, a);
		b = root_of<T>(parent, b);
		if (a == b)
			return;
		int high = max(a, b), low = min(a, b), old = atomicMin(&parent[high], low);
		if (old == high)
			return;
		a = old;
		b = low;
	}
}

__global__ void local(const unsigned char *image, int *parent)
{
	__shared__ int p[TX * TY];
	__shared__ unsigned char pixel[TY][TX];
	int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y, t = threadIdx.y * TX + threadIdx.x;
	bool inside = x < W && y < H;
	unsigned char c = inside ? image[y * W + x] : 255;
	pixel[threadIdx.y][threadIdx.x] = c;
	/* a run begins where the left neighbour differs */
	int left = __shfl_up_sync(~0u, (int)c, 1);
	unsigned begins = __ballot_sync(~0u, threadIdx.x == 0 || left != c);
	p[t] = threadIdx.y * TX + 31 - __clz(begins & (0xffffffffu >> (31 - threadIdx.x)));
	__syncthreads();
	if (threadIdx.y && inside && pixel[threadIdx.y - 1][threadIdx.x] == c)
		unite(p, t, t - TX);
	__syncthreads();
	if (inside) {
		int r = root_of<int>(p, t);
		parent[y * W + x] = (blockIdx.y * TY + r / TX) * W + blockIdx.x * TX + r % TX;
	}
}

__global__ void seams(const unsigned char *image, int *parent)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % W, y = i / W;
	if (i >= W * H)
		return;
	if (x && x % TX == 0 && image[i] == image[i - 1])
		unite(parent, i, i - 1);
	if (y && y % TY == 0 && image[i] == image[i - W])
		unite(parent, i, i - W);
}

__global__ void flatten(int *parent, Box *boxes)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= W * H)
		return;
	int r = root_of<int>(parent, i);
	parent[i] = r;
	atomicMin(&boxes[r].left, i % W);
	atomicMax(&boxes[r].right, i % W);
	atomicMin(&boxes[r].top, i / W);
	atomicMax(&boxes[r].bottom, i / W);
	/* lanes of one component add as one */
	unsigned peers = __match_any_sync(__activemask(), r);
	if ((int)(threadIdx.x & 31) == __ffs(peers) - 1)
		atomicAdd(&boxes[r].area, __popc(peers));
}

int main()
{
	unsigned char *image = shared_array<unsigned char>(W * H);
	int *parent = shared_array<int>(W * H);
	Box *boxes = shared_array<Box>(W * H);
	unsigned seed = 3;
	for (int i = 0; i < W * H; i++) {
		int x = i % W, y = i / W;
		seed = seed * 1664525 + 1013904223;
		bool spiral = (x + y) % 9 < 2 || (x * x / 40 + y) % 13 == 0;
		image[i] = spiral ? 2 : seed >> 30 == 3;
		boxes[i] = {W, H, -1, -1, 0};
	}
	local<<<dim3((W + TX - 1) / TX, (H + TY - 1) / TY), dim3(TX, TY)>>>(image, parent);
	seams<<<(W * H + 127) / 128, 128>>>(image, parent);
	flatten<<<(W * H + 127) / 128, 128>>>(parent, boxes);
	finish_kernel();

	std::vector<int> label(W * H, -1), stack;
	for (int i = 0; i < W * H; i++) {
		if (label[i] >= 0)
			continue;
		Box want = {W, H, -1, -1, 0};
		stack.assign(1, i);
		label[i] = i;
		while (!stack.empty()) {
			int at = stack.back(), x = at % W, y = at / W;
			stack.pop_back();
			want = {x < want.left ? x : want.left, y < want.top ? y : want.top,
				x > want.right ? x : want.right, y > want.bottom ? y : want.bottom, want.area + 1};
			int near[] = {x ? at - 1 : at, x < W - 1 ? at + 1 : at, y ? at - W : at,
				      y < H - 1 ? at + W : at};
			for (int next : near)
				if (label[next] < 0 && image[next] == image[at])
					label[next] = i, stack.push_back(next);
		}
		expect(!memcmp(&boxes[i], &want, sizeof want), "box", i);
	}
	expect_same(parent, label.data(), W * H, "label");
	puts("PASSED");
}

/*
 * turn: forms of transposing a matrix: through the columns of the result (plain), or of the source (gather), through a tile in shared
 * memory, with and without a column more against conflicts of banks, and through a tile of four blocks' width (four); and a copy.
 */
#include "../calls/common.h"

#define TILE 32
#define TILES 4

__global__ void copy(const float *from, float *to, int size)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < size && y < size)
		to[y * size + x] = from[y * size + x];
}

__global__ void plain(const float *from, float *to, int size)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < size && y < size)
		to[x * size + y] = from[y * size + x];
}

__global__ void gather(const float *from, float *to, int size)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < size && y < size)
		to[y * size + x] = from[x * size + y];
}

template <int pad> __device__ inline void through_tile(const float *from, float *to, int size)
{
	__shared__ float part[TILE][TILE + pad];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	if (x < size && y < size)
		part[threadIdx.y][threadIdx.x] = from[y * size + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
	if (x < size && y < size)
		to[y * size + x] = part[threadIdx.x][threadIdx.y];
}

__global__ void tile(const float *from, float *to, int size)
{
	through_tile<0>(from, to, size);
}

__global__ void padded(const float *from, float *to, int size)
{
	through_tile<1>(from, to, size);
}

__global__ void four(const float *from, float *to, int size)
{
	__shared__ float part[TILE * (TILE * TILES + 1)];
	int x = blockIdx.x * TILE * TILES + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	if (x + TILE * (TILES - 1) < size && y < size)
#pragma unroll
		for (int i = 0; i < TILES; i++)
			part[threadIdx.y * (TILE * TILES + 1) + threadIdx.x + TILE * i] = from[y * size + x + TILE * i];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE * TILES + threadIdx.y;
	if (x < size && y + TILE * (TILES - 1) < size)
#pragma unroll
		for (int i = 0; i < TILES; i++)
			to[(y + TILE * i) * size + x] = part[threadIdx.x * (TILE * TILES + 1) + threadIdx.y + TILE * i];
}

typedef void Kernel(const float *, float *, int);

static const struct {
	const char *name;
	Kernel *kernel;
	int tiles; /* that a block has side by side */
	bool any;  /* of any side */
} forms[] = {{"copy", copy, 1, true},  {"plain", plain, 1, true},   {"gather", gather, 1, true},
	     {"tile", tile, 1, false}, {"padded", padded, 1, false}, {"four", four, TILES, false}};

/* One form of it. */
static void run(Verdict *verdict, int form, int size, int side, int rounds, const float *from, const float *dfrom)
{
	size_t count = (size_t)size * size;
	float *to = device_array<float>(count), *got = host_array<float>(count);
	dim3 grid(blocks_for(size, side * forms[form].tiles), blocks_for(size, side));
	for (int round = 0; round < rounds; round++)
		forms[form].kernel<<<grid, dim3(side, side)>>>(dfrom, to, size);
	CHECK_LAUNCH();
	copy_back(got, to, count);
	for (size_t y = 0; y < (size_t)size; y++)
		for (size_t x = 0; x < (size_t)size; x++) {
			float right = form ? from[x * size + y] : from[y * size + x];
			if (got[y * size + x] != right)
				differs(verdict, "%s: %zu %zu is %g, not %g", forms[form].name, y, x, got[y * size + x], right);
		}
	CHECK(cudaFree(to));
	free(got);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "turn [size [form [side [rounds]]]]   (default 128, all forms, blocks of 32 x 32, once)"};
	int size = size_argument(arguments, 1, 128, 16384), side = size_argument(arguments, 3, TILE, 32), ran = 0;
	int rounds = size_argument(arguments, 4, 1, 1000);
	size_t count = (size_t)size * size;
	float *from = host_array<float>(count);
	unsigned seed = 1;
	for (size_t i = 0; i < count; i++)
		from[i] = next_unit(&seed);
	float *dfrom = device_copy(from, count);
	Verdict verdict = {"turn", 0};
	for (int form = 0; form < (int)(sizeof forms / sizeof *forms); form++)
		if ((argc < 3 || strcmp(argv[2], forms[form].name) == 0) && (side == TILE || forms[form].any)) {
			run(&verdict, form, size, side, rounds, from, dfrom);
			ran++;
		}
	if (!ran) {
		fprintf(stderr, "usage: %s\n", arguments.usage);
		return 2;
	}
	return conclude(verdict, "%d x %d", size, size);
}

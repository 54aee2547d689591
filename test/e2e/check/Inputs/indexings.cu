// Indexings of real kernels: transposes, swizzles, reductions, fast Fourier transforms, scans, tiles of products. Each
// is a kernel with one access of that index, and the same expression on the host, which enumerates the threads.
#include <cstdio>
#include <cstring>

struct alignas(16) quad {
	float x, y, z, w;
};

__host__ __device__ inline unsigned reversed(unsigned value)
{
#ifdef __CUDA_ARCH__
	return __brev(value);
#else
	unsigned out = 0;
	for (int i = 0; i < 32; i++)
		out |= (value >> i & 1) << (31 - i);
	return out;
#endif
}

template <typename T> __device__ void fill(T &element, int n)
{
	element = n;
}

__device__ void fill(quad &element, int n)
{
	element.x = element.y = element.z = element.w = n;
}

// X(name, space, block, type, index): t is the thread's number in x, g in the grid (int); ut and ug are unsigned; n is a
// parameter, and the report can only bound what is called within. The index is of elements of the type.
#define INDEXINGS(X)                                                                                   \
	X(neighbours, shared, dim3(256), float, t)                                                     \
	X(transposed, shared, dim3(32, 32), float, tx * 32 + ty)                                       \
	X(padded, shared, dim3(32, 32), float, tx * 33 + ty)                                           \
	X(padded16, shared, dim3(16, 16), float, ty * 17 + tx)                                         \
	X(plain16, shared, dim3(16, 16), float, ty * 16 + tx)                                          \
	X(masked, shared, dim3(256), float, (t & 31) * 32 + (t >> 5))                                  \
	X(masked_padded, shared, dim3(256), float, (t & 31) * 33 + (t >> 5))                           \
	X(divided, shared, dim3(256), float, t % 32 * 32 + t / 32)                                     \
	X(divided_unsigned, shared, dim3(256), float, ut % 16 * 17 + ut / 16)                          \
	X(swizzled_row, shared, dim3(32, 32), float, ty * 32 + (tx ^ ty))                              \
	X(swizzled_column, shared, dim3(32, 32), float, tx * 32 + (tx ^ ty))                           \
	X(diagonal_row, shared, dim3(32, 32), float, ty * 32 + ((tx + ty) & 31))                       \
	X(diagonal_column, shared, dim3(32, 32), float, tx * 32 + ((tx + ty) % 32))                    \
	X(butterfly, shared, dim3(256), float, t ^ 16)                                                 \
	X(butterfly_parameter, shared, dim3(64), float, (t & 31) + 32 * (n ^ 1))                       \
	X(interleaved, shared, dim3(128), float, 2 * t)                                                \
	X(conflict_free_offset, shared, dim3(256), float, 2 * t + (2 * t >> 5))                        \
	X(fourier, shared, dim3(64), float, ((t << 2) | (t >> 4)) & 255)                               \
	X(radix4, shared, dim3(64), float, (t & ~3) * 4 + (t & 3))                                     \
	X(bit_reversed, shared, dim3(64), float, reversed(ut) >> 26)                                   \
	X(thirds, shared, dim3(96), float, t % 3 * 32 + t / 3)                                         \
	X(tile_quad, shared, dim3(256), quad, t / 16 * 16 + t % 16)                                    \
	X(tile_column_quad, shared, dim3(256), quad, t % 16 * 16 + t / 16)                             \
	X(swizzled_quad, shared, dim3(128), quad, (t >> 3) * 8 + ((t & 7) ^ (t >> 3 & 7)))             \
	X(words8, shared, dim3(256), double, (t & 15) * 17 + (t >> 4))                                 \
	X(words8_conflict, shared, dim3(256), double, (t & 15) * 16 + (t >> 4))                        \
	X(bytes, shared, dim3(256), char, (t & 31) * 8 + (t >> 5))                                     \
	X(half_words, shared, dim3(256), short, (t & 31) * 66 + (t >> 5))                              \
	X(morton, shared, dim3(64), float, (t & 1) | (t & 2) << 1 | (t & 4) << 2 | (t & 8) >> 2 | (t & 16) >> 1 | (t & 32)) \
	X(cube, shared, dim3(8, 8, 8), float, tx * 64 + ty * 8 + tz)                                   \
	X(cube_padded, shared, dim3(8, 8, 8), float, tx * 65 + ty * 8 + tz)                            \
	X(limited, shared, dim3(128), float, t < 20 ? t : 20)                                          \
	X(clamped, shared, dim3(128), float, t - 1 > 0 ? t - 1 : 0)                                    \
	X(chosen, shared, dim3(128), float, (t & 1) ? t * 2 : t)                                       \
	X(wrapped, shared, dim3(128), float, t % 24)                                                   \
	X(reversed_block, shared, dim3(256), float, (int)blockDim.x - 1 - t)                           \
	X(of_grid, shared, dim3(256), float, g % 32 * 32 + g / 32 % 8)                                 \
	X(of_grid_unsigned, shared, dim3(256), float, ug % 64 * 16 + (ug >> 6 & 3))                    \
	X(parameter_base, shared, dim3(256), float, n + (t & 31) * 31)                                 \
	X(double_buffer, shared, dim3(256), float, (n & 1) * 1056 + (t & 31) * 33 + (t >> 5))          \
	X(ring, shared, dim3(256), float, (ut + 256u * n) % 512)                                         \
	X(warp_rows, global, dim3(256), float, (t >> 5) * 1024 + (t & 31))                             \
	X(warp_columns, global, dim3(256), float, (t & 31) * 1024 + (t >> 5))                          \
	X(pairs, global, dim3(256), float, (g / 2) * 4 + g % 2)                                        \
	X(tile8, global, dim3(64), float, (g & 7) * 8 + (g >> 3 & 7))                                  \
	X(swapped, global, dim3(256), float, g ^ 1)                                                    \
	X(rotated, global, dim3(256), float, ((t + 8) & 31) + (t & ~31))                               \
	X(every_third, global, dim3(96), float, t / 3)                                                 \
	X(planes, global, dim3(32, 8), float, ty / 2 * 256 + ty % 2 * 128 + tx)                        \
	X(within_tile, global, dim3(16, 16), float, ty * n + tx)                                       \
	X(within_tile8, global, dim3(8, 8), double, (ty + 8 * (int)blockIdx.x) * n + tx)               \
	X(within_shared, shared, dim3(16, 16), float, ty * (n + 16) + tx)                              \
	X(within_row, global, dim3(256), float, n * 640 + g)                                           \
	X(quads, global, dim3(256), quad, (ug & 3) * 64 + (ug >> 2))

#define VARIABLES                                                                                      \
	int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, t = tx, g = blockIdx.x * blockDim.x + threadIdx.x; \
	unsigned ut = threadIdx.x, ug = blockIdx.x * blockDim.x + threadIdx.x;                         \
	(void)tx, (void)ty, (void)tz, (void)t, (void)g, (void)ut, (void)ug

enum { ELEMENTS = 2560 };
#define STORE_shared(type, index, array)                \
	__shared__ type elements[ELEMENTS];             \
	fill(elements[index], n);                       \
	__syncthreads();                                \
	(array)[n] = elements[n]
#define STORE_global(type, index, array) fill((array)[index], n)

#define KERNEL(name, space, block, type, index)              \
	__global__ void name(type *array, int n)             \
	{                                                    \
		VARIABLES;                                   \
		STORE_##space(type, (index), array);         \
	}
INDEXINGS(KERNEL)

// The same on the host: the bytes at which the 32 lanes of each whole warp begin.
#define HOST(name, space, block, type, index)                                                    \
	static long host_##name(dim3 threadIdx, dim3 blockIdx, dim3 blockDim, int n)             \
	{                                                                                        \
		VARIABLES;                                                                       \
		return (long)(index) * (long)sizeof(type);                                       \
	}
INDEXINGS(HOST)

typedef long address_of(dim3 threadIdx, dim3 blockIdx, dim3 blockDim, int n);

static void enumerate(const char *name, const char *space, dim3 block, size_t bytes, address_of *address, int n)
{
	for (unsigned b = 0; b < 3; b++)
		for (unsigned first = 0; first + 32 <= block.x * block.y * block.z; first += 32) {
			printf("%s %s %zu", name, space, bytes);
			for (unsigned lane = 0; lane < 32; lane++) {
				unsigned at = first + lane;
				dim3 thread(at % block.x, at / block.x % block.y, at / block.x / block.y);
				printf(" %ld", address(thread, dim3(b), block, n));
			}
			printf("\n");
		}
}

int main(int argc, char **argv)
{
	void *array = nullptr;
	for (int n = 1; n < 5 && argc < 2; n++) {
#define ENUMERATE(name, space, block, type, index) enumerate(#name, #space, block, sizeof(type), host_##name, n);
		INDEXINGS(ENUMERATE)
	}
	if (argc < 2)
		return 0;
	if (cudaMalloc(&array, 1 << 20) != cudaSuccess)
		return 1;
#define LAUNCH(name, space, block, type, index) name<<<3, block>>>((type *)array, 1);
	INDEXINGS(LAUNCH)
	return cudaDeviceSynchronize() != cudaSuccess;
}

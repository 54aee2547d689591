/*
 * shapes: virtual functions and function pointers on the device. One kernel constructs shapes of three classes in
 * device memory, since an object's vtable pointer is only valid on the side that constructed it. A second counts the
 * lattice points in each shape through virtual calls; neighbouring lanes hold different classes, so a warp's call goes
 * to several functions. What happens to the count is one of three functions, called through a pointer from a table.
 *
 * The check is exact: coordinates and counts are integers.
 */
#include <cuda_runtime.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 64

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "shapes.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
	exit(1);
}

static const char usage[] = "usage: shapes [shapes [size]]   (default 8192 shapes, 8 units)\n";

/* The i-th argument as a number from 1 to `most`, or `fallback` where it is left out. */
static int size_argument(int argc, char **argv, int i, int fallback, long most)
{
	if (argc <= i)
		return fallback;
	char *end;
	long value = strtol(argv[i], &end, 10);
	if (*argv[i] != '\0' && *end == '\0' && value >= 1 && value <= most)
		return (int)value;
	bool help = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
	fputs(usage, help ? stdout : stderr);
	exit(help ? 0 : 2);
}

class Shape
{
      public:
	__host__ __device__ virtual bool contains(int x, int y) const = 0;
	__host__ __device__ virtual int corners() const
	{
		return 0;
	}
};

class Circle : public Shape
{
	int radius;

      public:
	__host__ __device__ Circle(int r) : radius(r)
	{
	}
	__host__ __device__ bool contains(int x, int y) const override
	{
		return x * x + y * y <= radius * radius;
	}
};

class Rectangle : public Shape
{
	int width, height;

      public:
	__host__ __device__ Rectangle(int w, int h) : width(w), height(h)
	{
	}
	__host__ __device__ bool contains(int x, int y) const override
	{
		return abs(x) <= width && abs(y) <= height;
	}
	__host__ __device__ int corners() const override
	{
		return 4;
	}
};

class Triangle : public Shape
{
	int leg;

      public:
	__host__ __device__ Triangle(int l) : leg(l)
	{
	}
	__host__ __device__ bool contains(int x, int y) const override
	{
		return x >= 0 && y >= 0 && x + y <= leg;
	}
	__host__ __device__ int corners() const override
	{
		return 3;
	}
};

/* Room for any shape. */
struct Slot {
	alignas(16) char bytes[32];
};

__host__ __device__ Shape *construct(Slot *slot, int i, int size)
{
	int extent = 1 + i % size;
	switch (i % 3) {
	case 0:
		return new (slot) Circle(extent);
	case 1:
		return new (slot) Rectangle(extent, size - extent);
	default:
		return new (slot) Triangle(extent);
	}
}

__host__ __device__ int count_points(const Shape *shape, int size)
{
	int points = 0;
	for (int y = -size; y <= size; y++)
		for (int x = -size; x <= size; x++)
			points += shape->contains(x, y);
	return points;
}

typedef int (*Measure)(int points, int corners);
__host__ __device__ int plain(int points, int)
{
	return points;
}
__host__ __device__ int without_corners(int points, int corners)
{
	return points - corners;
}
__host__ __device__ int squared(int points, int corners)
{
	return points * points + corners;
}

#define MEASURES 3
__device__ const Measure device_measures[MEASURES] = {plain, without_corners, squared};
static const Measure host_measures[MEASURES] = {plain, without_corners, squared};

__global__ void build(Slot *slots, Shape **shapes, int n, int size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		shapes[i] = construct(&slots[i], i, size);
}

__global__ void measure(Shape *const *shapes, int *results, int n, int size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	Measure how = device_measures[i / 3 % MEASURES];
	results[i] = how(count_points(shapes[i], size), shapes[i]->corners());
}

int main(int argc, char **argv)
{
	int n = size_argument(argc, argv, 1, 8192, 1 << 20);
	int size = size_argument(argc, argv, 2, 8, 100);
	int *got = (int *)malloc(n * sizeof *got), *results;
	if (!got)
		return fputs("shapes: out of memory\n", stderr), 1;

	Slot *slots;
	Shape **shapes;
	CHECK(cudaMalloc(&slots, n * sizeof *slots));
	CHECK(cudaMalloc(&shapes, n * sizeof *shapes));
	CHECK(cudaMalloc(&results, n * sizeof *results));
	int blocks = (n + BLOCK - 1) / BLOCK;
	build<<<blocks, BLOCK>>>(slots, shapes, n, size);
	CHECK(cudaGetLastError());
	measure<<<blocks, BLOCK>>>(shapes, results, n, size);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got, results, n * sizeof *got, cudaMemcpyDeviceToHost));

	int wrong = 0;
	for (int i = 0; i < n; i++) {
		Slot slot;
		const Shape *shape = construct(&slot, i, size);
		int want = host_measures[i / 3 % MEASURES](count_points(shape, size), shape->corners());
		if (got[i] != want && wrong++ == 0)
			printf("shape %d measures %d, not %d\n", i, got[i], want);
	}
	printf("shapes: %s (%d shapes up to size %d, %d wrong)\n", wrong ? "FAILED" : "PASSED", n, size, wrong);
	CHECK(cudaFree(slots));
	CHECK(cudaFree(shapes));
	CHECK(cudaFree(results));
	free(got);
	return wrong != 0;
}

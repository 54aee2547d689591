// Transposes of several types and tiles, pitched memory, copies of two dimensions, shared memory carved into arrays.
// Checks its own results.
#include <cstdio>
#include <cstring>
#include <vector>
template <typename T, int TILE, int ROWS>
__global__ void transpose(const T *in, size_t pin, T *out, size_t pout, int w, int h)
{
	__shared__ T tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
	for (int j = 0; j < TILE; j += ROWS)
		if (x < w && y + j < h)
			tile[threadIdx.y + j][threadIdx.x] = ((const T *)((const char *)in + (y + j) * pin))[x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
	for (int j = 0; j < TILE; j += ROWS)
		if (x < h && y + j < w)
			((T *)((char *)out + (y + j) * pout))[x] = tile[threadIdx.x][threadIdx.y + j];
}
struct Rgb {
	unsigned char r, g, b;
	bool operator!=(const Rgb &o) const
	{
		return r != o.r || g != o.g || b != o.b;
	}
};
template <typename T, int TILE, int ROWS>
int run(int w, int h)
{
	std::vector<T> a(w * h), b(w * h);
	for (size_t i = 0; i < sizeof(T) * a.size(); i++)
		((unsigned char *)a.data())[i] = (unsigned char)(i * 37 + i / 251) & 0x3f;
	T *in, *out;
	size_t pin, pout;
	if (cudaMallocPitch(&in, &pin, w * sizeof(T), h) || cudaMallocPitch(&out, &pout, h * sizeof(T), w))
		return 1;
	if (cudaMemcpy2D(in, pin, a.data(), w * sizeof(T), w * sizeof(T), h, cudaMemcpyHostToDevice))
		return 2;
	transpose<T, TILE, ROWS>
		<<<dim3((w + TILE - 1) / TILE, (h + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(in, pin, out, pout, w, h);
	if (cudaMemcpy2D(b.data(), h * sizeof(T), out, pout, h * sizeof(T), w, cudaMemcpyDeviceToHost))
		return 3;
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			if (a[y * w + x] != b[x * h + y])
				return 4;
	cudaFree(in);
	cudaFree(out);
	return 0;
}
__global__ void carve(int n, double *out)
{
	extern __shared__ __align__(16) unsigned char raw[];
	double *d = (double *)raw;
	float *f = (float *)(d + n);
	short *s = (short *)(f + n);
	unsigned char *c = (unsigned char *)(s + n);
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		d[i] = i * 1.5, f[i] = i * 0.25f, s[i] = (short)(-i), c[i] = (unsigned char)(i * 3);
	__syncthreads();
	int j = (threadIdx.x + 17) % n;
	out[threadIdx.x] = d[j] + f[j] + s[j] + c[j];
}
int main()
{
	int e = run<float, 32, 8>(70, 45);
	if (e)
		return printf("FAIL f %d\n", e), 1;
	e = run<double, 16, 16>(33, 64);
	if (e)
		return printf("FAIL d %d\n", e), 1;
	e = run<unsigned char, 32, 4>(65, 31);
	if (e)
		return printf("FAIL c %d\n", e), 1;
	e = run<Rgb, 16, 2>(20, 50);
	if (e)
		return printf("FAIL rgb %d\n", e), 1;
	double *o;
	cudaMallocManaged(&o, 64 * 8);
	carve<<<1, 64, 100 * 15>>>(100, o);
	if (cudaDeviceSynchronize())
		return puts("err"), 1;
	for (int t = 0; t < 64; t++) {
		int j = (t + 17) % 100;
		if (o[t] != j * 1.5 + j * 0.25 - j + (unsigned char)(j * 3))
			return printf("FAIL carve %d\n", t), 1;
	}
	puts("PASSED");
}

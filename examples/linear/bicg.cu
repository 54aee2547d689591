/* bicg: the two products of a step of the biconjugate gradient method: q = A p and s = A' r, a thread an element. */
#include "../grids/grids.h"

#define BLOCK 128

__global__ void times_p(const float *a, const float *p, float *q, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	q[i] = 0;
	for (int j = 0; j < m; j++)
		q[i] = fmaf(a[i * m + j], p[j], q[i]);
}

__global__ void times_r(const float *a, const float *r, float *s, int n, int m)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= m)
		return;
	s[j] = 0;
	for (int i = 0; i < n; i++)
		s[j] = fmaf(a[i * m + j], r[i], s[j]);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "bicg [rows [columns]]   (default 1792 x 1792)"};
	int n = size_argument(arguments, 1, 1792, 8192), m = size_argument(arguments, 2, 1792, 8192);
	float *a = random_floats((size_t)n * m, 1), *p = random_floats(m, 2), *r = random_floats(n, 3);
	float *q = host_array<float>(n), *s = host_array<float>(m);
	float *da = device_copy(a, (size_t)n * m), *dq = device_array<float>(n), *ds = device_array<float>(m);

	times_p<<<blocks_for(n, BLOCK), BLOCK>>>(da, device_copy(p, m), dq, n, m);
	times_r<<<blocks_for(m, BLOCK), BLOCK>>>(da, device_copy(r, n), ds, n, m);
	CHECK_LAUNCH();

	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++) {
			q[i] = fmaf(a[i * m + j], p[j], q[i]);
			s[j] = fmaf(a[i * m + j], r[i], s[j]);
		}
	Verdict verdict = {"bicg", 0};
	compare(&verdict, "q", dq, q, n);
	compare(&verdict, "s", ds, s, m);
	return conclude(verdict, "%d x %d", n, m);
}

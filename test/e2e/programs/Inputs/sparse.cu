// Conjugate gradients on sparse matrices of several index and value types: a warp a row, reductions by shuffles,
// scalars that stay on the device, a grid that counts itself to its last block. Checks the residual on the host.
#include "common.h"
#include <cmath>
#include <vector>

template <typename T>
__device__ T warp_sum(T v)
{
	for (int d = 16; d; d >>= 1)
		v += __shfl_xor_sync(~0u, v, d);
	return v;
}

// The sum of a block's values, in its first thread.
template <typename T, int THREADS>
__device__ T block_sum(T v)
{
	__shared__ T partial[THREADS / 32];
	v = warp_sum(v);
	if (threadIdx.x % 32 == 0)
		partial[threadIdx.x / 32] = v;
	__syncthreads();
	v = threadIdx.x < THREADS / 32 ? partial[threadIdx.x] : T(0);
	return threadIdx.x < 32 ? warp_sum(v) : T(0);
}

template <typename T, typename I, int LANES>
__global__ void multiply(const I *__restrict__ starts, const I *__restrict__ columns, const T *__restrict__ values,
			 const T *__restrict__ x, T *__restrict__ y, I rows)
{
	I row = (I(blockIdx.x) * blockDim.x + threadIdx.x) / LANES;
	int lane = threadIdx.x % LANES;
	if (row >= rows)
		return;
	T sum = 0;
	for (I at = starts[row] + lane, end = starts[row + 1]; at < end; at += LANES)
		sum += values[at] * __ldg(x + columns[at]);
	unsigned group = LANES == 32 ? ~0u : ((1u << LANES) - 1) << (threadIdx.x % 32 / LANES * LANES);
	for (int d = LANES / 2; d; d /= 2)
		sum += __shfl_down_sync(group, sum, d, LANES);
	if (lane == 0)
		y[row] = sum;
}

template <typename T>
struct State {
	T partial[64], rr, pq, next;
	unsigned arrived;
	int rounds;
};

// The block that comes last adds up what all have left.
template <typename T>
__global__ void dot(const T *a, const T *b, int n, State<T> *state, T State<T>::*result)
{
	__shared__ bool last;
	T sum = 0;
	for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
		sum += a[i] * b[i];
	sum = block_sum<T, 128>(sum);
	if (threadIdx.x == 0) {
		state->partial[blockIdx.x] = sum;
		__threadfence();
		last = atomicInc(&state->arrived, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (!last)
		return;
	volatile T *partial = state->partial;
	sum = threadIdx.x < gridDim.x ? partial[threadIdx.x] : T(0);
	__syncthreads();
	sum = block_sum<T, 128>(sum);
	if (threadIdx.x == 0)
		state->*result = sum;
}

template <typename T>
__global__ void step(State<T> *state, T *x, T *r, const T *p, const T *q, int n)
{
	T alpha = state->rr / state->pq;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		x[i] += alpha * p[i];
		r[i] -= alpha * q[i];
	}
}

template <typename T>
__global__ void direct(State<T> *state, const T *r, T *p, int n)
{
	T beta = state->next / state->rr;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		p[i] = r[i] + beta * p[i];
}

template <typename T>
__global__ void advance(State<T> *state)
{
	state->rr = state->next;
	state->rounds++;
}

// The five-point stencil of a grid with a few far links, symmetric and positive definite.
template <typename T, typename I>
struct Matrix {
	std::vector<I> starts{0}, columns;
	std::vector<T> values;
	explicit Matrix(int side)
	{
		int n = side * side;
		for (int i = 0; i < n; i++) {
			int x = i % side, near[] = {i - side, i - 1, i, i + 1, i + side, n - 1 - i};
			for (int k = 0; k < 6; k++) {
				int j = near[k];
				if (j < 0 || j >= n || (k == 1 && x == 0) || (k == 3 && x == side - 1) ||
				    (k == 5 && (i % 7 * (j % 7) || i == j)))
					continue;
				columns.push_back(I(j));
				values.push_back(k == 2 ? T(6.5) : k == 5 ? T(-0.25) : T(-1));
			}
			starts.push_back(I(columns.size()));
		}
	}
};

template <typename T>
T *copy_of(const std::vector<T> &v)
{
	T *array = shared_array<T>(v.size());
	memcpy(array, v.data(), v.size() * sizeof(T));
	return array;
}

template <typename T, typename I, int LANES>
void solve(int side, int rounds, double bound, const char *what)
{
	Matrix<T, I> a(side);
	int n = side * side, blocks = (n * LANES + 127) / 128, few = 3;
	I *starts = copy_of(a.starts), *columns = copy_of(a.columns);
	T *values = copy_of(a.values), *x = shared_array<T>(n), *r = shared_array<T>(n), *p = shared_array<T>(n),
	  *q = shared_array<T>(n);
	State<T> *state = shared_array<State<T>>(1);
	for (int i = 0; i < n; i++)
		r[i] = p[i] = T((i * 37 % 101) / 50.0 - 1);
	std::vector<T> b(r, r + n);
	dot<T><<<few, 128>>>(r, r, n, state, &State<T>::rr);
	for (int k = 0; k < rounds; k++) {
		multiply<T, I, LANES><<<blocks, 128>>>(starts, columns, values, p, q, I(n));
		dot<T><<<few, 128>>>(p, q, n, state, &State<T>::pq);
		step<T><<<few, 96>>>(state, x, r, p, q, n);
		dot<T><<<few, 128>>>(r, r, n, state, &State<T>::next);
		direct<T><<<few, 96>>>(state, r, p, n);
		advance<T><<<1, 1>>>(state);
	}
	finish_kernel();
	double error = 0, size = 0;
	for (int i = 0; i < n; i++) {
		double sum = b[i];
		for (I at = a.starts[i]; at < a.starts[i + 1]; at++)
			sum -= (double)a.values[at] * x[a.columns[at]];
		error += sum * sum;
		size += (double)b[i] * b[i];
	}
	expect(state->rounds == rounds, what, state->rounds);
	expect(sqrt(error / size) < bound, what, -1);
}

int main()
{
	solve<float, int, 8>(12, 14, 1e-4, "float, int");
	solve<double, long long, 32>(9, 24, 1e-10, "double, long long");
	solve<double, unsigned short, 4>(11, 24, 1e-10, "double, unsigned short");
	puts("PASSED");
}

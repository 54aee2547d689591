/* Sparse linear algebra in the usual formats. */
extern "C" __global__ void csr_scalar(int rows, const int *start, const int *column, const float *value, const float *x, float *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0;
	for (int k = start[row]; k < start[row + 1]; k++)
		sum += value[k] * x[column[k]];
	y[row] = sum;
}

extern "C" __global__ void csr_vector(int rows, const int *start, const int *column, const double *value, const double *x, double *y)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	if (row >= rows)
		return;
	double sum = 0;
	for (int k = start[row] + lane; k < start[row + 1]; k += 32)
		sum += value[k] * x[column[k]];
	for (int offset = 16; offset; offset /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, offset);
	if (lane == 0)
		y[row] = sum;
}

extern "C" __global__ void ellpack(int rows, int width, int pitch, const int *column, const float *value, const float *x, float *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0;
	for (int k = 0; k < width; k++) {
		int at = column[k * pitch + row];
		if (at >= 0)
			sum += value[k * pitch + row] * x[at];
	}
	y[row] = sum;
}

extern "C" __global__ void coordinate(int count, const int *row, const int *column, const float *value, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		atomicAdd(&y[row[i]], value[i] * x[column[i]]);
}

extern "C" __global__ void diagonal(int n, int diagonals, const int *offset, const double *value, const double *x, double *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= n)
		return;
	double sum = 0;
	for (int d = 0; d < diagonals; d++) {
		int column = row + offset[d];
		if (column >= 0 && column < n)
			sum += value[d * n + row] * x[column];
	}
	y[row] = sum;
}

extern "C" __global__ void conjugate_step(int n, float alpha, const float *p, const float *ap, float *x, float *r, float *partial)
{
	__shared__ float sums[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float square = 0;
	if (i < n) {
		x[i] += alpha * p[i];
		float left = r[i] - alpha * ap[i];
		r[i] = left;
		square = left * left;
	}
	sums[threadIdx.x] = square;
	__syncthreads();
	for (int s = 128; s; s /= 2) {
		if (threadIdx.x < s)
			sums[threadIdx.x] += sums[threadIdx.x + s];
		__syncthreads();
	}
	if (!threadIdx.x)
		partial[blockIdx.x] = sums[0];
}

extern "C" __global__ void jacobi_csr(int rows, const int *start, const int *column, const float *value, const float *b, const float *x, float *next)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = b[row], pivot = 1;
	for (int k = start[row]; k < start[row + 1]; k++)
		if (column[k] == row)
			pivot = value[k];
		else
			sum -= value[k] * x[column[k]];
	next[row] = sum / pivot;
}

extern "C" __global__ void block_csr(int rows, const int *start, const int *column, const float *value, const float *x, float *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float s0 = 0, s1 = 0, s2 = 0;
	for (int k = start[row]; k < start[row + 1]; k++) {
		const float *b = value + 9 * k, *v = x + 3 * column[k];
		s0 += b[0] * v[0] + b[1] * v[1] + b[2] * v[2];
		s1 += b[3] * v[0] + b[4] * v[1] + b[5] * v[2];
		s2 += b[6] * v[0] + b[7] * v[1] + b[8] * v[2];
	}
	y[3 * row] = s0;
	y[3 * row + 1] = s1;
	y[3 * row + 2] = s2;
}

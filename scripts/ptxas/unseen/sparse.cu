/* Sparse linear algebra. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void csr_matrix(int rows, int columns, const int *start, const int *index, const float *value, const float *b, float *c)
{
	int row = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows || j >= columns)
		return;
	float sum = 0;
	for (int k = start[row]; k < start[row + 1]; k++)
		sum += value[k] * b[index[k] * columns + j];
	c[row * columns + j] = sum;
}

extern "C" __global__ void sliced_ellpack(int rows, const int *slice, const int *column, const double *value, const double *x, double *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x, at = row / 32, lane = row % 32;
	if (row >= rows)
		return;
	double sum = 0;
	for (int k = slice[at] + lane; k < slice[at + 1]; k += 32)
		sum += value[k] * x[column[k]];
	y[row] = sum;
}

extern "C" __global__ void level_solve(const int *rows, int count, const int *start, const int *column, const float *value, const float *b, float *x)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	int row = rows[i], last = start[row + 1] - 1;
	float sum = b[row];
	for (int k = start[row]; k < last; k++)
		sum -= value[k] * x[column[k]];
	x[row] = sum / value[last];
}

extern "C" __global__ void sampled_product(int count, int k, const int *row, const int *column, const float *a, const float *b, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	const float *u = a + row[i] * k, *v = b + column[i] * k;
	float dot = 0;
	for (int j = 0; j < k; j++)
		dot += u[j] * v[j];
	out[i] *= dot;
}

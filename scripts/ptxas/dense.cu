/* Dense linear algebra, as textbooks and BLAS write it. */
#define TILE 16

extern "C" __global__ void axpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

extern "C" __global__ void gemv_rows(int m, int n, const double *a, int lda, const double *x, double *y)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= m)
		return;
	double sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[row + (size_t)k * lda] * x[k];
	y[row] = sum;
}

extern "C" __global__ void gemv_transposed(int m, int n, const float *a, const float *x, float *y)
{
	__shared__ float part[128];
	int column = blockIdx.x;
	float sum = 0;
	for (int i = threadIdx.x; i < m; i += blockDim.x)
		sum += a[(size_t)column * m + i] * x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int s = blockDim.x / 2; s > 0; s >>= 1) {
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[column] = part[0];
}

extern "C" __global__ void gemm_tiled(int m, int n, int k, const float *a, const float *b, float *c)
{
	__shared__ float as[TILE][TILE], bs[TILE][TILE];
	int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;
	for (int t = 0; t < k; t += TILE) {
		as[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
		bs[threadIdx.y][threadIdx.x] = column < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + column] : 0;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
		__syncthreads();
	}
	if (row < m && column < n)
		c[row * n + column] = sum;
}

extern "C" __global__ void gemm_blocked(int n, const float *a, const float *b, float *c, float alpha, float beta)
{
	__shared__ float as[8][64], bs[8][64];
	int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
	float sum[4][4] = {};
	for (int k = 0; k < n; k += 8) {
		for (int i = threadIdx.x; i < 512; i += 256) {
			as[i / 64][i % 64] = a[(blockIdx.y * 64 + i % 64) * n + k + i / 64];
			bs[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
		}
		__syncthreads();
		for (int j = 0; j < 8; j++)
			for (int u = 0; u < 4; u++)
				for (int v = 0; v < 4; v++)
					sum[u][v] += as[j][ty * 4 + u] * bs[j][tx * 4 + v];
		__syncthreads();
	}
	for (int u = 0; u < 4; u++)
		for (int v = 0; v < 4; v++) {
			int at = (blockIdx.y * 64 + ty * 4 + u) * n + blockIdx.x * 64 + tx * 4 + v;
			c[at] = alpha * sum[u][v] + beta * c[at];
		}
}

extern "C" __global__ void lu_scale(float *a, int n, int k)
{
	int row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
	if (row < n)
		a[row * n + k] /= a[k * n + k];
}

extern "C" __global__ void lu_update(float *a, int n, int k)
{
	int row = k + 1 + blockIdx.y * blockDim.y + threadIdx.y, column = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
	if (row < n && column < n)
		a[row * n + column] -= a[row * n + k] * a[k * n + column];
}

extern "C" __global__ void cholesky_panel(double *a, int n, int k)
{
	__shared__ double pivot;
	if (threadIdx.x == 0)
		pivot = a[k * n + k] = sqrt(a[k * n + k]);
	__syncthreads();
	for (int row = k + 1 + threadIdx.x; row < n; row += blockDim.x) {
		double sum = a[row * n + k];
		for (int j = 0; j < k; j++)
			sum -= a[row * n + j] * a[k * n + j];
		a[row * n + k] = sum / pivot;
	}
}

extern "C" __global__ void householder(const float *v, float *a, int m, int n, float tau)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	if (column >= n)
		return;
	float dot = 0;
	for (int i = 0; i < m; i++)
		dot += v[i] * a[i * n + column];
	dot *= tau;
	for (int i = 0; i < m; i++)
		a[i * n + column] -= dot * v[i];
}

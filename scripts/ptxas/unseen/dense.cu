/* Dense linear algebra. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void syrk(int n, int k, const float *a, float *c, float alpha)
{
	int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n || j > i)
		return;
	float sum = 0;
	for (int p = 0; p < k; p++)
		sum += a[i * k + p] * a[j * k + p];
	c[i * n + j] += alpha * sum;
}

extern "C" __global__ void triangular_solve(const double *l, double *b, int n, int columns)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	if (column >= columns)
		return;
	for (int i = 0; i < n; i++) {
		double sum = b[i * columns + column];
		for (int j = 0; j < i; j++)
			sum -= l[i * n + j] * b[j * columns + column];
		b[i * columns + column] = sum / l[i * n + i];
	}
}

extern "C" __global__ void transpose(const float *in, float *out, int width, int height)
{
	__shared__ float tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		if (x < width && y + j < height)
			tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		if (x < height && y + j < width)
			out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void givens(float *a, int n, int row, float c, float s)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < n) {
		float x = a[row * n + j], y = a[(row + 1) * n + j];
		a[row * n + j] = c * x + s * y;
		a[(row + 1) * n + j] = c * y - s * x;
	}
}

extern "C" __global__ void gram_schmidt(float *q, const float *a, float *r, int m, int n, int k)
{
	int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= n)
		return;
	float dot = 0;
	for (int i = 0; i < m; i++)
		dot += q[i * n + k] * a[i * n + j];
	r[k * n + j] = dot;
	for (int i = 0; i < m; i++)
		q[i * n + j] = a[i * n + j] - q[i * n + k] * dot;
}

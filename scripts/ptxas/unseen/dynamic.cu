/* Dynamic programming. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void subsequence(const char *a, const char *b, short *table, int n, int diagonal)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = diagonal - i;
	if (i >= n || j < 0 || j >= n)
		return;
	int w = n + 1;
	short *at = table + (i + 1) * w + j + 1;
	*at = a[i] == b[j] ? at[-w - 1] + 1 : max(at[-1], at[-w]);
}

extern "C" __global__ void affine_gaps(const char *a, const char *b, int *h, int *e, int *f, int n, int diagonal, int open, int extend)
{
	int i = 1 + blockIdx.x * blockDim.x + threadIdx.x, j = diagonal - i, w = n + 1;
	if (i > n || j < 1 || j > n)
		return;
	int at = i * w + j;
	int left = max(e[at - 1] - extend, h[at - 1] - open), up = max(f[at - w] - extend, h[at - w] - open);
	int diagonal_score = h[at - w - 1] + (a[i - 1] == b[j - 1] ? 2 : -1);
	e[at] = left;
	f[at] = up;
	h[at] = max(max(0, diagonal_score), max(left, up));
}

extern "C" __global__ void forward_algorithm(const double *alpha, const double *transition, const double *emission, double *next, int states, int symbol)
{
	int s = blockIdx.x * blockDim.x + threadIdx.x;
	if (s >= states)
		return;
	double sum = 0;
	for (int p = 0; p < states; p++)
		sum += alpha[p] * transition[p * states + s];
	next[s] = sum * emission[s * 4 + symbol];
}

extern "C" __global__ void dtw(const float *x, const float *y, float *d, int n, int m, int diagonal)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = diagonal - i;
	if (i >= n || j < 0 || j >= m)
		return;
	float cost = fabsf(x[i] - y[j]), best = 1e30f;
	if (i > 0)
		best = fminf(best, d[(i - 1) * m + j]);
	if (j > 0)
		best = fminf(best, d[i * m + j - 1]);
	if (i > 0 && j > 0)
		best = fminf(best, d[(i - 1) * m + j - 1]);
	d[i * m + j] = cost + (i || j ? best : 0);
}

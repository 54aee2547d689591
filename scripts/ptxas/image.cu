/* Image processing. */
extern "C" __global__ void grey(const uchar4 *in, unsigned char *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		uchar4 p = in[i];
		out[i] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
	}
}

extern "C" __global__ void planes(const uchar4 *in, unsigned char *r, unsigned char *g, unsigned char *b, unsigned char *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		uchar4 p = in[i];
		r[i] = p.x;
		g[i] = p.y;
		b[i] = p.z;
		a[i] = p.w;
	}
}

extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
		return;
	const unsigned char *p = in + y * w + x;
	int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
	int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
	out[y * w + x] = (unsigned char)min(255, abs(gx) + abs(gy));
}

extern "C" __global__ void bilinear(const float *in, float *out, int w, int h, int w2, int h2)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w2 || y >= h2)
		return;
	float fx = (x + 0.5f) * w / w2 - 0.5f, fy = (y + 0.5f) * h / h2 - 0.5f;
	int x0 = (int)floorf(fx), y0 = (int)floorf(fy), x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
	float ax = fx - x0, ay = fy - y0;
	x0 = max(x0, 0), y0 = max(y0, 0);
	out[y * w2 + x] = (in[y0 * w + x0] * (1 - ax) + in[y0 * w + x1] * ax) * (1 - ay) + (in[y1 * w + x0] * (1 - ax) + in[y1 * w + x1] * ax) * ay;
}

extern "C" __global__ void median3(const unsigned char *in, unsigned char *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
		return;
	int v[9], n = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			v[n++] = in[(y + dy) * w + x + dx];
	for (int i = 0; i < 5; i++)
		for (int j = i + 1; j < 9; j++) {
			int low = min(v[i], v[j]), high = max(v[i], v[j]);
			v[i] = low;
			v[j] = high;
		}
	out[y * w + x] = (unsigned char)v[4];
}

extern "C" __global__ void image_histogram(const unsigned char *in, int n, unsigned *bins)
{
	__shared__ unsigned local[256];
	local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[in[i]], 1);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void convolve_rows(const float *in, const float *filter, float *out, int w, int h, int radius)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (x >= w)
		return;
	float sum = 0;
	for (int k = -radius; k <= radius; k++)
		sum += filter[k + radius] * in[y * w + min(max(x + k, 0), w - 1)];
	out[y * w + x] = sum;
}

extern "C" __global__ void rgb_to_yuv(const unsigned char *rgb, unsigned char *y, unsigned char *u, unsigned char *v, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
	y[i] = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
	u[i] = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
	v[i] = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
}

extern "C" __global__ void bilateral(const float *in, float *out, int w, int h, float sigma_s, float sigma_r)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float centre = in[y * w + x], sum = 0, weights = 0;
	for (int dy = -3; dy <= 3; dy++)
		for (int dx = -3; dx <= 3; dx++) {
			float p = in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)], d = p - centre;
			float weight = __expf(-(dx * dx + dy * dy) * sigma_s - d * d * sigma_r);
			sum += weight * p;
			weights += weight;
		}
	out[y * w + x] = sum / weights;
}

/* Image processing. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void blend(const uchar4 *over, const uchar4 *under, uchar4 *out, int n, float alpha)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	uchar4 a = over[i], b = under[i];
	float t = alpha * a.w / 255;
	out[i] = make_uchar4(a.x * t + b.x * (1 - t), a.y * t + b.y * (1 - t), a.z * t + b.z * (1 - t), 255);
}

extern "C" __global__ void erode(const unsigned char *in, unsigned char *out, int w, int h, int r)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	unsigned char least = 255;
	for (int v = max(y - r, 0); v <= min(y + r, h - 1); v++)
		for (int u = max(x - r, 0); u <= min(x + r, w - 1); u++)
			least = min(least, in[v * w + u]);
	out[y * w + x] = least;
}

extern "C" __global__ void integral_rows(const unsigned char *in, unsigned *out, int w, int h)
{
	int y = blockIdx.x * blockDim.x + threadIdx.x;
	if (y >= h)
		return;
	unsigned sum = 0;
	for (int x = 0; x < w; x++) {
		sum += in[y * w + x];
		out[y * w + x] = sum;
	}
}

extern "C" __global__ void dct8(const float *in, float *out, int w)
{
	__shared__ float block[8][8];
	int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 8 + x, gy = blockIdx.y * 8 + y;
	block[y][x] = in[gy * w + gx];
	__syncthreads();
	float sum = 0;
	for (int v = 0; v < 8; v++)
		for (int u = 0; u < 8; u++)
			sum += block[v][u] * cosf((2 * u + 1) * x * 0.19634954f) * cosf((2 * v + 1) * y * 0.19634954f);
	out[gy * w + gx] = sum * (x ? 0.5f : 0.35355339f) * (y ? 0.5f : 0.35355339f);
}

extern "C" __global__ void optical_flow(const float *i0, const float *i1, float *u, float *v, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 3 || y < 3 || x >= w - 3 || y >= h - 3)
		return;
	float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
	for (int dy = -2; dy <= 2; dy++)
		for (int dx = -2; dx <= 2; dx++) {
			int i = (y + dy) * w + x + dx;
			float gx = (i0[i + 1] - i0[i - 1]) / 2, gy = (i0[i + w] - i0[i - w]) / 2, gt = i1[i] - i0[i];
			xx += gx * gx, xy += gx * gy, yy += gy * gy, xt += gx * gt, yt += gy * gt;
		}
	float det = xx * yy - xy * xy;
	u[y * w + x] = det > 1e-6f ? (xy * yt - yy * xt) / det : 0;
	v[y * w + x] = det > 1e-6f ? (xy * xt - xx * yt) / det : 0;
}

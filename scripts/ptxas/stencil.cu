/* Stencils on grids. */
extern "C" __global__ void heat2d(const float *in, float *out, int w, int h, float k)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
		return;
	int c = y * w + x;
	out[c] = in[c] + k * (in[c - 1] + in[c + 1] + in[c - w] + in[c + w] - 4 * in[c]);
}

extern "C" __global__ void heat3d(const double *in, double *out, int nx, int ny, int nz, double k)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
		return;
	int plane = nx * ny, at = plane + y * nx + x;
	double below = in[at - plane], here = in[at];
	for (int z = 1; z < nz - 1; z++, at += plane) {
		double above = in[at + plane];
		out[at] = here + k * (below + above + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] - 6 * here);
		below = here;
		here = above;
	}
}

extern "C" __global__ void wave2d(const float *now, const float *before, float *next, const float *speed, int w, int h, float dt)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * w + x;
	if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2)
		return;
	float laplace = -5.0f * now[i] + (4.0f / 3) * (now[i - 1] + now[i + 1] + now[i - w] + now[i + w]) -
		(1.0f / 12) * (now[i - 2] + now[i + 2] + now[i - 2 * w] + now[i + 2 * w]);
	float c = speed[i] * dt;
	next[i] = 2 * now[i] - before[i] + c * c * laplace;
}

extern "C" __global__ void shallow_water(const float *h, const float *u, const float *v, float *h2, float *u2, float *v2, int w, int n, float dt, float dx, float g)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || y < 1 || x >= w - 1 || y >= n - 1)
		return;
	int i = y * w + x;
	float s = dt / (2 * dx);
	h2[i] = h[i] - s * (h[i] * (u[i + 1] - u[i - 1]) + h[i] * (v[i + w] - v[i - w]));
	u2[i] = u[i] - s * (g * (h[i + 1] - h[i - 1]) + u[i] * (u[i + 1] - u[i - 1]) + v[i] * (u[i + w] - u[i - w]));
	v2[i] = v[i] - s * (g * (h[i + w] - h[i - w]) + u[i] * (v[i + 1] - v[i - 1]) + v[i] * (v[i + w] - v[i - w]));
}

extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	int sum = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			if (dx || dy)
				sum += in[(y + dy + h) % h * w + (x + dx + w) % w];
	out[y * w + x] = sum == 3 || (sum == 2 && in[y * w + x]);
}

extern "C" __global__ void tiled_blur(const float *in, float *out, int w, int h)
{
	__shared__ float tile[18][18];
	int gx = blockIdx.x * 16 + threadIdx.x, gy = blockIdx.y * 16 + threadIdx.y;
	for (int y = threadIdx.y; y < 18; y += 16)
		for (int x = threadIdx.x; x < 18; x += 16) {
			int sx = min(max((int)blockIdx.x * 16 + x - 1, 0), w - 1), sy = min(max((int)blockIdx.y * 16 + y - 1, 0), h - 1);
			tile[y][x] = in[sy * w + sx];
		}
	__syncthreads();
	float sum = 0;
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 3; x++)
			sum += tile[threadIdx.y + y][threadIdx.x + x];
	if (gx < w && gy < h)
		out[gy * w + gx] = sum / 9;
}

extern "C" __global__ void red_black(float *u, const float *f, int n, int colour, float h2, float omega)
{
	int y = 1 + blockIdx.y * blockDim.y + threadIdx.y, x = 1 + 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (y + colour) % 2;
	if (x >= n - 1 || y >= n - 1)
		return;
	float *c = u + y * n + x;
	float next = (c[-1] + c[1] + c[-n] + c[n] - h2 * f[y * n + x]) * 0.25f;
	*c += omega * (next - *c);
}

extern "C" __global__ void maxwell_e(float *ex, float *ey, const float *hz, int w, int h, float k)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	if (y > 0)
		ex[y * w + x] += k * (hz[y * w + x] - hz[(y - 1) * w + x]);
	if (x > 0)
		ey[y * w + x] -= k * (hz[y * w + x] - hz[y * w + x - 1]);
}

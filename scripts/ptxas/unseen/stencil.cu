/* Stencils on grids. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void advect(const float *q, const float *u, const float *v, float *out, int w, int h, float dt)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float fx = x - dt * u[y * w + x], fy = y - dt * v[y * w + x];
	fx = fminf(fmaxf(fx, 0.0f), w - 1.001f), fy = fminf(fmaxf(fy, 0.0f), h - 1.001f);
	int ix = (int)fx, iy = (int)fy;
	float ax = fx - ix, ay = fy - iy;
	const float *p = q + iy * w + ix;
	out[y * w + x] = (1 - ay) * ((1 - ax) * p[0] + ax * p[1]) + ay * ((1 - ax) * p[w] + ax * p[w + 1]);
}

extern "C" __global__ void divergence(const float *u, const float *v, const float *w, float *out, int nx, int ny, int nz, float h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
	if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
		return;
	int i = (z * ny + y) * nx + x;
	out[i] = 0.5f / h * (u[i + 1] - u[i - 1] + v[i + nx] - v[i - nx] + w[i + nx * ny] - w[i - nx * ny]);
}

extern "C" __global__ void diffusion_1d(const double *in, double *out, int n, int steps)
{
	__shared__ double cells[260];
	int i = blockIdx.x * 256 + threadIdx.x;
	cells[threadIdx.x + 2] = i < n ? in[i] : 0;
	if (threadIdx.x < 2)
		cells[threadIdx.x] = i >= 2 ? in[i - 2] : 0;
	if (threadIdx.x >= 254)
		cells[threadIdx.x + 4] = i + 2 < n ? in[i + 2] : 0;
	__syncthreads();
	double *c = cells + threadIdx.x + 2;
	if (i < n)
		out[i] = (-c[-2] + 16 * c[-1] - 30 * c[0] + 16 * c[1] - c[2]) / 12;
}

extern "C" __global__ void lattice_boltzmann(const float *f, float *g, int w, int h, float omega)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	int n = w * h, left = (x + w - 1) % w, right = (x + 1) % w, up = (y + h - 1) % h, down = (y + 1) % h;
	float f0 = f[y * w + x], f1 = f[n + y * w + left], f2 = f[2 * n + up * w + x], f3 = f[3 * n + y * w + right], f4 = f[4 * n + down * w + x];
	float rho = f0 + f1 + f2 + f3 + f4, ux = (f1 - f3) / rho, uy = (f2 - f4) / rho;
	int i = y * w + x;
	g[i] = f0 + omega * (rho / 3 - f0);
	g[n + i] = f1 + omega * (rho / 6 * (1 + 3 * ux) - f1);
	g[2 * n + i] = f2 + omega * (rho / 6 * (1 + 3 * uy) - f2);
	g[3 * n + i] = f3 + omega * (rho / 6 * (1 - 3 * ux) - f3);
	g[4 * n + i] = f4 + omega * (rho / 6 * (1 - 3 * uy) - f4);
}

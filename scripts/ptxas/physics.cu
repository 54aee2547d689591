/* Particles, fields and rays. */
extern "C" __global__ void gravity(const float4 *body, float4 *velocity, int n, float dt, float softening)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 p = body[i];
	float ax = 0, ay = 0, az = 0;
	for (int j = 0; j < n; j++) {
		float4 q = body[j];
		float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
		float s = q.w * inverse * inverse * inverse;
		ax += dx * s, ay += dy * s, az += dz * s;
	}
	velocity[i].x += ax * dt;
	velocity[i].y += ay * dt;
	velocity[i].z += az * dt;
}

extern "C" __global__ void lennard_jones(const float *x, const float *y, const float *z, const int *neighbour, int most, int n, float *fx, float *fy, float *fz, float cut2)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float px = x[i], py = y[i], pz = z[i], ax = 0, ay = 0, az = 0;
	for (int k = 0; k < most; k++) {
		int j = neighbour[k * n + i];
		float dx = px - x[j], dy = py - y[j], dz = pz - z[j], r2 = dx * dx + dy * dy + dz * dz;
		if (r2 < cut2) {
			float i2 = 1 / r2, i6 = i2 * i2 * i2, f = i2 * i6 * (48 * i6 - 24);
			ax += dx * f, ay += dy * f, az += dz * f;
		}
	}
	fx[i] = ax, fy[i] = ay, fz[i] = az;
}

extern "C" __global__ void verlet(float *x, float *y, float *z, float *vx, float *vy, float *vz, const float *fx, const float *fy, const float *fz, int n, float dt, float mass)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float s = 0.5f * dt / mass;
	vx[i] += s * fx[i], vy[i] += s * fy[i], vz[i] += s * fz[i];
	x[i] += dt * vx[i], y[i] += dt * vy[i], z[i] += dt * vz[i];
}

extern "C" __global__ void sph_density(const float4 *position, const int *start, const int *end, float *density, int n, int grid, float h)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 p = position[i];
	int cx = (int)(p.x / h), cy = (int)(p.y / h);
	float sum = 0, h2 = h * h;
	for (int y = max(cy - 1, 0); y <= min(cy + 1, grid - 1); y++)
		for (int x = max(cx - 1, 0); x <= min(cx + 1, grid - 1); x++) {
			int cell = y * grid + x;
			for (int j = start[cell]; j < end[cell]; j++) {
				float dx = position[j].x - p.x, dy = position[j].y - p.y, d = h2 - dx * dx - dy * dy;
				if (d > 0)
					sum += d * d * d;
			}
		}
	density[i] = sum * 4 / (3.14159265f * h2 * h2 * h2 * h2);
}

extern "C" __global__ void particle_push(float *x, float *v, const float *field, int n, int cells, float qm, float dt, float dx)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float at = x[i] / dx;
	int c = (int)at;
	float w = at - c, e = (1 - w) * field[c] + w * field[(c + 1) % cells];
	v[i] += qm * e * dt;
	float to = x[i] + v[i] * dt, length = cells * dx;
	x[i] = to < 0 ? to + length : to >= length ? to - length : to;
}

extern "C" __global__ void spheres(const float4 *sphere, int count, float *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float dx = (x - w * 0.5f) / w, dy = (y - h * 0.5f) / w, dz = 1, scale = rsqrtf(dx * dx + dy * dy + 1);
	dx *= scale, dy *= scale, dz *= scale;
	float nearest = 1e30f;
	for (int s = 0; s < count; s++) {
		float4 c = sphere[s];
		float b = c.x * dx + c.y * dy + c.z * dz, d = b * b - (c.x * c.x + c.y * c.y + c.z * c.z - c.w * c.w);
		if (d > 0) {
			float t = b - sqrtf(d);
			if (t > 0)
				nearest = fminf(nearest, t);
		}
	}
	out[y * w + x] = nearest < 1e30f ? 1 / (1 + nearest) : 0;
}

extern "C" __global__ void euler_flux(const double *rho, const double *u, const double *p, double *flux, int n, double gamma)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n - 1)
		return;
	double rl = rho[i], ul = u[i], pl = p[i], rr = rho[i + 1], ur = u[i + 1], pr = p[i + 1];
	double el = pl / (gamma - 1) + 0.5 * rl * ul * ul, er = pr / (gamma - 1) + 0.5 * rr * ur * ur;
	double s = fmax(fabs(ul) + sqrt(gamma * pl / rl), fabs(ur) + sqrt(gamma * pr / rr));
	flux[i] = 0.5 * (rl * ul + rr * ur - s * (rr - rl));
	flux[n + i] = 0.5 * (rl * ul * ul + pl + rr * ur * ur + pr - s * (rr * ur - rl * ul));
	flux[2 * n + i] = 0.5 * ((el + pl) * ul + (er + pr) * ur - s * (er - el));
}

extern "C" __global__ void springs(const float3 *position, const float3 *before, float3 *next, int w, int h, float k, float rest, float dt)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float3 p = position[y * w + x];
	float fx = 0, fy = -9.81f, fz = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			if (!(dx || dy) || x + dx < 0 || y + dy < 0 || x + dx >= w || y + dy >= h)
				continue;
			float3 q = position[(y + dy) * w + x + dx];
			float ex = q.x - p.x, ey = q.y - p.y, ez = q.z - p.z, length = sqrtf(ex * ex + ey * ey + ez * ez);
			float wanted = rest * (dx && dy ? 1.41421356f : 1), f = k * (length - wanted) / length;
			fx += f * ex, fy += f * ey, fz += f * ez;
		}
	float3 o = before[y * w + x];
	next[y * w + x] = make_float3(2 * p.x - o.x + fx * dt * dt, 2 * p.y - o.y + fy * dt * dt, 2 * p.z - o.z + fz * dt * dt);
}

extern "C" __global__ void mandelbrot(unsigned char *out, int w, int h, float cx, float cy, float zoom, int most)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float a = cx + (x - w / 2) * zoom, b = cy + (y - h / 2) * zoom, u = 0, v = 0;
	int i = 0;
	while (i < most && u * u + v * v < 4) {
		float t = u * u - v * v + a;
		v = 2 * u * v + b;
		u = t;
		i++;
	}
	out[y * w + x] = i * 255 / most;
}

/* Particles, fields and rays. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void coulomb_grid(const float4 *atom, int atoms, float *grid, int w, int h, float spacing, float z)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float px = x * spacing, py = y * spacing, sum = 0;
	for (int a = 0; a < atoms; a++) {
		float4 q = atom[a];
		float dx = px - q.x, dy = py - q.y, dz = z - q.z;
		sum += q.w * rsqrtf(dx * dx + dy * dy + dz * dz);
	}
	grid[y * w + x] += sum;
}

extern "C" __global__ void k_means_assign(const float *point, const float *centre, int *cluster, int n, int k, int dimensions)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float best = 1e38f;
	int at = 0;
	for (int c = 0; c < k; c++) {
		float d = 0;
		for (int j = 0; j < dimensions; j++) {
			float e = point[j * n + i] - centre[c * dimensions + j];
			d += e * e;
		}
		if (d < best) {
			best = d;
			at = c;
		}
	}
	cluster[i] = at;
}

extern "C" __global__ void cell_lists(const float *x, const float *y, const float *z, int n, int *cell, int *count, int gx, int gy, int gz, float size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int cx = min(max((int)(x[i] / size), 0), gx - 1), cy = min(max((int)(y[i] / size), 0), gy - 1), cz = min(max((int)(z[i] / size), 0), gz - 1);
	int c = (cz * gy + cy) * gx + cx;
	cell[i] = c;
	atomicAdd(&count[c], 1);
}

extern "C" __global__ void triangle_hits(const float3 *vertex, const int3 *face, int faces, const float3 *origin, const float3 *direction, float *distance, int rays)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= rays)
		return;
	float3 o = origin[r], d = direction[r];
	float nearest = 1e30f;
	for (int f = 0; f < faces; f++) {
		int3 t = face[f];
		float3 a = vertex[t.x], b = vertex[t.y], c = vertex[t.z];
		float e1x = b.x - a.x, e1y = b.y - a.y, e1z = b.z - a.z, e2x = c.x - a.x, e2y = c.y - a.y, e2z = c.z - a.z;
		float px = d.y * e2z - d.z * e2y, py = d.z * e2x - d.x * e2z, pz = d.x * e2y - d.y * e2x, det = e1x * px + e1y * py + e1z * pz;
		if (fabsf(det) < 1e-8f)
			continue;
		float inverse = 1 / det, sx = o.x - a.x, sy = o.y - a.y, sz = o.z - a.z, u = (sx * px + sy * py + sz * pz) * inverse;
		float qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x, v = (d.x * qx + d.y * qy + d.z * qz) * inverse;
		float at = (e2x * qx + e2y * qy + e2z * qz) * inverse;
		if (u >= 0 && v >= 0 && u + v <= 1 && at > 0)
			nearest = fminf(nearest, at);
	}
	distance[r] = nearest;
}

extern "C" __global__ void quantum_gate(double2 *state, int target, int n, double2 u00, double2 u01, double2 u10, double2 u11)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n / 2)
		return;
	int low = i & ((1 << target) - 1), a = (i >> target) << (target + 1) | low, b = a | 1 << target;
	double2 x = state[a], y = state[b];
	state[a] = make_double2(u00.x * x.x - u00.y * x.y + u01.x * y.x - u01.y * y.y, u00.x * x.y + u00.y * x.x + u01.x * y.y + u01.y * y.x);
	state[b] = make_double2(u10.x * x.x - u10.y * x.y + u11.x * y.x - u11.y * y.y, u10.x * x.y + u10.y * x.x + u11.x * y.y + u11.y * y.x);
}

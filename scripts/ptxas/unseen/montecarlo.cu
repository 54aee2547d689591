/* Monte Carlo methods. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void asian_option(float *out, const float *normal, int steps, int paths, float s0, float k, float drift, float spread)
{
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	if (p >= paths)
		return;
	float s = s0, sum = 0;
	for (int i = 0; i < steps; i++) {
		s *= __expf(drift + spread * normal[i * paths + p]);
		sum += s;
	}
	out[p] = fmaxf(sum / steps - k, 0.0f);
}

extern "C" __global__ void integrate(double *out, int samples, int dimensions, unsigned long long seed)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long state = seed + t;
	double sum = 0;
	for (int i = 0; i < samples; i++) {
		double r = 0;
		for (int d = 0; d < dimensions; d++) {
			state ^= state >> 12;
			state ^= state << 25;
			state ^= state >> 27;
			double u = (state * 2685821657736338717ull >> 11) * (1.0 / 9007199254740992.0);
			r += u * u;
		}
		sum += r < 1 ? sqrt(1 - r) : 0;
	}
	out[t] = sum / samples;
}

extern "C" __global__ void particle_filter(const float *x, const float *y, const float *observed, float *weight, int particles, int points, float sigma)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= particles)
		return;
	float likelihood = 0;
	for (int p = 0; p < points; p++) {
		float dx = observed[2 * p] - x[i], dy = observed[2 * p + 1] - y[i];
		likelihood += dx * dx + dy * dy;
	}
	weight[i] *= expf(-likelihood / (2 * sigma * sigma * points));
}

extern "C" __global__ void mersenne(unsigned *states, float *out, int count)
{
	unsigned *s = states + (blockIdx.x * blockDim.x + threadIdx.x) * 19;
	float *o = out + (blockIdx.x * blockDim.x + threadIdx.x) * count;
	for (int i = 0, at = 0; i < count; i++) {
		int next = at + 1 == 19 ? 0 : at + 1, far = at + 9 >= 19 ? at - 10 : at + 9;
		unsigned x = (s[at] & 0xfffffffe) | (s[next] & 1);
		x = s[far] ^ (x >> 1) ^ (x & 1 ? 0xe4bd75f5u : 0);
		s[at] = x;
		at = next;
		x ^= x >> 12;
		x ^= x << 7 & 0x655e5280u;
		x ^= x << 15 & 0xffd58000u;
		o[i] = (x ^ x >> 18) * 2.3283064e-10f;
	}
}

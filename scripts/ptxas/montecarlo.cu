/* Monte Carlo methods. */
static __device__ unsigned next_random(unsigned &state)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static __device__ float uniform(unsigned &state)
{
	return next_random(state) * 2.3283064e-10f;
}

extern "C" __global__ void estimate_pi(unsigned *hits, int trials, unsigned seed)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned state = seed + 747796405u * (t + 1), inside = 0;
	for (int i = 0; i < trials; i++) {
		float x = uniform(state), y = uniform(state);
		inside += x * x + y * y < 1;
	}
	hits[t] = inside;
}

extern "C" __global__ void european_option(float *out, int paths, float s, float k, float r, float v, float t, unsigned seed)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned state = seed ^ (id * 2654435761u | 1);
	float drift = (r - 0.5f * v * v) * t, spread = v * sqrtf(t), sum = 0, squares = 0;
	for (int i = 0; i < paths; i++) {
		float u = uniform(state) + 1e-9f, w = uniform(state);
		float z = sqrtf(-2 * __logf(u)) * __cosf(6.2831853f * w);
		float payoff = fmaxf(s * __expf(drift + spread * z) - k, 0.0f);
		sum += payoff;
		squares += payoff * payoff;
	}
	out[2 * id] = sum;
	out[2 * id + 1] = squares;
}

extern "C" __global__ void ising(signed char *spin, const float *table, int w, int h, int colour, unsigned seed)
{
	int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
	x += (y + colour) & 1;
	if (x >= w || y >= h)
		return;
	int sum = spin[y * w + (x + 1) % w] + spin[y * w + (x + w - 1) % w] + spin[(y + 1) % h * w + x] + spin[(y + h - 1) % h * w + x];
	unsigned state = seed ^ (y * w + x) * 2246822519u;
	next_random(state);
	int s = spin[y * w + x];
	if (uniform(state) < table[(s * sum + 4) / 2])
		spin[y * w + x] = -s;
}

extern "C" __global__ void random_walk(float2 *position, int walkers, int steps, unsigned seed)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= walkers)
		return;
	float2 p = position[t];
	unsigned state = seed + t * 1664525u + 1;
	for (int i = 0; i < steps; i++) {
		float s, c;
		__sincosf(6.2831853f * uniform(state), &s, &c);
		p.x += c;
		p.y += s;
	}
	position[t] = p;
}

extern "C" __global__ void metropolis(double *x, double *energy, int chains, int steps, double beta, double width, unsigned long long seed)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c >= chains)
		return;
	unsigned long long state = seed + 0x9e3779b97f4a7c15ull * (c + 1);
	double at = x[c], e = at * at * at * at - 2 * at * at;
	for (int i = 0; i < steps; i++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		double u = (state >> 11) * (1.0 / 9007199254740992.0);
		double to = at + width * (u - 0.5), f = to * to * to * to - 2 * to * to;
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		if ((state >> 11) * (1.0 / 9007199254740992.0) < exp(-beta * (f - e))) {
			at = to;
			e = f;
		}
	}
	x[c] = at;
	energy[c] = e;
}

extern "C" __global__ void photon_transport(float *absorbed, int photons, int bins, float mu_a, float mu_s, float g, unsigned seed)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= photons)
		return;
	unsigned state = seed ^ (t + 1) * 3266489917u;
	float z = 0, uz = 1, weight = 1, total = mu_a + mu_s;
	while (weight > 0.001f && z >= 0) {
		float step = -__logf(uniform(state) + 1e-9f) / total;
		z += step * uz;
		int bin = min(max((int)(z * 10), 0), bins - 1);
		atomicAdd(&absorbed[bin], weight * mu_a / total);
		weight *= mu_s / total;
		float temp = (1 - g * g) / (1 - g + 2 * g * uniform(state)), cost = (1 + g * g - temp * temp) / (2 * g);
		uz = uz * cost - sqrtf(fmaxf(1 - uz * uz, 0.0f)) * sqrtf(1 - cost * cost) * __cosf(6.2831853f * uniform(state));
	}
}

extern "C" __global__ void philox(uint4 *out, int n, unsigned key0, unsigned key1)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	uint4 c = make_uint4(i, 0, 0, 0);
	for (int r = 0; r < 10; r++) {
		unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x, hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
		c = make_uint4(hi1 ^ c.y ^ key0, lo1, hi0 ^ c.w ^ key1, lo0);
		key0 += 0x9E3779B9u;
		key1 += 0xBB67AE85u;
	}
	out[i] = c;
}

/* Signal processing. */
extern "C" __global__ void fir(const float *in, const float *taps, float *out, int n, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum = 0;
	for (int k = 0; k < count; k++)
		if (i >= k)
			sum += taps[k] * in[i - k];
	out[i] = sum;
}

extern "C" __global__ void fft_radix2(const float2 *in, float2 *out, int n, int half)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= n / 2)
		return;
	int k = t & (half - 1), at = (t - k) * 2 + k;
	float s, c;
	__sincosf(-3.14159265f * k / half, &s, &c);
	float2 a = in[t], b = in[t + n / 2];
	float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
	out[at] = make_float2(a.x + w.x, a.y + w.y);
	out[at + half] = make_float2(a.x - w.x, a.y - w.y);
}

extern "C" __global__ void fft_shared(float2 *data)
{
	__shared__ float2 x[256];
	int t = threadIdx.x, base = blockIdx.x * 256;
	x[__brev(t) >> 24] = data[base + t];
	__syncthreads();
	for (int half = 1; half < 256; half *= 2) {
		if (t < 128) {
			int k = t % half, i = (t / half) * 2 * half + k, j = i + half;
			float s, c;
			sincospif(-(float)k / half, &s, &c);
			float2 a = x[i], b = x[j];
			float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
			x[i] = make_float2(a.x + w.x, a.y + w.y);
			x[j] = make_float2(a.x - w.x, a.y - w.y);
		}
		__syncthreads();
	}
	data[base + t] = x[t];
}

extern "C" __global__ void haar(const float *in, float *low, float *high, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n / 2) {
		float a = in[2 * i], b = in[2 * i + 1];
		low[i] = (a + b) * 0.70710678f;
		high[i] = (a - b) * 0.70710678f;
	}
}

extern "C" __global__ void biquad(const float *in, float *out, int channels, int n, float b0, float b1, float b2, float a1, float a2)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c >= channels)
		return;
	float z1 = 0, z2 = 0;
	for (int i = 0; i < n; i++) {
		float x = in[i * channels + c], y = b0 * x + z1;
		z1 = b1 * x - a1 * y + z2;
		z2 = b2 * x - a2 * y;
		out[i * channels + c] = y;
	}
}

extern "C" __global__ void autocorrelation(const float *in, float *out, int n, int lags)
{
	int lag = blockIdx.x * blockDim.x + threadIdx.x;
	if (lag >= lags)
		return;
	float sum = 0;
	for (int i = 0; i + lag < n; i++)
		sum += in[i] * in[i + lag];
	out[lag] = sum / (n - lag);
}

extern "C" __global__ void window_power(const float *in, float *out, int frames, int hop, int size)
{
	int f = blockIdx.x * blockDim.x + threadIdx.x;
	if (f >= frames)
		return;
	float power = 0;
	for (int i = 0; i < size; i++) {
		float w = 0.54f - 0.46f * __cosf(6.2831853f * i / (size - 1)), x = in[f * hop + i] * w;
		power += x * x;
	}
	out[f] = 10 * log10f(power / size + 1e-12f);
}

extern "C" __global__ void complex_product(const float2 *a, const float2 *b, float2 *c, int n, float scale)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float2 x = a[i], y = b[i];
		c[i] = make_float2((x.x * y.x - x.y * y.y) * scale, (x.x * y.y + x.y * y.x) * scale);
	}
}

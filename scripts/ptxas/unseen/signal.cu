/* Signal processing. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void goertzel(const float *in, float *out, int n, int bins)
{
	int k = blockIdx.x * blockDim.x + threadIdx.x;
	if (k >= bins)
		return;
	float c = 2 * cosf(6.2831853f * k / n), s1 = 0, s2 = 0;
	for (int i = 0; i < n; i++) {
		float s = in[i] + c * s1 - s2;
		s2 = s1;
		s1 = s;
	}
	out[k] = s1 * s1 + s2 * s2 - c * s1 * s2;
}

extern "C" __global__ void polyphase(const float *in, const float *taps, float *out, int n, int up, int down, int length)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int at = i * down, phase = at % up, first = at / up;
	float sum = 0;
	for (int k = 0; k * up + phase < length; k++)
		if (first - k >= 0)
			sum += taps[k * up + phase] * in[first - k];
	out[i] = sum;
}

extern "C" __global__ void fft_radix4(const float2 *in, float2 *out, int n, int p)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, q = n / 4;
	if (t >= q)
		return;
	int k = t & (p - 1), at = ((t - k) << 2) + k;
	float angle = -1.5707963f * k / p, s, c;
	float2 u[4];
	for (int r = 0; r < 4; r++) {
		float2 v = in[t + r * q];
		__sincosf(angle * r, &s, &c);
		u[r] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
	}
	float2 a = make_float2(u[0].x + u[2].x, u[0].y + u[2].y), b = make_float2(u[0].x - u[2].x, u[0].y - u[2].y);
	float2 d = make_float2(u[1].x + u[3].x, u[1].y + u[3].y), e = make_float2(u[1].y - u[3].y, u[3].x - u[1].x);
	out[at] = make_float2(a.x + d.x, a.y + d.y);
	out[at + p] = make_float2(b.x + e.x, b.y + e.y);
	out[at + 2 * p] = make_float2(a.x - d.x, a.y - d.y);
	out[at + 3 * p] = make_float2(b.x - e.x, b.y - e.y);
}

extern "C" __global__ void adaptive_filter(const float *in, const float *wanted, float *weight, float *out, int n, float mu)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	float w[8], x[8] = {};
	for (int k = 0; k < 8; k++)
		w[k] = weight[c * 8 + k];
	for (int i = 0; i < n; i++) {
		for (int k = 7; k > 0; k--)
			x[k] = x[k - 1];
		x[0] = in[c * n + i];
		float y = 0;
		for (int k = 0; k < 8; k++)
			y += w[k] * x[k];
		float error = wanted[c * n + i] - y;
		for (int k = 0; k < 8; k++)
			w[k] += mu * error * x[k];
		out[c * n + i] = y;
	}
	for (int k = 0; k < 8; k++)
		weight[c * 8 + k] = w[k];
}

/* Calls on both sides of what newer C libraries declare themselves. */
__global__ void kernel(double *d, float *f)
{
	d[threadIdx.x] = sinpi(d[0]) + cospi(d[1]) + rsqrt(d[2]);
	f[threadIdx.x] = sinpif(f[0]) + cospif(f[1]) + rsqrtf(f[2]) + sinpi(f[3]) + cospi(f[4]) + rsqrt(f[5]);
}

double host(double d, float f)
{
	return sinpi(d) + cospi(d) + rsqrt(d) + sinpif(f) + cospif(f) + rsqrtf(f) + sinpi(f) + cospi(f) + rsqrt(f);
}

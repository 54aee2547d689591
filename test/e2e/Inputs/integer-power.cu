/* pow with an integer exponent is pow of doubles in device code: 1.1f^50 by squaring of floats differs in the fifth digit. */
#include <cmath>
#include <cstdio>

__global__ void powers(double *out, float a, double b, int n)
{
	out[0] = pow(a, n);
	out[1] = std::pow(b, n);
	out[2] = sizeof pow(a, n);
}

int main()
{
	double *out;
	cudaMallocManaged(&out, 3 * sizeof *out);
	powers<<<1, 1>>>(out, 1.1f, 1.1, 50);
	cudaDeviceSynchronize();
	double of_float = pow((double)1.1f, 50.0), of_double = pow(1.1, 50.0);
	bool good = fabs(out[0] / of_float - 1) < 1e-15 && fabs(out[1] / of_double - 1) < 1e-15 && out[2] == sizeof(double);
	if (!good)
		printf("%.17g for %.17g, %.17g for %.17g, %g bytes\n", out[0], of_float, out[1], of_double, out[2]);
	return !good;
}

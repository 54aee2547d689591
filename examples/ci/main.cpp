// Checks the kernels against the same work done here.
#include <cmath>
#include <cstdio>
#include <vector>

#include "signal.h"

int main()
{
	const int n = 1000;
	std::vector<float> in(n), out(n);
	for (int i = 0; i < n; i++)
		in[i] = (float)(i * 7 % 32);
	smooth_signal(in.data(), out.data(), n);
	double worst = 0, sum = 0;
	for (int i = 0; i < n; i++) {
		double around = 0;
		int count = 0;
		for (int k = i - RADIUS; k <= i + RADIUS; k++)
			if (k >= 0 && k < n)
				around += in[k], count++;
		worst = std::fmax(worst, std::fabs(out[i] - around / count));
		sum += in[i];
	}
	double total = sum_signal(in.data(), n);
	std::printf("smooth: worst error %g; total %g, expected %g\n", worst, total, sum);
	return worst < 1e-5 && total == sum ? 0 : 1;
}

// printf of device code: each line was printed so by an H100 (driver 580, CUDA 13.0).
#include <cstdio>
__device__ const char *const text = "text";
__global__ void k(const char *null, int n)
{
	int r[8], c = 0;
#define P(...) (r[c++ & 7] = printf(__VA_ARGS__))
	P("p [%p|%20p|%-20p|%p|%p]\n", (void *)0, (void *)0, (void *)0x12, (void *)0x1234, (void *)0xfedcba9876543210);
	P("p [%5p|%-5p|%05p|%#p|%+p]\n", (void *)0, (void *)0, (void *)0, (void *)0, (void *)7);
	P("s [%s|%10s|%-10s|%.3s|%10.2s|%s|%10s|%.2s]\n", text, text, text, text, text, null, null, null);
	P("d [%+5d|% 5d|%-+5d|%05d|%.5d|%8.3d|%.0d|%+.0d]\n", n, n, n, n, n, n, 0, 0);
	P("i [%i|%hi|%hhi|%li]\n", -n, -n, -n, -5l);
	P("u [%u|%hu|%hhu|%lu]\n", -1, -1, -1, -1l);
	P("x [%x|%X|%#x|%#X|%08x|%#010x|%-8x|%#x|%.4x]\n", 0xabc, 0xabc, 0xabc, 0xabc, 0xabc, 0xabc, 0xabc, 0, 0xab);
	P("o [%o|%#o|%#o|%06o|%llo]\n", 8, 8, 0, 8, 1ll << 60);
	P("c [%c|%5c|%-5c|%c]\n", 'a', 'b', 'c', 300);
	P("f [%f|%F|%.0f|%#.0f|%10.3f|%-10.3f|%+f|% f|%010.2f]\n", 1.5, 1.5, 2.5, 2.5, 3.14159, 3.14159, 1.0, 1.0, -2.5);
	P("e [%e|%E|%.0e|%#.0e|%.10e|%15.3e]\n", 12345.678, 12345.678, 12345.678, 12345.678, 1.0 / 3, 1e-300);
	P("g [%g|%G|%g|%g|%g|%#g|%.3g|%.10g|%g]\n", 1e5, 1e-5, 1e6, 123456789.0, 0.0001, 1.0, 1234.5, 1.0 / 3, 1e300);
	P("a [%a|%A|%a|%a|%20a]\n", 1.0, 255.5, 0.0, 1e-310, -3.0);
	P("inf [%f|%F|%e|%g|%a|%5f|%-6f|%+f|%06f]\n", 1.0 / 0.0, 1.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0, 1.0 / 0.0, 1.0 / 0.0,
	  1.0 / 0.0, 1.0 / 0.0, 1.0 / 0.0);
	P("star [%*d|%-*d|%0*d|%.*d]\n", 5, 1, 5, 2, 5, 3, 3, 4);
	P("percent [%%|%5%|%-5%|]\n");
	P("flags [%-05d|%+ d|%0-5d|%+05d|%#5x]\n", 1, 2, 3, 4, 5);
	P("mix [%d %s %f %c %p]\n", 1, "a", 2.0, 'c', (void *)16);
	P("unknown [%y|%d]\n", 1);
	P("end %");
	P("\n");
	P("");
	P("none\n");
	for (int i = 0; i < 8; i++)
		printf("%d ", r[i]);
	printf("\n");
}
int main()
{
	k<<<1, 1>>>(nullptr, 42);
	return cudaDeviceSynchronize() != cudaSuccess;
}

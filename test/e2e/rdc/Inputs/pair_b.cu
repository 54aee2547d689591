__device__ int other(int x) { return x * x + 7; }

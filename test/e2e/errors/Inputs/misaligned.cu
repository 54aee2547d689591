__global__ void k(char *p) { *(int *)(p + 5) = 1; }
__global__ void s() { __shared__ char b[64]; *(volatile int *)(b + 2 + threadIdx.x) = 1; }
int main(int c, char **) { char *p; cudaMalloc(&p, 100); if (c > 1) s<<<1, 1>>>(); else k<<<1, 1>>>(p); cudaDeviceSynchronize(); }

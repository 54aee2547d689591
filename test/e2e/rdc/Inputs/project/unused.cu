// In the archive, needed by nothing: it would not link.
__device__ int nowhere(int x);
__global__ void unused(int *x) { *x = nowhere(*x); }

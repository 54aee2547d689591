extern __device__ int elsewhere(int);
__global__ void kernel(int *p)
{
    *p = elsewhere(*p);
}

__device__ int missing(int x);
extern __device__ int lost;
__global__ void kernel(int *x)
{
    *x = missing(*x);
    *x += lost;
}
int main() { kernel<<<1, 1>>>(nullptr); }

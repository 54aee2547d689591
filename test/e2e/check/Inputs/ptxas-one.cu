// Calls into ptxas-two.cu, and has variables of it; both have a kernel of their own by one name.
extern __device__ float helper(float x);
extern __constant__ float table[4];
__device__ float state;
static __device__ int hidden;

__global__ void caller(float *x) { x[threadIdx.x] = helper(x[threadIdx.x]) + table[1] + state; }
static __global__ void own(float *x) { x[hidden] = 1; }
int main() { own<<<1, 1>>>(nullptr); }

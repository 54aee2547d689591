/* What cuModuleLoad and its kin load. */
extern "C" {
__device__ int variable[16];
__managed__ int managed_variable[16];
}

extern "C" __global__ void probe(int *out)
{
    if (out)
        *out = variable[0] + managed_variable[0];
}

__constant__ int table[64];
__global__ void sides(int *out, const int *in)
{
    int bits = in[0], at = in[1], r = in[2], other = in[3];
    if (bits & 1)
        r ^= table[at];
    if (bits & 2)
        r ^= table[other];
    out[0] = r;
}

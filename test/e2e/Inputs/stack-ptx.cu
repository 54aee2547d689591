#include <cstdio>
// Each thread takes n words from the stack, twice at the same place, fills them and sums them from behind.
__global__ void sums(const int *sizes, unsigned *out)
{
    unsigned n = sizes[threadIdx.x], sum = 0, same = 0;
    unsigned long long mark, first, second;
    asm volatile("stacksave.u64 %0;" : "=l"(mark));
    asm volatile("alloca.u64 %0, %1, 64;" : "=l"(first) : "l"(4ull * n));
    for (unsigned i = 0; i < n; i++)
        asm volatile("st.local.u32 [%0], %1;" ::"l"(first + 4 * i), "r"(i * i + threadIdx.x) : "memory");
    for (unsigned i = n; i-- > 0;) {
        unsigned v;
        asm volatile("ld.local.u32 %0, [%1];" : "=r"(v) : "l"(first + 4 * i) : "memory");
        sum = 31 * sum + v;
    }
    asm volatile("stackrestore.u64 %0;" ::"l"(mark));
    asm volatile("alloca.u64 %0, %1, 64;" : "=l"(second) : "l"(4ull * n));
    same = first == second && first % 64 == 0;
    out[threadIdx.x] = same ? sum : ~0u;
    unsigned long long third;
    asm volatile("alloca.u64 %0, 8;" : "=l"(third));
    if (third == second || third % 8 || (third > second ? third - second < 4 * n : second - third < 8))
        out[threadIdx.x] = ~1u;
}
int main()
{
    int *sizes, bad = 0;
    unsigned *out;
    cudaMallocManaged(&sizes, 64 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(unsigned));
    for (int i = 0; i < 64; i++)
        sizes[i] = 1 + i * 7 % 40;
    sums<<<1, 64>>>(sizes, out);
    cudaDeviceSynchronize();
    for (unsigned t = 0; t < 64; t++) {
        unsigned sum = 0;
        for (unsigned i = sizes[t]; i-- > 0;)
            sum = 31 * sum + i * i + t;
        bad += out[t] != sum;
       
    }
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}

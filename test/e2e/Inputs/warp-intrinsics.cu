// Warp matches, byte dot products and sleep, held against what they are defined to be.
#include <cstdio>

struct Result {
    unsigned any, all;
    int same, dot, low, high;
    unsigned udot, ulow, uhigh, wide, real, bytes;
};

__global__ void compute(Result *out)
{
    int lane = threadIdx.x, a = 0x01fe7f80 + lane * 0x01010203, b = 0x80ff03fc - lane * 0x03010101;
    Result r;
    __nanosleep(20);
    r.any = __match_any_sync(0xffffffffu, lane / 5);
    r.wide = __match_any_sync(0xffffffffu, (long long)(lane & 3) << 40);
    r.real = __match_any_sync(0xffffffffu, lane < 7 ? 1.5 : 2.5);
    r.all = __match_all_sync(0xffffffffu, 42u + (lane == 64), &r.same);
    r.dot = __dp4a(a, b, 7);
    r.udot = __dp4a((unsigned)a, (unsigned)b, 7u);
    r.bytes = (unsigned)__dp4a(make_char4(-1, 2, -3, lane), make_char4(4, -5, 6, 7), 100);
    r.low = __dp2a_lo(a, b, -9);
    r.high = __dp2a_hi(a, b, -9);
    r.ulow = __dp2a_lo((unsigned)a, (unsigned)b, 9u);
    r.uhigh = __dp2a_hi((unsigned)a, (unsigned)b, 9u);
    if (nanf("") == nanf("1"))
        r.any = 0;
    out[lane] = r;
}

template <typename Byte, typename Half, typename Word>
static Word dot(unsigned a, unsigned b, Word sum, int parts, int shift)
{
    for (int i = 0; i < parts; i++)
        sum += parts == 4 ? (Word)(Byte)(a >> 8 * i) * (Byte)(b >> 8 * i)
                          : (Word)(Half)(a >> 16 * i) * (Byte)(b >> (8 * i + shift));
    return sum;
}

int main()
{
    Result *device, host[32];
    int wrong = 0;
    cudaMalloc(&device, sizeof host);
    compute<<<1, 32>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int lane = 0; lane < 32; lane++) {
        unsigned a = 0x01fe7f80u + lane * 0x01010203u, b = 0x80ff03fcu - lane * 0x03010101u, any = 0, wide = 0, real = 0;
        const Result &r = host[lane];
        for (int i = 0; i < 32; i++) {
            any |= (unsigned)(i / 5 == lane / 5) << i;
            wide |= (unsigned)((i & 3) == (lane & 3)) << i;
            real |= (unsigned)((i < 7) == (lane < 7)) << i;
        }
        wrong += r.any != any || r.wide != wide || r.real != real || r.all != 0xffffffffu || !r.same;
        wrong += r.dot != dot<signed char, short, int>(a, b, 7, 4, 0);
        wrong += r.udot != dot<unsigned char, unsigned short, unsigned>(a, b, 7, 4, 0);
        wrong += (int)r.bytes != 100 - 4 - 10 - 18 + 7 * lane;
        wrong += r.low != dot<signed char, short, int>(a, b, -9, 2, 0);
        wrong += r.high != dot<signed char, short, int>(a, b, -9, 2, 16);
        wrong += r.ulow != dot<unsigned char, unsigned short, unsigned>(a, b, 9, 2, 0);
        wrong += r.uhigh != dot<unsigned char, unsigned short, unsigned>(a, b, 9, 2, 16);
    }
    printf("warp-intrinsics: %s\n", wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}

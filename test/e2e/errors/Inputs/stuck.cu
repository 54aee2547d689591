// Kernels that never end, and kernels that only seem so, for the watchdog. The argument names one.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ volatile int flag;
__device__ unsigned lock;

__global__ void spin_flag(int *out)
{
    while (flag == 0) // FLAG
        ;
    out[0] = 1;
}

// The block that has the lock ends without giving it back.
__global__ void lost_lock(int *out)
{
    if (threadIdx.x == 0)
        while (atomicCAS(&lock, 0, 1) != 0) // LOCK
            __nanosleep(200);
    __syncthreads(); // LOCK-BARRIER
    out[blockIdx.x] = 1;
}

__global__ void spin_shared(int *out)
{
    __shared__ volatile int go;
    if (threadIdx.x == 0)
        go = 0;
    __syncthreads();
    if (threadIdx.x >= 32)
        while (go == 0) // SHARED
            ;
    __syncthreads();
    out[threadIdx.x] = go;
}

// Sleeps that grow to the longest.
__global__ void spin_sleeping(int *out)
{
    unsigned ns = 1000;
    while (flag == 0) { // SLEEPING
        __nanosleep(ns);
        ns = ns < 50000 ? 2 * ns : ns;
    }
    out[0] = 1;
}

// All warps of a block go round together, from barrier to barrier.
__global__ void barrier_rounds(int *out)
{
    do {
        __syncthreads(); // ROUNDS
    } while (flag == 0);
    out[0] = 1;
}

__global__ void votes(int *out)
{
    while (!__syncthreads_or(flag != 0 && threadIdx.x == 7)) // VOTES
        ;
    out[0] = 1;
}

__device__ __noinline__ int look(int *where, int depth)
{
    int mine = where[threadIdx.x], below = depth ? look(where + 32, depth - 1) : flag;
    return below | (mine & 0);
}

// Saves go to local memory, and differ from call to call.
__global__ void spin_calls(int *out)
{
    while (!look(out, 2) && !look(out + 1, 3)) // CALLS
        ;
    out[0] = 1;
}

// Lanes of a warp wait for each other crosswise.
__global__ void crosswise(volatile int *out)
{
    if (threadIdx.x & 1) {
        while (out[0] == 0) // ODD
            ;
        out[1] = 1;
    } else {
        while (out[1] == 0) // EVEN
            ;
        out[0] = 1;
    }
}

// One warp computes for long and then sets the flag for which the others spin.
__global__ void slow_setter(int *out, int turns)
{
    if (blockIdx.x == 0) {
        unsigned x = 1;
        for (int i = 0; i < turns; i++)
            x = x * 1664525u + 1013904223u;
        out[1] = (int)x;
        __threadfence();
        flag = 1;
    } else {
        while (flag == 0)
            ;
    }
    out[0] = 1;
}

// Lanes that run only when those that spin make way: a lock that passes through all lanes of a warp.
__global__ void lanes_lock(int *out, int turns)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            unsigned x = threadIdx.x;
            for (int i = 0; i < turns; i++)
                x = x * 1664525u + 1013904223u;
            out[1] = (int)x;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    out[0] = 1;
}

__global__ void computes(int *out, int turns)
{
    unsigned x = threadIdx.x, y = 0;
    for (int i = 0; i < turns; i++) {
        x = x * 1664525u + 1013904223u;
        y ^= x >> 7;
    }
    out[1] = (int)(x ^ y);
    out[0] = 1;
}

__global__ void waits_for_clock(int *out, int turns)
{
    long long start = clock64();
    while (clock64() - start < turns)
        ;
    out[0] = 1;
}

__global__ void gives_up(int *out, int turns)
{
    int n = 0;
    while (flag == 0 && n < turns)
        n++;
    out[0] = n == turns;
}

__global__ void sleeps_long(int *out, int)
{
    for (int i = 0; i < 3; i++)
        __nanosleep(1000000);
    out[0] = 1;
}

static int finish(const char *name, const int *device)
{
    int got = 0;
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        error = cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess)
        printf("%s: program saw: %s\n", name, cudaGetErrorString(error));
    else
        printf("%s: %s\n", name, got == 1 ? "PASSED" : "FAILED");
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(int *, int);
        int blocks, threads, turns;
    } slow[] = {{"slow_setter", slow_setter, 8, 64, 20000}, {"lanes_lock", lanes_lock, 1, 32, 1000},
                {"computes", computes, 4, 128, 20000},      {"waits_for_clock", waits_for_clock, 2, 32, 200000},
                {"gives_up", gives_up, 2, 32, 1000},        {"sleeps_long", sleeps_long, 1, 32, 0}};
    const char *name = argc > 1 ? argv[1] : "";
    int *device;
    cudaMalloc(&device, 1 << 16);
    cudaMemset(device, 0, 1 << 16);
    if (!strcmp(name, "flag"))
        spin_flag<<<6, 64>>>(device);
    else if (!strcmp(name, "lock"))
        lost_lock<<<3, 64>>>(device);
    else if (!strcmp(name, "shared"))
        spin_shared<<<2, 96>>>(device);
    else if (!strcmp(name, "sleeping"))
        spin_sleeping<<<2, 32>>>(device);
    else if (!strcmp(name, "rounds"))
        barrier_rounds<<<2, 96>>>(device);
    else if (!strcmp(name, "votes"))
        votes<<<2, 96>>>(device);
    else if (!strcmp(name, "calls"))
        spin_calls<<<2, 32>>>(device);
    else if (!strcmp(name, "crosswise"))
        crosswise<<<1, 32>>>(device);
    else if (!strcmp(name, "slow"))
        for (const auto &one : slow) {
            cudaMemset(device, 0, 1 << 16);
            int zero = 0;
            cudaMemcpyToSymbol(flag, &zero, sizeof zero);
            one.kernel<<<one.blocks, one.threads>>>(device, one.turns);
            finish(one.name, device);
        }
    else
        return 1;
    return strcmp(name, "slow") ? finish(name, device) : 0;
}

// Lanes of one warp that wait for each other: on a SIMT stack that runs each path to its end these kernels hang.
#include <cstdio>
#include <cstring>

enum { WARPS = 2, LANES = 32 * WARPS, ROUNDS = 2, ITEMS = 8 };

struct state {
    int lock, count, now, next, box, full, list[LANES], order[LANES], sums[LANES], turns;
};

__device__ void acquire(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
}
__device__ void release(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}

// A lock taken in a function, several times; then all lanes of the warp come together.
__global__ void spin(state *s) {
    for (int i = 0; i < ROUNDS; i++) {
        acquire(&s->lock);
        *(volatile int *)&s->count = *(volatile int *)&s->count + 1;
        release(&s->lock);
    }
    __syncwarp();
    int mine = threadIdx.x % 32;
    for (int i = 16; i; i /= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, i);
    s->sums[threadIdx.x] = mine;
}

// The lock inlined, and a barrier behind it.
__global__ void inlined(state *s) {
    __shared__ int last;
    while (atomicCAS(&s->lock, 0, 1) != 0)
        ;
    *(volatile int *)&s->count = *(volatile int *)&s->count + 1;
    last = s->count;
    __threadfence();
    atomicExch(&s->lock, 0);
    __syncthreads();
    s->sums[threadIdx.x] = last;
}

// First come, first served, with a count of the turns that a lane waits.
__global__ void ticket(state *s) {
    int mine = atomicAdd(&s->next, 1), turns = 0;
    while (*(volatile int *)&s->now != mine)
        turns++;
    s->order[mine] = threadIdx.x;
    atomicAdd(&s->turns, turns);
    __threadfence();
    atomicExch(&s->now, mine + 1);
}

// Odd lanes take what even lanes put into a box of one item.
__global__ void exchange(state *s) {
    volatile int *full = &s->full, *box = &s->box;
    if (threadIdx.x == 1) {
        for (int i = 0; i < ITEMS; i++) {
            while (!*full)
                ;
            s->list[i] = *box;
            __threadfence();
            *full = 0;
        }
    } else if (threadIdx.x == 0) {
        for (int i = 0; i < ITEMS; i++) {
            while (*full)
                ;
            *box = i * i;
            __threadfence();
            *full = 1;
        }
    }
    __syncwarp();
    s->sums[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x < 7);
}

static state run(void (*kernel)(state *), int threads) {
    state host, *device;
    memset(&host, 0, sizeof host);
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
    kernel<<<1, threads>>>(device);
    cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess)
        printf("failed\n");
    return host;
}

int main() {
    int bad = 0;
    state s = run(spin, LANES);
    bad += s.count != LANES * ROUNDS;
    for (int i = 0; i < LANES; i++)
        bad += s.sums[i] != 31 * 16;
    printf("spin: %d\n", bad);
    s = run(inlined, LANES);
    bad += s.count != LANES;
    for (int i = 0; i < LANES; i++)
        bad += s.sums[i] != LANES;
    printf("inlined: %d\n", bad);
    s = run(ticket, 32);
    bool seen[32] = {};
    for (int i = 0; i < 32; i++)
        seen[s.order[i]] = true;
    for (int i = 0; i < 32; i++)
        bad += !seen[i];
    printf("ticket: %d\n", bad);
    s = run(exchange, 32);
    for (int i = 0; i < ITEMS; i++)
        bad += s.list[i] != i * i;
    for (int i = 0; i < 32; i++)
        bad += s.sums[i] != 0x7f;
    printf("exchange: %d\n%s\n", bad, bad ? "FAILED" : "PASSED");
    return bad != 0;
}

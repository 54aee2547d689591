// Lanes of one warp that sleep while they wait for each other: a lane's sleep is its own.
#include <cstdio>

enum { LANES = 64, NS = 1000000 };

struct state {
    int next, now, flag, order[LANES];
    long long took[LANES];
};

// Each lane takes its turn, and sleeps a millisecond where it is not yet its own: 63 milliseconds in all.
__global__ void turns(state *s) {
    long long begin = clock64();
    int mine = atomicAdd(&s->next, 1);
    while (*(volatile int *)&s->now != mine)
        __nanosleep(NS);
    s->order[mine] = threadIdx.x;
    __threadfence();
    atomicExch(&s->now, mine + 1);
    s->took[threadIdx.x] = clock64() - begin;
}

__device__ __noinline__ void rest() {
    __nanosleep(NS);
}

// The same where a function sleeps: the warp does, and then the loop makes way.
__global__ void turns_in_calls(state *s) {
    long long begin = clock64();
    int mine = atomicAdd(&s->next, 1);
    while (*(volatile int *)&s->now != mine)
        rest();
    s->order[mine] = threadIdx.x;
    __threadfence();
    atomicExch(&s->now, mine + 1);
    s->took[threadIdx.x] = clock64() - begin;
}

// Even lanes call and sleep until they are answered; odd lanes look for the call ten times as often.
__global__ void answers(state *s) {
    long long begin = clock64();
    volatile int *called = &s->next, *answered = &s->now;
    if (threadIdx.x % 2 == 0) {
        *called = 1;
        while (!*answered)
            __nanosleep(NS);
    } else {
        while (!*called)
            __nanosleep(NS / 10);
        *answered = 1;
    }
    s->took[threadIdx.x] = clock64() - begin;
}

// Both paths sleep, one of them for a tenth of the time: they do not add up.
__global__ void both(state *s) {
    long long begin = clock64();
    if (threadIdx.x % 2 == 0) {
        while (*(volatile int *)&s->flag < LANES / 2)
            __nanosleep(NS);
    } else {
        atomicAdd(&s->flag, 1);
        while (*(volatile int *)&s->flag < LANES / 2)
            __nanosleep(NS / 10);
        __nanosleep(NS / 10);
    }
    s->took[threadIdx.x] = clock64() - begin;
}

// Nobody else is awake: the warp sleeps as long as it was told.
__global__ void alone(state *s) {
    long long begin = clock64();
    __nanosleep(NS);
    s->took[threadIdx.x] = clock64() - begin;
}

static state *s;
static bool ok = true, timed;

static void clear() {
    cudaDeviceSynchronize();
    s->next = s->now = s->flag = 0;
}

static void in_turn(const char *what) {
    cudaDeviceSynchronize();
    bool seen[LANES] = {};
    for (int i = 0; i < LANES; i++)
        seen[s->order[i]] = true;
    for (int i = 0; i < LANES; i++)
        if (!seen[i] || s->now != LANES)
            ok = false, printf("%s: thread %d had no turn\n", what, i);
}

// In milliseconds of the SM's clock, where there is timing.
static void took(const char *what, int first, int step, double least, double most) {
    cudaDeviceSynchronize();
    if (!timed)
        return;
    int khz;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    for (int i = first; i < LANES; i += step) {
        double ms = (double)s->took[i] / khz;
        if (ms < least || ms > most)
            ok = false, printf("%s: thread %d took %.3f ms and not %.3f to %.3f\n", what, i, ms, least, most);
    }
}

int main(int argc, char **) {
    timed = argc < 2;
    cudaMallocManaged(&s, sizeof *s);
    clear();
    turns<<<1, LANES>>>(s);
    in_turn("turns");
    took("turns", 0, 1, 0, 64);
    clear();
    turns_in_calls<<<1, LANES>>>(s);
    in_turn("turns in calls");
    took("turns in calls", 0, 1, 0, 65);
    clear();
    answers<<<1, LANES>>>(s);
    took("answers, who asks", 0, 2, 0, 1.01);
    took("answers, who answers", 1, 2, 0, 0.11);
    clear();
    both<<<1, LANES>>>(s);
    took("both, a millisecond", 0, 2, 0, 1.1);
    took("both, less", 1, 2, 0.1, 0.3);
    alone<<<1, LANES>>>(s);
    took("alone", 0, 1, 1, 1.01);
    puts(ok ? "PASSED" : "FAILED");
}

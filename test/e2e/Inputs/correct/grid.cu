// Blocks that hand data to each other through global memory.
#include "correct.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;
enum { BLOCKS = 4, THREADS = 64, ALL = BLOCKS * THREADS };

// The block that comes last adds up what all have left (CUDA C++ Programming Guide, "Memory Fence Functions").
__device__ unsigned last_count;
__global__ void last_block(const int *in, volatile int *sums, int *total) {
    __shared__ bool last;
    int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int by = 16; by; by /= 2)
        sum += __shfl_down_sync(~0u, sum, by);
    __shared__ int parts[THREADS / 32];
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = parts[0] + parts[1];
        __threadfence();
        last = atomicInc(&last_count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int i = 0; i < gridDim.x; i++)
            all += sums[i];
        *total = all;
    }
}
static bool last_block_passes() {
    int numbers[ALL], want = 0;
    for (int i = 0; i < ALL; i++)
        want += numbers[i] = i * 7 % 31;
    device<int> in(numbers, ALL), sums(BLOCKS, false), total(1, false);
    last_block<<<BLOCKS, THREADS>>>(in, sums, total);
    return total.at(0) == want;
}

// All threads write, and the last block's all read: the fence is each writer's, the count one's.
__device__ unsigned all_count;
__global__ void last_block_of_all(int *values, int *total) {
    __shared__ bool last;
    values[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&all_count, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    int sum = 0;
    for (int i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x)
        sum += values[i];
    atomicAdd(total, sum);
}
static bool last_block_of_all_passes() {
    device<int> values(ALL, false), total(1);
    last_block_of_all<<<BLOCKS, THREADS>>>(values, total);
    return total.at(0) == BLOCKS * THREADS * (THREADS - 1) / 2;
}

// Scan with decoupled look-back (Merrill and Garland, 2016): state 1 a block's own sum, 2 with all before it.
struct look_back {
    int state, own, with_all;
};
__device__ unsigned look_back_next;
__global__ void decoupled_scan(const int *in, int *out, volatile look_back *blocks) {
    __shared__ int sums[THREADS], before, block;
    if (threadIdx.x == 0)
        block = atomicAdd(&look_back_next, 1);
    __syncthreads();
    int at = block * THREADS + threadIdx.x, value = in[at];
    sums[threadIdx.x] = value;
    __syncthreads();
    for (int by = 1; by < THREADS; by *= 2) {
        int left = threadIdx.x >= by ? sums[threadIdx.x - by] : 0;
        __syncthreads();
        sums[threadIdx.x] += left;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        int own = sums[THREADS - 1], sum = 0;
        blocks[block].own = own;
        __threadfence();
        blocks[block].state = 1;
        for (int other = block - 1; other >= 0; other--) {
            int state;
            while ((state = blocks[other].state) == 0)
                ;
            __threadfence();
            if (state == 2) {
                sum += blocks[other].with_all;
                break;
            }
            sum += blocks[other].own;
        }
        blocks[block].with_all = sum + own;
        __threadfence();
        blocks[block].state = 2;
        before = sum;
    }
    __syncthreads();
    out[at] = before + sums[threadIdx.x];
}
static bool decoupled_scan_passes() {
    int numbers[ALL], got[ALL], want = 0;
    for (int i = 0; i < ALL; i++)
        numbers[i] = i % 13;
    device<int> in(numbers, ALL), out(ALL, false);
    device<look_back> blocks(BLOCKS);
    decoupled_scan<<<BLOCKS, THREADS>>>(in, out, blocks);
    out.read(got, ALL);
    for (int i = 0; i < ALL; i++)
        if (got[i] != (want += numbers[i]))
            return false;
    return true;
}

// A lock between blocks, with fences inside of it.
__device__ int lock_word;
__global__ void spin_lock(int *count) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1) != 0)
            ;
        __threadfence();
        count[0] += 1;
        count[1] += count[0];
        __threadfence();
        atomicExch(&lock_word, 0);
    }
}
static bool spin_lock_passes() {
    device<int> count(2);
    spin_lock<<<8, 32>>>(count);
    return count.at(0) == 8 && count.at(1) == 36;
}

__device__ unsigned next_ticket, now_serving;
__global__ void ticket_lock(int *count) {
    if (threadIdx.x == 0) {
        unsigned ticket = atomicAdd(&next_ticket, 1);
        while (*(volatile unsigned *)&now_serving != ticket)
            ;
        __threadfence();
        *count = *count * 2 + 1;
        __threadfence();
        *(volatile unsigned *)&now_serving = ticket + 1;
    }
}
static bool ticket_lock_passes() {
    device<int> count(1);
    ticket_lock<<<6, 32>>>(count);
    return count.at(0) == 63;
}

// A barrier of the grid out of atomics (Xiao and Feng, 2010).
__device__ unsigned grid_arrived;
__device__ void grid_barrier(unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&grid_arrived, 1);
        while (*(volatile unsigned *)&grid_arrived < goal)
            ;
        __threadfence();
    }
    __syncthreads();
}
__global__ void barrier_of_atomics(int *values) {
    int at = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
    values[at] = at;
    for (unsigned turn = 1; turn <= 3; turn++) {
        grid_barrier((2 * turn - 1) * gridDim.x);
        int next = values[(at + THREADS + 1) % count];
        grid_barrier(2 * turn * gridDim.x);
        values[at] = next;
    }
}
static bool barrier_of_atomics_passes() {
    int got[ALL];
    device<int> values(ALL, false);
    barrier_of_atomics<<<BLOCKS, THREADS>>>(values);
    values.read(got, ALL);
    for (int i = 0; i < ALL; i++)
        if (got[i] != (i + 3 * (THREADS + 1)) % ALL)
            return false;
    return true;
}

// A block writes, another reads, a flag between them.
__global__ void volatile_flag(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = data[THREADS - 1 - threadIdx.x];
    }
}
static bool volatile_flag_passes() {
    device<int> data(THREADS, false), flag(1), out(THREADS, false);
    volatile_flag<<<2, THREADS>>>(data, flag, out);
    return out.at(0) == 3 * (THREADS - 1) && out.at(THREADS - 1) == 0;
}

__global__ void flag_of_atomic_ref(int *data, int *flag, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0)
            ;
        *out = *data;
    }
}
static bool flag_of_atomic_ref_passes() {
    device<int> data(1, false), flag(1), out(1, false);
    flag_of_atomic_ref<<<2, 1>>>(data, flag, out);
    return out.at(0) == 42;
}

// Message passing through relaxed atomics and fences, in a ring of blocks that goes round twice.
__global__ void ring(int *mail, cuda::atomic<int, cuda::thread_scope_device> *turn) {
    for (int round = 0; round < 2; round++) {
        int mine = round * gridDim.x + blockIdx.x;
        while (turn->load(cuda::memory_order_relaxed) != mine)
            ;
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        *mail = *mail * 2 + blockIdx.x % 2;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        turn->store(mine + 1, cuda::memory_order_relaxed);
    }
}
static bool ring_passes() {
    device<int> mail(1);
    device<cuda::atomic<int, cuda::thread_scope_device>> turn(1);
    ring<<<BLOCKS, 1>>>(mail, turn);
    return mail.at(0) == 0x55;
}

__global__ void groups_grid(int *from, int *to, int turns) {
    cg::grid_group grid = cg::this_grid();
    int at = grid.thread_rank(), count = grid.size();
    for (int turn = 0; turn < turns; turn++) {
        int left = at ? from[at - 1] : 0, right = at + 1 < count ? from[at + 1] : 0;
        to[at] = left + right;
        grid.sync();
        int *other = from;
        from = to;
        to = other;
    }
}
static bool groups_grid_passes() {
    int one[ALL] = {0}, got[ALL];
    one[ALL / 2] = 1;
    device<int> a(one, ALL), b(ALL, false);
    int turns = 4, *from = a, *to = b;
    void *arguments[] = {&from, &to, &turns};
    cudaLaunchCooperativeKernel((void *)groups_grid, dim3(BLOCKS), dim3(THREADS), arguments, 0, 0);
    a.read(got, ALL);
    return got[ALL / 2] == 6 && got[ALL / 2 + 2] == 4 && got[ALL / 2 - 4] == 1 && got[ALL / 2 + 1] == 0;
}

// Work is given out one by one.
__device__ int next_item;
__global__ void work_queue(const int *in, int *out, int count) {
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(&next_item, 1);
        __syncthreads();
        int mine = item;
        __syncthreads();
        if (mine >= count)
            return;
        out[mine * THREADS + threadIdx.x] = in[mine * THREADS + threadIdx.x] + mine;
    }
}
static bool work_queue_passes() {
    device<int> in(10 * THREADS), out(10 * THREADS, false);
    work_queue<<<BLOCKS, THREADS>>>(in, out, 10);
    return out.at(10 * THREADS - 1) == 9 && out.at(THREADS) == 1;
}

// Open addressing: a key is claimed by compare and swap, its value is written by who claimed it, and read later.
__global__ void hash_insert(unsigned *keys, int *values, int size) {
    unsigned key = blockIdx.x * blockDim.x + threadIdx.x + 1, slot = key * 2654435761u % size;
    for (;;) {
        unsigned seen = atomicCAS(&keys[slot], 0u, key);
        if (seen == 0) {
            values[slot] = key * 5;
            return;
        }
        slot = (slot + 1) % size;
    }
}
__global__ void hash_look_up(const unsigned *keys, const int *values, int size, int *sum) {
    unsigned key = blockIdx.x * blockDim.x + threadIdx.x + 1, slot = key * 2654435761u % size;
    while (keys[slot] != key)
        slot = (slot + 1) % size;
    atomicAdd(sum, values[slot]);
}
static bool hash_table_passes() {
    device<unsigned> keys(2 * ALL);
    device<int> values(2 * ALL, false), sum(1);
    hash_insert<<<BLOCKS, THREADS>>>(keys, values, 2 * ALL);
    hash_look_up<<<BLOCKS, THREADS>>>(keys, values, 2 * ALL, sum);
    return sum.at(0) == 5 * ALL * (ALL + 1) / 2;
}

// Union-find: parents are only ever changed by compare and swap, and read as volatile.
__device__ int find_root(volatile int *parent, int node) {
    while (parent[node] != node)
        node = parent[node];
    return node;
}
__global__ void union_find(int *parent, int count) {
    int a = blockIdx.x * blockDim.x + threadIdx.x, b = a + 2;
    if (b >= count)
        return;
    for (;;) {
        int x = find_root(parent, a), y = find_root(parent, b);
        if (x == y)
            return;
        if (x < y) {
            int other = x;
            x = y;
            y = other;
        }
        if (atomicCAS(&parent[x], x, y) == x)
            return;
    }
}
static bool union_find_passes() {
    int parents[ALL];
    for (int i = 0; i < ALL; i++)
        parents[i] = i;
    device<int> parent(parents, ALL);
    union_find<<<BLOCKS, THREADS>>>(parent, ALL);
    parent.read(parents, ALL);
    for (int i = 0; i < ALL; i++) {
        int root = i;
        while (parents[root] != root)
            root = parents[root];
        if (root != i % 2)
            return false;
    }
    return true;
}

// Breadth-first search: several threads write the same level, and the same "there was something".
__global__ void bfs_level(volatile int *levels, int level, int *more, int count) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (levels[node] != level)
        return;
    for (int edge = 1; edge <= 3; edge++) {
        int next = (node * 2 + edge) % count;
        if (levels[next] < 0) {
            levels[next] = level + 1;
            *more = 1;
        }
    }
}
static bool bfs_passes() {
    int start[ALL], more = 1, level = 0;
    memset(start, 0xff, sizeof start);
    start[0] = 0;
    device<int> levels(start, ALL), flag(1);
    for (; more; level++) {
        cudaMemset(flag, 0, 4);
        bfs_level<<<BLOCKS, THREADS>>>(levels, level, flag, ALL);
        more = flag.at(0);
    }
    levels.read(start, ALL);
    for (int i = 0; i < ALL; i++)
        if (start[i] < 0)
            return false;
    return level > 4;
}

// A list that all push to; the next kernel walks it.
struct node {
    int value, next;
};
__device__ int list_head = -1;
__global__ void push(node *nodes) {
    int mine = blockIdx.x * blockDim.x + threadIdx.x, head = *(volatile int *)&list_head;
    nodes[mine].value = mine;
    for (;;) {
        nodes[mine].next = head;
        __threadfence();
        int seen = atomicCAS(&list_head, head, mine);
        if (seen == head)
            return;
        head = seen;
    }
}
__global__ void walk(const node *nodes, int *sum) {
    int all = 0;
    for (int at = list_head; at >= 0; at = nodes[at].next)
        all += nodes[at].value;
    *sum = all;
}
static bool list_passes() {
    device<node> nodes(ALL, false);
    device<int> sum(1, false);
    push<<<BLOCKS, THREADS>>>(nodes);
    walk<<<1, 1>>>(nodes, sum);
    return sum.at(0) == ALL * (ALL - 1) / 2;
}

// Kernels of two streams, with an event between them.
__global__ void put(int *to, int by) {
    to[threadIdx.x] = threadIdx.x + by;
}
__global__ void add_reversed(int *to, const int *from) {
    to[threadIdx.x] += from[blockDim.x - 1 - threadIdx.x];
}
static bool streams_passes() {
    device<int> a(THREADS, false), b(THREADS, false);
    cudaStream_t first, second;
    cudaEvent_t done;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&done);
    put<<<1, THREADS, 0, first>>>(a, 1);
    put<<<1, THREADS, 0, second>>>(b, 2);
    cudaEventRecord(done, second);
    cudaStreamWaitEvent(first, done, 0);
    add_reversed<<<1, THREADS, 0, first>>>(a, b);
    cudaDeviceSynchronize();
    bool good = a.at(5) == THREADS - 1 + 3;
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaEventDestroy(done);
    return good;
}

// A sequence lock: a reader takes what it read only when nobody wrote meanwhile.
__global__ void sequence_lock(volatile int *data, volatile unsigned *sequence, int *out) {
    if (blockIdx.x == 0) {
        for (int turn = 1; turn <= 4; turn++) {
            *sequence = 2 * turn - 1;
            __threadfence();
            data[0] = turn;
            data[1] = -turn;
            __threadfence();
            *sequence = 2 * turn;
        }
        return;
    }
    unsigned before;
    int a, b;
    do {
        before = *sequence;
        __threadfence();
        a = data[0];
        b = data[1];
        __threadfence();
    } while (before & 1 || *sequence != before);
    *out = a + b;
}
static bool sequence_lock_passes() {
    device<int> data(2), out(1, false);
    device<unsigned> sequence(1);
    sequence_lock<<<2, 1>>>(data, sequence, out);
    return out.at(0) == 0;
}

// A value that is found once and told by compare and swap; readers poll with a load that acquires.
__global__ void first_wins(int *winner, int *payload, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> who(*winner);
    int me = blockIdx.x + 1, none = 0;
    payload[me] = me * 100;
    if (threadIdx.x == 0)
        who.compare_exchange_strong(none, me, cuda::memory_order_acq_rel);
    int found;
    while ((found = who.load(cuda::memory_order_acquire)) == 0)
        ;
    out[blockIdx.x] = payload[found] / 100 == found;
}
static bool first_wins_passes() {
    device<int> winner(1), payload(BLOCKS + 1, false), out(BLOCKS, false);
    first_wins<<<BLOCKS, 1>>>(winner, payload, out);
    return out.at(0) == 1 && out.at(BLOCKS - 1) == 1;
}

// An atomic operation that there is no instruction for: a first read as it is, then compare-and-swap. In global memory of
// 64 bits, and in shared memory.
__device__ double multiply(double *at, double by) {
    unsigned long long *word = (unsigned long long *)at, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __double_as_longlong(by * __longlong_as_double(seen)));
    } while (seen != old);
    return __longlong_as_double(old);
}
__device__ void largest(int *at, float value) {
    int old = *at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, __float_as_int(fmaxf(value, __int_as_float(seen))));
    } while (seen != old);
}
__global__ void swap_loops(double *product, float *most) {
    __shared__ int block_most;
    if (threadIdx.x == 0)
        block_most = __float_as_int(-1.0f);
    __syncthreads();
    multiply(product, threadIdx.x % 2 ? 2.0 : 0.5);
    largest(&block_most, (float)(threadIdx.x * 37 % 64));
    __syncthreads();
    if (threadIdx.x == 0)
        most[blockIdx.x] = __int_as_float(block_most);
}
static bool swap_loops_passes() {
    double one = 1;
    device<double> product(&one, 1);
    device<float> most(4);
    swap_loops<<<4, 64>>>(product, most);
    return product.at(0) == 1 && most.at(0) == 63 && most.at(3) == 63;
}

int main(int argc, char **argv) {
    static const one_case cases[] = {
        CASE(swap_loops),
        CASE(last_block),    CASE(last_block_of_all), CASE(decoupled_scan), CASE(spin_lock),
        CASE(ticket_lock),   CASE(barrier_of_atomics), CASE(volatile_flag), CASE(flag_of_atomic_ref),
        CASE(ring),          CASE(groups_grid),       CASE(work_queue),     CASE(hash_table),
        CASE(union_find),    CASE(bfs),               CASE(list),           CASE(streams),
        CASE(sequence_lock), CASE(first_wins),
    };
    return run_cases(cases, argc, argv);
}

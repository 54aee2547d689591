// Kernels with one mistake each, of which a program runs those that its arguments name.
#ifndef FAULTY_H
#define FAULTY_H
#include <cstdio>
#include <cstring>

static int *memory; // 16 KiB of zeros
static int *fresh;  // 16 KiB that nobody has written

static bool wants(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return false;
}
#define BEGIN()                        \
    int main(int argc, char **argv) {  \
        cudaMalloc(&memory, 16384);    \
        cudaMalloc(&fresh, 16384);     \
        cudaMemset(memory, 0, 16384);
#define RUN(name, blocks, threads, ...)                 \
    if (wants(argc, argv, #name)) {                     \
        name<<<blocks, threads>>>(__VA_ARGS__);         \
    }
#define END()                                                           \
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));    \
        return 0;                                                       \
    }
#endif

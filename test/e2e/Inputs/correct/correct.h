// Correct kernels, of published idioms, in which nothing may be found. A program runs all of its cases, or those that
// its arguments name; each works out its result on the host, too.
#ifndef CORRECT_H
#define CORRECT_H
#include <cstdio>
#include <cstring>

template <class T> struct device {
    T *data;
    explicit device(int count, bool zero = true) {
        cudaMalloc(&data, count * sizeof(T));
        if (zero)
            cudaMemset(data, 0, count * sizeof(T));
    }
    device(const T *from, int count) {
        cudaMalloc(&data, count * sizeof(T));
        cudaMemcpy(data, from, count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~device() { cudaFree(data); }
    T at(int index) const {
        T value;
        cudaMemcpy(&value, data + index, sizeof(T), cudaMemcpyDeviceToHost);
        return value;
    }
    void read(T *to, int count) const { cudaMemcpy(to, data, count * sizeof(T), cudaMemcpyDeviceToHost); }
    operator T *() const { return data; }
};

struct one_case {
    const char *name;
    bool (*passes)();
};
#define CASE(name) {#name, name##_passes}

template <int count> int run_cases(const one_case (&cases)[count], int argc, char **argv) {
    int wrong = 0;
    for (const one_case &each : cases) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= !strcmp(argv[i], each.name);
        if (!wanted)
            continue;
        bool good = each.passes() && cudaDeviceSynchronize() == cudaSuccess;
        if (!good)
            printf("%s: wrong (%s)\n", each.name, cudaGetErrorString(cudaGetLastError()));
        wrong += !good;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
#endif

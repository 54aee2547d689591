// ends MODE: launches `first` twice and ends as MODE says. Children launch `second`.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void first(int *to) { to[threadIdx.x] += 1; }
__global__ void second(int *to) { to[threadIdx.x] += 2; }
__global__ void endless(volatile int *flag) { while (!*flag) ; }

static int launch(void (*kernel)(int *), int times)
{
    int *to;
    if (cudaMalloc(&to, 32 * sizeof *to) != cudaSuccess)
        return 1;
    for (int i = 0; i < times; i++)
        kernel<<<1, 32>>>(to);
    return cudaDeviceSynchronize() != cudaSuccess;
}

static int launch_endless()
{
    int *flag;
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    endless<<<1, 32>>>(flag);
    return cudaDeviceSynchronize() != cudaSuccess;
}

// Children end by _exit, as they should.
static void child(int launches)
{
    if (!fork())
        _exit(launch(second, launches));
}

static int fork_first()
{
    child(1);
    child(3);
    int status = launch(first, 2);
    while (wait(nullptr) > 0)
        continue;
    return status;
}

// A context does not survive fork.
static int fork_later()
{
    fflush(stdout);
    if (!fork()) {
        int *to;
        printf("child: %s\n", cudaGetErrorName(cudaMalloc(&to, 4)));
        fflush(stdout);
        _exit(0);
    }
    wait(nullptr);
    return launch(second, 1);
}

// Killed while it writes.
static int tear()
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.0.records", getenv("HEDDLE_RECORDS"), getpid());
    FILE *file = fopen(path, "a");
    fputs("{\"launch\":{\"figures\":{\"kernel\":\"torn\",\"cycles\":10", file);
    fclose(file);
    return raise(SIGKILL);
}

// Goes on when `heddle run` has ended.
static int outlive()
{
    while (!access(getenv("HEDDLE_RECORDS"), F_OK))
        usleep(10000);
    return launch(second, 1);
}

static int load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        return 1;
    return reinterpret_cast<int (*)()>(dlsym(library, "run"))();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "fork-first"))
        return fork_first();
    if (!strcmp(mode, "allocate-and-exec")) {
        int *to;
        cudaMalloc(&to, 4);
        return execl(argv[0], argv[0], static_cast<char *>(nullptr));
    }
    int status = launch(first, argc > 2 && !strcmp(mode, "many") ? atoi(argv[2]) : 2);
    if (status || !strcmp(mode, "many"))
        return status;
    if (!strcmp(mode, "_exit"))
        _exit(0);
    if (!strcmp(mode, "quick_exit"))
        quick_exit(0);
    if (!strcmp(mode, "abort"))
        abort();
    if (!strcmp(mode, "kill"))
        raise(SIGKILL);
    if (!strcmp(mode, "tear"))
        return tear();
    if (!strcmp(mode, "close")) { // as daemons do
        for (int i = 3; i < 256; i++)
            close(i);
        return chdir("/") || launch(second, 1);
    }
    if (!strcmp(mode, "exec"))
        return execl(argv[0], argv[0], static_cast<char *>(nullptr));
    if (!strcmp(mode, "fork-later"))
        return fork_later();
    if (!strcmp(mode, "endless"))
        return launch_endless();
    if (!strcmp(mode, "outlive"))
        return outlive();
    return argc > 2 ? load(argv[2]) : 0;
}

// signals PIDS [take|children|policy]: appends its processes and the signals that it gets to PIDS, then waits on the GPU.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__global__ void wait_for(volatile int *flag) { while (!*flag) ; }

static int notes;

static void note(const char *what, int number)
{
    char line[32];
    int length = snprintf(line, sizeof line, "%s %d\n", what, number);
    if (write(notes, line, length) != length)
        _exit(9);
}

static void take(int signal)
{
    note("signal", signal);
    if (signal == SIGTERM)
        _exit(0);
}

// A child and a grandchild in a session of their own that ignore what can be ignored.
static void leave_children(void)
{
    if (fork())
        return;
    setsid();
    fork();
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    note("pid", getpid());
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[2] : "", *policy = getenv("HEDDLE_POLICY");
    int *flag, on = !strcmp(mode, "policy") && policy && !strcmp(policy, "baseline");
    notes = open(argv[1], O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (!strcmp(mode, "take")) {
        signal(SIGINT, take);
        signal(SIGTERM, take);
    }
    if (!strcmp(mode, "children"))
        leave_children();
    cudaMalloc(&flag, sizeof on);
    cudaMemcpy(flag, &on, sizeof on, cudaMemcpyHostToDevice);
    if (!on)
        note("pid", getpid());
    wait_for<<<1, 32>>>(flag);
    return cudaDeviceSynchronize() != cudaSuccess;
}

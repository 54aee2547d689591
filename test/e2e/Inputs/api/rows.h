/*
 * Rows of a table, each a call: ROW(name, expression) prints what the expression gives. They are made by a process of
 * its own, and by another behind a row that ends it, hangs or loses the context. `rows SHARD SHARDS`.
 */
#ifndef API_ROWS_H
#define API_ROWS_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.h"

#define SECONDS 25 /* of a row, with the start of CUDA */

struct row {
    const char *name;
    void (*print)(void);
};

static void say_error(cudaError_t error)
{
    printf(" %s", cudaGetErrorName(error));
}

static void say_result(CUresult result)
{
    const char *name = NULL;
    cuGetErrorName(result, &name);
    printf(" %s", name ? name : "?");
}

/* Rows from one on, until one changes what the next would find; what is written to the pipe is how many were made. */
static void make_rows(const struct row *rows, int from, int count, int shards, int done)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    guard_signals();
    for (int i = from; i < count; i += shards) {
        int number;
        alarm(SECONDS);
        printf("%s:", rows[i].name);
        GUARDED(number, rows[i].print());
        if (number)
            printf(" signal %d", number);
        printf("\n");
        fflush(stdout);
        if (write(done, "", 1) != 1 || cudaDeviceSynchronize() != cudaSuccess || !strncmp(rows[i].name, "fault", 5))
            break;
        cudaGetLastError();
    }
    _exit(0);
}

static int run_rows(const struct row *rows, int count, int argc, char **argv)
{
    int shard = argc > 1 ? atoi(argv[1]) : 0, shards = argc > 2 ? atoi(argv[2]) : 1;
    for (int next = shard; next < count;) {
        int ends[2], status;
        char byte;
        if (pipe(ends))
            return 1;
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            close(ends[0]);
            make_rows(rows, next, count, shards, ends[1]);
        }
        close(ends[1]);
        int made = 0;
        while (read(ends[0], &byte, 1) == 1)
            made++;
        close(ends[0]);
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) {
            printf(" ends by signal %d\n", WTERMSIG(status));
            fflush(stdout);
            made++;
        }
        next += (made ? made : 1) * shards;
    }
    return 0;
}

#endif

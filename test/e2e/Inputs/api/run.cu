/*
 * Calls every function of the API with arguments of which one is wrong, and prints what each call returned. The calls
 * are made by a process of its own, which is made before CUDA is used: one that ends by a signal has that as its
 * result, and where the process ends, hangs, or has lost its context, another goes on behind the call.
 *
 *   run SHARD SHARDS [PART OF A NAME]
 */
#include "guard.h"
#include "world.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#if CUDART_VERSION >= 13000
#include "cuda13.h"
#endif

struct wrong {
    const char *label;
    int risk; /* may end the process on a card */
};
struct api {
    const char *name;
    int (*call)(struct world *, int);
    const struct wrong *wrongs;
    int count, driver, needs, ends;
};
#include "cases.inc"

#define APIS ((int)(sizeof api / sizeof *api))
#define SECONDS_TO_START 20
#define SECONDS 5

struct one {
    short function, wrong;
};
static struct one todo[20000];
static int todo_count;

struct message {
    int index; /* -1: CUDA has started */
    int done;
    char line[240];
};

static const char *name_of(int code, int driver)
{
    static char text[64];
    const char *name = NULL;
    if (driver)
        cuGetErrorName((CUresult)code, &name);
    else
        name = cudaGetErrorName((cudaError_t)code);
    if (name && strncmp(name, "unrecognized", 12) != 0)
        return name;
    snprintf(text, sizeof text, "%d", code);
    return text;
}

/* What is left of a capture, which the next device-wide wait would break. */
static void end_capture(struct world *w)
{
    cudaGraph_t graph = NULL;
    if (w->needs & (NEEDS_CAPTURE | ENDS_CAPTURE))
        cudaStreamEndCapture(w->stream, &graph);
    cudaGetLastError();
}

/*
 * One line for the call: its code, what the last error is then, and what the device says later. A call that was refused
 * has changed nothing, so that the next of the same function is made in the same world. True: the process goes on.
 */
static bool try_one(const struct one *one, char *line, size_t size)
{
    static struct world *const world = (struct world *)calloc(1, sizeof(struct world));
    static int made_for = -1;
    const struct api *function = &api[one->function];
    bool captures = function->needs & (NEEDS_CAPTURE | ENDS_CAPTURE);
    if (made_for != one->function || captures)
        if (!make_world(world, function->needs)) {
            snprintf(line, size, "no world: %s: %s", world->failed, cudaGetErrorName(world->failure));
            return false;
        }
    made_for = one->function;
    reset_world(world);
    cudaGetLastError();
    int code = 0, number;
    GUARDED(number, code = function->call(world, one->wrong));
    if (number) {
        snprintf(line, size, "signal %d", number);
        made_for = -1;
        return true;
    }
    cudaError_t last = cudaGetLastError(), later = cudaSuccess;
    end_capture(world);
    bool ended = function->ends && !code;
    if (!ended)
        later = cudaDeviceSynchronize();
    cudaGetLastError();
    int length = snprintf(line, size, "%s", name_of(code, function->driver));
    if ((int)last != (function->driver ? 0 : code))
        length += snprintf(line + length, size - length, " last=%s", cudaGetErrorName(last));
    if (later != cudaSuccess)
        snprintf(line + length, size - length, " later=%s", cudaGetErrorName(later));
    if (!code) {
        made_for = -1;
        leave_world(world);
    }
    return !ended && later == cudaSuccess;
}

static void tell(int to_parent, const struct message *message)
{
    if (write(to_parent, message, sizeof *message) != (ssize_t)sizeof *message)
        _exit(1);
}

static void work(int from, int to_parent)
{
    struct message message;
    memset(&message, 0, sizeof message);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    guard_signals();
    cudaFree(0);
    message.index = -1;
    tell(to_parent, &message);
    for (int i = from; i < todo_count; i++) {
        message.index = i;
        message.done = 0;
        tell(to_parent, &message);
        bool goes_on = try_one(&todo[i], message.line, sizeof message.line);
        message.done = 1;
        tell(to_parent, &message);
        if (!goes_on)
            break;
        if (!strncmp(message.line, "signal", 6)) /* where it hangs now, it hangs between two calls */
            cudaDeviceSynchronize();
        cudaGetLastError();
    }
    _exit(0);
}

static void print_one(int index, const char *text)
{
    const struct api *function = &api[todo[index].function];
    printf("%s %s: %s\n", function->name, function->wrongs[todo[index].wrong].label, text);
    fflush(stdout);
}

/* Goes on from a case in a new process; returns the case that comes next. */
static int run_from(int from)
{
    int ends[2], current = from, reported = from - 1, status, seconds = SECONDS_TO_START;
    if (pipe(ends))
        exit(1);
    pid_t child = fork();
    if (!child) {
        close(ends[0]);
        work(from, ends[1]);
    }
    close(ends[1]);
    struct message message;
    bool hung = false;
    for (;;) {
        struct pollfd wait = {ends[0], POLLIN, 0};
        hung = poll(&wait, 1, seconds * 1000) <= 0;
        seconds = SECONDS;
        if (hung || read(ends[0], &message, sizeof message) != (ssize_t)sizeof message)
            break;
        if (message.index < 0)
            continue;
        current = message.index;
        if (message.done) {
            reported = current;
            print_one(current, message.line);
        }
    }
    close(ends[0]);
    if (hung)
        kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (current > reported) {
        char text[64];
        if (hung)
            snprintf(text, sizeof text, "hangs");
        else if (WIFSIGNALED(status))
            snprintf(text, sizeof text, "ends by signal %d", WTERMSIG(status));
        else
            snprintf(text, sizeof text, "ends with %d", WEXITSTATUS(status));
        print_one(current, text);
    }
    return current + 1;
}

/* What may end a process comes last, in the order of how likely it does. */
static int group_of(int f, int i)
{
    return api[f].ends ? 3 : api[f].wrongs[i].risk;
}

int main(int argc, char **argv)
{
    int shard = argc > 1 ? atoi(argv[1]) : 0, shards = argc > 2 ? atoi(argv[2]) : 1;
    const char *part = argc > 3 ? argv[3] : "";
    for (int group = 0; group < 4; group++)
        for (int f = 0; f < APIS; f++)
            for (int i = 0; i < api[f].count; i++)
                if (group_of(f, i) == group && strstr(api[f].name, part) && f % shards == shard) {
                    todo[todo_count].function = (short)f;
                    todo[todo_count++].wrong = (short)i;
                }
    for (int next = 0; next < todo_count;)
        next = run_from(next);
    return 0;
}

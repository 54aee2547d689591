/* Under --verify: a linear version beside the original code (twin.c). */
#ifndef HD_RUNTIME_VERIFY_TWIN_H
#define HD_RUNTIME_VERIFY_TWIN_H

struct hd_exec;
struct hd_dinst;
struct hd_warp;
struct hd_twin;

/* A warp of a launch that runs the linear version begins: its twin begins the original code. */
void hd_twin_start(struct hd_exec *exec, struct hd_warp *warp);
/* Around each instruction of the warp, control included. A difference is a fault of the warp. */
void hd_twin_before(struct hd_exec *exec, const struct hd_dinst *inst);
void hd_twin_after(struct hd_exec *exec, const struct hd_dinst *inst);
/* The warp has another number, and its block is another struct. */
void hd_twin_moved(struct hd_warp *warp);
void hd_twin_release(struct hd_warp *warp);

#endif

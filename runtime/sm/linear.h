/*
 * Linear versions of kernels on the SMs (linear.c): whether a launch may run one, and what each SM keeps of it.
 */
#ifndef HD_RUNTIME_SM_LINEAR_H
#define HD_RUNTIME_SM_LINEAR_H

struct hd_cta;
struct hd_gpu;
struct hd_grid;
struct hd_occupancy;
struct hd_sm;
struct hd_sm_grid;

/*
 * Under a policy that wants it: decides whether the launch runs the linear version, and computes coefficients and
 * thread-index parts. Sets grid->linear, entry and registers, or counts why not. `fit`: of the original code.
 */
void hd_linear_begin(struct hd_gpu *gpu, struct hd_grid *grid, const struct hd_occupancy *fit);
/* The block's own parts, when it starts on an SM. */
void hd_linear_cta(struct hd_sm *sm, struct hd_cta *cta);
/* Where warps run streams: the SM's own parts, zeroed, when the grid gets its turn; and their end. */
void hd_linear_place(struct hd_sm *sm, const struct hd_grid *grid);
void hd_linear_release(struct hd_sm_grid *mine);

#endif

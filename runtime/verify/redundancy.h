/* What the ideal machines of R2D2's Figure 4 would not execute (redundancy.c), under hd_sim_options.ideal. */
#ifndef HD_RUNTIME_VERIFY_REDUNDANCY_H
#define HD_RUNTIME_VERIFY_REDUNDANCY_H

struct hd_gpu;
struct hd_sm;
struct hd_warp;
struct hd_dinst;
struct hd_redundancy;

struct hd_redundancy *hd_redundancy_new(void);
void hd_redundancy_free(struct hd_redundancy *redundancy);
/* Around one warp instruction: its operands before it runs, its verdict (in sm's counters) after. */
void hd_redundancy_before(struct hd_redundancy *redundancy, struct hd_warp *warp, const struct hd_dinst *inst);
void hd_redundancy_after(struct hd_redundancy *redundancy, struct hd_sm *sm, struct hd_warp *warp,
			 const struct hd_dinst *inst);

#endif

/*
 * Policies' say in the packets between an SM and L2: traffic.c.
 */
#ifndef HD_RUNTIME_SM_TRAFFIC_H
#define HD_RUNTIME_SM_TRAFFIC_H

struct hd_sm;

/* Has the load/store unit tell and ask what the SM's policies want to hear and say. */
void hd_traffic_watch(struct hd_sm *sm);

#endif

/*
 * A barrier in shared memory (mbarrier): eight bytes, in which all of its state is, so that whoever keeps a block's
 * shared memory keeps its barriers. After the PTX ISA, Parallel Synchronization and Communication Instructions:
 * mbarrier; the layout is ours.
 *
 *   bits 0-19   pending arrivals of the phase        bits 20-39  arrivals that the next phase expects
 *   bits 40-61  bytes expected less bytes that have come, signed
 *   bit 62      parity of the phase                  bit 63      these bytes are a barrier
 */
#ifndef HEDDLE_MBARRIER_H
#define HEDDLE_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"

enum {
	HD_MBARRIER_BYTES = 8,
	HD_MBARRIER_MOST = (1 << 20) - 1, /* arrivals, and bytes either way */
	HD_MBARRIER_TX_BITS = 22
};

/* Whether the operation tells the barrier to expect bytes. */
static inline bool hd_syncs_expects(enum hd_syncsop op)
{
	return op == HD_SYNCS_ARRIVE_TX || op == HD_SYNCS_DROP_TX || op == HD_SYNCS_EXPECT_TX;
}

struct hd_mbarrier {
	uint32_t pending, expected;
	int32_t bytes;
	uint32_t parity;
};

static inline bool hd_mbarrier_is_one(uint64_t word)
{
	return word >> 63;
}

static inline struct hd_mbarrier hd_mbarrier_of(uint64_t word)
{
	uint32_t bytes = (uint32_t)(word >> 40) & ((1u << HD_MBARRIER_TX_BITS) - 1);
	uint32_t sign = 1u << (HD_MBARRIER_TX_BITS - 1);
	return (struct hd_mbarrier){.pending = (uint32_t)word & HD_MBARRIER_MOST,
				    .expected = (uint32_t)(word >> 20) & HD_MBARRIER_MOST,
				    .bytes = (int32_t)(bytes ^ sign) - (int32_t)sign,
				    .parity = (uint32_t)(word >> 62) & 1};
}

static inline uint64_t hd_mbarrier_word(const struct hd_mbarrier *barrier)
{
	uint64_t bytes = (uint32_t)barrier->bytes & ((1u << HD_MBARRIER_TX_BITS) - 1);
	return UINT64_C(1) << 63 | (uint64_t)barrier->parity << 62 | bytes << 40 | (uint64_t)barrier->expected << 20 |
	       barrier->pending;
}

/* The phase is over when nobody and nothing is awaited: the next one begins at once. */
static inline void hd_mbarrier_settle(struct hd_mbarrier *barrier)
{
	if (barrier->pending || barrier->bytes)
		return;
	barrier->parity ^= 1;
	barrier->pending = barrier->expected;
}

/* What is wrong with an operation on the barrier; NULL: nothing, and it is done. The wrong ones are not done. */
static inline const char *hd_mbarrier_do(struct hd_mbarrier *barrier, enum hd_syncsop op, uint32_t count)
{
	bool tx = op == HD_SYNCS_ARRIVE_TX || op == HD_SYNCS_DROP_TX || op == HD_SYNCS_EXPECT_TX;
	bool drops = op == HD_SYNCS_DROP || op == HD_SYNCS_DROP_NC || op == HD_SYNCS_DROP_TX;
	uint32_t arrivals = op == HD_SYNCS_ARRIVE_TX || op == HD_SYNCS_DROP_TX	     ? 1
			    : op == HD_SYNCS_EXPECT_TX || op == HD_SYNCS_COMPLETE_TX ? 0
										     : count;
	int64_t bytes = barrier->bytes + (tx ? (int64_t)count : op == HD_SYNCS_COMPLETE_TX ? -(int64_t)count : 0);
	if (bytes > HD_MBARRIER_MOST || bytes < -HD_MBARRIER_MOST)
		return "more bytes are expected, or have come, than a barrier counts (1048575)";
	if (arrivals > barrier->pending)
		return "more arrivals than are pending";
	if (drops && arrivals > barrier->expected)
		return "more threads drop out than are expected";
	barrier->bytes = (int32_t)bytes;
	barrier->pending -= arrivals;
	barrier->expected -= drops ? arrivals : 0;
	if (op != HD_SYNCS_EXPECT_TX) /* which is no reason for a phase to end */
		hd_mbarrier_settle(barrier);
	return NULL;
}

/* Whether the phase of this parity is over, the present one or the one before it. */
static inline bool hd_mbarrier_is_over(uint64_t word, uint32_t parity)
{
	return ((word >> 62) & 1) != (parity & 1);
}

#endif

/*
 * Inline PTX: clusters of blocks (passes/select/cluster.c says what their addresses are).
 */
#include "passes/ptx/ptx.h"

/* Clusters came with sm_90. */
static bool is_refused(struct hd_ptx *ptx)
{
	if (!hd_sel_has_clusters(ptx->sel))
		hd_ptx_error(ptx, "clusters of blocks need sm_90 or later");
	return ptx->failed;
}

/* Addresses of 64 bits are generic, or under .shared::cluster those of 32 bits extended. */
static void map_address(struct hd_ptx *ptx, unsigned arg)
{
	unsigned bits = hd_ptx_type(ptx, 0).bits;
	(void)arg;
	struct hd_leaf address = hd_ptx_in(ptx, 1, bits);
	struct hd_opnd rank = hd_ptx_word(ptx, 2);
	if (!is_refused(ptx))
		hd_ptx_out(ptx, 0, hd_sel_mapa(ptx->sel, address, rank), bits);
}

static void block_rank(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_leaf address = hd_ptx_in(ptx, 1, hd_ptx_type(ptx, 0).bits);
	(void)arg;
	if (!is_refused(ptx))
		hd_ptx_out(ptx, 0, hd_sel_block_rank(ptx->sel, address), 32);
}

static void barrier(struct hd_ptx *ptx, unsigned how)
{
	how |= hd_ptx_has(ptx, "aligned") ? HD_CLUSTER_ALIGNED : 0;
	how |= hd_ptx_has(ptx, "relaxed") ? HD_CLUSTER_RELAXED : 0;
	if (!is_refused(ptx))
		hd_sel_cluster_barrier(ptx->sel, how);
}

const struct hd_ptx_row hd_ptx_cluster[] = {
	{"mapa", " shared::cluster u32 u64 ", 3, map_address, 0, false},
	{"getctarank", " shared::cluster u32 u64 ", 2, block_rank, 0, false},
	{"barrier.cluster.arrive", " release relaxed aligned ", 0, barrier, 0, true},
	{"barrier.cluster.wait", " acquire aligned ", 0, barrier, HD_CLUSTER_WAIT, true},
	{NULL, NULL, 0, NULL, 0, false},
};

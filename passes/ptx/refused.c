/*
 * Inline PTX: instructions that are known and not taken, each with the reason that its error gives.
 */
#include "passes/ptx/ptx.h"

enum reason { BLACKWELL, WARP_GROUPS, DEVICES, SURFACES };

static void refuse(struct hd_ptx *ptx, unsigned reason)
{
	static const char *const reasons[] = {
		[BLACKWELL] = "what is new in sm_100 (Blackwell) is not modelled",
		[WARP_GROUPS] = "products of warpgroups with a sparse factor are not modelled",
		[DEVICES] = "memory of several devices is not modelled",
		[SURFACES] = "surfaces are accessed by suld.b, sust.b, sust.p, sured.b and sured.p",
	};
	hd_ptx_error(ptx, "%s", reasons[reason]);
}

#define REFUSED(name, reason)                       \
	{                                           \
		name, NULL, 0, refuse, reason, true \
	}

const struct hd_ptx_row hd_ptx_refused[] = {
	REFUSED("tcgen05", BLACKWELL),
	REFUSED("clusterlaunchcontrol", BLACKWELL),
	REFUSED("wgmma.mma_async.sp", WARP_GROUPS),
	REFUSED("multimem", DEVICES),
	REFUSED("suld", SURFACES),
	REFUSED("sust", SURFACES),
	REFUSED("sured", SURFACES),
	{NULL, NULL, 0, NULL, 0, false},
};

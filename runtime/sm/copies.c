/*
 * Groups of asynchronous copies (LDGSTS) of a warp. LDGDEPBAR ends the group that copies join; groups are done in their
 * order, each when all its copies are in shared memory and the groups before it are done, so that DEPBAR, which waits
 * until at most so many are left, is a comparison of two numbers. That is PTX's cp.async.commit_group and wait_group of
 * the warp as a whole: of lanes that diverge each has its part in all of the warp's groups, and waits for as many as it
 * asked for or more.
 *
 * The numbers are the warp's: they go where it goes. A warp ends, and leaves an SM for another one, when its copies are
 * done, as with loads.
 *
 * Cost: O(1) a copy, commit and wait.
 */
#include <assert.h>

#include "heddle/opcodes.h"
#include "runtime/sm/copies.h"
#include "runtime/sm/mbarrier.h"

static uint16_t *left_of(struct hd_copies *copies, uint8_t group)
{
	return &copies->left[group % HD_COPY_GROUPS];
}

static void retire(struct hd_copies *copies)
{
	while (hd_copies_pending(copies) && !*left_of(copies, copies->oldest))
		copies->oldest++;
}

uint8_t hd_copies_start(struct hd_warp *warp)
{
	struct hd_copies *copies = &warp->copies;
	copies->under_way++;
	++*left_of(copies, copies->open);
	return copies->open;
}

void hd_copies_commit(struct hd_warp *warp)
{
	struct hd_copies *copies = &warp->copies;
	assert(hd_copies_pending(copies) < HD_COPY_GROUPS - 1);
	copies->open++;
	retire(copies);
}

void hd_copies_done(struct hd_warp *warp, uint8_t group)
{
	struct hd_copies *copies = &warp->copies;
	assert(copies->under_way && *left_of(copies, group));
	copies->under_way--;
	--*left_of(copies, group);
	retire(copies);
}

bool hd_copies_keep(const struct hd_warp *warp, const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_DEPBAR: return hd_copies_pending(&warp->copies) > inst->x;
	case HD_OP_LDGDEPBAR: return hd_copies_pending(&warp->copies) == HD_COPY_GROUPS - 1;
	case HD_OP_ARRIVES: return hd_mbarrier_is_full(warp);
	default: return false;
	}
}

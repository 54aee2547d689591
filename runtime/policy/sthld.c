/*
 * Malekeh's adaptive waiting. The numbers of the paper's drawing (Figure 4) are not in its text: the table is data, and
 * its default (malekeh.c) satisfies every sentence of section 7. At its largest value a machine that still goes up has
 * found no knee, and rests.
 *
 * Nor does the text say which change of IPC is large. Where IPC falls by a little with each step from the start, what
 * is taken for small is walked through, step after step, and each step is compared with the one before it alone: at 5 %
 * the figures' particles (lavamd) go to STHLD 20 and lose a quarter of their IPC, at 1 % they lose 3 %.
 */
#include "runtime/policy/sthld.h"

#include <math.h>

enum { FIRST = 1, REST = 6 };

void hd_sthld_start(struct hd_sthld *machine)
{
	machine->state = FIRST;
	machine->value = 0;
	machine->ipc = 0;
}

static bool is_large(const struct hd_sthld *machine, double ipc)
{
	return fabs(ipc - machine->ipc) > machine->large * machine->ipc;
}

void hd_sthld_step(struct hd_sthld *machine, double ipc)
{
	bool large = is_large(machine, ipc);
	const struct hd_sthld_edge *edge = &machine->edges[machine->state - 1][large];
	int64_t value = (int64_t)machine->value + edge->step;
	machine->ipc = ipc;
	machine->state = edge->next;
	if (!large && value > machine->most)
		machine->state = REST;
	machine->value = value < 0 ? 0 : value > machine->most ? machine->most : (uint32_t)value;
}

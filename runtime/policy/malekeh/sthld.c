/*
 * Malekeh's adaptive waiting. The numbers of the paper's drawing (Figure 4) are not in its text: the table below
 * satisfies every sentence of section 7, and one number scales its steps. At its largest value a machine that still
 * goes up has found no knee, and rests.
 *
 * Nor does the text say which change of IPC is large. Where IPC falls by a little with each step from the start, what
 * is taken for small is walked through, step after step, and each step is compared with the one before it alone: at 5 %
 * the figures' particles (lavamd) go to STHLD 20 and lose a quarter of their IPC, at 1 % they lose 3 %.
 */
#include "runtime/policy/malekeh/sthld.h"

#include <math.h>

enum { FIRST = 1, REST = 6, STATES = 6 };

/* What happens in a state (row: state - 1) at a small and at a large change of IPC: the next state, and the number of
 * steps that are added to STHLD. */
static const struct edge {
	uint8_t next;
	int8_t steps;
} edges[STATES][2] = {
	{{2, 1}, {2, 1}},  /* the first interval */
	{{2, 1}, {3, 1}},  /* climbs while IPC stays */
	{{2, 1}, {4, -2}}, /* one change was large; if the next one is small, it climbs on */
	{{5, 1}, {4, -1}}, /* behind the knee: goes back until IPC stays */
	{{6, 0}, {6, 0}},  /* one step up again: the knee */
	{{6, 0}, {3, 1}},  /* rests there until IPC changes */
};

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
	const struct edge *edge = &edges[machine->state - 1][large];
	int64_t value = (int64_t)machine->value + (int64_t)edge->steps * machine->step;
	machine->ipc = ipc;
	machine->state = edge->next;
	if (!large && value > machine->most)
		machine->state = REST;
	machine->value = value < 0 ? 0 : value > machine->most ? machine->most : (uint32_t)value;
}

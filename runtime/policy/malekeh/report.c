/*
 * Malekeh's figures in the statistics: read hits (malekeh 9.2), lost slots, the energy of the register file beside what
 * the baseline takes for the same operands (9.3), and the storage that units have beyond collectors (9.4).
 */
#include "heddle/config.h"
#include "runtime/policy/malekeh/malekeh.h"
#include "runtime/sm/counts.h"

/* Register operands of the widest instruction: a matrix product of sm_75 (section 2). */
#define ROWS 7

const struct hd_policy_count malekeh_counts[] = {
	MALEKEH_COUNTS(HD_COUNT_ROW){0},
};

const struct hd_policy_count malekeh_reported[] = {
	{"read_hits", "%", "operands that a collector unit had cached"},
	{"register_read_hits", "%", "32-bit registers read that a collector unit had cached"},
	{"sthld", "slots", "issue slots that a warp may keep its collector unit without a ready instruction"},
	{"storage", "bytes", "storage that the design adds to an SM"},
	{0},
};

void malekeh_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		    void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	const struct malekeh_gpu *malekeh = malekeh_gpu_of(self, gpu);
	struct malekeh_counts counts;
	hd_policy_sum(self, gpu, &counts);
	add(context, "read_hits", hd_percent(counts.hits, counts.operands), "%");
	add(context, "register_read_hits", hd_percent(counts.register_hits, counts.registers), "%");
	add(context, "sthld", malekeh->adaptive ? malekeh->machine.value : malekeh->sthld, "slots");
	uint32_t entries = (uint32_t)hd_policy_setting(self, gpu, MALEKEH_ENTRIES);
	add(context, "storage", (double)gpu->config->collectors * hd_ccu_extra_bits(entries, ROWS) / 8, "bytes");
}

const char *const malekeh_series[] = {"sthld", "state", NULL};

void malekeh_sample(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values)
{
	const struct malekeh_gpu *malekeh = malekeh_gpu_of(self, gpu);
	values[0] = malekeh->adaptive ? malekeh->machine.value : malekeh->sthld;
	values[1] = malekeh->machine.state;
}

static void dump_unit(const struct hd_collector *collector, const struct hd_ccu *unit, FILE *out)
{
	fprintf(out, "  unit %u: warp %u, dispatched in cycle %llu:", collector->number, unit->owner->id,
		(unsigned long long)unit->dispatched);
	for (uint32_t i = 0; i < unit->entry_count; i++) {
		const struct hd_ccu_entry *entry = &unit->entries[i];
		if (entry->valid)
			fprintf(out, " R%u%s%s", entry->reg, entry->near ? " near" : "",
				entry->locked ? " locked" : "");
	}
	fputc('\n', out);
}

void malekeh_dump(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out)
{
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		const struct hd_sm *sm = gpu->sms[i];
		if (!sm->resident_warps)
			continue;
		fprintf(out, "malekeh, SM %u:\n", i);
		for (uint32_t part = 0; part < gpu->shape.parts; part++)
			for (uint32_t c = 0; c < sm->operands.regfiles[part]->collector_count; c++) {
				const struct hd_collector *collector = &sm->operands.regfiles[part]->collectors[c];
				if (malekeh_unit_of(self, collector)->owner)
					dump_unit(collector, malekeh_unit_of(self, collector), out);
			}
	}
}

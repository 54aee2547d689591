/*
 * Bits of registers and predicates that mean nothing (--check=init), and how an instruction hands them on.
 *
 * That is tried out: the instruction is executed a few times with other bits in their place, and what differs in its
 * result depends on them. So a mask, a shift, a carry, a comparison or a conversion hands on exactly what it does, and
 * nothing is ever said of a bit that does not depend on them. Between equal and unequal chance does not find both:
 * one of the trials of a comparison has both operands the same.
 *
 * Cost: nothing for instructions whose operands all mean something; else 14 executions.
 */
#include "heddle/opcodes.h"
#include "lib/hash.h"
#include "lib/machine/abi.h"
#include "runtime/check/state.h"

enum { TRIALS = 14, MOST_RESULTS = 8 };

void hd_values_begin(struct hd_values *values, uint32_t local_bytes)
{
	uint32_t words = local_bytes / 4;
	for (uint32_t i = 0; values->any && i < 256; i++)
		values->regs[i].lanes = 0;
	memset(values->preds, 0, sizeof(values->preds));
	for (uint32_t i = 0; i < values->local_words; i++)
		free(values->local[i]);
	values->known = hd_xrealloc(values->known, (words + 1) * sizeof(*values->known));
	values->local = hd_xrealloc(values->local, (words + 1) * sizeof(*values->local));
	memset(values->known, 0, (words + 1) * sizeof(*values->known));
	memset(values->local, 0, (words + 1) * sizeof(*values->local));
	values->local_words = words;
	values->any = false;
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		values->frame[lane] = local_bytes;
}

void hd_values_release(struct hd_values *values)
{
	for (uint32_t i = 0; i < values->local_words; i++)
		free(values->local[i]);
	free(values->known);
	free(values->local);
	values->local_words = 0;
}

static void set_lane(uint32_t *mask, uint32_t lane, bool value)
{
	*mask = (*mask & ~(1u << lane)) | (uint32_t)value << lane;
}

void hd_value_copy_lane(struct hd_value_row *to, uint32_t lane, const struct hd_value_row *from, uint32_t from_lane)
{
	bool means_nothing = from->lanes >> from_lane & 1;
	if (means_nothing) {
		if (to != from && !(to->lanes & ~(1u << lane)))
			to->of = from->of;
		to->bits[lane] = from->bits[from_lane];
		to->from[lane] = from->from[from_lane];
		set_lane(&to->how.altered, lane, from->how.altered >> from_lane & 1);
		set_lane(&to->how.cut, lane, from->how.cut >> from_lane & 1);
		set_lane(&to->how.bytes1, lane, from->how.bytes1 >> from_lane & 1);
		set_lane(&to->how.bytes2, lane, from->how.bytes2 >> from_lane & 1);
		set_lane(&to->whole, lane, from->whole >> from_lane & 1);
	}
	set_lane(&to->lanes, lane, means_nothing);
}

void hd_value_copy(struct hd_value_row *to, const struct hd_value_row *from, uint32_t mask)
{
	if (!(from->lanes & mask)) {
		to->lanes &= ~mask;
		return;
	}
	HD_FOR_LANES (lane, mask)
		hd_value_copy_lane(to, lane, from, lane);
}

void hd_value_read(struct hd_value_row *to, uint32_t lane, uint32_t bits, uint32_t bytes, uint32_t from,
		   const struct hd_origin_of *of)
{
	uint32_t bit = 1u << lane;
	to->lanes = bits ? to->lanes | bit : to->lanes & ~bit;
	if (!bits)
		return;
	if (!(to->lanes & ~bit))
		to->of = *of;
	to->bits[lane] = bits;
	to->from[lane] = from;
	to->how.altered &= ~bit;
	to->how.cut &= ~bit;
	set_lane(&to->how.bytes1, lane, bytes == 1);
	set_lane(&to->how.bytes2, lane, bytes == 2);
	set_lane(&to->whole, lane, bits == HD_FULL || bytes < 4);
}

/* ---- trials */

struct result {
	uint32_t row[HD_WARP_LANES]; /* of the first trial */
	uint32_t differs[HD_WARP_LANES];
	uint32_t reg;
};
struct trial {
	struct hd_values *values;
	struct hd_exec exec;
	const struct hd_dinst *inst;
	uint32_t guarded; /* lanes that may execute it or not */
	uint32_t inputs[12], input_count, input_preds;
	uint32_t before[12][HD_WARP_LANES], before_preds[8];
	struct result results[MOST_RESULTS];
	uint32_t result_count, result_preds;
	uint32_t before_results[MOST_RESULTS][HD_WARP_LANES];
	uint32_t first_preds[8], preds_differ[8];
	uint32_t same[12], in_place[12]; /* by input, lanes in which every result so far was the same word, or bits in
					    their place: of results of one register */
};

static uint32_t *row_of(const struct trial *trial, uint32_t reg)
{
	return trial->exec.warp->regs[reg];
}

/* Of a comparison of registers the other operand's word; else bits by chance, and extremes. */
static uint32_t other_bits(const struct trial *trial, uint32_t number, uint32_t reg, uint32_t lane)
{
	static const uint32_t extremes[] = {0, HD_FULL, 0x7fffffff, 0x80000000, 1, 0xfffffffe, 0x7f7fffff, 0xbf800000};
	const struct hd_inst *inst = &trial->inst->inst;
	const struct hd_warp *warp = trial->exec.warp;
	if (number < sizeof(extremes) / sizeof(*extremes))
		return extremes[number];
	if (number + 1 < TRIALS || !hd_opinfo[inst->op].a || !hd_opinfo[inst->op].b)
		return (uint32_t)(hd_hash_mix(number * 1000 + reg, lane) >> 16);
	uint32_t word = reg - inst->a;
	if (word < 2 && hd_x_in_b(inst->xkind))
		return word == 0 && hd_op_width(inst->op, inst->mods, HD_SLOT_A) > 1 && !hd_x_is_constant(inst->xkind)
			       ? 0
			       : hd_x_value(warp, inst);
	if (word < 2)
		return hd_row(warp, hd_next_reg(inst->b, word))[lane];
	return hd_row(warp, inst->a)[lane];
}

static void put_inputs(struct trial *trial, uint32_t number)
{
	const struct hd_values *values = trial->values;
	uint32_t chance = (uint32_t)(hd_hash_mix(77, number) >> 8);
	for (uint32_t i = 0; i < trial->input_count; i++) {
		uint32_t reg = trial->inputs[i];
		const struct hd_value_row *shadow = &values->regs[reg];
		HD_FOR_LANES (lane, shadow->lanes & trial->exec.mask) {
			uint32_t bits = shadow->bits[lane], *word = &row_of(trial, reg)[lane];
			*word = (*word & ~bits) | (other_bits(trial, number, reg, lane) & bits);
		}
	}
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		if (trial->input_preds >> pred & 1) {
			uint32_t set = number == 0 || (number > 1 && chance >> pred & 1) ? HD_FULL : 0;
			uint32_t *to = &trial->exec.warp->preds[pred];
			*to = (*to & ~values->preds[pred]) | (values->preds[pred] & set);
		}
}

static void put_back(struct trial *trial)
{
	for (uint32_t i = 0; i < trial->result_count; i++)
		memcpy(row_of(trial, trial->results[i].reg), trial->before_results[i],
		       sizeof(trial->before_results[i]));
	for (uint32_t i = 0; i < trial->input_count; i++)
		memcpy(row_of(trial, trial->inputs[i]), trial->before[i], sizeof(trial->before[i]));
	memcpy(trial->exec.warp->preds, trial->before_preds, sizeof(trial->before_preds));
}

static void look_at_results(struct trial *trial, uint32_t number, const uint32_t inputs[12][HD_WARP_LANES])
{
	for (uint32_t i = 0; i < trial->result_count; i++) {
		struct result *result = &trial->results[i];
		const uint32_t *now = row_of(trial, result->reg);
		HD_FOR_LANES (lane, trial->exec.mask) {
			if (!number)
				result->row[lane] = now[lane];
			result->differs[lane] |= now[lane] ^ result->row[lane];
			if (trial->guarded >> lane & 1)
				result->differs[lane] |= now[lane] ^ trial->before_results[i][lane];
			for (uint32_t j = 0; i == 0 && j < trial->input_count; j++) {
				uint32_t unlike = now[lane] ^ inputs[j][lane];
				uint32_t bits = trial->values->regs[trial->inputs[j]].bits[lane];
				if (unlike)
					trial->same[j] &= ~(1u << lane);
				if (unlike & bits & (now[lane] ^ result->row[lane]))
					trial->in_place[j] &= ~(1u << lane);
			}
		}
	}
	for (uint32_t pred = 0; pred < HD_PT; pred++) {
		if (!number)
			trial->first_preds[pred] = trial->exec.warp->preds[pred];
		trial->preds_differ[pred] |= trial->exec.warp->preds[pred] ^ trial->first_preds[pred];
		if (trial->guarded)
			trial->preds_differ[pred] |=
				(trial->exec.warp->preds[pred] ^ trial->before_preds[pred]) & trial->guarded;
	}
}

/* False: none of the operands is without meaning. */
static bool find_inputs(struct trial *trial)
{
	const struct hd_values *values = trial->values;
	const struct hd_dinst *inst = trial->inst;
	struct hd_regset reads;
	hd_inst_reads(&inst->inst, &reads);
	for (unsigned i = 0; i < inst->read_count; i++) {
		uint32_t reg = inst->read_regs[i];
		bool known = reg == HD_RZ || !(values->regs[reg].lanes & trial->exec.mask);
		for (uint32_t j = 0; j < trial->input_count; j++)
			known |= trial->inputs[j] == reg;
		if (!known)
			trial->inputs[trial->input_count++] = reg;
	}
	uint8_t guard = inst->inst.guard & 7;
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		if (reads.preds >> pred & 1 && values->preds[pred] & trial->exec.mask && pred != guard)
			trial->input_preds |= 1u << pred;
	return trial->input_count || trial->input_preds || trial->guarded;
}

static void find_results(struct trial *trial)
{
	const struct hd_hazard *writes = &trial->inst->writes;
	for (unsigned word = 0; word < 4; word++)
		for (uint64_t left = writes->bits[word]; left && trial->result_count < MOST_RESULTS; left &= left - 1)
			trial->results[trial->result_count++].reg = 64 * word + (unsigned)__builtin_ctzll(left);
	trial->result_preds = (uint32_t)writes->bits[4];
}

static void run_trials(struct trial *trial)
{
	uint32_t inputs[12][HD_WARP_LANES];
	for (uint32_t i = 0; i < trial->result_count; i++)
		memcpy(trial->before_results[i], row_of(trial, trial->results[i].reg),
		       sizeof(trial->before_results[i]));
	for (uint32_t i = 0; i < trial->input_count; i++) {
		memcpy(trial->before[i], row_of(trial, trial->inputs[i]), sizeof(trial->before[i]));
		trial->same[i] = trial->in_place[i] = trial->values->regs[trial->inputs[i]].lanes;
	}
	memcpy(trial->before_preds, trial->exec.warp->preds, sizeof(trial->before_preds));
	for (uint32_t number = 0; number < TRIALS; number++) {
		put_inputs(trial, number);
		for (uint32_t i = 0; i < trial->input_count; i++)
			memcpy(inputs[i], row_of(trial, trial->inputs[i]), sizeof(inputs[i]));
		trial->inst->exec(&trial->exec, trial->inst);
		look_at_results(trial, number, inputs);
		put_back(trial);
	}
}

static const struct hd_origin_of *origin_of(const struct trial *trial)
{
	const struct hd_values *values = trial->values;
	if (trial->input_count)
		return &values->regs[trial->inputs[0]].of;
	if (trial->input_preds)
		return &values->of_pred[__builtin_ctz(trial->input_preds)];
	return &values->of_pred[trial->inst->inst.guard & 7];
}

/* Those of which a result may be what was read; of others it is only so by chance. */
static bool moves_bits(unsigned op)
{
	return op == HD_OP_MOV || op == HD_OP_SEL || op == HD_OP_LOP3 || op == HD_OP_PRMT || op == HD_OP_SGXT;
}

/* What the first result has of its operands: a copy of one, bits of one in their places, or something else. */
static void put_result(const struct trial *trial, uint32_t index, struct hd_value_row *to)
{
	const struct result *result = &trial->results[index];
	const struct hd_value_row *regs = trial->values->regs;
	uint32_t candidates = index == 0 && moves_bits(trial->inst->inst.op) ? trial->input_count : 0;
	to->lanes &= ~trial->exec.mask;
	HD_FOR_LANES (lane, trial->exec.mask) {
		const struct hd_value_row *like = NULL;
		bool same = false;
		if (!result->differs[lane])
			continue;
		for (uint32_t i = 0; i < candidates && !same; i++) {
			same = trial->same[i] >> lane & 1;
			if (same || (trial->in_place[i] >> lane & 1 &&
				     !(result->differs[lane] & ~regs[trial->inputs[i]].bits[lane])))
				like = &regs[trial->inputs[i]];
		}
		if (like && !(trial->guarded >> lane & 1)) {
			hd_value_copy_lane(to, lane, like, lane);
			if (!same && to->whole >> lane & 1)
				to->how.cut |= 1u << lane;
		} else {
			if (!to->lanes)
				to->of = *origin_of(trial);
			to->lanes |= 1u << lane;
			to->how.altered |= 1u << lane;
		}
		to->bits[lane] = result->differs[lane];
	}
}

void hd_values_try(struct hd_values *values, const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t guarded)
{
	struct trial trial = {.values = values, .exec = *exec, .inst = inst, .guarded = guarded};
	struct hd_value_row made[MOST_RESULTS] = {0};
	trial.exec.mask |= guarded;
	find_results(&trial);
	bool any = inst->exec && find_inputs(&trial);
	if (any)
		run_trials(&trial);
	for (uint32_t i = 0; any && i < trial.result_count; i++) {
		made[i] = values->regs[trial.results[i].reg];
		put_result(&trial, i, &made[i]);
	}
	const struct hd_origin_of of = any ? *origin_of(&trial) : (struct hd_origin_of){0};
	for (uint32_t i = 0; i < trial.result_count; i++)
		if (any)
			values->regs[trial.results[i].reg] = made[i];
		else
			values->regs[trial.results[i].reg].lanes &= ~trial.exec.mask;
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		if (trial.result_preds >> pred & 1) {
			uint32_t lanes = trial.preds_differ[pred] & trial.exec.mask;
			values->preds[pred] = (values->preds[pred] & ~trial.exec.mask) | lanes;
			if (lanes)
				values->of_pred[pred] = of;
		}
}

/*
 * Bits of registers and predicates that mean nothing (--check=init), and how an instruction hands them on.
 *
 * That is tried out: the instruction is executed a few times with other bits in their place, and what differs in its
 * result depends on them. So a mask, a shift, a carry, a comparison or a conversion hands on exactly what it does, and
 * nothing is ever said of a bit that does not depend on them. Between equal and unequal chance does not find both:
 * one of the trials of a comparison has both operands the same.
 *
 * Cost: nothing for instructions whose operands all mean something; else 14 executions, and one for each lane where a
 * uniform register is one of them, since it can be equal to one lane's value at a time.
 */
#include "heddle/opcodes.h"
#include "lib/hash.h"
#include "lib/machine/abi.h"
#include "runtime/check/state.h"

enum { TRIALS = 14, MOST_RESULTS = 8, MOST_INPUTS = 13, FIRST_UNIFORM = 256 };

void hd_values_begin(struct hd_values *values, uint32_t local_bytes)
{
	uint32_t words = local_bytes / 4;
	for (uint32_t i = 0; values->any && i < 256; i++)
		values->regs[i].lanes = 0;
	for (uint32_t i = 0; values->any && i < HD_MAX_UREGS; i++)
		values->uniform[i].lanes = 0;
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

void hd_value_made(struct hd_value_row *to, uint32_t lane, uint32_t bits, const struct hd_origin_of *of)
{
	uint32_t bit = 1u << lane;
	if (!(to->lanes & ~bit))
		to->of = *of;
	to->lanes |= bit;
	to->how.altered |= bit;
	to->bits[lane] = bits;
}

void hd_values_known(struct hd_values *values, const struct hd_dinst *inst, uint32_t lanes)
{
	const struct hd_hazard *writes = &inst->writes;
	HD_FOR_HAZARD_REGS(reg, writes)
	values->regs[reg].lanes &= ~lanes;
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		if (writes->bits[4] >> pred & 1)
			values->preds[pred] &= ~lanes;
	if (hd_opinfo[inst->inst.op].dst == HD_W_U)
		values->uniform[inst->inst.dst].lanes = 0;
}

/* ---- trials */

/* An operand: a register, or a uniform one. */
struct input {
	uint32_t reg; /* behind the registers: uniform ones */
	const struct hd_value_row *shadow;
	uint32_t before[HD_WARP_LANES];
	uint32_t same, in_place; /* lanes in which every result so far was the same word, or bits in their place: of
				    results of one register */
};
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
	struct input inputs[MOST_INPUTS];
	uint32_t input_count, input_preds, before_preds[8];
	bool uniform; /* one of them is */
	struct result results[MOST_RESULTS];
	uint32_t result_count, result_preds;
	uint32_t before_results[MOST_RESULTS][HD_WARP_LANES];
	uint32_t first_preds[8], preds_differ[8];
};
typedef uint32_t words_of_inputs[MOST_INPUTS][HD_WARP_LANES];

static uint32_t *row_of(const struct trial *trial, uint32_t reg)
{
	return trial->exec.warp->regs[reg];
}

static void read_input(const struct trial *trial, const struct input *input, uint32_t *words)
{
	if (input->reg < FIRST_UNIFORM) {
		memcpy(words, row_of(trial, input->reg), HD_ROW_BYTES);
		return;
	}
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		words[lane] = trial->exec.warp->uregs[input->reg - FIRST_UNIFORM];
}

static void write_input(const struct trial *trial, const struct input *input, const uint32_t *words)
{
	if (input->reg < FIRST_UNIFORM)
		memcpy(row_of(trial, input->reg), words, HD_ROW_BYTES);
	else
		trial->exec.warp->uregs[input->reg - FIRST_UNIFORM] = words[0];
}

/* Of a comparison of registers the other operand's word; else bits by chance, and extremes. */
static uint32_t other_bits(const struct trial *trial, uint32_t number, uint32_t reg, uint32_t lane)
{
	static const uint32_t extremes[] = {0, HD_FULL, 0x7fffffff, 0x80000000, 1, 0xfffffffe, 0x7f7fffff, 0xbf800000};
	const struct hd_inst *inst = &trial->inst->inst;
	const struct hd_warp *warp = trial->exec.warp;
	if (number < sizeof(extremes) / sizeof(*extremes))
		return extremes[number];
	if (reg >= FIRST_UNIFORM && number + 1 >= TRIALS && hd_opinfo[inst->op].a) /* the same as each lane's */
		return hd_row(warp, inst->a)[(number + 1 - TRIALS) % HD_WARP_LANES];
	if (number + 1 != TRIALS || !hd_opinfo[inst->op].a || !hd_opinfo[inst->op].b)
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
		const struct input *input = &trial->inputs[i];
		uint32_t words[HD_WARP_LANES];
		read_input(trial, input, words);
		HD_FOR_LANES (lane, input->reg < FIRST_UNIFORM ? input->shadow->lanes & trial->exec.mask : HD_FULL) {
			uint32_t bits = input->shadow->bits[lane];
			words[lane] =
				(words[lane] & ~bits) |
				(other_bits(trial, number, input->reg, input->reg < FIRST_UNIFORM ? lane : 0) & bits);
		}
		write_input(trial, input, words);
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
		write_input(trial, &trial->inputs[i], trial->inputs[i].before);
	memcpy(trial->exec.warp->preds, trial->before_preds, sizeof(trial->before_preds));
}

static void look_at_results(struct trial *trial, uint32_t number, const words_of_inputs inputs)
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
				struct input *input = &trial->inputs[j];
				uint32_t unlike = now[lane] ^ inputs[j][lane];
				if (unlike)
					input->same &= ~(1u << lane);
				if (unlike & input->shadow->bits[lane] & (now[lane] ^ result->row[lane]))
					input->in_place &= ~(1u << lane);
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

static void add_input(struct trial *trial, uint32_t reg, const struct hd_value_row *shadow)
{
	for (uint32_t i = 0; i < trial->input_count; i++)
		if (trial->inputs[i].reg == reg)
			return;
	if (shadow->lanes & trial->exec.mask)
		trial->inputs[trial->input_count++] = (struct input){.reg = reg, .shadow = shadow};
}

/* False: none of the operands is without meaning. */
static bool find_inputs(struct trial *trial)
{
	const struct hd_values *values = trial->values;
	const struct hd_dinst *inst = trial->inst;
	struct hd_regset reads;
	hd_inst_reads(&inst->inst, &reads);
	for (unsigned i = 0; i < inst->read_count; i++)
		if (inst->read_regs[i] != HD_RZ)
			add_input(trial, inst->read_regs[i], &values->regs[inst->read_regs[i]]);
	if (hd_x_is_uniform(inst->inst.xkind)) {
		uint32_t before = trial->input_count;
		add_input(trial, FIRST_UNIFORM + inst->inst.x, &values->uniform[inst->inst.x]);
		trial->uniform = trial->input_count > before;
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
	words_of_inputs inputs;
	uint32_t count = trial->uniform ? TRIALS + HD_WARP_LANES - 1 : TRIALS;
	for (uint32_t i = 0; i < trial->result_count; i++)
		memcpy(trial->before_results[i], row_of(trial, trial->results[i].reg),
		       sizeof(trial->before_results[i]));
	for (uint32_t i = 0; i < trial->input_count; i++) {
		struct input *input = &trial->inputs[i];
		read_input(trial, input, input->before);
		input->same = input->in_place = input->shadow->lanes;
	}
	memcpy(trial->before_preds, trial->exec.warp->preds, sizeof(trial->before_preds));
	for (uint32_t number = 0; number < count; number++) {
		put_inputs(trial, number);
		for (uint32_t i = 0; i < trial->input_count; i++)
			read_input(trial, &trial->inputs[i], inputs[i]);
		trial->inst->exec(&trial->exec, trial->inst);
		look_at_results(trial, number, inputs);
		put_back(trial);
	}
}

static const struct hd_origin_of *origin_of(const struct trial *trial)
{
	const struct hd_values *values = trial->values;
	if (trial->input_count)
		return &trial->inputs[0].shadow->of;
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
	uint32_t candidates = index == 0 && moves_bits(trial->inst->inst.op) ? trial->input_count : 0;
	to->lanes &= ~trial->exec.mask;
	HD_FOR_LANES (lane, trial->exec.mask) {
		const struct hd_value_row *like = NULL;
		bool same = false;
		if (!result->differs[lane])
			continue;
		for (uint32_t i = 0; i < candidates && !same; i++) {
			const struct input *input = &trial->inputs[i];
			same = input->same >> lane & 1;
			if (same ||
			    (input->in_place >> lane & 1 && !(result->differs[lane] & ~input->shadow->bits[lane])))
				like = input->shadow;
		}
		if (like && !(trial->guarded >> lane & 1)) {
			hd_value_copy_lane(to, lane, like, lane);
			if (!same && to->whole >> lane & 1)
				to->how.cut |= 1u << lane;
			to->bits[lane] = result->differs[lane];
		} else {
			hd_value_made(to, lane, result->differs[lane], origin_of(trial));
		}
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

#include "simt_model.h"
#include "heddle/opcodes.h"

void model_start(struct model *model)
{
	model->depth = 1;
	model->stack[0] = (struct model_entry){0, HD_NO_PC, (1u << MODEL_LANES) - 1};
}

bool model_has_room(const struct model *model)
{
	return model->depth + 2 < MODEL_DEPTH;
}

static void branch(struct model *model, uint32_t taken, uint32_t target, uint32_t reconv)
{
	struct model_entry *top = model_top(model);
	uint32_t rest = top->mask & ~taken, next = top->pc + 1, meets = reconv;
	if (!taken || !rest) {
		top->pc = taken ? target : next;
		return;
	}
	if (reconv != HD_NO_PC && reconv != top->reconv) {
		top->pc = reconv;
		model->stack[model->depth++] = (struct model_entry){next, meets, rest};
	} else {
		meets = top->reconv;
		*top = (struct model_entry){next, meets, rest};
	}
	model->stack[model->depth++] = (struct model_entry){target, meets, taken};
}

void model_step(struct model *model, const struct hd_inst *inst, uint32_t mask)
{
	if (inst->op == HD_OP_EXIT) {
		for (uint32_t i = 0; i < model->depth; i++)
			model->stack[i].mask &= ~mask;
		model_top(model)->pc++;
	} else if (inst->op == HD_OP_BRA) {
		branch(model, mask, inst->x, inst->reconv);
	} else {
		model_top(model)->pc++;
	}
	while (model->depth && (!model_top(model)->mask || model_top(model)->pc == model_top(model)->reconv))
		model->depth--;
}

/*
 * Inline PTX: the statement's operands, and its instructions one after another. Registers of the text are values:
 * each write replaces the value, so a sequence becomes SSA on the way. A guarded instruction without effects is
 * computed and then chosen with SEL, one with effects stands behind a branch.
 */
#include "passes/ptx/ptx.h"
#include "heddle/opcodes.h"

#include <stdarg.h>

/* ------------------------------------------------------------------ the opcode's parts */

void hd_ptx_error(struct hd_ptx *ptx, const char *format, ...)
{
	if (ptx->failed)
		return;
	ptx->failed = true;
	va_list args;
	va_start(args, format);
	char reason[256];
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	hd_sel_unsupported(ptx->sel, "inline assembly%s%s%s: %s", ptx->now && *ptx->now->text ? " '" : "",
			   ptx->now ? ptx->now->text : "", ptx->now && *ptx->now->text ? "'" : "", reason);
}

bool hd_ptx_has(const struct hd_ptx *ptx, const char *part)
{
	return hd_ptx_statement_has(ptx->now, part);
}

struct hd_ptx_type hd_ptx_type(const struct hd_ptx *ptx, unsigned back)
{
	return hd_ptx_statement_type(ptx->now, back);
}

uint16_t hd_ptx_rounding(const struct hd_ptx *ptx)
{
	return HD_MOD(RND, hd_ptx_has(ptx, "rz") || hd_ptx_has(ptx, "rzi")   ? HD_RND_RZ
			   : hd_ptx_has(ptx, "rm") || hd_ptx_has(ptx, "rmi") ? HD_RM
			   : hd_ptx_has(ptx, "rp") || hd_ptx_has(ptx, "rpi") ? HD_RP
									     : HD_RN);
}

/* ------------------------------------------------------------------ operands */

static struct hd_leaf special(struct hd_ptx *ptx, uint32_t code, unsigned bits)
{
	struct hd_select *sel = ptx->sel;
	uint32_t words = code / HD_PTX_WIDE, sr = code % HD_PTX_WIDE;
	struct hd_mreg dst;
	struct hd_leaf leaf;
	if (code >= HD_PTX_CONSTANT && !words)
		return hd_leaf_imm(code - HD_PTX_CONSTANT, bits == 1 ? 0 : (bits + 31) / 32);
	if (words) {
		dst = hd_mfunc_vreg(sel->func, 2);
		hd_sel_push(sel, HD_OP_CS2R, HD_MOD(SR, sr))->dst = dst;
		leaf = hd_leaf_reg(words == 3 ? dst : hd_sub(dst, words - 1, 1));
	} else if (sr >= HD_PTX_CBANK) {
		leaf = (struct hd_leaf){.kind = HD_LEAF_BANK, .words = 1, .id = sr - HD_PTX_CBANK};
	} else {
		dst = hd_mfunc_vreg(sel->func, 1);
		hd_sel_push(sel, HD_OP_S2R, HD_MOD(SR, sr))->dst = dst;
		leaf = hd_leaf_reg(dst);
	}
	if (leaf.words == 1 && bits == 1)
		return hd_sel_word_bool(sel, hd_sel_word(sel, &leaf, 0));
	if (leaf.words == 1 && bits == 64)
		leaf = hd_sel_extend_leaf(sel, leaf, 32, 64, false);
	if (leaf.words == 2 && bits <= 32)
		leaf = hd_leaf_reg(hd_sub(hd_sel_reg(sel, leaf), 0, 1));
	return leaf;
}

struct hd_leaf hd_ptx_read(struct hd_ptx *ptx, const struct hd_ptx_part *part, unsigned bits)
{
	unsigned words = bits == 1 ? 0 : (bits + 31) / 32;
	struct hd_ptx_reg *reg;
	if (part->negated || *part->selector) {
		hd_ptx_error(ptx, "negated operands and parts of operands are not supported here");
		return hd_leaf_imm(0, words);
	}
	switch (part->kind) {
	case HD_PTX_NUMBER:
		return hd_leaf_imm(bits == 1	? part->number != 0
				   : bits == 64 ? part->number
						: part->number & ((UINT64_C(1) << bits) - 1),
				   words);
	case HD_PTX_SINGLE:
	case HD_PTX_DOUBLE: return hd_leaf_imm(hd_ptx_float_bits(part, bits), words);
	case HD_PTX_SPECIAL: return special(ptx, (uint32_t)part->number, bits);
	case HD_PTX_REG:
		reg = &ptx->regs.data[part->reg];
		if ((bits == 1) != (reg->bits == 1) || (reg->bits + 31) / 32 < words) {
			hd_ptx_error(ptx, "operand '%s' has %u bits instead of %u", reg->name, reg->bits, bits);
			break;
		}
		reg->lost = false;
		reg->used |= !reg->written;
		if (!reg->set)
			break;
		if (reg->leaf.words > words && words) /* wider: the low part counts */
			return hd_leaf_reg(hd_sub(hd_sel_reg(ptx->sel, reg->leaf), 0, words));
		return reg->leaf;
	default: hd_ptx_error(ptx, "expected an operand");
	}
	return hd_leaf_imm(0, words);
}

struct hd_leaf hd_ptx_in(struct hd_ptx *ptx, unsigned index, unsigned bits)
{
	const struct hd_ptx_operand *operand = &ptx->now->operands[index];
	if (index >= ptx->now->count || operand->form != HD_PTX_PLAIN) {
		hd_ptx_error(ptx, "operand %u is missing or has the wrong form", index + 1);
		return hd_leaf_imm(0, bits == 1 ? 0 : (bits + 31) / 32);
	}
	struct hd_leaf leaf = hd_ptx_read(ptx, &operand->parts[0], bits);
	if (operand->inverted && leaf.words == 0 && leaf.kind == HD_LEAF_IMM)
		leaf.imm[0] = !leaf.imm[0];
	else if (operand->inverted)
		leaf.inverted = !leaf.inverted;
	return leaf;
}

struct hd_opnd hd_ptx_word(struct hd_ptx *ptx, unsigned index)
{
	struct hd_leaf leaf = hd_ptx_in(ptx, index, 32);
	return hd_sel_word(ptx->sel, &leaf, 0);
}

struct hd_popnd hd_ptx_pred(struct hd_ptx *ptx, unsigned index)
{
	return hd_sel_pred(ptx->sel, hd_ptx_in(ptx, index, 1));
}

bool hd_ptx_constant(struct hd_ptx *ptx, unsigned index, uint64_t *value)
{
	struct hd_leaf leaf = hd_ptx_in(ptx, index, 32);
	*value = leaf.imm[0];
	return leaf.kind == HD_LEAF_IMM;
}

void hd_ptx_write(struct hd_ptx *ptx, const struct hd_ptx_part *part, struct hd_leaf leaf, unsigned bits)
{
	if (part->kind == HD_PTX_SINK || ptx->failed)
		return;
	if (part->kind != HD_PTX_REG || part->negated || *part->selector) {
		hd_ptx_error(ptx, "the result is not a register");
		return;
	}
	struct hd_ptx_reg *reg;
	reg = &ptx->regs.data[part->reg];
	if ((bits == 1) != (reg->bits == 1) || reg->bits < bits) {
		hd_ptx_error(ptx, "the result has %u bits, but '%s' has %u", bits, reg->name, reg->bits);
		return;
	}
	if (reg->bits == 64 && leaf.words == 1)
		leaf = hd_sel_extend_leaf(ptx->sel, leaf, 32, 64, false);
	if (ptx->now->guarded && reg->set) {
		const struct hd_ptx_reg *guard = &ptx->regs.data[ptx->now->guard];
		struct hd_popnd when = hd_sel_pred(ptx->sel, guard->set ? guard->leaf : hd_leaf_imm(0, 0));
		when.inverted ^= ptx->now->guard_not;
		leaf = hd_sel_select_leaf(ptx->sel, when, leaf, reg->leaf);
		reg->used |= !reg->written;
	}
	leaf.ext = HD_EXT_NONE; /* the next reader may take another width */
	reg->leaf = leaf;
	reg->set = true;
	reg->written = reg->lost = reg->input != NULL;
}

void hd_ptx_out(struct hd_ptx *ptx, unsigned index, struct hd_leaf leaf, unsigned bits)
{
	if (index >= ptx->now->count || ptx->now->operands[index].form != HD_PTX_PLAIN)
		hd_ptx_error(ptx, "the result is not a register");
	else
		hd_ptx_write(ptx, &ptx->now->operands[index].parts[0], leaf, bits);
}

/* ------------------------------------------------------------------ instructions */

/* Length of the row's name in the opcode, 0 when it is another. */
static size_t name_matches(const char *text, const char *name)
{
	size_t length = strlen(name);
	return !strncmp(text, name, length) && (text[length] == '.' || !text[length]) ? length : 0;
}

static bool modifiers_allowed(struct hd_ptx *ptx, const struct hd_ptx_row *row)
{
	if (!row->modifiers)
		return true;
	unsigned first = 1;
	for (const char *dot = row->name; (dot = strchr(dot, '.')); dot++)
		first++;
	char wanted[32];
	for (unsigned i = first; i < ptx->now->part_count; i++) {
		snprintf(wanted, sizeof wanted, " %s ", ptx->now->parts[i]);
		if (!strstr(row->modifiers, wanted)) {
			hd_ptx_error(ptx, "'.%s' is not supported here", ptx->now->parts[i]);
			return false;
		}
	}
	return true;
}

static const struct hd_ptx_row *find_row(const char *text)
{
	static const struct hd_ptx_row *const tables[] = {hd_ptx_alu,	  hd_ptx_bits,	   hd_ptx_float,
							  hd_ptx_simd,	  hd_ptx_convert,  hd_ptx_system,
							  hd_ptx_copy,	  hd_ptx_mbarrier, hd_ptx_matrix,
							  hd_ptx_texture, hd_ptx_cluster,  hd_ptx_bulk,
							  hd_ptx_wgmma,	  hd_ptx_refused};
	const struct hd_ptx_row *best = NULL;
	size_t longest = 0;
	for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
		for (const struct hd_ptx_row *row = tables[t]; row->name; row++) {
			size_t length = name_matches(text, row->name);
			if (length > longest) {
				best = row;
				longest = length;
			}
		}
	return best;
}

static bool same_leaf(const struct hd_leaf *a, const struct hd_leaf *b)
{
	return a->kind == b->kind && a->words == b->words && a->ext == b->ext && a->sub == b->sub &&
	       a->inverted == b->inverted && a->linear == b->linear && a->coefficient == b->coefficient &&
	       a->lanes == b->lanes && a->id == b->id && a->imm[0] == b->imm[0] && a->imm[1] == b->imm[1];
}

/* Values that changed in the guarded block merge with the old ones behind it. */
static void merge(struct hd_ptx *ptx, const struct hd_leaf *before, uint32_t then, uint32_t next)
{
	struct hd_select *sel = ptx->sel;
	for (uint32_t i = 0; i < ptx->regs.len; i++) {
		struct hd_ptx_reg *reg = &ptx->regs.data[i];
		struct hd_leaf now = reg->leaf, old = before[i];
		if (!reg->set || same_leaf(&now, &old))
			continue;
		reg->used = true;
		sel->block = then;
		struct hd_mreg in[2], dst;
		uint32_t phi;
		if (now.words == 0) {
			struct hd_popnd p = hd_sel_pred(sel, now), always = {HD_MREG_PT, false};
			in[1] = (struct hd_mreg){hd_sel_plop(sel, HD_BOOL_AND, p, always), 0, 1};
			in[0] = (struct hd_mreg){old.id, 0, 1};
			dst = (struct hd_mreg){hd_mfunc_pred(sel->func), 0, 1};
			reg->leaf = hd_leaf_pred(dst.id, false);
			phi = hd_sel_phi(sel, next, HD_MREG_NONE, dst.id);
		} else {
			in[1] = hd_sel_reg(sel, now);
			in[0] = (struct hd_mreg){old.id, old.sub, old.words};
			dst = hd_mfunc_vreg(sel->func, now.words);
			reg->leaf = hd_leaf_reg(dst);
			phi = hd_sel_phi(sel, next, dst, HD_MREG_PT);
		}
		hd_sel_set_phi(sel, next, phi, in, 2);
	}
}

/* Before a guarded effect every register that it may write has its value in a register. */
static void settle_results(struct hd_ptx *ptx)
{
	for (unsigned i = 0; i < ptx->now->count; i++)
		for (unsigned k = 0; k <= ptx->now->operands[i].count; k++) {
			const struct hd_ptx_operand *operand = &ptx->now->operands[i];
			const struct hd_ptx_part *part = k < operand->count ? &operand->parts[k] : &operand->second;
			if (part->kind != HD_PTX_REG)
				continue;
			struct hd_ptx_reg *reg;
			reg = &ptx->regs.data[part->reg];
			if (!reg->set)
				reg->leaf = hd_leaf_imm(0, reg->bits == 1 ? 0 : (reg->bits + 31) / 32);
			reg->set = true;
			if (reg->leaf.words == 0) {
				struct hd_popnd p = hd_sel_pred(ptx->sel, reg->leaf), always = {HD_MREG_PT, false};
				reg->leaf = hd_leaf_pred(hd_sel_plop(ptx->sel, HD_BOOL_AND, p, always), false);
			} else {
				reg->leaf = hd_leaf_reg(hd_sel_reg(ptx->sel, reg->leaf));
			}
		}
}

static void guarded_effect(struct hd_ptx *ptx, const struct hd_ptx_row *row)
{
	struct hd_select *sel = ptx->sel;
	const struct hd_ptx_reg *guard = &ptx->regs.data[ptx->now->guard];
	struct hd_popnd when = hd_sel_pred(sel, guard->set ? guard->leaf : hd_leaf_imm(0, 0));
	when.inverted ^= ptx->now->guard_not;
	settle_results(ptx);
	struct hd_leaf *before = HD_ARENA_NEW(sel->func->arena, struct hd_leaf, ptx->regs.len + 1);
	for (uint32_t i = 0; i < ptx->regs.len; i++)
		before[i] = ptx->regs.data[i].leaf;
	uint32_t then = hd_sel_new_block(sel);
	uint32_t next = hd_sel_new_block(sel);
	if (when.id == HD_MREG_PT) /* a constant guard still needs two successors */
		when = (struct hd_popnd){hd_sel_isetp(sel, when.inverted ? HD_CMP_NE : HD_CMP_EQ, false, hd_rz(),
						      hd_rz()),
					 false};
	hd_sel_branch_if(sel, when, then, next);
	sel->block = then;
	ptx->now->guarded = false; /* the branch has seen to it */
	row->select(ptx, row->arg);
	if (ptx->failed)
		return;
	then = sel->block;
	merge(ptx, before, then, next);
	sel->block = then;
	hd_sel_branch(sel, next);
	sel->block = next;
}

static void run(struct hd_ptx *ptx, struct hd_ptx_statement *statement)
{
	const struct hd_ptx_row *row = find_row(statement->text);
	if (!row) {
		hd_ptx_error(ptx, "unknown instruction");
		return;
	}
	if (!modifiers_allowed(ptx, row))
		return;
	if (statement->count < row->operands) {
		hd_ptx_error(ptx, "expected %u operands", row->operands);
		return;
	}
	if (statement->guarded && row->effect)
		guarded_effect(ptx, row);
	else
		row->select(ptx, row->arg);
}

/* ------------------------------------------------------------------ the statement */

/* The values of registers that have been declared meanwhile. */
static void follow_text(struct hd_ptx *ptx)
{
	struct hd_ptx_reg reg = {0};
	while (ptx->regs.len < ptx->text.regs.len) {
		const struct hd_ptx_name *name = &ptx->text.regs.data[ptx->regs.len];
		snprintf(reg.name, sizeof reg.name, "%s", name->name);
		reg.bits = name->bits;
		hd_vec_push(&ptx->regs, reg);
	}
}

static uint32_t declare(struct hd_ptx *ptx, const char *name, unsigned bits)
{
	uint32_t reg = hd_ptx_text_declare(&ptx->text, name, bits);
	follow_text(ptx);
	return reg;
}

static unsigned constraint_bits(LLVMTypeRef type)
{
	unsigned bits = hd_is_scalar(type) ? hd_scalar_bits(type) : 0;
	return bits <= 64 ? bits : 0;
}

/* An input, or what earlier assembly of the block has left in its register. */
static struct hd_leaf given(struct hd_select *sel, LLVMValueRef value)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(sel->inst);
	for (uint32_t i = sel->handed_on.len; i-- > 0;)
		if (sel->handed_on.data[i].block == block && sel->handed_on.data[i].input == value)
			return sel->handed_on.data[i].leaf;
	return hd_sel_leaf(sel, value, 0);
}

/*
 * Declares "$0", "$1", ... from the constraints "=r,=l,r,0,n,~{memory}". Fills `outputs` with the registers of the
 * results and returns how many there are, -1 on an error.
 */
static int bind_operands(struct hd_ptx *ptx, const char *constraints, uint32_t *outputs, unsigned room)
{
	struct hd_select *sel = ptx->sel;
	LLVMTypeRef result = LLVMTypeOf(sel->inst);
	bool many = LLVMGetTypeKind(result) == LLVMStructTypeKind;
	unsigned count = 0, args = 0, index = 0;
	char name[16];
	for (const char *at = constraints; *at;) {
		size_t length = strcspn(at, ",");
		bool output = *at == '=';
		const char *letter = at + output + strspn(at + output, "&");
		if (at[0] == '~') { /* clobbers, which may hold commas only between braces */
			at += length + (at[length] == ',');
			continue;
		}
		if (*letter == '*' || (output && count == room)) {
			hd_ptx_error(ptx, "constraint '%.*s' is not supported", (int)length, at);
			return -1;
		}
		snprintf(name, sizeof name, "$%u", index++);
		LLVMTypeRef type;
		if (output) {
			type = many ? LLVMStructGetTypeAtIndex(result, count) : result;
			outputs[count++] = declare(ptx, name, constraint_bits(type));
		} else {
			LLVMValueRef value = LLVMGetArgOperand(sel->inst, args++);
			struct hd_leaf leaf = given(sel, value);
			uint32_t reg = declare(ptx, name, constraint_bits(LLVMTypeOf(value)));
			ptx->regs.data[reg].leaf = leaf;
			ptx->regs.data[reg].set = true;
			ptx->regs.data[reg].input = value;
			if (*letter >= '0' && *letter <= '9') {
				unsigned tied = (unsigned)strtoul(letter, NULL, 10);
				if (tied < count) {
					ptx->regs.data[outputs[tied]].leaf = leaf;
					ptx->regs.data[outputs[tied]].set = true;
				}
			}
		}
		if (!ptx->regs.data[ptx->regs.len - 1].bits) {
			hd_ptx_error(ptx, "operand %u has no register type", index - 1);
			return -1;
		}
		at += length + (at[length] == ',');
	}
	return (int)count;
}

static bool is_assembly(LLVMValueRef inst)
{
	return LLVMIsACallInst(inst) && LLVMIsAInlineAsm(LLVMGetCalledValue(inst));
}

/* Whether later assembly of the block has the input. */
static bool is_taken_up(LLVMValueRef inst, LLVMValueRef input)
{
	while ((inst = LLVMGetNextInstruction(inst)))
		for (unsigned i = 0; is_assembly(inst) && i < LLVMGetNumArgOperands(inst); i++)
			if (LLVMGetArgOperand(inst, i) == input)
				return true;
	return false;
}

/* Whether nobody else reads the register that the input is in: a constant is made where it is used. */
static bool is_assemblys_alone(LLVMValueRef inst, LLVMValueRef input)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
	for (LLVMUseRef use = LLVMIsConstant(input) ? NULL : LLVMGetFirstUse(input); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!is_assembly(user) || LLVMGetInstructionParent(user) != block)
			return false;
	}
	return true;
}

/* Whether the block may run again after it has run. */
static bool is_in_loop(LLVMBasicBlockRef block)
{
	HD_VEC(LLVMBasicBlockRef) next = {0};
	struct hd_map seen = {0};
	bool found = false;
	hd_vec_push(&next, block);
	while (next.len && !found) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(next.data[--next.len]);
		for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
			LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
			found |= to == block;
			if (hd_map_get(&seen, to))
				continue;
			hd_map_put(&seen, to, 0, 1);
			hd_vec_push(&next, to);
		}
	}
	hd_vec_release(&next);
	hd_map_release(&seen);
	return found;
}

/* Whether assembly of the block in front of the instruction has the input, or the instruction twice. */
static bool is_given_before(LLVMValueRef inst, LLVMValueRef input)
{
	unsigned times = 0;
	for (LLVMValueRef at = inst; at; at = LLVMGetPreviousInstruction(at))
		for (unsigned i = 0; is_assembly(at) && i < LLVMGetNumArgOperands(at); i++)
			times += LLVMGetArgOperand(at, i) == input;
	return times > 1;
}

static bool has_been_handed_on(struct hd_select *sel, LLVMValueRef input)
{
	for (uint32_t i = 0; i < sel->handed_on.len; i++)
		if (sel->handed_on.data[i].block == LLVMGetInstructionParent(sel->inst) &&
		    sel->handed_on.data[i].input == input)
			return true;
	return false;
}

/*
 * Whether the block, when it runs again, would read what the text has left in the input: it is not made anew by then,
 * and is read before it is written.
 */
static bool is_carried_round(struct hd_select *sel, const struct hd_ptx_reg *reg)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(sel->inst);
	if (LLVMIsAInstruction(reg->input) && LLVMGetInstructionParent(reg->input) == block)
		return false;
	if (has_been_handed_on(sel, reg->input)) /* whoever came first has been asked */
		return false;
	return (reg->used || is_given_before(sel->inst, reg->input)) && is_in_loop(block);
}

/*
 * The text may count in an operand that it was given. What it leaves there, ptxas hands on to who has the same
 * register: later assembly of the block with the same input. CUTLASS's changes of tensor maps lean on that. Where
 * others would get it too, or nobody, it is an error; so it is where the next round of a loop would get it.
 */
static void hand_on_inputs(struct hd_ptx *ptx)
{
	struct hd_select *sel = ptx->sel;
	for (uint32_t i = 0; i < ptx->regs.len && !ptx->failed; i++) {
		const struct hd_ptx_reg *reg = &ptx->regs.data[i];
		if (!reg->written)
			continue;
		bool taken_up = is_taken_up(sel->inst, reg->input), alone = is_assemblys_alone(sel->inst, reg->input);
		struct hd_handed_on handed = {LLVMGetInstructionParent(sel->inst), reg->input, reg->leaf};
		if (is_carried_round(sel, reg))
			hd_ptx_error(ptx, "'%s' is written, but it is only an input, and the loop goes on with it",
				     reg->name);
		else if (taken_up && !alone)
			hd_ptx_error(ptx, "'%s' is written, but it is only an input, and others read it too",
				     reg->name);
		else if (taken_up)
			hd_vec_push(&sel->handed_on, handed);
		else if (reg->lost)
			hd_ptx_error(ptx, "'%s' is written, but it is only an input, and nothing gets the value",
				     reg->name);
	}
}

static void define_results(struct hd_ptx *ptx, const uint32_t *outputs, unsigned count)
{
	struct hd_leaf *leaves = HD_ARENA_NEW(ptx->sel->func->arena, struct hd_leaf, count + 1);
	for (unsigned i = 0; i < count; i++) {
		const struct hd_ptx_reg *reg = &ptx->regs.data[outputs[i]];
		leaves[i] = reg->set ? reg->leaf : hd_leaf_imm(0, reg->bits == 1 ? 0 : (reg->bits + 31) / 32);
	}
	if (count)
		hd_sel_define(ptx->sel, ptx->sel->inst, leaves, count);
}

/* What the legaliser leaves here is what cannot be read, which is said again. */
static bool next_statement(struct hd_ptx *ptx, struct hd_ptx_statement *statement)
{
	enum hd_ptx_next next = hd_ptx_parse(&ptx->text, statement);
	follow_text(ptx);
	if (ptx->text.failed)
		hd_ptx_error(ptx, "%s", ptx->text.reason);
	else if (next == HD_PTX_AT_LABEL || ptx->text.variables.len || ptx->text.labels.len)
		hd_ptx_error(ptx, "labels and variables are not supported here");
	return next == HD_PTX_STATEMENT && !ptx->failed;
}

void hd_sel_inline_asm(struct hd_select *sel, LLVMValueRef callee)
{
	struct hd_ptx ptx = {.sel = sel, .carry = {HD_MREG_PT, true}};
	struct hd_ptx_statement statement = {0};
	size_t constraint_length = 0;
	const char *constraints = LLVMGetInlineAsmConstraintString(callee, &constraint_length);
	hd_ptx_text_init(&ptx.text, hd_ptx_text_of(sel->func->arena, sel->inst));
	unsigned room = hd_ptx_most_operands(sel->inst);
	uint32_t *outputs = HD_ARENA_NEW(sel->func->arena, uint32_t, room);
	int count = bind_operands(&ptx, hd_arena_printf(sel->func->arena, "%.*s", (int)constraint_length, constraints),
				  outputs, room);
	ptx.now = &statement;
	while (count >= 0 && !ptx.failed && !sel->failed && next_statement(&ptx, &statement))
		run(&ptx, &statement);
	if (count >= 0 && !ptx.failed && ptx.text.scope) {
		statement.text[0] = '\0';
		hd_ptx_error(&ptx, "'{' without '}'");
	}
	statement.text[0] = '\0';
	hand_on_inputs(&ptx);
	if (count >= 0 && !ptx.failed)
		define_results(&ptx, outputs, (unsigned)count);
	sel->spills_in_shared |= ptx.text.spills_in_shared;
	hd_vec_release(&ptx.regs);
	hd_ptx_text_release(&ptx.text);
}

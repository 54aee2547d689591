/*
 * Remarks: what a compiler tells about a program when asked (-Rpass-analysis=heddle-..., -fsave-optimization-record,
 * and the parameter print-remarks). Each has a place in the source, text, and values under keys for tools.
 *
 *   struct hd_remark remark;
 *   if (hd_remark_begin(&remark, remarks, HD_PASS_LOWER, "Spill", function, inst)) {
 *           hd_remark_text(&remark, "spills ");
 *           hd_remark_value(&remark, "Bytes", "%u", bytes);
 *           hd_remark_end(&remark);
 *   }
 *
 * By default each kernel has a summary and its findings; the parameter `remarks` adds device functions, or those
 * and a line of each analysis.
 */
#ifndef HD_PASSES_REMARK_H
#define HD_PASSES_REMARK_H

#include <regex.h>

#include "lib/strbuf.h"
#include "passes/pass.h"
#include "passes/session.h"

/* The remarks of one module: where they go, and what is known of its functions. */
struct hd_remarks {
	const struct hd_unit *unit;
	const struct hd_host *host;
	const struct hd_meta_function **facts; /* of each of hd_object.functions */
	const char *pattern;		       /* print-remarks; NULL: the host shows them */
	regex_t printed;
	struct hd_arena arena;
};

struct hd_remark {
	struct hd_remarks *to;
	const char *pass, *name;
	LLVMValueRef function;
	struct hd_loc loc;
	HD_VEC(struct hd_remark_part) parts; /* strings in the arena */
};

/* What remarks are about when it is no instruction. */
#define HD_REMARK_FUNCTION UINT32_MAX

/*
 * The remarks of the module, once the row METADATA is valid, when the host or the parameters want any. 0, or -1 when
 * print-remarks is no regular expression.
 */
int hd_remarks_emit(const struct hd_unit *unit, const struct hd_host *host);

/*
 * A remark of a pass about an instruction of hd_object.functions[function], or about the function. Returns whether
 * anybody wants it; then it ends with hd_remark_end.
 */
bool hd_remark_begin(struct hd_remark *remark, struct hd_remarks *to, enum hd_pass_id pass, const char *name,
		     uint32_t function, uint32_t inst);
void hd_remark_text(struct hd_remark *remark, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hd_remark_value(struct hd_remark *remark, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "kernel NAME" or "function NAME", and the separator behind it. */
void hd_remark_subject(struct hd_remark *remark, uint32_t function, const char *separator);
/* Hands it over. */
void hd_remark_end(struct hd_remark *remark);

/* Source place of an instruction; of what stands before it in its block, or of the function, where it has none itself:
 * "file:line", or "pc 0120" without debug information; in the arena. */
const char *hd_remark_place_text(struct hd_remarks *remarks, uint32_t function, uint32_t inst);

/* Findings (findings.c). */
void hd_remark_findings(struct hd_remarks *remarks, uint32_t function);
/*
 * The values that registers hold before an instruction, as "R4 sum" or "R2:R3 load a.cu:7": what the program's
 * variables call them, else the IR, else the operation that made them. Appends each as a value of the remark
 * (value_names.c).
 */
void hd_remark_registers(struct hd_remark *remark, const char *key, uint32_t function, uint32_t inst,
			 const struct hd_regset *set);

#endif

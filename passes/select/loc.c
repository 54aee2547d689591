/*
 * The table of source places that each machine function carries.
 */
#include "passes/select/select.h"

#include <llvm-c/DebugInfo.h>

/* Places before this one may have no entry yet: they are those of no code of the user's. */
static void note_inlined(struct hd_select *sel, LLVMMetadataRef place)
{
	while (sel->func->inlined.len < sel->last_loc)
		hd_vec_push(&sel->func->inlined, 0);
	hd_vec_push(&sel->func->inlined, hd_ir_inlined(sel->unit, place));
}

/* Index in func->locs, each place once; files are named once a module. */
int hd_sel_loc(struct hd_select *sel, LLVMValueRef inst)
{
	LLVMMetadataRef place = LLVMInstructionGetDebugLoc(inst), key = place;
	if (!place)
		return 0;
	if (place == sel->last_loc_key)
		return (int)sel->last_loc;
	const struct hd_map_entry *entry = hd_map_get(&sel->locs, place);
	sel->last_loc_key = place;
	if (entry)
		return (int)(sel->last_loc = entry->start);
	sel->last_loc = 0;
	place = hd_ir_user_place(place);
	LLVMMetadataRef file = hd_ir_file(place);
	struct hd_loc loc;
	if (file && LLVMDILocationGetLine(place)) {
		entry = hd_map_get(&sel->files, file);
		if (!entry) {
			hd_vec_push(&sel->file_names, hd_ir_file_name(sel->unit, file));
			hd_map_put(&sel->files, file, sel->file_names.len - 1, 1);
			entry = hd_map_get(&sel->files, file);
		}
		loc = (struct hd_loc){sel->file_names.data[entry->start], LLVMDILocationGetLine(place),
				      LLVMDILocationGetColumn(place)};
		sel->last_loc = sel->func->locs.len;
		hd_vec_push(&sel->func->locs, loc);
		if (sel->unit->options.inlined)
			note_inlined(sel, place);
	}
	hd_map_put(&sel->locs, key, sel->last_loc, 1);
	return (int)sel->last_loc;
}

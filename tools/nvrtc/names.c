/*
 * Name expressions: what a kernel or a device variable is called in the object. For each the source gets one more
 * variable, with the address of what the expression names. That makes templates to kernels, and the relocation of the
 * variable's word in the object has the symbol.
 */
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>

#include "tools/nvrtc/program.h"

#define PREFIX "__nvrtc_name_"

void hd_nvrtc_names_write(const struct _nvrtcProgram *program, struct hd_strbuf *text)
{
	for (uint32_t i = 0; i < program->names.len; i++) {
		const char *expression = program->names.data[i].expression;
		const char *operator= strchr("&(", expression[strspn(expression, " \t")]) ? "" : "&";
		hd_strbuf_printf(text,
				 "\n#line 1 \"name expression\"\n"
				 "extern \"C\" __device__ const volatile void *const " PREFIX
				 "%u = (const volatile void *)(%s%s);\n",
				 i, operator, expression);
	}
}

struct tables {
	Elf *elf;
	Elf_Data *symbols;
	size_t strings; /* the section of their names */
	size_t count;
};

static bool find_symbols(struct tables *tables)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(tables->elf, section));) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize)
			continue;
		tables->symbols = elf_getdata(section, NULL);
		tables->strings = header.sh_link;
		tables->count = header.sh_size / header.sh_entsize;
		return tables->symbols;
	}
	return false;
}

/* What a word of a section leads to. */
static const char *target_of(const struct tables *tables, size_t of, uint64_t offset)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(tables->elf, section));) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || header.sh_info != of ||
		    !header.sh_entsize)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
			GElf_Rela word;
			GElf_Sym symbol;
			if (gelf_getrela(data, (int)i, &word) && word.r_offset == offset &&
			    gelf_getsym(tables->symbols, (int)GELF_R_SYM(word.r_info), &symbol))
				return elf_strptr(tables->elf, tables->strings, symbol.st_name);
		}
	}
	return NULL;
}

bool hd_nvrtc_names_read(nvrtcProgram program)
{
	struct tables tables = {0};
	if (!program->names.len)
		return true;
	elf_version(EV_CURRENT);
	tables.elf = elf_memory((char *)program->object, program->object_size);
	if (!tables.elf)
		return false;
	bool found = find_symbols(&tables);
	for (size_t i = 0; found && i < tables.count; i++) {
		GElf_Sym symbol;
		unsigned index;
		const char *name = gelf_getsym(tables.symbols, (int)i, &symbol)
					   ? elf_strptr(tables.elf, tables.strings, symbol.st_name)
					   : NULL;
		if (!name || sscanf(name, PREFIX "%u", &index) != 1 || index >= program->names.len)
			continue;
		const char *target = target_of(&tables, symbol.st_shndx, symbol.st_value);
		free(program->names.data[index].lowered);
		program->names.data[index].lowered = target ? hd_xstrdup(target) : NULL;
	}
	elf_end(tables.elf);
	return found;
}

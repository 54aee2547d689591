# Programs of test/programs.txt, in $(B)/test/programs: made before tests run, anew when compiler, headers or sources change.

PROGRAMS_DIR := $(B)/test/programs
PROGRAM_HEADERS := $(shell find examples test/e2e -name '*.h')
# Configurations of GPUs and the simulator go into no program.
PROGRAM_TOOLS := $(HEDDLE_CC) $(LLVM_SIDE) $(PLUGIN) $(filter-out $(SHARE)/gpus/%,$(DATA)) $(TOOLKIT_FILES)
# The compilers are not instrumented, and the plugin that they load is (see test/lit.cfg.py).
ifneq ($(SANITIZERS),)
PROGRAM_CC := env LD_PRELOAD=$(SANITIZER_RUNTIME) ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:strict_string_checks=1 \
	UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1 $(HEDDLE_CC)
else
PROGRAM_CC := $(HEDDLE_CC)
endif
PROGRAMS :=

# $(1): name, $(2): options, $(3): sources
define program_rule
PROGRAMS += $(PROGRAMS_DIR)/$(1)
$(PROGRAMS_DIR)/$(1): $(3) $(PROGRAM_HEADERS) $(PROGRAM_TOOLS) test/programs.txt | $(CUDART)
	@mkdir -p $$(@D)
	$$(call say,CU,$$@)
	$$(Q)XDG_CACHE_HOME=$(abspath $(B)) $(PROGRAM_CC) $(2) -keep -o $$@ $(3)
endef
program_source_rules = $(foreach source,$(3),$(eval $(call program_rule,$(1)$(notdir $(basename $(source))),$(2),$(source))))
program_rules = $(if $(findstring *,$(1)),$(call program_source_rules,$(subst *,,$(1)),$(2),$(3)),$(eval $(call program_rule,$(1),$(2),$(3))))

# A row is a word here: blanks are ~, and fields are parted by |.
PROGRAM_ROWS := $(shell sed -e '/^\#/d' -e 's/ *| */|/g' -e 's/ /~/g' test/programs.txt)
program_field = $(subst ~, ,$(word $(1),$(subst |, ,$(2))))
$(foreach row,$(PROGRAM_ROWS),$(call program_rules,$(call program_field,1,$(row)),$(call program_field,2,$(row)),$(sort $(wildcard $(call program_field,3,$(row))))))

.PHONY: programs
programs: $(PROGRAMS)
	@:

# Heddle's build: one non-recursive makefile, everything it makes is under build/.
#
#   make            programs in build/bin, libraries in build/lib, data in build/share/heddle
#   make demo       installs what is missing, builds, and shows what Heddle is for: see scripts/demo.sh
#   make check      installs what is missing, builds with warnings as errors, runs every test
#   make check-fast the same with the unit, lit and golden tests only; CONTRIBUTING.md has what each costs
#   make help       the other targets
#
#   V=1             print whole commands          SANITIZE=1   ASan + UBSan build in build/san; SANITIZE=thread: TSan, in build/tsan
#   TIMES=1         make check prints the CPU seconds of each test, and what changed since its run before
#   WERROR=1        warnings are errors           DEBUG=1      unoptimised build in build/debug
#   LIBFUZZER=1     fuzz targets with libFuzzer and sanitizers in build/libfuzzer (make fuzz TARGET=... uses it)
#   B=build/other   another build tree            (both define HD_DEBUG: verify after every step)
#   LLVM=22         for LLVM 22, in build/llvm-22 (19 and 22 are tested)
#
# Sources are found by glob: a new .c file in a component's folder is part of it.

# What the passes are built for. Programs built for one LLVM use that LLVM's opt and clang, and so do the tests.
# LLVM=22 counts on the command line alone: in the environment it means something to other projects.
LLVM := 19
export HEDDLE_LLVM := $(LLVM)
ifeq ($(origin CC),default)
CC := clang-$(LLVM)
endif
ifeq ($(origin CXX),default)
CXX := clang++-$(LLVM)
endif
LLVM_CONFIG ?= llvm-config-$(LLVM)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

comma := ,

MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:

# ---------------------------------------------------------------- build trees

VARIANT := $(if $(filter 1,$(SANITIZE)),san,$(if $(filter thread,$(SANITIZE)),tsan,$(if $(filter 1,$(LIBFUZZER)),libfuzzer,$(if \
	$(filter 1,$(DEBUG)),debug))))
OTHER_LLVM := $(if $(filter-out 19,$(LLVM)),llvm-$(LLVM))
# build, build/debug, build/llvm-22, build/llvm-22-debug
B := build$(addprefix /,$(subst $(eval) ,-,$(strip $(OTHER_LLVM) $(VARIANT))))

# A step is a line with [n/m]. Make expands the recipe of a step when it begins it, one after the other whatever -j says,
# so that counting there is exact. How many there will be says a dry run of the same goals (STEPS=count), once, when the
# first one begins: what is up to date costs nothing. Under -n, -q and -t nothing begins.
looks = $(findstring $(1),$(firstword -$(MAKEFLAGS)))
# $(1): options, letters; $(2): variables; $(3): goals.
dry_run = env -u MFLAGS -u MAKELEVEL MAKEFLAGS='n$(1) -- $(subst ','\'',$(MAKEOVERRIDES)) $(2)' $(MAKE) $(3)
count_steps = $(shell $(call dry_run,$(call looks,B),STEPS=count,$(MAKECMDGOALS)) 2>/dev/null | grep -x ': a step')
step = $(if $(call looks,n)$(call looks,q)$(call looks,t),,$(next_step)[$(words $(BEGUN))/$(words \
	$(if $(word $(words $(BEGUN)),$(TO_DO)),$(TO_DO),$(BEGUN)))] )
next_step = $(eval BEGUN += .)$(if $(word 2,$(BEGUN)),,$(eval TO_DO := $(subst : a step,.,$(count_steps))))

# Of targets that only have prerequisites: make is not to say that there is nothing to be done, and -q is to know.
done = $(if $(call looks,q),,@:)

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @$(if $(STEPS),: a step,printf '%s%-7s %s\n' '$(step)' $(1) $(2))
endif

# ---------------------------------------------------------------- LLVM
# Found through the llvm-config of that version only: the unversioned tools on PATH may be of another LLVM.

LLVM_BIN := $(shell $(LLVM_CONFIG) --bindir 2>/dev/null)
LLVM_INCLUDE := $(shell $(LLVM_CONFIG) --includedir 2>/dev/null)
LLVM_LIB := $(shell $(LLVM_CONFIG) --libdir 2>/dev/null)

# ---------------------------------------------------------------- flags

WARNINGS := -Wall -Wextra -Wpedantic -Wvla
WARNINGS_C := $(WARNINGS) -Wstrict-prototypes -Wmissing-prototypes
OPT := -O2
# Lines, for back traces and profiles; DEBUG=1 has variables and types, too, which take a tenth of the build.
# Without the folder of the build: two builds have the same bytes.
DEBUG_INFO := -gline-tables-only -ffile-compilation-dir=.
# Simulated floating point must give the same bits on every build: no contraction.
COMMON = $(DEBUG_INFO) -fPIC -ffp-contract=off -pthread -I. -Iinclude -D_GNU_SOURCE
# lld: a seventh of the time of ld for each test program
LDFLAGS_ALL := -fuse-ld=lld -Wl,--as-needed -pthread

ifneq ($(filter-out 0 1 thread,$(SANITIZE))$(word 2,$(SANITIZE)),)
$(error SANITIZE is 1 (ASan and UBSan), thread (TSan), or 0, not '$(SANITIZE)')
endif
ifneq ($(filter 1 thread,$(SANITIZE)),)
# The runtime is shared, so that instrumented libraries also load into programs that
# are not instrumented (opt, clang, CUDA programs) when it is preloaded.
SANITIZERS := $(if $(filter 1,$(SANITIZE)),address$(comma)undefined,thread)
SANITIZER_RUNTIME := $(shell $(CC) -print-file-name=libclang_rt.$(if $(filter 1,$(SANITIZE)),asan,tsan)-x86_64.so 2>/dev/null)
OPT := -O1
COMMON += -fsanitize=$(SANITIZERS) -fno-sanitize-recover=all -fno-omit-frame-pointer $(if $(filter 1,$(SANITIZE)),-DHD_DEBUG=1)
ifeq ($(SANITIZE),thread)
# These addresses are where TSan leaves room on x86-64. Where they are in other builds, it keeps its own state.
ifneq ($(shell uname -m),x86_64)
$(error SANITIZE=thread is for x86-64 hosts)
endif
COMMON += -DHD_STORE_BASE=0x570000000000ul -DHD_DEVICE_BASE=0x590000000000ul \
	-DHD_RECORDING_BASE=0x590000000000ul
endif
LDFLAGS_ALL += -fsanitize=$(SANITIZERS) -shared-libsan -Wl,-rpath,$(dir $(SANITIZER_RUNTIME))
RUNTIME_OPT := -O1
else ifeq ($(LIBFUZZER),1)
OPT := -O1
COMMON += -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DHD_DEBUG=1
RUNTIME_OPT := -O1
else ifeq ($(DEBUG),1)
OPT := -O0
DEBUG_INFO := -g
COMMON += -DHD_DEBUG=1
RUNTIME_OPT := -O0
else
RUNTIME_OPT := -O3
endif

# CFLAGS, CXXFLAGS and LDFLAGS are the user's own and come last.
C_FLAGS := -std=c11 -fvisibility=hidden $(WARNINGS_C) $(COMMON)
CXX_FLAGS := -std=c++17 -fno-rtti -fno-exceptions -fvisibility-inlines-hidden $(WARNINGS) $(COMMON) \
	-D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS
WERROR_FLAG := $(if $(filter 1,$(WERROR)),-Werror)

LIBS := -lelf -ljansson -linih -lzstd -llz4 -lz -lnettle -lm
LLVM_LINK = $(shell $(LLVM_CONFIG) --ldflags --libs --system-libs) -Wl,-rpath,$(LLVM_LIB)

# ---------------------------------------------------------------- components

find_in = $(if $(wildcard $(1)),$(sort $(shell find $(wildcard $(1)) -name '*.c')))
objects = $(patsubst %,$(B)/obj/%.o,$(basename $(1)))

LIB_OBJ := $(call objects,$(filter-out lib/device/%,$(call find_in,lib)))
PASSES_OBJ := $(call objects,$(call find_in,passes))
PLUGIN_OBJ := $(call objects,$(wildcard passes/plugin.cpp))
SIM_OBJ := $(call objects,$(call find_in,runtime/core runtime/memory runtime/exec runtime/sm runtime/gpu runtime/watch runtime/verify runtime/check runtime/policy runtime/checkpoint runtime/sampling runtime/corun runtime/sim))
SESSION_OBJ := $(call objects,$(call find_in,runtime/session))
CUDART_OBJ := $(call objects,$(call find_in,runtime/cudart))
HEDDLE_OBJ := $(call objects,$(call find_in,tools/heddle))
LLVM_SIDE_OBJ := $(call objects,$(call find_in,tools/heddle-cc/llvm) $(wildcard tools/heddle-cc/llvm/*.cpp))
NVRTC_OBJ := $(call objects,$(call find_in,tools/nvrtc))
HEDDLE_CC_OBJ := $(filter-out $(LLVM_SIDE_OBJ),$(call objects,$(call find_in,tools/heddle-cc)))

# An archive exists when its component has sources.
LIB_A := $(if $(LIB_OBJ),$(B)/lib/libheddle.a)
PASSES_A := $(if $(PASSES_OBJ),$(B)/lib/libheddle-passes.a)
SIM_A := $(if $(SIM_OBJ),$(B)/lib/libheddle-sim.a)
PLUGIN := $(if $(PLUGIN_OBJ),$(B)/lib/HeddlePasses.so)
CUDART := $(if $(CUDART_OBJ),$(B)/lib/libheddle-cudart.so)
SESSION := $(B)/lib/libheddle-sim.so
HEDDLE := $(if $(HEDDLE_OBJ),$(B)/bin/heddle)
LLVM_SIDE := $(if $(LLVM_SIDE_OBJ),$(B)/lib/HeddleClang.so)
HEDDLE_CC := $(if $(HEDDLE_CC_OBJ),$(B)/bin/heddle-cc)
NVRTC := $(if $(NVRTC_OBJ),$(B)/lib/libnvrtc.so)

# What programs and libraries look up at run time, in share/heddle beside bin and lib.
SHARE := $(B)/share/heddle
DATA := $(patsubst runtime/gpus/%,$(SHARE)/gpus/%,$(wildcard runtime/gpus/*.ini)) \
	$(patsubst include/heddle/%,$(SHARE)/%,$(wildcard include/heddle/*.json)) \
	$(if $(wildcard include/cuda),$(patsubst %,$(SHARE)/%,$(shell find include/cuda -type f)))

.PHONY: all
all:

# Device-side library: defines the rules for its outputs under $(SHARE) and adds them to DATA.
-include lib/device/device.mk

# What build systems take for a CUDA toolkit.
include scripts/toolkit.mk

# cuBLAS and other libraries, made by this tree's heddle-cc.
include runtime/math/math.mk

# The math libraries are compiled anew with each change of the compiler: `make base` leaves them as they are.
BASE := $(LIB_A) $(PASSES_A) $(SIM_A) $(PLUGIN) $(CUDART) $(SESSION) $(HEDDLE) $(HEDDLE_CC) $(LLVM_SIDE) $(NVRTC) $(DATA) $(TOOLKIT_FILES)
.PHONY: base
base: $(BASE)
	$(done)
all: $(BASE) $(MATH_FILES)
	$(done)

# ---------------------------------------------------------------- compiling

$(B)/obj/runtime/%.o: OPT := $(RUNTIME_OPT)
# What a unit program itself computes is little; what it tests is in the archives.
$(B)/obj/test/unit/test_%.o: OPT := -O0
# System headers: LLVM's own do not compile without warnings under ours.
$(B)/obj/passes/%.o $(B)/obj/tools/heddle-cc/%.o $(B)/obj/test/unit/%.o: INCLUDE_LLVM := -isystem $(LLVM_INCLUDE)

# The programs that they start: opt-19, clang++-19. Where LLVM's libraries for devices are, such as OpenMP's.
$(B)/obj/tools/%.o: CPPFLAGS_LLVM := -DHD_LLVM='"$(LLVM)"'
$(B)/obj/passes/legalize/%.o: CPPFLAGS_LLVM := -DHD_LLVM_LIB='"$(LLVM_LIB)"'

$(B)/obj/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(C_FLAGS) $(OPT) $(WERROR_FLAG) $(INCLUDE_LLVM) $(CPPFLAGS_LLVM) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/obj/%.o: %.cpp $(B)/flags
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) $(CXX_FLAGS) $(OPT) $(WERROR_FLAG) $(INCLUDE_LLVM) $(CXXFLAGS) -MMD -MP -c -o $@ $<

# Changes only when the compiler or its flags do, and then everything is compiled again. Compared here and not by a
# command, so that -n and -q see what is up to date; and for a target's own OPT also holds while what it needs is made.
# Tests that call make read the compilers here (test/lit.cfg.py).
ALL_FLAGS := $(strip $(CC) | $(CXX) | $(C_FLAGS) $(CXX_FLAGS) $(OPT) $(RUNTIME_OPT) $(CFLAGS) $(CXXFLAGS) $(LLVM_INCLUDE))
ifneq ($(ALL_FLAGS),$(file <$(B)/flags))
$(B)/flags: FORCE
endif
$(B)/flags:
	$(if $(LLVM_BIN),,$(error $(LLVM_CONFIG) not found: run 'make setup$(if $(OTHER_LLVM), LLVM=$(LLVM))'))
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(ALL_FLAGS))' > $@

.PHONY: FORCE
FORCE:

# ---------------------------------------------------------------- linking

define archive
@mkdir -p $(@D)
$(call say,AR,$@)
$(Q)rm -f $@ && $(AR) qcs $@ $(filter %.o,$^)
endef

$(B)/lib/libheddle.a: $(LIB_OBJ)
	$(archive)
$(B)/lib/libheddle-passes.a: $(PASSES_OBJ)
	$(archive)
$(B)/lib/libheddle-sim.a: $(SIM_OBJ)
	$(archive)

# $(1): compiler driver, $(2): flags, $(3): libraries. Archives among the prerequisites come after the objects.
define link
@mkdir -p $(@D)
$(call say,LINK,$@)
$(Q)$(1) $(LDFLAGS_ALL) $(2) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(3) $(LDFLAGS)
endef

# opt and clang supply LLVM's symbols, so undefined ones are expected here.
$(B)/lib/HeddlePasses.so: $(PLUGIN_OBJ) $(PASSES_OBJ) $(LIB_A)
	$(call link,$(CXX),-shared -Wl$(comma)--exclude-libs$(comma)ALL,$(LIBS))

# What of heddle-cc needs LLVM (tools/heddle-cc/llvm.h).
$(B)/lib/HeddleClang.so: $(LLVM_SIDE_OBJ) $(LIB_A)
	$(call link,$(CXX),-shared -Wl$(comma)-z$(comma)defs -Wl$(comma)--exclude-libs$(comma)ALL,-lclang-$(LLVM) -l:libclang-cpp.so.$(LLVM).1 $(LLVM_LINK) $(LIBS))

# Whose memory can go into a checkpoint and come out of it again (runtime/cudart/allocate.c).
OWN_HEAP := $(foreach name,malloc calloc realloc aligned_alloc free,-Wl,--wrap=$(name))

# These two show what policies in shared objects call (lib/api.h); among themselves its calls stay direct.
$(B)/lib/libheddle-cudart.so: $(CUDART_OBJ) $(SIM_A) $(LIB_A)
	$(call link,$(CC),-shared -Wl$(comma)-z$(comma)defs -Wl$(comma)-Bsymbolic-functions $(OWN_HEAP) $(CUDART_SONAME),$(LIBS))

# The simulator for other languages (heddle/session.h), and what policies in shared objects call.
$(B)/lib/libheddle-sim.so: $(SESSION_OBJ) $(SIM_A) $(LIB_A)
	$(call link,$(CC),-shared -Wl$(comma)-z$(comma)defs -Wl$(comma)-Bsymbolic-functions -Wl$(comma)-soname$(comma)libheddle-sim.so,$(LIBS))

# The style and the script of `heddle report`, as bytes in an object: _binary_page_css_start and the like.
PAGE_SCRIPT := $(patsubst %,tools/heddle/page/script/%.js,core overview source waits calls time compare last)
PAGE_DATA := $(B)/obj/tools/heddle/page_data.o
$(PAGE_DATA): tools/heddle/page/page.css $(PAGE_SCRIPT) $(B)/flags
	@mkdir -p $(@D)/page
	$(call say,DATA,$@)
	$(Q)cp tools/heddle/page/page.css $(@D)/page/page.css && cat $(PAGE_SCRIPT) > $(@D)/page/page.js
	$(Q)cd $(@D)/page && $(CC) -fuse-ld=lld -nostdlib -r -Wl,--format=binary page.css page.js -o ../$(@F)

$(B)/bin/heddle: $(HEDDLE_OBJ) $(PAGE_DATA) $(SIM_A) $(LIB_A)
	$(call link,$(CC),-rdynamic,$(LIBS) -lsqlite3 -lcsv)

$(B)/bin/heddle-cc: $(HEDDLE_CC_OBJ) $(LIB_A)
	$(call link,$(CC),,$(LIBS))

# Without a name of its own, as libheddle-cuda.so (scripts/toolkit.mk).
$(B)/lib/libnvrtc.so: $(NVRTC_OBJ) $(LIB_A)
	$(call link,$(CC),-shared -Wl$(comma)-z$(comma)defs -Wl$(comma)--exclude-libs$(comma)ALL -Wl$(comma)-Bsymbolic,$(LIBS))

# ---------------------------------------------------------------- data

define copy
@mkdir -p $(@D)
$(Q)cp $< $@
endef

$(SHARE)/gpus/%: runtime/gpus/%
	$(copy)
$(SHARE)/include/cuda/%: include/cuda/%
	$(copy)
$(SHARE)/%.json: include/heddle/%.json
	$(copy)

# ---------------------------------------------------------------- installation

include scripts/install.mk

# ---------------------------------------------------------------- unit tests
# test/unit/test_X.c is a program of its own; the other .c files there are the harness.
# A line `LINK: passes` (or `LINK: cudart`, `LINK: requests`, `LINK: waits`) in a comment among a program's first three lines
# also links the passes with libLLVM (or the CUDA runtime's objects, or what `heddle corun` has of requests, or what `heddle
# report` knows of waits).

UNIT_SRC := $(sort $(wildcard test/unit/test_*.c))
HARNESS_OBJ := $(call objects,$(filter-out $(UNIT_SRC),$(wildcard test/unit/*.c)))
UNIT := $(patsubst test/unit/%.c,$(B)/test/unit/%,$(UNIT_SRC))
unit_linking = $(shell awk 'FNR <= 3 && /LINK:.*$(1)/ { print FILENAME }' $(UNIT_SRC) /dev/null)
UNIT_PASSES := $(patsubst test/unit/%.c,$(B)/test/unit/%,$(call unit_linking,passes))
UNIT_CUDART := $(patsubst test/unit/%.c,$(B)/test/unit/%,$(call unit_linking,cudart))
UNIT_REQUESTS := $(patsubst test/unit/%.c,$(B)/test/unit/%,$(call unit_linking,requests))
UNIT_WAITS := $(patsubst test/unit/%.c,$(B)/test/unit/%,$(call unit_linking,waits))

$(UNIT_PASSES): $(PASSES_A)
$(UNIT_PASSES): UNIT_LIBS = $(LLVM_LINK)
$(UNIT_CUDART): $(CUDART_OBJ)
$(UNIT_REQUESTS): $(call objects,tools/heddle/run/requests.c tools/heddle/run/figures.c)
$(UNIT_WAITS): $(call objects,tools/heddle/report/flow.c tools/heddle/report/pending.c)

$(B)/test/unit/libharness.a: $(HARNESS_OBJ)
	$(archive)

$(B)/test/unit/test_%: $(B)/obj/test/unit/test_%.o $(B)/test/unit/libharness.a $(SIM_A) $(LIB_A)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
		-lcheck_pic -lsubunit -lrt $(UNIT_LIBS) $(LIBS) $(LDFLAGS)

.PHONY: unit
unit: $(UNIT)
	$(done)

# ---------------------------------------------------------------- fuzz tests
# The generator of random kernels, the host's half of the differential test, and the mutator of inputs.

FUZZ_GENERATE_OBJ := $(call objects,$(call find_in,test/fuzz/generate))
FUZZ_MUTATE_OBJ := $(call objects,test/fuzz/mutate.c test/fuzz/damage.c)
FUZZ := $(B)/test/fuzz/heddle-generate $(B)/test/fuzz/heddle-mutate $(B)/test/fuzz/host.o

$(B)/test/fuzz/heddle-generate: $(FUZZ_GENERATE_OBJ) $(LIB_A)
	$(call link,$(CC),,$(LIBS))
$(B)/test/fuzz/heddle-mutate: $(FUZZ_MUTATE_OBJ) $(LIB_A)
	$(call link,$(CC),,$(LIBS))
# Runs compiled kernels as coroutines, which sanitizers do not follow: never instrumented.
$(B)/test/fuzz/host.o: test/fuzz/host.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(C_FLAGS) -O2 -fno-sanitize=all $(WERROR_FLAG) -c -o $@ $<

# Programs that give inputs to one reader each (test/fuzz/targets/fuzz.h): with LIBFUZZER=1 they look for inputs themselves,
# else they replay files. What they share is an archive, so that each takes only what it needs.
FUZZ_TARGETS := $(basename $(notdir $(wildcard test/fuzz/targets/*.c)))
FUZZ_PROGRAMS := $(FUZZ_TARGETS:%=$(B)/test/fuzz/target/%)
FUZZ_SHARED_OBJ := $(call objects,$(addprefix test/fuzz/,fuzz.c engine.c compile.c damage.c $(if $(LIBFUZZER),,replay.c)))
FUZZ_OBJ := $(sort $(FUZZ_GENERATE_OBJ) $(FUZZ_MUTATE_OBJ) $(FUZZ_SHARED_OBJ) $(call objects,$(wildcard test/fuzz/targets/*.c)))
FUZZ += $(FUZZ_PROGRAMS)

$(B)/obj/test/fuzz/%.o: INCLUDE_LLVM := -isystem $(LLVM_INCLUDE)
$(B)/test/fuzz/libheddle-tools.a: $(filter-out %/main.o,$(HEDDLE_OBJ)) $(PAGE_DATA)
	$(archive)
$(B)/test/fuzz/libshared.a: $(FUZZ_SHARED_OBJ)
	$(archive)
# The target of the CUDA API has the runtime in it.
$(B)/obj/test/fuzz/targets/api.o: INCLUDE_LLVM := -isystem include/cuda
$(B)/test/fuzz/target/api: $(CUDART_OBJ)
$(B)/test/fuzz/target/api: FUZZ_LINK := $(OWN_HEAP)
$(B)/test/fuzz/target/%: $(B)/obj/test/fuzz/targets/%.o $(B)/test/fuzz/libshared.a $(B)/test/fuzz/libheddle-tools.a $(PASSES_A) \
		$(SIM_A) $(LIB_A)
	$(call link,$(CC),$(FUZZ_LINK) $(if $(LIBFUZZER),-fsanitize=fuzzer$(comma)address$(comma)undefined),$(LLVM_LINK) $(LIBS) -lsqlite3 -lcsv)

# make fuzz TARGET=object SECONDS=60: looks for inputs that break a reader. TARGET=all takes one after the other.
SECONDS ?= 60
.PHONY: fuzz
ifeq ($(TARGET),)
fuzz: $(FUZZ)
	$(done)
else
fuzz: setup
	$(again) all $(B)/test/fuzz/heddle-mutate
	$(again) LIBFUZZER=1 TARGET= $(patsubst %,build/libfuzzer/test/fuzz/target/%,$(if $(filter all,$(TARGET)),$(FUZZ_TARGETS),$(TARGET)))
	@B=$(B) test/fuzz/hunt --seconds $(SECONDS) $(if $(filter all,$(TARGET)),$(FUZZ_TARGETS),$(TARGET))
endif

# ---------------------------------------------------------------- benchmark programs
# test/bench/X.c is a program of its own, linked with the passes: bench-X runs it.

BENCH_PROGRAMS := $(patsubst test/bench/%.c,$(B)/test/bench/%,$(wildcard test/bench/*.c))
$(B)/obj/test/bench/%.o: INCLUDE_LLVM := -isystem $(LLVM_INCLUDE)
$(B)/test/bench/%: $(B)/obj/test/bench/%.o $(PASSES_A) $(LIB_A)
	$(call link,$(CC),,$(LLVM_LINK) $(LIBS))

# ---------------------------------------------------------------- call-heavy workloads
# build/examples/calls/NAME from the modules of examples/calls/NAME, and NAME.lto from the same ones, inlined.

CALLS := $(sort $(shell awk '!/^\#/ && sub("^calls/", "", $$2) { print $$2 }' examples/workloads.txt))
CALLS_DIR := $(B)/examples/calls
CALLS_TOOLS := $(HEDDLE_CC) $(LLVM_SIDE) $(PLUGIN) $(CUDART) $(DATA) $(TOOLKIT_FILES)
# Its precompiled headers stay in the build tree, too.
BUILD_CU := XDG_CACHE_HOME=$(abspath $(B)) $(HEDDLE_CC)

define calls_rules
$(CALLS_DIR)/$(1): $(patsubst examples/calls/%.cu,$(CALLS_DIR)/obj/%.o,$(wildcard examples/calls/$(1)/*.cu))
$(CALLS_DIR)/$(1).lto: $(patsubst examples/calls/%.cu,$(CALLS_DIR)/obj/%.lto.o,$(wildcard examples/calls/$(1)/*.cu))
$(CALLS_DIR)/obj/$(1)/%.o: examples/calls/$(1)/%.cu $(wildcard examples/calls/*.h examples/calls/$(1)/*.h) $(CALLS_TOOLS)
	@mkdir -p $$(@D)
	$$(call say,CU,$$<)
	$$(Q)$(BUILD_CU) -O2 -dc -o $$@ $$<
$(CALLS_DIR)/obj/$(1)/%.lto.o: examples/calls/$(1)/%.cu $(wildcard examples/calls/*.h examples/calls/$(1)/*.h) $(CALLS_TOOLS)
	@mkdir -p $$(@D)
	$$(call say,CU-LTO,$$<)
	$$(Q)$(BUILD_CU) -O2 -DCALLS_INLINE -dc -o $$@ $$<
endef
$(foreach name,$(CALLS),$(eval $(call calls_rules,$(name))))

$(CALLS:%=$(CALLS_DIR)/%):
	$(call say,CULINK,$@)
	$(Q)$(BUILD_CU) -O2 -o $@ $^
$(CALLS:%=$(CALLS_DIR)/%.lto):
	$(call say,CULINK,$@)
	$(Q)$(BUILD_CU) -O2 -dlto -o $@ $^

.PHONY: calls
calls: $(CALLS:%=$(CALLS_DIR)/%) $(CALLS:%=$(CALLS_DIR)/%.lto)
	$(done)

# ---------------------------------------------------------------- programs that several tests run

include test/programs.mk

# ---------------------------------------------------------------- what people call

# Outer targets install what is missing and then start make again, because the
# variables above were computed before there was an LLVM to ask.
again = +@$(BARE) $(MAKE) $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: setup demo check check-fast check-long check-mutants check-csmith check-fresh update-golden format tidy clean help

setup:
	@scripts/setup.sh $(PACKAGES)

demo:
	@MAKE='$(MAKE)' JOBS='$(JOBS)' scripts/demo.sh

# As on a machine without a CUDA toolkit: one may be found by the compilers and hide what fails elsewhere.
check check-fast check-long check-mutants check-csmith: BARE := scripts/without-toolkit.sh
check-fast: TESTS := test/unit test/lit test/golden
# A cluster's queue, for the tests of sweeps through one, and ccache, which a test has in front of heddle-cc; long tests count host instructions, and fail writes with strace.
check: PACKAGES := slurm-wlm munge ccache
check-long: PACKAGES := slurm-wlm munge ccache valgrind strace
check check-fast check-long: setup
	$(again) WERROR=1 all extras unit fuzz programs
	@B=$(B) SANITIZE=$(SANITIZE) JOBS=$(JOBS) test/run $(if $(filter check-long,$@),--long) $(TESTS)

# Which small errors in lib, passes and runtime do the tests miss? MUTANTS_FLAGS: options of scripts/mutate.py (--help).
check-mutants: setup
	$(again) all unit fuzz programs
	@B=$(B) scripts/mutate.py $(MUTANTS_FLAGS)

# Random C programs, one thread of the device beside the host. SEEDS: which.
SEEDS ?= 1-500
check-csmith: PACKAGES := csmith libcsmith-dev
check-csmith: setup
	$(again) all
	@B=$(B) JOBS=$(JOBS) test/csmith/run $(SEEDS)

# README's two commands on a bare system: needs root. DIST names another distribution than Debian 12 (trixie, noble, ...), ROOT=DIR
# keeps the system for the next call.
check-fresh:
	@scripts/check-fresh.sh

update-golden: setup
	$(again) all programs $(B)/test/unit/test_policies
	@B=$(B) SANITIZE=$(SANITIZE) JOBS=$(JOBS) HEDDLE_UPDATE_GOLDEN=1 test/run test/golden test_policies

# bench-sim, bench-compile, ...: one target for each scripts/bench-*.sh.
BENCHES := $(patsubst scripts/%.sh,%,$(wildcard scripts/bench-*.sh))
.PHONY: $(BENCHES)
$(BENCHES): bench-%: setup
	$(again) all $(BENCH_PROGRAMS)
	@B=$(B) scripts/bench-$*.sh

# Figures of a paper's evaluation beside its numbers, in $(B)/figures: scripts/plans/X.ini says what runs, scripts/figures/X.py
# what is drawn. `make figures` draws all of them with small sizes. FIGURES_FLAGS: options of scripts/draw_figures.py (--help).
FIGURES := $(patsubst scripts/figures/%.py,figures-%,$(wildcard scripts/figures/*.py))
# Plans of programs that make builds; the others have theirs compiled by the sweep.
figure_programs = $(if $(shell grep -l '{programs}' scripts/plans/$(1).ini),calls)
.PHONY: figures $(FIGURES)
$(FIGURES): figures-%: setup
	$(again) all $(call figure_programs,$*)
	@python3 scripts/draw_figures.py --build $(B) -j$(JOBS) --record $(FIGURES_FLAGS) $*
figures: setup
	$(again) all calls
	@python3 scripts/draw_figures.py --build $(B) -j$(JOBS) --record --size small $(FIGURES_FLAGS)

# From our machines to the papers', one difference after the other: docs/ladders.md and docs/results/ladder-*.tsv.
.PHONY: ladders
ladders: setup
	$(again) all calls
	@scripts/ladder.py --build $(B) -j $(JOBS) $(LADDERS)

# docs/report*.png: what `heddle report` shows, as README and docs have it.
.PHONY: pictures
pictures: setup
	@scripts/setup.sh chromium pngquant
	$(again) all calls
	@scripts/pictures.sh $(B)

# CCBP beside the best blocks of all pairs of kernels: docs/results/ccbp-best.json.
.PHONY: best-blocks
best-blocks: setup
	$(again) all
	@scripts/best_blocks.py --build $(B) -j $(JOBS) --record

# What linear versions remove, for all examples, beside R2D2's figures: build/figures/linear/table.md.
.PHONY: table-linear
table-linear: setup
	$(again) all
	@B=$(B) JOBS=$(JOBS) scripts/table_linear.py

# What each workload stresses on the papers' GPUs, and its classes: build/figures/workloads/table.md. WORKLOADS_FLAGS:
# options of scripts/workloads_table.py (--help).
.PHONY: workloads-table
workloads-table: setup
	$(again) all
	@B=$(B) scripts/workloads_table.py -j$(JOBS) $(WORKLOADS_FLAGS)

# Microbenchmarks on modelled GPUs beside published values, in $(B)/validate. VALIDATE_FLAGS: scripts/validate.py --help.
.PHONY: validate
validate: setup
	$(again) all
	@scripts/validate.py --build $(B) -j$(JOBS) --record $(VALIDATE_FLAGS)

# Whole kernels of examples/cards beside published cycles of a card; or TABLE=FILE.csv [FOLDER=DIR]: programs and published
# cycles of your own (docs/running.md). VALIDATE_FLAGS: scripts/validate_programs.py --help.
.PHONY: validate-programs
validate-programs: setup
	$(again) all
	@scripts/validate_programs.py --build $(B) -j$(JOBS) --record $(if $(TABLE),--table '$(TABLE)') $(if $(FOLDER),--folder '$(FOLDER)') $(VALIDATE_FLAGS)

# Pictures of pages, and the measured figures in them (scripts/results.py, scripts/model_page.py).
.PHONY: docs
docs:
	@scripts/setup.sh graphviz
	dot -Tsvg -o docs/architecture.svg docs/architecture.dot
	@python3 scripts/results.py .
	@python3 scripts/model_page.py
	@python3 scripts/published.py

format: setup
	@scripts/format.sh

# .clang-tidy has the checks. TIDY=REGEX: only the sources that it matches.
tidy: $(DATABASE)
	@scripts/setup.sh clang-tidy-19
	@run-clang-tidy-19 -quiet -p $(B) -j $(JOBS) -warnings-as-errors='*' $(TIDY)

clean:
	rm -rf $(B)

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile
	@echo 'Targets: all extras install uninstall unit fuzz programs calls setup demo check check-fast check-long check-mutants check-csmith check-fresh deb check-deb sbom site update-golden $(BENCHES) figures $(FIGURES) ladders best-blocks pictures table-linear workloads-table validate validate-programs docs format tidy clean'
	@echo 'make check TESTS="test/lit test_arena": only what these name'

# ---------------------------------------------------------------- what is compiled

COMPILED := $(LIB_OBJ) $(PASSES_OBJ) $(PLUGIN_OBJ) $(SIM_OBJ) $(CUDART_OBJ) $(SESSION_OBJ) $(HEDDLE_OBJ) $(HEDDLE_CC_OBJ) $(LLVM_SIDE_OBJ) $(NVRTC_OBJ) $(HARNESS_OBJ) \
	$(FUZZ_OBJ) $(call objects,$(wildcard test/bench/*.c) $(UNIT_SRC))

# How each source is compiled, for editors and `make tidy`: what a dry run of the rules prints. Made again when the flags,
# the rules or the list of sources change, and where the tree has been moved: the database names its folder.
DATABASE := $(B)/compile_commands.json
IN_DATABASE := $(COMPILED) $(B)/test/fuzz/host.o $(DEVICE_HELPERS) $(DEVICE_MATH)
SOURCES := $(CURDIR) $(IN_DATABASE)
ifneq ($(SOURCES),$(file <$(B)/sources))
$(B)/sources: FORCE
endif
$(B)/sources:
	@mkdir -p $(@D)
	@echo '$(SOURCES)' > $@
$(DATABASE): $(B)/flags $(B)/sources $(filter-out %.d,$(MAKEFILE_LIST)) scripts/compile_commands.py
	@$(call dry_run,B,V=1,$(IN_DATABASE)) | scripts/compile_commands.py > $@.$$$$ && mv $@.$$$$ $@
all: $(DATABASE)

-include $(COMPILED:.o=.d)

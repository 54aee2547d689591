# The device-side library, in bitcode:
#
#   share/heddle/device.bc    the math library (__nv_*), linked by clang into device code where needed
#   share/heddle/builtins.bc  helpers that lowering calls (__heddle_*)
#
# Included by the Makefile, which sets B, SHARE, LLVM_BIN and Q, and takes the outputs from DATA.

CLANG ?= clang-$(LLVM)
SHARE ?= $(B)/share/heddle
LLVM_BINDIR ?= $(or $(LLVM_BIN),$(shell llvm-config-$(LLVM) --bindir))
# LLVM's OpenCL library for NVPTX (Debian: libclc-19, which later ones read)
LIBCLC ?= $(firstword $(wildcard $(LLVM_BINDIR)/../lib/clc/nvptx64--.bc /usr/lib/clc/nvptx64--.bc \
	/usr/share/clc/nvptx64--.bc) /usr/lib/clc/nvptx64--.bc)

DEVICE_BC := $(SHARE)/device.bc $(SHARE)/builtins.bc
DATA += $(DEVICE_BC)

# No contraction: the expansions choose their fused multiply-adds. No errno: square roots are instructions.
# A level of PTX, since clang otherwise takes that of the CUDA toolkit that it finds, and the lowest where there is none.
# Arguments may be undefined where nobody reads the result.
# Only what calls operations among lanes is convergent, which clang 22 takes for granted on every GPU.
DEVICE_CFLAGS := --target=nvptx64-nvidia-cuda --cuda-feature=+ptx75 -std=c11 -O2 -ffp-contract=off -fno-math-errno \
	-Xclang -no-enable-noundef-analysis -fno-convergent-functions \
	-Wall -Wextra -Werror -emit-llvm

$(B)/obj/device/%.bc: lib/device/%.c lib/device/device.mk $(B)/flags
	@mkdir -p $(@D)
	$(call say,CLANG,$<)
	$(Q)$(CLANG) $(DEVICE_CFLAGS) $(DEVICE_EXTRA) -MMD -MP -MF $(@:.bc=.d) -c -o $@ $<

# Freestanding, for <stdint.h> without the host's C library.
DEVICE_HELPERS := $(patsubst %,$(B)/obj/device/%.bc,builtins wide rounded memory small locks)
$(DEVICE_HELPERS): DEVICE_EXTRA := -ffreestanding

-include $(wildcard $(B)/obj/device/*.d)

$(SHARE)/builtins.bc: $(DEVICE_HELPERS)
	@mkdir -p $(@D)
	$(Q)$(LLVM_BINDIR)/llvm-link -o $@ $^

DEVICE_MATH := $(patsubst %,$(B)/obj/device/%.bc,math special single intrinsics)
# libclc names another triple and another data layout, of which llvm-link warns; it keeps those of the first module.
$(B)/obj/device/linked.bc: $(DEVICE_MATH) $(LIBCLC) lib/device/device.mk
	$(Q)$(LLVM_BINDIR)/llvm-link -o $@.nv $(DEVICE_MATH)
	$(Q)$(LLVM_BINDIR)/llvm-link --suppress-warnings --only-needed --internalize -o $@ $@.nv $(LIBCLC)

# LLVM 19's scalarizer takes an option of the program, later ones a parameter of the pass.
SCALARIZER := $(if $(filter 19,$(LLVM)),scalarizer,scalarizer<load-store>)
# Inlines libclc's functions and splits their table look-ups in vectors of two, which the machine does not have.
$(SHARE)/device.bc: $(B)/obj/device/linked.bc
	@mkdir -p $(@D)
	$(call say,OPT,$@)
	$(Q)$(LLVM_BINDIR)/opt -passes='default<O2>' -o $@.inlined $<
	$(Q)$(LLVM_BINDIR)/opt $(if $(filter 19,$(LLVM)),-scalarize-load-store) -o $@ $@.inlined \
		-passes='function($(SCALARIZER),instcombine,simplifycfg),globaldce,strip-dead-prototypes'
	$(Q)rm -f $@.inlined

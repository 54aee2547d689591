# Math libraries (cuBLAS, ...): kernels and host code in CUDA C++, compiled by the heddle-cc of this tree. Included by the
# Makefile.
#
#   runtime/math/common/       headers for all of them
#   runtime/math/NAME/*.cu     one library: build/lib/libheddle-NAME.so. X_sm80.cu is compiled for sm_80, others for sm_70.
#
# A folder becomes a library by a line in MATH_NAMES, which says under which names programs link it. In share/heddle/cuda/lib64
# each name is a linker script, like libcudart (scripts/toolkit.mk): programs find the library without a path of their own.

# FOLDER:NAME,NAME...
MATH_NAMES := cublas:cublas,cublasLt cusolver:cusolver cufft:cufft cusparse:cusparse curand:curand nccl:nccl
# What a library is linked with beside the runtime: the folders of other libraries.
MATH_NEEDS_cublas :=
MATH_NEEDS_cusolver := cublas

MATH_FOLDERS := $(foreach row,$(MATH_NAMES),$(firstword $(subst :, ,$(row))))
MATH_LIBRARIES := $(MATH_FOLDERS:%=$(B)/lib/libheddle-%.so)
MATH_HEADERS := $(wildcard runtime/math/common/*)
MATH_TOOLS := $(HEDDLE_CC) $(LLVM_SIDE) $(PLUGIN) $(filter-out $(SHARE)/gpus/%,$(DATA))
MATH_FLAGS := -O3 -std=c++17 -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra,-Wno-unused-parameter

math_sources = $(sort $(wildcard runtime/math/$(1)/*.cu))

define math_library
$(B)/obj/runtime/math/$(1)/%.o: runtime/math/$(1)/%.cu $(MATH_HEADERS) $(wildcard runtime/math/$(1)/*.cuh runtime/math/$(1)/*.h) \
		$(MATH_TOOLS) runtime/math/math.mk
	@mkdir -p $$(@D)
	$$(call say,CU,$$<)
	$$(Q)XDG_CACHE_HOME=$(abspath $(B)) $$(PROGRAM_CC) $$(MATH_FLAGS) $$(if $$(findstring _sm80,$$*),-arch=sm_80) -I. -c -o $$@ $$<
$(B)/lib/libheddle-$(1).so: $(patsubst runtime/math/%.cu,$(B)/obj/runtime/math/%.o,$(call math_sources,$(1))) \
		$(MATH_NEEDS_$(1):%=$(B)/lib/libheddle-%.so) runtime/math/math.mk runtime/math/exports.map | $(CUDART)
	$$(call link,$(CXX),-shared -Wl$$(comma)-z$$(comma)defs -Wl$$(comma)--version-script=runtime/math/exports.map -Wl$$(comma)-rpath$$(comma)'$$$$ORIGIN' -L$(B)/lib,$(MATH_NEEDS_$(1):%=-lheddle-%) -lheddle-cudart)
$(TOOLKIT)/lib64/libheddle-$(1).so: | $(B)/lib/libheddle-$(1).so
	@mkdir -p $$(@D)
	$$(Q)ln -sfn ../../../../lib/libheddle-$(1).so $$@
endef

# $(1): a folder, $(2): the names that programs link. The static forms are scripts, too.
define math_names
MATH_SCRIPTS += $(foreach name,$(2),$(TOOLKIT)/lib64/lib$(name).so $(TOOLKIT)/lib64/lib$(name)_static.a)
$(foreach name,$(2),$(TOOLKIT)/lib64/lib$(name).so $(TOOLKIT)/lib64/lib$(name)_static.a): runtime/math/math.mk
	@mkdir -p $$(@D)
	$$(Q)echo 'INPUT(libheddle-$(1).so)' > $$@
endef

MATH_SCRIPTS :=
$(foreach folder,$(MATH_FOLDERS),$(eval $(call math_library,$(folder))))
$(foreach row,$(MATH_NAMES),$(eval $(call math_names,$(firstword $(subst :, ,$(row))),$(subst $(comma), ,$(lastword $(subst :, ,$(row)))))))

# The static forms of NVIDIA's libraries are linked with this one.
$(TOOLKIT)/lib64/libculibos.a: runtime/math/math.mk
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) qcs $@

MATH_FILES := $(MATH_LIBRARIES) $(MATH_SCRIPTS) $(MATH_FOLDERS:%=$(TOOLKIT)/lib64/libheddle-%.so) $(TOOLKIT)/lib64/libculibos.a

.PHONY: math
math: $(MATH_FILES)
	$(done)

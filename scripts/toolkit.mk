# share/heddle/cuda: the folder that makefiles and CMake take for a CUDA toolkit (make CUDA_HOME=...). Included by the
# Makefile.
#
# lib64/libheddle-cuda.so is a filter (ld's -F): it has the names of the runtime and no code, and the dynamic linker
# takes what stands under them from libheddle-cudart.so, which it finds by the filter's own place. The filter has no name
# of its own (SONAME), so that programs record its path: they run as they are and find no other vendor's library.
# libcudart, libcuda and their static forms are linker scripts that name it.

# Programs that are linked with the runtime itself take it by this name, wherever it was found.
CUDART_SONAME := -Wl,-soname,libheddle-cudart.so
$(CUDART): scripts/toolkit.mk

TOOLKIT := $(SHARE)/cuda
TOOLKIT_SCRIPTS := $(patsubst %,$(TOOLKIT)/lib64/%,libcudart.so libcudart_static.a libcuda.so stubs/libcuda.so)
TOOLKIT_LINKS := $(patsubst %,$(TOOLKIT)/%,bin/nvcc include lib64/libheddle-cudart.so lib64/libcudart.so.12 \
	lib64/libcuda.so.1 nvvm/libdevice/libdevice.10.bc \
	lib64/libnvrtc.so lib64/libnvrtc.so.12)
# What OpenMP's host library loads by this name: it has no code, its dependency has it.
OPENMP_DRIVER := $(SHARE)/openmp/libcuda.so
TOOLKIT_FILES := $(OPENMP_DRIVER) $(TOOLKIT_LINKS) $(TOOLKIT_SCRIPTS) $(TOOLKIT)/lib64/libheddle-cuda.so $(TOOLKIT)/lib64/libcudadevrt.a \
	$(TOOLKIT)/version.json

$(TOOLKIT)/bin/nvcc: LEADS_TO := ../../../../bin/heddle-cc
$(TOOLKIT)/include: LEADS_TO := ../include/cuda
$(TOOLKIT)/lib64/libheddle-cudart.so $(TOOLKIT)/lib64/libcudart.so.12 $(TOOLKIT)/lib64/libcuda.so.1: \
	LEADS_TO := ../../../../lib/libheddle-cudart.so
$(TOOLKIT)/lib64/libnvrtc.so $(TOOLKIT)/lib64/libnvrtc.so.12: LEADS_TO := ../../../../lib/libnvrtc.so
$(TOOLKIT)/nvvm/libdevice/libdevice.10.bc: LEADS_TO := ../../../device.bc

# Not made again because what they lead to is newer, or not there yet.
$(TOOLKIT_LINKS): | $(HEDDLE_CC) $(CUDART) $(NVRTC) $(SHARE)/device.bc
	@mkdir -p $(@D)
	$(Q)ln -sfn $(LEADS_TO) $@

$(TOOLKIT)/lib64/%: scripts/toolkit.mk
	@mkdir -p $(@D)
	$(Q)echo 'INPUT($(if $(filter stubs/%,$*),../)libheddle-cuda.so)' > $@

# An archive of nothing: the device runtime (dynamic parallelism) is not modelled, and build systems link it always.
$(TOOLKIT)/lib64/libcudadevrt.a: scripts/toolkit.mk
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) qcs $@

$(OPENMP_DRIVER): scripts/toolkit.mk | $(CUDART)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -nostdlib -fuse-ld=lld -Wl,-soname,libcuda.so -Wl,--no-as-needed \
		-Wl,-rpath,'$$ORIGIN/../../../lib' -o $@ -x c /dev/null -x none $(CUDART)

$(B)/obj/toolkit/names.c: $(CUDART)
	@mkdir -p $(@D)
	$(Q)$(LLVM_BIN)/llvm-nm --dynamic --defined-only --format=just-symbols $< | \
		sed 's/.*/void &(void);\nvoid &(void)\n{\n}/' > $@

$(TOOLKIT)/lib64/libheddle-cuda.so: $(B)/obj/toolkit/names.c scripts/toolkit.mk
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -w -O1 -fPIC -ffreestanding -fno-builtin -shared -nostdlib -fuse-ld=lld -Wl,--filter=libheddle-cudart.so \
		-Wl,-rpath,'$$ORIGIN/../../../../lib' -o $@ $<

$(TOOLKIT)/version.json: tools/heddle-cc/options.h
	@mkdir -p $(@D)
	$(Q)sed -n 's/^.define HD_CUDA_RELEASE "\(.*\)"/{"cuda": {"name": "Heddle", "version": "\1.$(shell \
		sed -n 's/^.define HD_CUDA_BUILD "\(.*\)"/\1/p' $<)"}}/p' $< > $@

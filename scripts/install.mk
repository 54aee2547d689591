# Installation, and what is made for it: manual pages, completion, the CMake module, pkg-config files and headers, all in
# the build tree as they will be in the prefix, so that both work alike. Included by the Makefile.
#
#   make install PREFIX=/usr/local DESTDIR=    copies the tree; it may be moved afterwards
#   make uninstall PREFIX=...                  removes what its manifest lists, and folders that install made

# GNU projects have it in small letters.
PREFIX ?= $(or $(prefix),/usr/local)
VERSION := $(shell sed -n 's/^\#define HD_VERSION "\(.*\)"/\1/p' include/heddle/version.h)

COMMANDS := $(shell sed -n 's/^CMD.\([a-z]*\),.*/\1/p' tools/heddle/commands.def)
MAN := $(B)/share/man/man1/heddle.1 $(B)/share/man/man1/heddle-cc.1 $(B)/share/man/man7/heddle-passes.7 \
	$(COMMANDS:%=$(B)/share/man/man1/heddle-%.1) $(B)/share/man/man1/heddle-openmp.1
COMPLETION := $(B)/share/bash-completion/completions/heddle $(B)/share/bash-completion/completions/heddle-cc
HEADERS := $(patsubst include/heddle/%,$(B)/include/heddle/%,$(wildcard include/heddle/*.h include/heddle/policy/*.h include/heddle/*.def)) \
	$(patsubst lib/%,$(B)/include/heddle/support/lib/%,lib/api.h lib/arena.h lib/bitset.h lib/diag.h lib/vec.h) \
	$(patsubst %,$(B)/include/heddle/engine/%,$(wildcard runtime/core/*.h runtime/core/*.def runtime/exec/*.h runtime/sm/*.h runtime/memory/*.h))
PIPELINE := $(B)/lib/cmake/Heddle/HeddleConfig.cmake $(B)/lib/cmake/Heddle/HeddleConfigVersion.cmake \
	$(B)/lib/pkgconfig/heddle.pc $(B)/lib/pkgconfig/heddle-cudart.pc $(B)/lib/pkgconfig/heddle-policy.pc $(SHARE)/github/heddle-check.yml

# The Python package, and what `pip install` of its folder needs.
PYTHON := $(patsubst python/%,$(SHARE)/python/%,$(wildcard python/pyproject.toml python/*/*.py))

# The pages, in folders as here: their links lead to each other.
DOCS := $(patsubst %,$(B)/share/doc/heddle/%,$(wildcard docs/*.md docs/*.svg docs/*.png docs/results/*) README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE) \
	$(B)/share/doc/heddle/examples

# Programs to begin with: those of one file, and the project with a workflow.
EXAMPLES := $(patsubst examples/%,$(SHARE)/examples/%,$(wildcard examples/README.md examples/*.cu examples/ci/*) \
	examples/ci/.github/workflows/ci.yml)

# All of examples/ by name: what else lies there stays there.
EXAMPLE_SOURCES := $(wildcard $(foreach in,examples examples/* examples/*/* examples/*/*/*,$(in)/Makefile \
	$(addprefix $(in)/*.,c cpp csv cu cuh h ini json llir md py txt)))

# The papers' figures: what draws them, and the sources that they run.
FIGURE_FILES := $(sort $(EXAMPLES) $(patsubst examples/%,$(SHARE)/examples/%,$(EXAMPLE_SOURCES))) \
	$(patsubst %,$(SHARE)/%,$(wildcard scripts/plans/*.ini scripts/plans/*.txt scripts/plans/ladders/* scripts/figures/*.py) $(addprefix scripts/,figures.py draw_figures.py added.py manual.py results.py)) \
	$(B)/bin/heddle-figures $(B)/share/man/man1/heddle-figures.1

define page
@mkdir -p $(@D)
$(Q)$(1) > $@.new && mv $@.new $@
endef

$(B)/share/man/man1/heddle.1: $(HEDDLE)
	$(call page,$(HEDDLE) --man)
$(B)/share/man/man1/heddle-cc.1: $(HEDDLE_CC)
	$(call page,$(HEDDLE_CC) --man)
$(B)/share/man/man7/heddle-passes.7: $(HEDDLE) passes/options.def passes/passes.def passes/mir.def
	$(call page,$(HEDDLE) --man passes)
$(COMMANDS:%=$(B)/share/man/man1/heddle-%.1): $(B)/share/man/man1/heddle-%.1: $(HEDDLE)
	$(call page,$(HEDDLE) $* --man)
$(B)/share/man/man1/heddle-figures.1: $(HEDDLE) $(filter $(SHARE)/scripts/%.py,$(FIGURE_FILES))
	$(call page,/usr/bin/python3 -B $(SHARE)/scripts/draw_figures.py --man)
$(B)/share/man/man1/heddle-openmp.1: $(OPENMP) $(HEDDLE)
	$(call page,$(OPENMP) --man)
$(B)/share/bash-completion/completions/heddle: $(HEDDLE) $(HEDDLE_CC) scripts/completion.sh
	$(call page,scripts/completion.sh $(HEDDLE) $(HEDDLE_CC))
# bash-completion looks for a file by the command's name.
$(B)/share/bash-completion/completions/heddle-cc: $(B)/share/bash-completion/completions/heddle
	$(copy)
$(B)/include/heddle/support/lib/%: lib/%
	$(copy)
$(B)/include/heddle/engine/%: %
	$(copy)
$(B)/include/heddle/%: include/heddle/%
	$(copy)
$(B)/lib/cmake/Heddle/HeddleConfig.cmake: scripts/cmake/HeddleConfig.cmake
	$(copy)
$(B)/lib/cmake/Heddle/%: scripts/cmake/%.in include/heddle/version.h
	$(call page,sed 's/@VERSION@/$(VERSION)/' $<)
$(B)/lib/pkgconfig/%: scripts/pkgconfig/%.in include/heddle/version.h
	$(call page,sed 's/@VERSION@/$(VERSION)/' $<)
$(SHARE)/github/%: scripts/github/%
	$(copy)

$(SHARE)/examples/%: examples/%
	$(copy)
$(SHARE)/python/%: python/%
	$(copy)
$(B)/share/doc/heddle/examples:
	$(Q)mkdir -p $(@D) && ln -sfn ../../heddle/examples $@
$(B)/share/doc/heddle/%: %
	$(copy)
$(SHARE)/scripts/%: scripts/%
	$(copy)
$(B)/bin/heddle-%: scripts/heddle-%.sh
	$(copy)

# It takes clang of the LLVM that the plugin is built for.
OPENMP := $(B)/bin/heddle-openmp
$(OPENMP): scripts/heddle-openmp.sh
	$(call page,sed 's/{HEDDLE_LLVM:-19} # .*/{HEDDLE_LLVM:-$(LLVM)}/' $<)
	$(Q)chmod 755 $@
INSTALLED := $(FIGURE_FILES) $(OPENMP) $(PYTHON) $(DOCS) $(HEDDLE) $(HEDDLE_CC) $(LIB_A) $(PLUGIN) $(LLVM_SIDE) $(CUDART) $(SESSION) $(NVRTC) $(DATA) $(TOOLKIT_FILES) $(MATH_FILES) $(MAN) $(COMPLETION) $(HEADERS) $(PIPELINE)
MANIFEST := share/heddle/manifest.txt

# Headers in this build tree that an older version had: a policy's author is not to find them.
GONE = $(filter-out $(HEADERS),$(shell find $(B)/include -type f 2>/dev/null))

.PHONY: extras install uninstall
extras: $(OPENMP) $(MAN) $(COMPLETION) $(HEADERS) $(PIPELINE) $(EXAMPLES) $(PYTHON) $(DOCS)
	$(if $(GONE),$(Q)rm -f $(GONE))
	$(done)

install: all extras $(FIGURE_FILES)
	@scripts/install.sh $(B) '$(DESTDIR)$(PREFIX)' $(MANIFEST) $(INSTALLED:$(B)/%=%)

# Debian packages of what is installed, in DEB; check-deb installs them in a bare system (root, minutes).
DEB ?= $(B)/deb
.PHONY: deb check-deb
deb: all extras $(FIGURE_FILES)
	@rm -rf $(DEB) && mkdir -p $(DEB)/stage
	@scripts/install.sh $(B) $(DEB)/stage/usr $(MANIFEST) $(INSTALLED:$(B)/%=%) >/dev/null
	@scripts/deb.sh $(DEB)/stage $(DEB) && rm -rf $(DEB)/stage
# What a build is made of, as SPDX.
.PHONY: sbom
sbom: all extras
	@scripts/sbom.py $(B) >$(B)/sbom.spdx.json.tmp && mv $(B)/sbom.spdx.json.tmp $(B)/sbom.spdx.json && echo $(B)/sbom.spdx.json

check-deb: deb
	@scripts/check-deb.sh $(DEB)

# README.md and docs/ as one searchable static site; its links are checked.
SITE ?= $(B)/site
.PHONY: site
site:
	@/usr/bin/python3 -B scripts/site.py . $(SITE)

uninstall:
	@scripts/install.sh --remove '$(DESTDIR)$(PREFIX)' $(MANIFEST)

"""Each header of a toolkit's folder in a source of its own, as both halves of a compilation read it.

python toolkit-headers.py HEDDLE-CC FOLDER SCRATCH.cu [NAME...]
"""
import os
import re
import shlex
import subprocess
import sys

# What nvcc does not take alone either, and what needs other software.
PARTS = ("curand_(discrete|discrete2|lognormal|normal|normal_static|poisson|uniform)|cupti_activity_deprecated|"
         "cudaVDPAU|cudaVDPAUTypedefs|cuda_vdpau_interop|generated_(cudaVDPAU|cuda_vdpau_interop|cudart_removed)_meta|"
         "generated_(cuda|cudaGL)_meta|nvshmem.*")
LEFT_OUT = re.compile(f"({PARTS})\\.h")


def commands(compiler, folder, source):
    """What the compiler would run for each half, up to its output, without making one."""
    with open(source, "w", encoding="utf-8"):
        pass
    dry = [compiler, "-std=c++17", "-arch=sm_75", "-w", "-I", folder, "--dryrun", "-c", "-o", "none.o", source]
    lines = subprocess.run(dry, capture_output=True, text=True, check=True).stderr.splitlines()
    for line in lines:
        words = shlex.split(line[3:])
        if source in words:
            clang = next(i for i, word in enumerate(words) if "clang" in word)
            kept = [word for word in words[clang:words.index(source)] if not word.startswith("-fpass-plugin")]
            if "-fcuda-include-gpubinary" in kept:
                at = kept.index("-fcuda-include-gpubinary") - 1
                kept = kept[:at] + kept[at + 4:]
            yield [word for word in kept if word not in ("-emit-llvm", "-S", "-c")] + ["-fsyntax-only", source]


def main():
    compiler, folder, source = sys.argv[1:4]
    names = sys.argv[4:] or sorted(name for name in os.listdir(folder) if name.endswith(".h"))
    halves = list(commands(compiler, folder, source))
    failed = []
    for name in names:
        if LEFT_OUT.fullmatch(name):
            continue
        with open(source, "w", encoding="utf-8") as file:
            file.write(f"#include <{name}>\nint main() {{}}\n")
        for half in halves:
            done = subprocess.run(half, capture_output=True, text=True, errors="replace")
            if done.returncode:
                failed.append(name)
                print(name, next((line for line in done.stderr.splitlines() if "error" in line), ""))
                break
    print(f"headers: {len(names)}, {len(failed)} do not parse" if failed or len(halves) != 2 else "headers: PASSED")


main()

; Asked for by name, other targets are an error; at the end of a pipeline they are left alone, without a word.
; RUN: %not %opt -load-pass-plugin=%plugin -passes=heddle -disable-output %s 2>&1 | %FileCheck %s
; RUN: sed 's/x86_64-unknown-linux-gnu/nvptx-nvidia-cuda/' %s > %t.32.ll
; RUN: %not %opt -load-pass-plugin=%plugin -passes=heddle -disable-output %t.32.ll 2>&1 | %FileCheck --check-prefix=NARROW %s
; RUN: %opt -O2 -S %s -o %t.plain.ll
; RUN: env HEDDLE_PASS=nonsense %opt -load-pass-plugin=%plugin -O2 -S %s -o %t.ll 2>&1 | count 0
; RUN: diff %t.plain.ll %t.ll
; RUN: %clang -O2 -S -emit-llvm -x ir --target=x86_64-linux-gnu %s -o %t.plain.ll
; RUN: env HEDDLE_PASS=nonsense %clang -O2 -S -emit-llvm -x ir --target=x86_64-linux-gnu -fpass-plugin=%plugin %s -o %t.ll 2>&1 | count 0
; RUN: diff %t.plain.ll %t.ll

; CHECK: heddle: error: the module's target is 'x86_64-unknown-linux-gnu', but heddle compiles only nvptx64
; NARROW: heddle: error: the module's target is 'nvptx-nvidia-cuda', but heddle compiles only nvptx64 (its addresses have 64 bits, and CUDA 12 ended code of 32 bits)

target triple = "x86_64-unknown-linux-gnu"

define i32 @main() {
  ret i32 0
}

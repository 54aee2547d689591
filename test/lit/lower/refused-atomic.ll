; Atomic operations of 128 bits have no instruction, and no library to call.
; RUN: not %opt -load-pass-plugin=%plugin '-passes=heddle' -disable-output %s 2>&1 | %FileCheck %s
; CHECK: error: unsupported atomic operation on 128 bits, in 'k' at '%r = atomicrmw nand ptr
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p) {
  %r = atomicrmw nand ptr %p, i128 1 seq_cst
  ret void
}

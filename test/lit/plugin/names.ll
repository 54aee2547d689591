; Names of improvements to leave out: several joined, and one that there is not.
; RUN: %opt -load-pass-plugin=%plugin '-passes=heddle<without=banks+join+rest>' -disable-output %s
; RUN: not %opt -load-pass-plugin=%plugin '-passes=heddle<without=banks+jion>' -disable-output %s 2>&1 | %FileCheck %s
; CHECK: 'without=banks+jion' is none of addresses|banks
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  ret void
}

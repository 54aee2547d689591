; What is refused is named with its function and instruction where there is no debug information.
; RUN: not %opt -load-pass-plugin=%plugin '-passes=heddle' -disable-output %s 2>&1 | %FileCheck %s
; CHECK: error: unsupported scalable vectors, in 'k' at '%a = load <vscale x 4 x i32>, ptr %p
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p, ptr %q) {
  %a = load <vscale x 4 x i32>, ptr %p
  store <vscale x 4 x i32> %a, ptr %q
  ret void
}

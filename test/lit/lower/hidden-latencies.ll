; Both loads come first, so that one's latency is hidden behind the other's; without, each root follows its load, which
; takes fewer registers.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=hidden-latencies>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL: kernel roots:
; CHECK:     LDG
; CHECK-NOT: MUFU
; CHECK:     LDG
; CHECK:     MUFU.SQRT
; CHECK:     MUFU.SQRT
; WITHOUT-LABEL: kernel roots:
; WITHOUT:     LDG
; WITHOUT-NOT: LDG
; WITHOUT:     MUFU.SQRT
; WITHOUT:     LDG
; WITHOUT:     MUFU.SQRT

; CHECK-LABEL: kernel loads_first:
; CHECK:     LDG
; CHECK-NOT: MUFU
; CHECK:     LDG
; WITHOUT-LABEL: kernel loads_first:
; WITHOUT:     LDG
; WITHOUT-NOT: LDG
; WITHOUT:     MUFU.SQRT

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @roots(ptr addrspace(1) %in) {
  %a = load float, ptr addrspace(1) %in
  %ra = call float @llvm.nvvm.sqrt.approx.ftz.f(float %a)
  %at = getelementptr float, ptr addrspace(1) %in, i64 1000
  %b = load float, ptr addrspace(1) %at
  %rb = call float @llvm.nvvm.sqrt.approx.ftz.f(float %b)
  %sum = fadd float %ra, %rb
  %end = getelementptr float, ptr addrspace(1) %in, i64 2000
  store float %sum, ptr addrspace(1) %end
  ret void
}

define ptx_kernel void @loads_first(ptr addrspace(1) %in) {
  %a = load float, ptr addrspace(1) %in
  %at = getelementptr float, ptr addrspace(1) %in, i64 1000
  %b = load float, ptr addrspace(1) %at
  %ra = call float @llvm.nvvm.sqrt.approx.ftz.f(float %a)
  %rb = call float @llvm.nvvm.sqrt.approx.ftz.f(float %b)
  %sum = fadd float %ra, %rb
  %end = getelementptr float, ptr addrspace(1) %in, i64 2000
  store float %sum, ptr addrspace(1) %end
  ret void
}

declare float @llvm.nvvm.sqrt.approx.ftz.f(float)

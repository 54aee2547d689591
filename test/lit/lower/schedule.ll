; The roots wait until both loads are under way, and a load that the program has late comes early; without the step, all is
; as in the program.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=schedule>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=PROGRAM %s

; CHECK-LABEL: kernel roots:
; CHECK:     LDG
; CHECK-NOT: MUFU
; CHECK:     LDG
; CHECK:     MUFU.SQRT
; CHECK:     MUFU.SQRT
; PROGRAM-LABEL: kernel roots:
; PROGRAM:     LDG
; PROGRAM-NOT: LDG
; PROGRAM:     MUFU.SQRT
; PROGRAM:     LDG
; PROGRAM:     MUFU.SQRT

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @roots(ptr addrspace(1) %in) {
  %at = getelementptr float, ptr addrspace(1) %in, i64 1000
  %end = getelementptr float, ptr addrspace(1) %in, i64 2000
  %a = load float, ptr addrspace(1) %in
  %ra = call float @llvm.nvvm.sqrt.approx.ftz.f(float %a)
  %b = load float, ptr addrspace(1) %at
  %rb = call float @llvm.nvvm.sqrt.approx.ftz.f(float %b)
  %sum = fadd float %ra, %rb
  store float %sum, ptr addrspace(1) %end
  ret void
}

declare float @llvm.nvvm.sqrt.approx.ftz.f(float)

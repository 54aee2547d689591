; Branches of arithmetic that lowering inlines, such as the check of a quick division, are as uniform as what goes in.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-liveness;check=1>' -disable-output %s 2>&1 | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK: kernel shared: {{.*}} branches 0 divergent {{[1-9][0-9]*}} uniform
define ptx_kernel void @shared(ptr addrspace(1) %out, float %a, float %b) {
  %q = fdiv float %a, %b
  store float %q, ptr addrspace(1) %out
  ret void
}

; CHECK: kernel own: {{.*}} branches {{[1-9][0-9]*}} divergent 0 uniform
define ptx_kernel void @own(ptr addrspace(1) %out, float %a, float %b) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = uitofp i32 %t to float
  %q = fdiv float %a, %f
  store float %q, ptr addrspace(1) %out
  ret void
}

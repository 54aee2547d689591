; Special functions of constants are computed where ptxas computes them: their bits are moved, and quotients by constants are
; products. Logarithms of zero, roots of negative numbers, tanh, and waves of infinity stay MUFU's.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK:       kernel known:
; CHECK-NOT:   MUFU
; CHECK-DAG:   0x3f800000
; CHECK-DAG:   0x403504f3
; CHECK-DAG:   0x3fcae00d
; CHECK-DAG:   0x3f13cd3a
; CHECK-DAG:   0x3f9cc471
; CHECK-DAG:   FMUL.FTZ {{R[0-9]+}}, {{R[0-9]+}}, 0.33333334(0x3eaaaaab)
; CHECK-NOT:   MUFU
; CHECK:       kernel others:
; CHECK-COUNT-5: MUFU
; div.full scales both, so that its quotients by denormal numbers are finite; with .ftz these are zeros.
; CHECK:       kernel denormal:
; CHECK-NOT:   0x7f800000
; CHECK:       MUFU.RCP.FTZ
; CHECK:       kernel flushed:
; CHECK-NOT:   MUFU
; CHECK:       FMUL.FTZ {{R[0-9]+}}, {{R[0-9]+}}, inf(0x7f800000)
; CHECK-NOT:   MUFU

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @known(ptr addrspace(1) %out, float %x) {
  %a = call float @llvm.nvvm.ex2.approx.ftz.f(float 0.0)
  %b = call float @llvm.nvvm.ex2.approx.f(float 1.5)
  %c = call float @llvm.nvvm.lg2.approx.f(float 3.0)
  %d = call float @llvm.nvvm.rcp.approx.ftz.f(float 3.0)
  %e = call float @llvm.nvvm.rsqrt.approx.f(float 3.0)
  %f = call float @llvm.nvvm.sqrt.approx.f(float 1.5)
  %g = call float @llvm.nvvm.cos.approx.f(float 0.0)
  %h = call float @llvm.nvvm.div.approx.ftz.f(float %x, float 3.0)
  store volatile float %a, ptr addrspace(1) %out
  store volatile float %b, ptr addrspace(1) %out
  store volatile float %c, ptr addrspace(1) %out
  store volatile float %d, ptr addrspace(1) %out
  store volatile float %e, ptr addrspace(1) %out
  store volatile float %f, ptr addrspace(1) %out
  store volatile float %g, ptr addrspace(1) %out
  store volatile float %h, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @others(ptr addrspace(1) %out) {
  %a = call float @llvm.nvvm.lg2.approx.ftz.f(float 0.0)
  %b = call float @llvm.nvvm.rsqrt.approx.f(float -1.0)
  %c = call float @llvm.nvvm.sqrt.approx.f(float -1.0)
  %d = call float @llvm.nvvm.sin.approx.ftz.f(float 0x7FF0000000000000)
  %e = call float @llvm.nvvm.tanh.approx.f(float 1.0)
  store volatile float %a, ptr addrspace(1) %out
  store volatile float %b, ptr addrspace(1) %out
  store volatile float %c, ptr addrspace(1) %out
  store volatile float %d, ptr addrspace(1) %out
  store volatile float %e, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @denormal(ptr addrspace(1) %out, float %x) {
  %a = call float @llvm.nvvm.div.full(float %x, float 0x37D5C73000000000)
  store volatile float %a, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @flushed(ptr addrspace(1) %out, float %x) {
  %a = call float @llvm.nvvm.div.full.ftz(float %x, float 0x37D5C73000000000)
  store volatile float %a, ptr addrspace(1) %out
  ret void
}

declare float @llvm.nvvm.div.full(float, float)
declare float @llvm.nvvm.div.full.ftz(float, float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.lg2.approx.f(float)
declare float @llvm.nvvm.lg2.approx.ftz.f(float)
declare float @llvm.nvvm.rcp.approx.ftz.f(float)
declare float @llvm.nvvm.rsqrt.approx.f(float)
declare float @llvm.nvvm.sqrt.approx.f(float)
declare float @llvm.nvvm.sin.approx.ftz.f(float)
declare float @llvm.nvvm.cos.approx.f(float)
declare float @llvm.nvvm.tanh.approx.f(float)
declare float @llvm.nvvm.div.approx.ftz.f(float, float)

; Half precision becomes single on the units of half precision, of either half of a register: no shift brings the upper one
; down. bfloat16 is a shift or a mask, and a double is still the special function unit's.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=paired-halves>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:       kernel both:
; CHECK:       LDG [[PAIR:R[0-9]+]],
; CHECK-NOT:   SHR
; CHECK-DAG:   HADD2.F32 {{R[0-9]+}}, [[PAIR]]{{(.reuse)?$}}
; CHECK-DAG:   HADD2.F32.H1_H1 {{R[0-9]+}}, [[PAIR]]{{(.reuse)?$}}
; CHECK:       kernel wide:
; CHECK:       F2F.F64.F16
; WITHOUT:     SHR
; WITHOUT-NOT: H1_H1

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @both(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %pair = load i32, ptr addrspace(1) %in
  %l = trunc i32 %pair to i16
  %s = lshr i32 %pair, 16
  %h = trunc i32 %s to i16
  %a = bitcast i16 %l to half
  %b = bitcast i16 %h to half
  %x = fpext half %a to float
  %y = fpext half %b to float
  %z = call float @llvm.fma.f32(float %x, float 2.0, float %y)
  store float %z, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @wide(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = load half, ptr addrspace(1) %in
  %x = fpext half %a to double
  store double %x, ptr addrspace(1) %out
  ret void
}

declare float @llvm.fma.f32(float, float, float)

; Two conversions to halves that become one word are one instruction from sm_80 on, where the integer unit makes halves; 16 bits
; above 16 others take one PRMT, whatever the others come from. ptxas 13 does both.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=paired-halves>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s
; RUN: sed s/sm_80/sm_75/ %s > %t.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=OLD %s

; CHECK-LABEL: kernel pair
; CHECK:       LDG.64 R[[X:[0-9]+]],
; CHECK-NOT:   PRMT
; CHECK-NOT:   LOP3
; CHECK-DAG:   F2FP.F16 {{R[0-9]+}}, R{{[0-9]+}}{{(.reuse)?}}, R[[X]]
; CHECK-DAG:   F2FP.BF16.RZ {{R[0-9]+}}, RZ, R[[X]]
; CHECK-DAG:   F2F.F16.F32.RP
; CHECK:       EXIT
; WITHOUT-LABEL: kernel pair
; WITHOUT:     F2FP.F16 {{R[0-9]+}}, RZ,
; WITHOUT:     LOP3
; OLD-LABEL:   kernel pair
; OLD:         F2F.F16.F32
; OLD:         PRMT {{R[0-9]+}}, {{R[0-9]+}}, 0x5410, {{R[0-9]+}}

; CHECK-LABEL: kernel words
; CHECK-NOT:   {{SHL|LOP3}}
; CHECK:       PRMT {{R[0-9]+}}, {{R[0-9]+}}, 0x5410, {{R[0-9]+}}
; CHECK:       EXIT
; WITHOUT-LABEL: kernel words
; WITHOUT:     SHL {{R[0-9]+}}, {{R[0-9]+}}, 0x10
; WITHOUT:     LOP3

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @pair(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x float>, ptr addrspace(1) %in
  %x = extractelement <2 x float> %v, i32 0
  %y = extractelement <2 x float> %v, i32 1
  %low = call i16 @llvm.nvvm.f2h.rn(float %x)
  %high = call i16 @llvm.nvvm.f2h.rn(float %y)
  %l = zext i16 %low to i32
  %h = zext i16 %high to i32
  %u = shl i32 %h, 16
  %w = or i32 %u, %l
  store i32 %w, ptr addrspace(1) %out
  %cut = call bfloat @llvm.nvvm.f2bf16.rz(float %x)
  %p = getelementptr i8, ptr addrspace(1) %out, i32 4
  store bfloat %cut, ptr addrspace(1) %p
  %up = call i16 asm "cvt.rp.f16.f32 $0, $1;", "=h,f"(float %x)
  %q = getelementptr i8, ptr addrspace(1) %out, i32 6
  store i16 %up, ptr addrspace(1) %q
  ret void
}

define void @words(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x i32>, ptr addrspace(1) %in
  %x = extractelement <2 x i32> %v, i32 0
  %y = extractelement <2 x i32> %v, i32 1
  %l = and i32 %x, 65535
  %u = shl i32 %y, 16
  %w = or i32 %u, %l
  store i32 %w, ptr addrspace(1) %out
  ret void
}

declare i16 @llvm.nvvm.f2h.rn(float)
declare bfloat @llvm.nvvm.f2bf16.rz(float)
attributes #0 = { "target-cpu"="sm_80" }
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @pair, !"kernel", i32 1}
!1 = !{ptr @words, !"kernel", i32 1}

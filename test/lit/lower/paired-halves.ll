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

; An XOR and an OR of what cannot overlap, with the operands the other way round, are the same; one number, twice, is one
; instruction.
; CHECK-LABEL: kernel xor
; CHECK:       PRMT {{R[0-9]+}}, {{R[0-9]+}}, 0x5410, {{R[0-9]+}}
; CHECK-LABEL: kernel disjoint
; CHECK:       PRMT {{R[0-9]+}}, {{R[0-9]+}}, 0x5410, {{R[0-9]+}}

; What is above the lower half stays in the result, and so does a half that is not shifted by half a word.
; CHECK-LABEL: kernel unmasked
; CHECK-NOT:   PRMT
; CHECK-LABEL: kernel wide_mask
; CHECK-NOT:   PRMT
; CHECK-LABEL: kernel shift_15
; CHECK-NOT:   PRMT

; CHECK-LABEL: kernel splat
; CHECK-NOT:   PRMT
; CHECK:       F2FP.F16 {{R[0-9]+}}, R[[X:[0-9]+]]{{(.reuse)?}}, R[[X]]
; CHECK-NOT:   PRMT

; Numbers of two types, or with two roundings, and one that something else reads, are not converted by one instruction.
; CHECK-LABEL: kernel types
; CHECK-DAG:   F2FP.F16 {{R[0-9]+}}, RZ,
; CHECK-DAG:   F2FP.BF16 {{R[0-9]+}}, RZ,
; CHECK:       PRMT
; CHECK-LABEL: kernel roundings
; CHECK-DAG:   F2FP.BF16 {{R[0-9]+}}, RZ,
; CHECK-DAG:   F2FP.BF16.RZ {{R[0-9]+}}, RZ,
; CHECK:       PRMT
; CHECK-LABEL: kernel read_twice
; CHECK:       F2FP.F16 {{R[0-9]+}}, RZ,
; CHECK:       F2FP.F16 {{R[0-9]+}}, RZ,
; CHECK:       PRMT

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

define void @xor(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x i32>, ptr addrspace(1) %in
  %x = extractelement <2 x i32> %v, i32 0
  %y = extractelement <2 x i32> %v, i32 1
  %l = and i32 %x, 65535
  %u = shl i32 %y, 16
  %w = xor i32 %l, %u
  store i32 %w, ptr addrspace(1) %out
  ret void
}

define void @disjoint(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x i32>, ptr addrspace(1) %in
  %x = extractelement <2 x i32> %v, i32 0
  %y = extractelement <2 x i32> %v, i32 1
  %l = and i32 %x, 65535
  %u = shl i32 %y, 16
  %w = or disjoint i32 %l, %u
  store i32 %w, ptr addrspace(1) %out
  ret void
}

define void @unmasked(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x i32>, ptr addrspace(1) %in
  %x = extractelement <2 x i32> %v, i32 0
  %y = extractelement <2 x i32> %v, i32 1
  %u = shl i32 %y, 16
  %w = or i32 %u, %x
  store i32 %w, ptr addrspace(1) %out
  ret void
}

define void @wide_mask(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x i32>, ptr addrspace(1) %in
  %x = extractelement <2 x i32> %v, i32 0
  %y = extractelement <2 x i32> %v, i32 1
  %l = and i32 %x, 1048575
  %u = shl i32 %y, 16
  %w = or i32 %u, %l
  store i32 %w, ptr addrspace(1) %out
  ret void
}

define void @shift_15(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x i32>, ptr addrspace(1) %in
  %x = extractelement <2 x i32> %v, i32 0
  %y = extractelement <2 x i32> %v, i32 1
  %l = and i32 %x, 65535
  %u = shl i32 %y, 15
  %w = or i32 %u, %l
  store i32 %w, ptr addrspace(1) %out
  ret void
}

define void @splat(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x float>, ptr addrspace(1) %in
  %x = extractelement <2 x float> %v, i32 0
  %y = extractelement <2 x float> %v, i32 1
  %low = call i16 @llvm.nvvm.f2h.rn(float %x)
  %l = zext i16 %low to i32
  %u = shl i32 %l, 16
  %w = or i32 %u, %l
  store i32 %w, ptr addrspace(1) %out
  ret void
}

define void @types(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x float>, ptr addrspace(1) %in
  %x = extractelement <2 x float> %v, i32 0
  %y = extractelement <2 x float> %v, i32 1
  %low = call i16 @llvm.nvvm.f2h.rn(float %x)
  %high.b = call bfloat @llvm.nvvm.f2bf16.rn(float %y)
  %high = bitcast bfloat %high.b to i16
  %l = zext i16 %low to i32
  %h = zext i16 %high to i32
  %u = shl i32 %h, 16
  %w = or i32 %u, %l
  store i32 %w, ptr addrspace(1) %out
  ret void
}

define void @roundings(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x float>, ptr addrspace(1) %in
  %x = extractelement <2 x float> %v, i32 0
  %y = extractelement <2 x float> %v, i32 1
  %low.b = call bfloat @llvm.nvvm.f2bf16.rn(float %x)
  %low = bitcast bfloat %low.b to i16
  %high.b = call bfloat @llvm.nvvm.f2bf16.rz(float %y)
  %high = bitcast bfloat %high.b to i16
  %l = zext i16 %low to i32
  %h = zext i16 %high to i32
  %u = shl i32 %h, 16
  %w = or i32 %u, %l
  store i32 %w, ptr addrspace(1) %out
  ret void
}

define void @read_twice(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %v = load <2 x float>, ptr addrspace(1) %in
  %x = extractelement <2 x float> %v, i32 0
  %y = extractelement <2 x float> %v, i32 1
  %low = call i16 @llvm.nvvm.f2h.rn(float %x)
  %high = call i16 @llvm.nvvm.f2h.rn(float %y)
  %l = zext i16 %low to i32
  %h = zext i16 %high to i32
  %u = shl i32 %h, 16
  %w = or i32 %u, %l
  %p = getelementptr i8, ptr addrspace(1) %out, i32 4
  store i16 %low, ptr addrspace(1) %p
  store i32 %w, ptr addrspace(1) %out
  ret void
}

declare i16 @llvm.nvvm.f2h.rn(float)
declare bfloat @llvm.nvvm.f2bf16.rn(float)
declare bfloat @llvm.nvvm.f2bf16.rz(float)
attributes #0 = { "target-cpu"="sm_80" }
!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10}
!0 = !{ptr @pair, !"kernel", i32 1}
!1 = !{ptr @words, !"kernel", i32 1}
!2 = !{ptr @xor, !"kernel", i32 1}
!3 = !{ptr @disjoint, !"kernel", i32 1}
!4 = !{ptr @unmasked, !"kernel", i32 1}
!5 = !{ptr @wide_mask, !"kernel", i32 1}
!6 = !{ptr @shift_15, !"kernel", i32 1}
!7 = !{ptr @splat, !"kernel", i32 1}
!8 = !{ptr @types, !"kernel", i32 1}
!9 = !{ptr @roundings, !"kernel", i32 1}
!10 = !{ptr @read_twice, !"kernel", i32 1}

; Shared and constant arrays begin at multiples of 16 bytes, so that neighbours in them are loaded and stored together,
; whatever alignment the module asks for; of constants two words at most. Small variables and dynamic shared memory stay
; as they are.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=aligned-shared-arrays>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:       function tile
; CHECK-DAG:         STS.64
; CHECK-DAG:         LDS.128 {{.*}}, [[ROW:.R[0-9]+]]]
; CHECK-DAG:         LDS.128 {{.*}}, [[ROW]]+0x10]
; CHECK-NOT:         LDS
; CHECK-LABEL:       function dynamic
; CHECK-COUNT-2:     LDS R
; CHECK-LABEL:       function sample
; CHECK-COUNT-2:     LDCX.64
; CHECK-NOT:         LDCX
; CHECK-LABEL:       function quad
; CHECK-COUNT-2:     LDCX.64
; CHECK-NOT:         LDCX
; CHECK-LABEL:       function odd
; CHECK-COUNT-2:     LDCX R
; WITHOUT-LABEL:     function tile
; WITHOUT-NOT:       {{STS.64|LDS.64|LDS.128}}
; WITHOUT-LABEL:     function sample
; WITHOUT-COUNT-4:   LDCX R

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@small = internal addrspace(3) global i32 undef, align 4
@tiles = internal addrspace(3) global [8 x [8 x float]] undef, align 4
@samples = internal addrspace(4) externally_initialized global [16 x [4 x float]] zeroinitializer, align 4
@quads = internal addrspace(4) externally_initialized global [16 x <4 x float>] zeroinitializer, align 16
@any = external addrspace(3) global [0 x float], align 4

define float @tile(i32 %row, float %x) {
  store i32 %row, ptr addrspace(3) @small
  %at = getelementptr [8 x [8 x float]], ptr addrspace(3) @tiles, i32 0, i32 %row, i32 0
  %at2 = getelementptr float, ptr addrspace(3) %at, i32 10
  %at3 = getelementptr float, ptr addrspace(3) %at, i32 11
  store float %x, ptr addrspace(3) %at2, align 4
  store float %x, ptr addrspace(3) %at3, align 4
  %p0 = getelementptr float, ptr addrspace(3) %at, i32 0
  %v0 = load float, ptr addrspace(3) %p0, align 4
  %p1 = getelementptr float, ptr addrspace(3) %at, i32 1
  %v1 = load float, ptr addrspace(3) %p1, align 4
  %p2 = getelementptr float, ptr addrspace(3) %at, i32 2
  %v2 = load float, ptr addrspace(3) %p2, align 4
  %p3 = getelementptr float, ptr addrspace(3) %at, i32 3
  %v3 = load float, ptr addrspace(3) %p3, align 4
  %p4 = getelementptr float, ptr addrspace(3) %at, i32 4
  %v4 = load float, ptr addrspace(3) %p4, align 4
  %p5 = getelementptr float, ptr addrspace(3) %at, i32 5
  %v5 = load float, ptr addrspace(3) %p5, align 4
  %p6 = getelementptr float, ptr addrspace(3) %at, i32 6
  %v6 = load float, ptr addrspace(3) %p6, align 4
  %p7 = getelementptr float, ptr addrspace(3) %at, i32 7
  %v7 = load float, ptr addrspace(3) %p7, align 4
  %s1 = fadd float %v0, %v1
  %s2 = fadd float %s1, %v2
  %s3 = fadd float %s2, %v3
  %s4 = fadd float %s3, %v4
  %s5 = fadd float %s4, %v5
  %s6 = fadd float %s5, %v6
  %s7 = fadd float %s6, %v7
  ret float %s7
}

define float @dynamic(i32 %row) {
  %at = getelementptr [8 x float], ptr addrspace(3) @any, i32 %row, i32 0
  %next = getelementptr float, ptr addrspace(3) %at, i32 1
  %a = load float, ptr addrspace(3) %at, align 4
  %b = load float, ptr addrspace(3) %next, align 4
  %sum = fadd float %a, %b
  ret float %sum
}

define float @sample(i64 %i) {
  %p0 = getelementptr [16 x [4 x float]], ptr addrspace(4) @samples, i64 0, i64 %i, i64 0
  %p1 = getelementptr float, ptr addrspace(4) %p0, i64 1
  %p2 = getelementptr float, ptr addrspace(4) %p0, i64 2
  %p3 = getelementptr float, ptr addrspace(4) %p0, i64 3
  %v0 = load float, ptr addrspace(4) %p0, align 4
  %v1 = load float, ptr addrspace(4) %p1, align 4
  %v2 = load float, ptr addrspace(4) %p2, align 4
  %v3 = load float, ptr addrspace(4) %p3, align 4
  %s1 = fadd float %v0, %v1
  %s2 = fmul float %s1, %v2
  %s3 = fsub float %s2, %v3
  ret float %s3
}

define <4 x float> @quad(i64 %i) {
  %p = getelementptr [16 x <4 x float>], ptr addrspace(4) @quads, i64 0, i64 %i
  %v = load <4 x float>, ptr addrspace(4) %p, align 16
  ret <4 x float> %v
}

; A pair that crosses eight bytes stays two loads.
define float @odd(i64 %i) {
  %p1 = getelementptr [16 x [4 x float]], ptr addrspace(4) @samples, i64 0, i64 %i, i64 1
  %p2 = getelementptr float, ptr addrspace(4) %p1, i64 1
  %v1 = load float, ptr addrspace(4) %p1, align 4
  %v2 = load float, ptr addrspace(4) %p2, align 4
  %s = fadd float %v1, %v2
  ret float %s
}

; The pair that holds a pointer is made of two words of the constant bank: where registers are few it is made again, not
; stored. Without, only single words are.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=16>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=16;without=remade-pairs>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:         kernel twice:
; CHECK:         MOV [[LOW:R[0-9]+]], c[0x0][0x160]
; CHECK-NEXT:    MOV {{R[0-9]+}}, c[0x0][0x164]
; CHECK-NEXT:    LDG.VOLATILE {{R[0-9]+}}, [[[LOW]].64]
; CHECK-COUNT-3: spill-load
; CHECK:         MOV [[AGAIN:R[0-9]+]], c[0x0][0x160]
; CHECK-NEXT:    MOV {{R[0-9]+}}, c[0x0][0x164]
; CHECK-NEXT:    LDG.VOLATILE {{R[0-9]+}}, [[[AGAIN]].64]
; WITHOUT:       MOV [[LOW:R[0-9]+]], c[0x0][0x160]
; WITHOUT-NEXT:  STL {{.*}}, [[LOW]] {{.*}}spill-store
; WITHOUT:       LDL.64 {{.*}} spill-load

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @twice(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %p0.0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a0.0 = load volatile i32, ptr addrspace(1) %p0.0
  %p0.1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a0.1 = load volatile i32, ptr addrspace(1) %p0.1
  %p0.2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a0.2 = load volatile i32, ptr addrspace(1) %p0.2
  %p0.3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a0.3 = load volatile i32, ptr addrspace(1) %p0.3
  %p0.4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a0.4 = load volatile i32, ptr addrspace(1) %p0.4
  %p0.5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a0.5 = load volatile i32, ptr addrspace(1) %p0.5
  %p0.6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a0.6 = load volatile i32, ptr addrspace(1) %p0.6
  %p0.7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a0.7 = load volatile i32, ptr addrspace(1) %p0.7
  %p0.8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a0.8 = load volatile i32, ptr addrspace(1) %p0.8
  %p0.9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a0.9 = load volatile i32, ptr addrspace(1) %p0.9
  %p0.10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a0.10 = load volatile i32, ptr addrspace(1) %p0.10
  %p0.11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a0.11 = load volatile i32, ptr addrspace(1) %p0.11
  %p0.12 = getelementptr i32, ptr addrspace(1) %in, i32 12
  %a0.12 = load volatile i32, ptr addrspace(1) %p0.12
  %p0.13 = getelementptr i32, ptr addrspace(1) %in, i32 13
  %a0.13 = load volatile i32, ptr addrspace(1) %p0.13
  %q0.0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store volatile i32 %a0.0, ptr addrspace(1) %q0.0
  %q0.1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store volatile i32 %a0.1, ptr addrspace(1) %q0.1
  %q0.2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store volatile i32 %a0.2, ptr addrspace(1) %q0.2
  %q0.3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store volatile i32 %a0.3, ptr addrspace(1) %q0.3
  %q0.4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store volatile i32 %a0.4, ptr addrspace(1) %q0.4
  %q0.5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store volatile i32 %a0.5, ptr addrspace(1) %q0.5
  %q0.6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store volatile i32 %a0.6, ptr addrspace(1) %q0.6
  %q0.7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store volatile i32 %a0.7, ptr addrspace(1) %q0.7
  %q0.8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store volatile i32 %a0.8, ptr addrspace(1) %q0.8
  %q0.9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store volatile i32 %a0.9, ptr addrspace(1) %q0.9
  %q0.10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store volatile i32 %a0.10, ptr addrspace(1) %q0.10
  %q0.11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store volatile i32 %a0.11, ptr addrspace(1) %q0.11
  %q0.12 = getelementptr i32, ptr addrspace(1) %out, i32 12
  store volatile i32 %a0.12, ptr addrspace(1) %q0.12
  %q0.13 = getelementptr i32, ptr addrspace(1) %out, i32 13
  store volatile i32 %a0.13, ptr addrspace(1) %q0.13
  %p1.0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a1.0 = load volatile i32, ptr addrspace(1) %p1.0
  %p1.1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a1.1 = load volatile i32, ptr addrspace(1) %p1.1
  %p1.2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a1.2 = load volatile i32, ptr addrspace(1) %p1.2
  %p1.3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a1.3 = load volatile i32, ptr addrspace(1) %p1.3
  %p1.4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a1.4 = load volatile i32, ptr addrspace(1) %p1.4
  %p1.5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a1.5 = load volatile i32, ptr addrspace(1) %p1.5
  %p1.6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a1.6 = load volatile i32, ptr addrspace(1) %p1.6
  %p1.7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a1.7 = load volatile i32, ptr addrspace(1) %p1.7
  %p1.8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a1.8 = load volatile i32, ptr addrspace(1) %p1.8
  %p1.9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a1.9 = load volatile i32, ptr addrspace(1) %p1.9
  %p1.10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a1.10 = load volatile i32, ptr addrspace(1) %p1.10
  %p1.11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a1.11 = load volatile i32, ptr addrspace(1) %p1.11
  %p1.12 = getelementptr i32, ptr addrspace(1) %in, i32 12
  %a1.12 = load volatile i32, ptr addrspace(1) %p1.12
  %p1.13 = getelementptr i32, ptr addrspace(1) %in, i32 13
  %a1.13 = load volatile i32, ptr addrspace(1) %p1.13
  %q1.0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store volatile i32 %a1.0, ptr addrspace(1) %q1.0
  %q1.1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store volatile i32 %a1.1, ptr addrspace(1) %q1.1
  %q1.2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store volatile i32 %a1.2, ptr addrspace(1) %q1.2
  %q1.3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store volatile i32 %a1.3, ptr addrspace(1) %q1.3
  %q1.4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store volatile i32 %a1.4, ptr addrspace(1) %q1.4
  %q1.5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store volatile i32 %a1.5, ptr addrspace(1) %q1.5
  %q1.6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store volatile i32 %a1.6, ptr addrspace(1) %q1.6
  %q1.7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store volatile i32 %a1.7, ptr addrspace(1) %q1.7
  %q1.8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store volatile i32 %a1.8, ptr addrspace(1) %q1.8
  %q1.9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store volatile i32 %a1.9, ptr addrspace(1) %q1.9
  %q1.10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store volatile i32 %a1.10, ptr addrspace(1) %q1.10
  %q1.11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store volatile i32 %a1.11, ptr addrspace(1) %q1.11
  %q1.12 = getelementptr i32, ptr addrspace(1) %out, i32 12
  store volatile i32 %a1.12, ptr addrspace(1) %q1.12
  %q1.13 = getelementptr i32, ptr addrspace(1) %out, i32 13
  store volatile i32 %a1.13, ptr addrspace(1) %q1.13
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @twice, !"kernel", i32 1}

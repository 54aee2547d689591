; Two loops, one in the other: three blocks of their own after pass 1 (each loop's header has two ways in), one interval
; after pass 2 merged the inner loop with what leads to it, and then the outer one. As strands, each branch back ends one.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code>' -disable-output %s 2>&1 | %FileCheck --check-prefix=CODE %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-intervals>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-intervals;interval-regs=8>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=EIGHT %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-strands>' -disable-output %s 2>&1 | %FileCheck --check-prefix=STRANDS %s

; Five registers: the stack pointer, i, j, their xor and an address; the ABI reserves two more.
; CODE: kernel nest: registers 7,

; CHECK:      kernel nest: up to 16 registers, intervals 1, after pass 1 3, rounds of pass 2 2
; CHECK-NEXT: PREFETCHes 1, code [[#]] bytes, growth by vectors
; CHECK-NEXT: interval 0: entry 0000, pcs 0000-{{[0-9a-f]+}}, registers 5: R0-R4, live in none
; CHECK-NOT:  interval

; EIGHT: kernel nest: up to 8 registers, intervals 1, after pass 1 3,

; Before the outer loop, its head, the inner loop, its tail, the end.
; STRANDS:      kernel nest: up to 16 registers, strands 5
; STRANDS-NEXT: PREFETCHes 4,
; STRANDS-NEXT: strand 0: entry 0000, pcs 0000-0010, registers 2: [[I:R[0-9]+]]-R1, live in none
; STRANDS-NEXT: strand 1: entry 0020, pcs 0020-0020, registers 1: [[J:R[0-9]+]], live in none
; STRANDS-NEXT: strand 2: entry 0030, {{.*}}, registers 4: [[I]] R2-R4, live in [[I]] [[J]]
; STRANDS-NEXT: strand 3: {{.*}}, registers 1: [[I]], live in [[I]]
; STRANDS-NEXT: strand 4: {{.*}}, registers 0: none, live in none

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; for (i = 0; i < n; i++) for (j = 0; j < n; j++) out[i & 31] = j ^ i
define void @nest(ptr addrspace(3) %out, i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %v = xor i32 %j, %i
  %p = getelementptr i32, ptr addrspace(3) %out, i32 %i
  store volatile i32 %v, ptr addrspace(3) %p
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %n
  br i1 %more, label %inner, label %latch
latch:
  %i.next = add i32 %i, 1
  %again = icmp slt i32 %i.next, %n
  br i1 %again, label %outer, label %exit
exit:
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @nest, !"kernel", i32 1}

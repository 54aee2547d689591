; A rolled loop with loads goes around four times at once, the rest one by one; one with a barrier too, also where the
; counter's step leaves it to the operands' range how often. A loop of the user's that says no, or whose step is no constant, stays as it is.
; Eight turns from 3 to 27 are straight code; 4,000 stay a loop of 80 copies, the most with up to 336 instructions that
; divide them; 4,001, a prime number, one of one. What was copied before, by two, is copied again; a loop with a precise
; division is not.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=loop-unrolling>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:     kernel sum
; CHECK-COUNT-5:   LDG
; CHECK-NOT:       LDG
; CHECK-LABEL:     kernel strided
; CHECK-COUNT-1:   LDG
; CHECK-NOT:       LDG
; CHECK-LABEL:     kernel rolled
; CHECK-COUNT-1:   LDG
; CHECK-NOT:       LDG
; CHECK-LABEL:     kernel known
; CHECK-COUNT-8:   LDG
; CHECK-NOT:       {{LDG|BRA}}
; CHECK-LABEL:     kernel long
; CHECK-COUNT-80:  LDG
; CHECK-NOT:       LDG
; CHECK:           BRA
; CHECK-LABEL:     kernel prime
; CHECK-COUNT-1:   LDG
; CHECK-NOT:       LDG
; CHECK-LABEL:     kernel again
; CHECK-COUNT-10:  LDG
; CHECK-NOT:       LDG
; CHECK-LABEL:     kernel divided
; CHECK-COUNT-1:   LDG
; CHECK-NOT:       LDG
; CHECK-LABEL:     kernel meet
; CHECK-COUNT-5:   BAR
; CHECK-NOT:       BAR
; CHECK-LABEL:     kernel tiles
; CHECK-COUNT-4:   BAR
; CHECK:           BRA
; CHECK:           BAR
; CHECK-NOT:       BAR
; WITHOUT-LABEL:   kernel sum
; WITHOUT-COUNT-1: LDG
; WITHOUT-NOT:     LDG
; WITHOUT-LABEL:   kernel strided
; WITHOUT-LABEL:   kernel known
; WITHOUT-COUNT-1: LDG
; WITHOUT-NOT:     LDG
; WITHOUT-LABEL:   kernel long
; WITHOUT-LABEL:   kernel meet
; WITHOUT-COUNT-1: BAR
; WITHOUT-NOT:     BAR
; WITHOUT-LABEL:   kernel tiles
; WITHOUT-COUNT-1: BAR
; WITHOUT-NOT:     BAR

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @sum(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define void @strided(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n, i32 %step) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define void @rolled(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done, !llvm.loop !5
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define void @known(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 3, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i32 %i, 3
  %end = icmp eq i32 %next, 27
  br i1 %end, label %done, label %loop
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define void @long(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i32 %i, 1
  %end = icmp eq i32 %next, 4000
  br i1 %end, label %done, label %loop
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define void @prime(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %next = add nuw nsw i32 %i, 1
  %end = icmp eq i32 %next, 4001
  br i1 %end, label %done, label %loop
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define void @again(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %bound = shl i32 %n, 1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %u, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %q = getelementptr float, ptr addrspace(1) %p, i32 1
  %w = load float, ptr addrspace(1) %q
  %u = fadd float %t, %w
  %next = add nuw nsw i32 %i, 2
  %end = icmp eq i32 %next, %bound
  br i1 %end, label %done, label %loop
done:
  store float %u, ptr addrspace(1) %out
  ret void
}

define void @divided(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fdiv float %s, %v
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define void @meet(ptr addrspace(3) %tile, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  call void @llvm.nvvm.barrier0()
  %p = getelementptr float, ptr addrspace(3) %tile, i32 %i
  %v = load float, ptr addrspace(3) %p
  %t = fadd float %s, %v
  store float %t, ptr addrspace(3) %p
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define void @tiles(ptr addrspace(3) %tile, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  call void @llvm.nvvm.barrier0()
  %p = getelementptr float, ptr addrspace(3) %tile, i32 %i
  %v = load float, ptr addrspace(3) %p
  %t = fadd float %s, %v
  store float %t, ptr addrspace(3) %p
  %next = add nuw nsw i32 %i, 8
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

declare void @llvm.nvvm.barrier0() convergent nounwind

!nvvm.annotations = !{!0, !1, !2, !3, !4, !7, !8, !9, !10, !11}
!0 = !{ptr @sum, !"kernel", i32 1}
!1 = !{ptr @strided, !"kernel", i32 1}
!2 = !{ptr @rolled, !"kernel", i32 1}
!3 = !{ptr @meet, !"kernel", i32 1}
!4 = !{ptr @tiles, !"kernel", i32 1}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.unroll.disable"}
!7 = !{ptr @known, !"kernel", i32 1}
!8 = !{ptr @long, !"kernel", i32 1}
!9 = !{ptr @prime, !"kernel", i32 1}
!10 = !{ptr @again, !"kernel", i32 1}
!11 = !{ptr @divided, !"kernel", i32 1}

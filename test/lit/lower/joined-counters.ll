; Two counters that begin with zero and take the same step are one register and one addition. With another step they stay
; two.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=loop-unrolling>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=loop-unrolling+joined-counters>' -disable-output %s \
; RUN:     2>&1 | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:   kernel same
; CHECK:         IADD3 [[I:R[0-9]+]], [[I]], 0x2, RZ
; CHECK-NOT:     0x2, RZ
; CHECK:         BRA
; CHECK-LABEL:   kernel other
; CHECK-DAG:     IADD3 [[I:R[0-9]+]], [[I]], 0x2, RZ
; CHECK-DAG:     IADD3 [[K:R[0-9]+]], [[K]], 0x3, RZ
; WITHOUT-LABEL: kernel same
; WITHOUT:       IADD3 [[I:R[0-9]+]], [[I]], 0x2, RZ
; WITHOUT:       IADD3 [[K:R[0-9]+]], [[K]], 0x2, RZ
; WITHOUT-LABEL: kernel other

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @same(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %k.next = add i32 %k, 2
  %i.next = add i32 %i, 2
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

define void @other(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %k.next = add i32 %k, 3
  %i.next = add i32 %i, 2
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done
done:
  store float %t, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @same, !"kernel", i32 1}
!1 = !{ptr @other, !"kernel", i32 1}

; A path that spins makes way for others, which run past the place where all would meet: where a loop may be a wait, and
; lanes may part, the masks of points have in them what lanes need anywhere. Elsewhere Figure 2.5 of Lin's dissertation
; holds: at these points behind a reconvergence point nobody waits.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-preempt;check=1;without=loop-unrolling>' -disable-output %s 2>&1 | %FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Others wait at the atomic with a value in hand.
; CHECK:      kernel waits: points 2,
; CHECK:      pp loop
; CHECK-NEXT: divergent mask [[ALL:[0-9a-f]+]] live [[REGS:.* .*]]
; CHECK:      pp loop {{[0-9a-f]+}} mask {{[0-9a-f]+}} live {{R[0-9]+$}}
; CHECK-NEXT: divergent mask [[ALL]] live [[REGS]]
; CHECK-NEXT: patterns none
define void @waits(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %meet, label %held
held:
  %hp = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %h = load volatile i32, ptr addrspace(1) %hp
  br label %spin
spin:
  %old = atomicrmw add ptr addrspace(1) %p, i32 0 monotonic
  %none = icmp eq i32 %old, 0
  br i1 %none, label %spin, label %go
go:
  store volatile i32 %h, ptr addrspace(1) %p
  br label %meet
meet:
  br label %loop
loop:
  %i = phi i32 [ 0, %meet ], [ %j, %loop ]
  store volatile i32 %i, ptr addrspace(1) %p
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

; A loop that counts its turns, by a number or by what does not change, is no wait, a division in it or not; nor is one
; that calls what only computes.
; CHECK:      kernel counts: points 4,
; CHECK:      pp loop
; CHECK:      pp loop
; CHECK:      pp loop
; CHECK:      pp loop {{[0-9a-f]+}} mask [[M:[0-9a-f]+]] live [[L:R[0-9]+$]]
; CHECK-NEXT: divergent mask [[M]] live [[L]]
define double @pure(double %x) noinline {
  %r = fmul double %x, 3.0
  ret double %r
}
define void @counts(ptr addrspace(1) %p, i32 %n, double %d) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %meet, label %one
one:
  %a = phi i32 [ %t, %entry ], [ %b, %one ]
  %ap = getelementptr double, ptr addrspace(1) %p, i32 %a
  %x = load double, ptr addrspace(1) %ap
  %q = fdiv double %x, %d
  store double %q, ptr addrspace(1) %ap
  %b = add i32 %a, 32
  %ac = icmp slt i32 %b, %n
  br i1 %ac, label %one, label %step
step:
  %e = phi i32 [ %t, %one ], [ %f, %step ]
  %ep = getelementptr i32, ptr addrspace(1) %p, i32 %e
  %y = load i32, ptr addrspace(1) %ep
  %z = xor i32 %y, %n
  store i32 %z, ptr addrspace(1) %ep
  %f = add i32 %e, %n
  %ec = icmp slt i32 %f, 1000
  br i1 %ec, label %step, label %calls
calls:
  %g = phi i32 [ %t, %step ], [ %k, %calls ]
  %gp = getelementptr double, ptr addrspace(1) %p, i32 %g
  %v = load double, ptr addrspace(1) %gp
  %w = call double @pure(double %v)
  store double %w, ptr addrspace(1) %gp
  %k = add i32 %g, 32
  %gc = icmp slt i32 %k, %n
  br i1 %gc, label %calls, label %meet
meet:
  br label %loop
loop:
  %i = phi i32 [ 0, %meet ], [ %j, %loop ]
  store volatile i32 %i, ptr addrspace(1) %p
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @waits, !"kernel", i32 1}
!1 = !{ptr @counts, !"kernel", i32 1}

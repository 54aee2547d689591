; Arithmetic without an instruction is called, but by no call of the program: to call depth, FRU, chains, intervals and
; preemption points it is an instruction, and on operands that all threads share its result is shared.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-callgraph;check=1>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=GRAPH
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-stackdepth;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-intervals;check=1>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=LTRF
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-preempt;check=1>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=POINT
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-uniformity;check=1>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=SAME
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-liveness;check=1>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=LIVE
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;o=%t>' -disable-output %s
; RUN: %FileCheck %s --check-prefix=JSON < %t.heddle.json

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare double @llvm.sqrt.f64(double)
declare double @llvm.powi.f64.i32(double, i32)

; GRAPH:      ^each{{$}}
; GRAPH-NEXT: {{^}}  {{[0-9a-f]+}} direct -> divide_slow helper{{$}}
; GRAPH:      {{[0-9a-f]+}} direct -> __heddle_frem64 helper{{$}}
; GRAPH:      __heddle_fdiv64{{$}}
; GRAPH-NEXT: {{[0-9a-f]+}} direct -> divide_slow_d helper{{$}}

; Every helper of a scalar type, and the pushes of none.
; CHECK:      kernel each: registers {{[0-9]+}}, fru {{[0-9]+}}, pushed 0, max_stack_depth {{[0-9]+}}, call_depth 0,
; CHECK-NEXT: watermarks: low [[LOW:[0-9]+]], high [[LOW]], max_fru 0
; CHECK-NEXT: chain: each{{$}}
; CHECK-NOT:  {{^}}  call
define void @each(ptr addrspace(1) %f, ptr addrspace(1) %d, ptr addrspace(1) %l) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %fp = getelementptr [3 x float], ptr addrspace(1) %f, i32 %t
  %fq = getelementptr float, ptr addrspace(1) %fp, i32 1
  %fr = getelementptr float, ptr addrspace(1) %fp, i32 2
  %f0 = load float, ptr addrspace(1) %fp
  %f1 = load float, ptr addrspace(1) %fq
  %f2 = fdiv float %f0, %f1
  store float %f2, ptr addrspace(1) %fr
  %dp = getelementptr [3 x double], ptr addrspace(1) %d, i32 %t
  %dq = getelementptr double, ptr addrspace(1) %dp, i32 1
  %dr = getelementptr double, ptr addrspace(1) %dp, i32 2
  %d0 = load double, ptr addrspace(1) %dp
  %d1 = load double, ptr addrspace(1) %dq
  %d2 = fdiv double %d0, %d1
  %d3 = call double @llvm.sqrt.f64(double %d2)
  %d4 = frem double %d3, %d0
  %d5 = call double @llvm.powi.f64.i32(double %d4, i32 %t)
  store double %d5, ptr addrspace(1) %dr
  %lp = getelementptr [3 x i64], ptr addrspace(1) %l, i32 %t
  %lq = getelementptr i64, ptr addrspace(1) %lp, i32 1
  %lr = getelementptr i64, ptr addrspace(1) %lp, i32 2
  %l0 = load i64, ptr addrspace(1) %lp
  %l1 = load i64, ptr addrspace(1) %lq
  %l2 = sdiv i64 %l0, %l1
  %l3 = urem i64 %l2, %l0
  store i64 %l3, ptr addrspace(1) %lr
  ret void
}

; A loop with a division is one interval with one PREFETCH, as with a product, and has its one preemption point.
; LTRF:       kernel loop: up to 16 registers, intervals 1,
; LTRF-NEXT:  PREFETCHes 1,
; POINT:      kernel loop: points 1, barriers 0,
; POINT-NEXT: pp loop
; CHECK:      kernel loop: {{.*}} call_depth 0,
define void @loop(ptr addrspace(1) %p, double %y, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %q = getelementptr double, ptr addrspace(1) %p, i32 %i
  %x = load double, ptr addrspace(1) %q
  %r = fdiv double %x, %y
  store double %r, ptr addrspace(1) %q
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %done, !llvm.loop !1
done:
  ret void
}

; A function pushes nothing for the sake of a division: its FRU is the slot of its caller's frame pointer. A call of a
; function is still one.
; CHECK:      function half: registers {{[0-9]+}}, fru 1, pushed 0, max_stack_depth 1, call_depth 0,
; CHECK-NEXT: chain: half{{$}}
; CHECK-NOT:  {{^}}  call
define double @half(double %x, double %y) noinline {
  %r = fdiv double %x, %y
  ret double %r
}
; CHECK:      kernel caller: {{.*}} call_depth 1,
; CHECK:      chain: caller -> half{{$}}
; CHECK-NEXT: call {{[0-9a-f]+}} direct fru 1: half{{$}}
; CHECK-NOT:  {{^}}  call
; LTRF:       kernel caller: {{.*}} intervals 3,
define void @caller(ptr addrspace(1) %p, double %x, double %y) {
  %a = call double @half(double %x, double %y)
  store double %a, ptr addrspace(1) %p
  ret void
}

; CHECK:      kernel shared: {{.*}} call_depth 1,
; The quotient of two parameters is the same for all threads, and so is where a branch on it goes.
; SAME:       uniformity of shared
; SAME:       uniform {{.*}} = call double @__heddle_fdiv64(double %x, double %y)
; SAME:       uniform {{ *}}br i1 %c,
; LIVE:       kernel shared: {{.*}} branches 0 divergent 1 uniform
define void @shared(ptr addrspace(1) %p, double %x, double %y) {
  %r = fdiv double %x, %y
  %c = fcmp olt double %r, 1.0
  br i1 %c, label %less, label %done
less:
  %h = call double @half(double 1.0, double 2.0)
  store double %h, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

; That of two values that differ is not.
; LIVE:       kernel own: {{.*}} branches 1 divergent 0 uniform
define void @own(ptr addrspace(1) %p, i64 %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %r = udiv i64 %x, %w
  %c = icmp ult i64 %r, 5
  br i1 %c, label %less, label %done
less:
  %h = call double @half(double 1.0, double 2.0)
  store double %h, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

; What a point in a loop behind a shared quotient saves is known to be uniform.
; POINT:      kernel saved: points 1, barriers 0,
; POINT-NEXT: pp loop
; POINT-NEXT: divergent
; POINT-NEXT: patterns R{{[0-9]+}} uniform, R{{[0-9]+}} uniform, R{{[0-9]+}} uniform{{$}}
define void @saved(ptr addrspace(1) %p, i64 %x, i64 %y, i32 %n) {
entry:
  %r = udiv i64 %x, %y
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  store volatile i64 %r, ptr addrspace(1) %p
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %done, !llvm.loop !1
done:
  ret void
}

; CHECK:      helper __heddle_fdiv64: {{.*}}, fru 0, pushed 0, max_stack_depth 0, call_depth 0,
; POINT:      function __heddle_frem64: points 0,
; JSON:       "name": "__heddle_fdiv64",
; JSON:       "helper": true,

!nvvm.annotations = !{!2, !3, !4, !5, !6, !7}
!1 = distinct !{!1, !8}
!2 = !{ptr @each, !"kernel", i32 1}
!3 = !{ptr @loop, !"kernel", i32 1}
!4 = !{ptr @caller, !"kernel", i32 1}
!5 = !{ptr @shared, !"kernel", i32 1}
!6 = !{ptr @own, !"kernel", i32 1}
!7 = !{ptr @saved, !"kernel", i32 1}
!8 = !{!"llvm.loop.unroll.disable"}

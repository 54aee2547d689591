; A call is an interval of its own, with no registers and no PREFETCH; what is before and behind it is not one interval.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-intervals>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes=heddle -S < %s | %FileCheck --check-prefix=IR %s

; CHECK:      function f: up to 16 registers, intervals 1,
; CHECK:      kernel k: up to 16 registers, intervals 5, after pass 1 5, rounds of pass 2 0
; CHECK-NEXT: PREFETCHes 3,
; CHECK-NEXT: interval 0: entry 0000,
; CHECK-NEXT: interval 1 (call): entry [[A:[0-9a-f]+]], pcs [[A]]-[[A]], registers 0: none, live in none
; CHECK-NEXT: interval 2: entry
; CHECK-NEXT: interval 3 (call): entry [[B:[0-9a-f]+]], pcs [[B]]-[[B]], registers 0: none, live in none
; CHECK-NEXT: interval 4: entry
; CHECK-NOT:  interval

; IR: define {{(ptx_kernel )?}}void @k({{.*}} !heddle.intervals ![[#K:]]
; IR-DAG: ![[#K]] = !{!"registers", i32 16, ![[#I0:]], ![[#I1:]], ![[#]], ![[#]], ![[#]]}
; IR-DAG: ![[#I0]] = !{i32 0, i32 0, !"{{R.*}}", !"none"}
; IR-DAG: ![[#I1]] = !{i32 1, i32 {{[0-9]+}}, !"none", !"none"}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @f(i32 %x) noinline {
  %r = mul i32 %x, %x
  ret i32 %r
}

define void @k(ptr addrspace(1) %out, i32 %x) {
  %a = call i32 @f(i32 %x)
  %a1 = add i32 %a, 1
  %b = call i32 @f(i32 %a1)
  store i32 %b, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

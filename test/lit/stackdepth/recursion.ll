; Cycles count for one iteration and are marked, whether one function or two make them.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-stackdepth>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK:      function self: recursive, registers
; CHECK-SAME: fru [[#SELF:]],
; CHECK-SAME: max_stack_depth [[#SELF]], call_depth 0
; CHECK-NEXT: chain: self{{$}}
; CHECK-NEXT: call {{[0-9a-f]+}} direct fru [[#SELF]]: self recursive{{$}}
; CHECK:      function even: recursive, registers
; CHECK-SAME: fru [[#EVEN:]],
; CHECK-SAME: call_depth 1
; CHECK-NEXT: chain: even -> odd{{$}}
; CHECK-NEXT: call {{[0-9a-f]+}} direct fru [[#ODD:]]: odd recursive{{$}}
; CHECK:      function odd: recursive, registers
; CHECK-SAME: fru [[#ODD]],
; CHECK-SAME: max_stack_depth [[#EVEN+ODD]], call_depth 1
; CHECK-NEXT: chain: odd -> even{{$}}
; CHECK:      kernel k: registers
; CHECK-SAME: fru [[#K:]],
; CHECK-SAME: max_stack_depth [[#K+EVEN+ODD]], call_depth 2
; CHECK:      chain: k -> even -> odd{{$}}
; CHECK:      direct fru [[#SELF]]: self{{$}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @self(i32 %n) {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %end, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @self(i32 %m)
  %s = add i32 %r, %n
  ret i32 %s
end:
  ret i32 0
}

define i32 @even(i32 %n) {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %end, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @odd(i32 %m)
  %s = add i32 %r, %n
  ret i32 %s
end:
  ret i32 1
}

define i32 @odd(i32 %n) {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %end, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @even(i32 %m)
  %s = xor i32 %r, %n
  ret i32 %s
end:
  ret i32 0
}

define void @k(ptr addrspace(1) %out, i32 %x) {
  %a = call i32 @self(i32 %x)
  %b = call i32 @even(i32 %a)
  store i32 %b, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

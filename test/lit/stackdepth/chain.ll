; A chain of direct calls: each MaxStackDepth is the function's own FRU and its callee's.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-stackdepth>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK:      function leaf: registers
; CHECK-SAME: fru [[#LEAF:]],
; CHECK-SAME: pushed [[#LEAF-1]], max_stack_depth [[#LEAF]], call_depth 0
; CHECK-NEXT: chain: leaf{{$}}
; CHECK:      function mid: registers
; CHECK-SAME: fru [[#MID:]],
; CHECK-SAME: pushed [[#MID-1]], max_stack_depth [[#MID+LEAF]], call_depth 1
; CHECK-NEXT: chain: mid -> leaf{{$}}
; CHECK-NEXT: call {{[0-9a-f]+}} direct fru [[#LEAF]]: leaf{{$}}
; CHECK:      push {{[0-9a-f]+}} R16
; CHECK:      kernel k: registers
; CHECK-SAME: fru [[#K:]],
; CHECK-SAME: pushed 0, max_stack_depth [[#K+MID+LEAF]], call_depth 2
; CHECK-NEXT: watermarks: low [[#K+MID]], high [[#K+MID+LEAF]], max_fru [[#MID]]
; CHECK-NEXT: chain: k -> mid -> leaf{{$}}
; CHECK-NEXT: call {{[0-9a-f]+}} direct fru [[#MID]]: mid{{$}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @leaf(i32 %x) noinline {
  %r = mul i32 %x, %x
  ret i32 %r
}

; %x lives across the call, in a pushed register.
define i32 @mid(i32 %x) noinline {
  %a = call i32 @leaf(i32 7)
  %r = add i32 %a, %x
  ret i32 %r
}

define void @k(ptr addrspace(1) %out, i32 %x) {
  %r = call i32 @mid(i32 %x)
  store i32 %r, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

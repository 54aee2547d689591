; Two ways to one leaf: the deeper way counts, and its functions are the High-watermark chain.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-stackdepth>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK:      function leaf: registers
; CHECK-SAME: fru [[#LEAF:]],
; CHECK:      function thin: registers
; CHECK-SAME: fru [[#THIN:]],
; CHECK-SAME: max_stack_depth [[#THIN+LEAF]], call_depth 1
; CHECK:      function wide: registers
; CHECK-SAME: fru [[#WIDE:]],
; CHECK-SAME: max_stack_depth [[#WIDE+LEAF]], call_depth 1
; CHECK:      kernel k: registers
; CHECK-SAME: fru [[#K:]],
; CHECK-SAME: max_stack_depth [[#K+WIDE+LEAF]], call_depth 2
; CHECK-NEXT: watermarks: low [[#K+WIDE]], high [[#K+WIDE+LEAF]], max_fru [[#WIDE]]
; CHECK-NEXT: chain: k -> wide -> leaf{{$}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @leaf(i32 %x) noinline {
  ret i32 %x
}

define i32 @thin(i32 %x) noinline {
  %a = call i32 @leaf(i32 %x)
  ret i32 %a
}

define i32 @wide(i32 %x, i32 %y, i32 %z) noinline {
  %a = call i32 @leaf(i32 3)
  %b = mul i32 %a, %x
  %c = add i32 %b, %y
  %d = xor i32 %c, %z
  ret i32 %d
}

define void @k(ptr addrspace(1) %out, i32 %x) {
  %a = call i32 @thin(i32 %x)
  %b = call i32 @wide(i32 %a, i32 %x, i32 5)
  store i32 %b, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

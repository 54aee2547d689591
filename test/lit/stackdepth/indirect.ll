; An indirect call may reach the functions of its type whose address is taken; the worst of them counts.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-stackdepth>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-stackdepth;rdc>' -disable-output %s 2>&1 | %FileCheck --check-prefix=OPEN %s

; CHECK:      function small: address taken, registers
; CHECK-SAME: fru [[#SMALL:]],
; CHECK:      function large: address taken, registers
; CHECK-SAME: fru [[#LARGE:]],
; CHECK:      function other: address taken, registers
; CHECK:      function untaken: registers
; CHECK:      kernel k: registers
; CHECK-SAME: fru [[#K:]],
; CHECK-SAME: call_depth 2
; CHECK-NEXT: watermarks: low [[#K+LARGE]],
; CHECK-NEXT: chain: k -> large -> untaken{{$}}
; CHECK-NEXT: call {{[0-9a-f]+}} indirect fru [[#LARGE]]: large small{{$}}

; Other modules may add functions.
; OPEN: call {{[0-9a-f]+}} indirect fru {{[0-9]+}}: large small unknown{{$}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(1) global [3 x ptr] [ptr @small, ptr @large, ptr @other]

define i32 @small(i32 %x) {
  ret i32 %x
}

define i32 @large(i32 %x) {
  %a = call i32 @untaken(i32 3)
  %b = add i32 %a, %x
  ret i32 %b
}

define float @other(float %x) {
  ret float %x
}

define i32 @untaken(i32 %x) {
  ret i32 %x
}

define void @k(ptr addrspace(1) %out, i32 %x) {
  %slot = getelementptr ptr, ptr addrspace(1) @table, i32 %x
  %f = load ptr, ptr addrspace(1) %slot
  %r = call i32 %f(i32 %x)
  store i32 %r, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

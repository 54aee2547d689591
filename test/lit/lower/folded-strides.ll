; A stride that is a constant times an extended word is part of each address's product, though it is in several of them:
; one IMAD.WIDE for each, where the product made once would be added in two words.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=folded-strides>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:   function shifted
; CHECK-NOT:     {{[.]EX}}
; CHECK-COUNT-3: IMAD.WIDE {{.*}}, 0x4,
; CHECK-NOT:     {{[.]EX}}
; CHECK-LABEL:   function product
; CHECK-NOT:     {{[.]EX}}
; CHECK-COUNT-2: IMAD.WIDE.U32 {{.*}}, 0x24,
; CHECK-NOT:     {{[.]EX}}
; CHECK-LABEL:   function large
; CHECK:         {{[.]EX}}
; WITHOUT-LABEL: function shifted
; WITHOUT:       {{[.]EX}}
; WITHOUT-LABEL: function product
; WITHOUT:       {{[.]EX}}
; WITHOUT-LABEL: function large

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define float @shifted(ptr addrspace(1) %p, i32 %n) {
  %wide = sext i32 %n to i64
  %stride = shl i64 %wide, 2
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %stride
  %b = getelementptr i8, ptr addrspace(1) %a, i64 %stride
  %c = getelementptr i8, ptr addrspace(1) %b, i64 %stride
  %x = load float, ptr addrspace(1) %a
  %y = load float, ptr addrspace(1) %b
  %z = load float, ptr addrspace(1) %c
  %s = fadd float %x, %y
  %t = fadd float %s, %z
  ret float %t
}

define float @product(ptr addrspace(1) %p, i32 %n) {
  %wide = zext i32 %n to i64
  %stride = mul i64 %wide, 9
  %a = getelementptr float, ptr addrspace(1) %p, i64 %stride
  %b = getelementptr float, ptr addrspace(1) %a, i64 %stride
  %x = load float, ptr addrspace(1) %a
  %y = load float, ptr addrspace(1) %b
  %s = fadd float %x, %y
  ret float %s
}

define float @large(ptr addrspace(1) %p, i32 %n) {
  %wide = sext i32 %n to i64
  %stride = mul i64 %wide, 1073741825
  %a = getelementptr float, ptr addrspace(1) %p, i64 %stride
  %b = getelementptr float, ptr addrspace(1) %a, i64 %stride
  %x = load float, ptr addrspace(1) %a
  %y = load float, ptr addrspace(1) %b
  %s = fadd float %x, %y
  ret float %s
}

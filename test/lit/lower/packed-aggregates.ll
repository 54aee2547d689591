; A whole structure is loaded with less alignment than its parts have by themselves, and a part of it is used. LLVM 19's
; own optimizer would load the part as if it stood at a multiple of its size.
; RUN: %opt -load-pass-plugin=%plugin -passes='default<O3>' -S -o - %s | %FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%inner = type { double, [4 x i64], i16 }
%packed = type <{ i64, { float, %inner }, i8 }>

; 8 + 8 (the float and its padding) + 8 + 2 * 8 = 40 bytes behind what is loaded.
; CHECK-LABEL: @packed(
; CHECK:       getelementptr {{.*}}i64 40
; CHECK:       load i64, {{.*}}, align 2
define void @packed(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %v = load %packed, ptr addrspace(1) %in, align 2
  %part = extractvalue %packed %v, 1, 1, 1, 2
  store i64 %part, ptr addrspace(1) %out
  ret void
}

; The part at 4 bytes behind a multiple of 8 is at a multiple of 4.
; CHECK-LABEL: @array(
; CHECK:       load double, {{.*}}, align 4
define void @array(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %v = load <{ i32, [2 x double] }>, ptr addrspace(1) %in, align 8
  %part = extractvalue <{ i32, [2 x double] }> %v, 1, 1
  store double %part, ptr addrspace(1) %out
  ret void
}

; A packed part misplaces its members, however the whole is aligned: this one is at 8 + 2 bytes.
; CHECK-LABEL: @within(
; CHECK:       load float, {{.*}}, align 2
define void @within(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %v = load { i64, <{ half, float }> }, ptr addrspace(1) %in, align 16
  %part = extractvalue { i64, <{ half, float }> } %v, 1, 1
  store float %part, ptr addrspace(1) %out
  ret void
}

; The second element is at 12 bytes.
; CHECK-LABEL: @elements(
; CHECK:       load i64, {{.*}}, align 4
define void @elements(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %v = load [3 x <{ i64, i32 }>], ptr addrspace(1) %in, align 8
  %part = extractvalue [3 x <{ i64, i32 }>] %v, 1, 0
  store i64 %part, ptr addrspace(1) %out
  ret void
}

; What is aligned stays one load until LLVM takes it apart.
; CHECK-LABEL: @aligned(
; CHECK:       load double, {{.*}}, align 8
define void @aligned(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %v = load { i32, [2 x double] }, ptr addrspace(1) %in, align 8
  %part = extractvalue { i32, [2 x double] } %v, 1, 1
  store double %part, ptr addrspace(1) %out
  ret void
}

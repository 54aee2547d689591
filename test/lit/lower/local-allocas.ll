; Stack objects in local memory by their type, as newer producers write them, are the same code as those of the generic
; space: at a fixed place, at one known at run time, and of a size known at run time.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: function fixed:
; CHECK-SAME: frame 8
; CHECK: STL [R1], R4
; CHECK: LDL R4, [R1]
define i32 @fixed(i32 %x) noinline {
  %slot = alloca i32, align 4, addrspace(5)
  store volatile i32 %x, ptr addrspace(5) %slot, align 4
  %r = load volatile i32, ptr addrspace(5) %slot, align 4
  ret i32 %r
}

; CHECK-LABEL: function indexed:
; CHECK: STL [[[AT:R[0-9]+]]], R4
; CHECK: LDL R4, [[[AT]]]
define i32 @indexed(i32 %x) noinline {
  %room = alloca [4 x i32], align 4, addrspace(5)
  %which = and i32 %x, 3
  %at = getelementptr [4 x i32], ptr addrspace(5) %room, i32 0, i32 %which
  store volatile i32 %x, ptr addrspace(5) %at, align 4
  %r = load volatile i32, ptr addrspace(5) %at, align 4
  ret i32 %r
}

; Where a generic pointer is made of it, the accesses stay local.
; CHECK-LABEL: function cast:
; CHECK: STL [R1], R4
; CHECK: LDL R4, [R1]
define i32 @cast(i32 %x) noinline {
  %slot = alloca i32, align 4, addrspace(5)
  %p = addrspacecast ptr addrspace(5) %slot to ptr
  store volatile i32 %x, ptr %p, align 4
  %r = load volatile i32, ptr %p, align 4
  ret i32 %r
}

; CHECK-LABEL: function sized:
; CHECK: STL [[[SIZED:R[0-9]+]]], R4
; CHECK: LDL R4, [[[SIZED]]]
define i32 @sized(i32 %n) noinline {
  %room = alloca i32, i32 %n, align 4, addrspace(5)
  store volatile i32 %n, ptr addrspace(5) %room, align 4
  %r = load volatile i32, ptr addrspace(5) %room, align 4
  ret i32 %r
}

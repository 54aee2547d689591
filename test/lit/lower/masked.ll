; A vector of which some words are loaded or stored: neighbours at an even place together, where the address allows.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK-LABEL: function aligned
; CHECK-DAG:   LDG.64 R{{[0-9]+}}, [[[A:R[0-9]+]].64{{\]}}
; CHECK-DAG:   LDG R{{[0-9]+}}, [[[A]].64+0x8{{\]}}
; CHECK-NOT:   LD
; CHECK-LABEL: function loose
; CHECK-DAG:   LDG R{{[0-9]+}}, [[[B:R[0-9]+]].64{{\]}}
; CHECK-DAG:   LDG R{{[0-9]+}}, [[[B]].64+0x4{{\]}}
; CHECK-NOT:   LD
; CHECK-LABEL: function stored
; CHECK-DAG:   STG [[[C:R[0-9]+]].64+0x4{{\]}}
; CHECK-DAG:   STG.64 [[[C]].64+0x8{{\]}}
; CHECK-NOT:   ST
; CHECK:       RET

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1), i32, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p1(<4 x float>, ptr addrspace(1), i32, <4 x i1>)

define <4 x float> @aligned(ptr addrspace(1) %p) {
  %v = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) %p, i32 16, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x float> zeroinitializer)
  ret <4 x float> %v
}

define <4 x float> @loose(ptr addrspace(1) %p) {
  %v = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) %p, i32 4, <4 x i1> <i1 1, i1 1, i1 0, i1 0>, <4 x float> zeroinitializer)
  ret <4 x float> %v
}

define void @stored(ptr addrspace(1) %p, <4 x float> %v) {
  call void @llvm.masked.store.v4f32.p1(<4 x float> %v, ptr addrspace(1) %p, i32 16, <4 x i1> <i1 0, i1 1, i1 1, i1 1>)
  ret void
}

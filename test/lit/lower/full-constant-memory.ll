; Constants that fill constant memory, 65536 bytes, keep their alignment: no gap fits between them. One word less, and the
; second begins at a multiple of 8 bytes: a pair of its words is one load.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: sed 's/16359 x/16358 x/' %s | %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output 2>&1 | %FileCheck --check-prefix=LESS %s

; CHECK-NOT:     too much
; CHECK-LABEL:   kernel sum
; CHECK-COUNT-3: LDCX R
; CHECK-NOT:     LDCX
; LESS-LABEL:    kernel sum
; LESS:          LDCX.64

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@filter = addrspace(4) externally_initialized global [25 x float] zeroinitializer, align 4
@table = addrspace(4) externally_initialized global [16359 x float] zeroinitializer, align 4

define ptx_kernel void @sum(ptr addrspace(1) %out, i32 %i) {
  %even = shl i32 %i, 1
  %index = zext i32 %even to i64
  %p0 = getelementptr float, ptr addrspace(4) @table, i64 %index
  %p1 = getelementptr float, ptr addrspace(4) %p0, i64 1
  %v0 = load float, ptr addrspace(4) %p0, align 4
  %v1 = load float, ptr addrspace(4) %p1, align 4
  %s = fadd float %v0, %v1
  %f = load volatile float, ptr addrspace(4) @filter, align 4
  %t = fadd float %s, %f
  store float %t, ptr addrspace(1) %out
  ret void
}

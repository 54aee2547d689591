; Other lanes may wait for a lock that this one releases before it waits for them: the release stays in front of the vote or
; shuffle. A plain store, for which no lane can wait, may come later.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK-LABEL: kernel exchanged:
; CHECK-NOT:   VOTE
; CHECK:       ATOMG.EXCH
; CHECK:       VOTE.ANY
; CHECK-LABEL: kernel stored:
; CHECK-NOT:   SHFL
; CHECK:       STG.VOLATILE
; CHECK:       SHFL.BFLY
; CHECK-LABEL: kernel released:
; CHECK-NOT:   VOTE
; CHECK:       STG.SYS.RELEASE
; CHECK:       VOTE.ANY
; CHECK-LABEL: kernel plain:
; CHECK-NOT:   STG
; CHECK:       VOTE.ANY

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @exchanged(ptr addrspace(1) %lock, ptr addrspace(1) %out, i1 %p) {
  %v = load i32, ptr addrspace(1) %out
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 %v monotonic
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %p)
  %r = zext i1 %any to i32
  store i32 %r, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @stored(ptr addrspace(1) %lock, ptr addrspace(1) %out, i32 %x) {
  %v = load i32, ptr addrspace(1) %out
  store volatile i32 %v, ptr addrspace(1) %lock
  %r = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 1, i32 31)
  store i32 %r, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @released(ptr addrspace(1) %lock, ptr addrspace(1) %out, i1 %p) {
  %v = load i32, ptr addrspace(1) %out
  store atomic i32 %v, ptr addrspace(1) %lock release, align 4
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %p)
  %r = zext i1 %any to i32
  store i32 %r, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @plain(ptr addrspace(1) %lock, ptr addrspace(1) %out, i1 %p) {
  %v = load i32, ptr addrspace(1) %out
  store i32 %v, ptr addrspace(1) %lock
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %p)
  %r = zext i1 %any to i32
  store i32 %r, ptr addrspace(1) %out
  ret void
}

declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)

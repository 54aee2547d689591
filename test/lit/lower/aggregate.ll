; Additions of a warp's lanes to one place are one addition: of a shared value as often as there are lanes, where each
; lane gets what it would have found; of the lanes' own values, when all are active, their sum by shuffles. Additions to
; different places, of one lane only and to stack objects, which have the same address in all lanes, stay as they are.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=aggregate>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s
; RUN: printf '[launch]\ngrid = 1\nblock = 32\n[arg0]\nkind = buffer\ntype = i32\ncount = 1\nprint = 1\n[arg1]\nkind = buffer\ntype = i32\ncount = 32\nprint = 32\n' > %t.ini
; RUN: %heddle run --verify --quiet --kernel shared --launch %t.ini %s | %FileCheck --check-prefix=SHARED %s
; RUN: %heddle run --verify --quiet --kernel own --launch %t.ini %s | %FileCheck --check-prefix=OWN %s
; SHARED: arg0 = 48
; SHARED: arg1 = 0 0 3 0 6 0 9 0 12 0 15 0 18 0 21 0 24 0 27 0 30 0 33 0 36 0 39 0 42 0 45 0
; OWN: arg0 = 496

; CHECK-LABEL:   kernel shared
; CHECK:         VOTE
; CHECK-COUNT-1: ATOMG.ADD
; CHECK-NOT:     ATOMG
; CHECK:         SHFL.IDX
; CHECK-LABEL:   kernel own
; CHECK:         VOTE
; CHECK-COUNT-5: SHFL.BFLY
; CHECK-COUNT-2: ATOMG.ADD
; CHECK-LABEL:   kernel places
; CHECK-NOT:     {{VOTE|SHFL}}
; CHECK-LABEL:   kernel lone
; CHECK-NOT:     {{VOTE|SHFL}}
; CHECK-LABEL:   kernel private
; CHECK-NOT:     {{VOTE|SHFL}}
; WITHOUT-LABEL: kernel shared
; WITHOUT-NOT:   {{VOTE|SHFL}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @shared(ptr %count, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %end, label %even
even:
  %old = atomicrmw add ptr %count, i32 3 monotonic
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %old, ptr %p
  br label %end
end:
  ret void
}

define ptx_kernel void @own(ptr %sum, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw add ptr %sum, i32 %t monotonic
  ret void
}

define ptx_kernel void @places(ptr %sum, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %old = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}

define ptx_kernel void @lone(ptr %sum, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %add, label %end
add:
  %old = atomicrmw add ptr %sum, i32 1 monotonic
  br label %end
end:
  ret void
}

define ptx_kernel void @private(ptr %sum, ptr %out, i32 %n) {
  %own = alloca [4 x i32], align 16
  call void @take(ptr %own)
  %at = getelementptr i32, ptr %own, i32 %n
  %old = atomicrmw add ptr %at, i32 1 monotonic
  store i32 %old, ptr %sum
  ret void
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal void @take(ptr %p) noinline {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 16, i1 false)
  ret void
}

; Which machine instructions became of each IR instruction, with Malekeh's tags, and which branches diverge.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<o=%t;rthld=64>' -S -o %t.ll %s
; RUN: %python %S/Inputs/code.py %t.ll %t.heddle.json %heddle %t.hdo | %FileCheck %s
; CHECK: br: BRA
; CHECK: mul: IMAD
; The product is read soon: its result is near.
; CHECK: tags of mul: 1 at its result
; CHECK: store: STG
; Only the branch on the thread's index splits a warp.
; CHECK: divergent: 1 of 3 all of them BRA
; An instruction that a former version of the code had, and this has not, loses its node.
; RUN: sed 's/%dead = add i32 %n, 1$/%dead = add i32 %n, 1, !heddle.code !9/' %s > %t.old.ll
; RUN: echo '!9 = !{i32 0, i32 0}' >> %t.old.ll
; RUN: %opt -load-pass-plugin=%plugin -passes=heddle -S -o - %t.old.ll | %FileCheck --check-prefix=STALE %s
; STALE: %dead = add i32 %n, 1{{$}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @k(ptr addrspace(1) %out, i32 %n) {
  %dead = add i32 %n, 1
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %whole = icmp sgt i32 %n, 7
  br i1 %whole, label %work, label %end
work:
  %some = icmp slt i32 %tid, %n
  br i1 %some, label %loop, label %end
loop:
  %i = phi i32 [ 0, %work ], [ %next, %loop ]
  %v = mul i32 %i, %n
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store volatile i32 %v, ptr addrspace(1) %at
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

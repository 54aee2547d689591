; Lanes at an operation among lanes wait there until those come that it names: others run past the point where their paths
; meet, up to their end, while the registers of those that wait are needed. Without such an operation nothing is, from
; where the paths meet.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-liveness;check=1;without=if-conversion>' -disable-output %s 2>&1 | %FileCheck %s
; CHECK-LABEL: kernel alone:
; CHECK: ; waiting
; CHECK: live none{{$}}
; CHECK-LABEL: kernel shuffles:
; CHECK: diverges
; CHECK: live none; waiting R
; CHECK-LABEL: kernel votes:
; CHECK: diverges
; CHECK: live none; waiting R
; CHECK-LABEL: function called:
; CHECK: 0000 {{.*}}; waiting
; What the function holds there is needed until the end of its caller's others, too: R2, R3 and R5 are its own.
; CHECK-LABEL: kernel in_callee:
; CHECK: diverges
; CHECK: live none; waiting R0-R7 R16
; What a branch of all lanes leads to has nobody waiting.
; CHECK-LABEL: kernel together:
; CHECK-NOT: waiting
; CHECK: live none{{$}}
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)

define void @alone(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %a = load volatile i32, ptr addrspace(1) %q
  %c = icmp slt i32 %t, %n
  br i1 %c, label %left, label %right
left:
  store volatile i32 %t, ptr addrspace(1) %q
  store volatile i32 %a, ptr addrspace(1) %q
  br label %meet
right:
  store volatile i32 3, ptr addrspace(1) %q
  br label %meet
meet:
  call void @llvm.nvvm.barrier0()
  store volatile i32 5, ptr addrspace(1) %q
  ret void
}

define void @shuffles(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %a = load volatile i32, ptr addrspace(1) %q
  %c = icmp slt i32 %t, %n
  br i1 %c, label %left, label %right
left:
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 1, i32 31)
  store volatile i32 %v, ptr addrspace(1) %q
  store volatile i32 %a, ptr addrspace(1) %q
  br label %meet
right:
  store volatile i32 3, ptr addrspace(1) %q
  br label %meet
meet:
  call void @llvm.nvvm.barrier0()
  store volatile i32 5, ptr addrspace(1) %q
  ret void
}

define void @votes(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %a = load volatile i32, ptr addrspace(1) %q
  %c = icmp slt i32 %t, %n
  br i1 %c, label %left, label %right
left:
  %v = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %c)
  store volatile i32 %v, ptr addrspace(1) %q
  store volatile i32 %a, ptr addrspace(1) %q
  br label %meet
right:
  store volatile i32 3, ptr addrspace(1) %q
  br label %meet
meet:
  call void @llvm.nvvm.barrier0()
  store volatile i32 5, ptr addrspace(1) %q
  ret void
}

define internal i32 @called(i32 %x, ptr addrspace(1) %q) noinline {
  %a = load volatile i32, ptr addrspace(1) %q
  %b = load volatile i32, ptr addrspace(1) %q
  %c = load volatile i32, ptr addrspace(1) %q
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %x, i32 1, i32 31)
  %d = mul i32 %a, %b
  %e = mul i32 %d, %c
  %f = add i32 %e, %v
  ret i32 %f
}
define void @in_callee(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %a = load volatile i32, ptr addrspace(1) %q
  %c = icmp slt i32 %t, %n
  br i1 %c, label %left, label %right
left:
  %v = call i32 @called(i32 %t, ptr addrspace(1) %q)
  store volatile i32 %v, ptr addrspace(1) %q
  store volatile i32 %a, ptr addrspace(1) %q
  br label %meet
right:
  store volatile i32 3, ptr addrspace(1) %q
  br label %meet
meet:
  call void @llvm.nvvm.barrier0()
  store volatile i32 5, ptr addrspace(1) %q
  ret void
}

define void @together(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %a = load volatile i32, ptr addrspace(1) %q
  %c = icmp slt i32 7, %n
  br i1 %c, label %left, label %right
left:
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 1, i32 31)
  store volatile i32 %v, ptr addrspace(1) %q
  store volatile i32 %a, ptr addrspace(1) %q
  br label %meet
right:
  store volatile i32 3, ptr addrspace(1) %q
  br label %meet
meet:
  call void @llvm.nvvm.barrier0()
  store volatile i32 5, ptr addrspace(1) %q
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @alone, !"kernel", i32 1}
!1 = !{ptr @shuffles, !"kernel", i32 1}
!2 = !{ptr @votes, !"kernel", i32 1}
!3 = !{ptr @in_callee, !"kernel", i32 1}
!4 = !{ptr @together, !"kernel", i32 1}

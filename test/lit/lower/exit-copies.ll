; A loop's early return whose store LLVM has joined with the kernel's own gets a copy of it, so that the others come to the
; barrier together; without a barrier behind, the one store stays.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: sed '/%n0 = call/d; s/%n0, %behind/0, %behind/' %s > %t.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=WITHOUT %s

; CHECK: BRA
; CHECK: STG
; CHECK-NEXT: EXIT
; CHECK: BAR.RED_POPC
; CHECK: STG
; CHECK-NEXT: EXIT
; CHECK-LABEL: kernel directly
; CHECK: STG
; CHECK: BAR.RED_POPC
; CHECK: STG
; CHECK-LABEL: kernel together
; CHECK: BAR.RED_POPC
; CHECK: STG
; CHECK-NOT: STG
; WITHOUT-LABEL: kernel k
; WITHOUT: STG
; WITHOUT-NOT: STG
; WITHOUT: kernel directly

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.barrier0.popc(i32)

define ptx_kernel void @k(ptr %p, i32 %n) {
  %own = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %own
  br label %loop
loop:
  %i = phi i32 [0, %0], [%j, %next]
  %hit = icmp eq i32 %i, %own
  br i1 %hit, label %early, label %next
early:
  %minus = sub i32 0, %own
  br label %end
next:
  %j = add i32 %i, 3
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %behind
behind:
  %n0 = call i32 @llvm.nvvm.barrier0.popc(i32 %own)
  br label %end
end:
  %result = phi i32 [%minus, %early], [%n0, %behind]
  store i32 %result, ptr %at
  ret void
}

; The way into the end is one of two ways of a branch.
define ptx_kernel void @directly(ptr %p, i32 %n) {
  %own = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %own
  %few = icmp slt i32 %own, %n
  br i1 %few, label %inner, label %join
inner:
  %odd = trunc i32 %own to i1
  br i1 %odd, label %end, label %join
join:
  %count = call i32 @llvm.nvvm.barrier0.popc(i32 %own)
  br label %end
end:
  %result = phi i32 [5, %inner], [%count, %join]
  store i32 %result, ptr %at
  ret void
}

; Two sides that meet behind the barrier have one end.
define ptx_kernel void @together(ptr %p, i32 %n) {
  %own = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %p, i32 %own
  %count = call i32 @llvm.nvvm.barrier0.popc(i32 %own)
  %few = icmp slt i32 %own, %n
  br i1 %few, label %one, label %two
one:
  %x = udiv i32 %count, 7
  br label %end
two:
  %y = mul i32 %count, %own
  br label %end
end:
  %result = phi i32 [%x, %one], [%y, %two]
  store i32 %result, ptr %at
  ret void
}

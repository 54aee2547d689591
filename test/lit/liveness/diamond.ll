; Figure 2.5 of Lin's dissertation: the lanes of a divergent branch wait at its end or where its paths meet, and what they
; need is added inside. A branch that all lanes take the same way adds nothing.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-liveness;check=1;without=if-conversion>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;without=if-conversion>' -S %s | %FileCheck %s --check-prefix=IR
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Each way stores to its own place, so that nothing can be selected instead: in `left` others wait with what `right` needs.
; CHECK-LABEL: kernel divergent: most live
; CHECK-SAME: branches 1 divergent 0 uniform
; CHECK: ; waiting
; CHECK-LABEL: kernel uniform: most live
; CHECK-SAME: branches 0 divergent 1 uniform
; CHECK-NOT: ; waiting
; CHECK-NOT: ; diverges
; CHECK-LABEL: kernel straight: most live
; CHECK-SAME: branches 0 divergent 0 uniform
; CHECK: 0000 live none
define void @divergent(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %a = load volatile i32, ptr addrspace(1) %q
  %b = load volatile i32, ptr addrspace(1) %q
  %c = icmp slt i32 %t, %n
  br i1 %c, label %left, label %right
left:
  store volatile i32 %a, ptr addrspace(1) %p
  %d = add i32 %a, 7
  br label %meet
right:
  store volatile i32 %b, ptr addrspace(1) %p
  %e = mul i32 %b, 3
  br label %meet
meet:
  %f = phi i32 [ %d, %left ], [ %e, %right ]
  store volatile i32 %f, ptr addrspace(1) %q
  ret void
}

define void @uniform(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %a = load volatile i32, ptr addrspace(1) %q
  %b = load volatile i32, ptr addrspace(1) %q
  %c = icmp slt i32 7, %n
  br i1 %c, label %left, label %right
left:
  store volatile i32 %a, ptr addrspace(1) %p
  %d = add i32 %a, 7
  br label %meet
right:
  store volatile i32 %b, ptr addrspace(1) %p
  %e = mul i32 %b, 3
  br label %meet
meet:
  %f = phi i32 [ %d, %left ], [ %e, %right ]
  store volatile i32 %f, ptr addrspace(1) %q
  ret void
}

define void @straight(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  ret void
}

; IR: define {{(ptx_kernel )?}}void @divergent({{.*}}!heddle.liveness ![[L:[0-9]+]]
; IR: ![[L]] = !{!"max_live", i32 {{[0-9]+}}, !"max_live_pc", i32 {{[0-9]+}}, !"max_live_divergent", i32 {{[0-9]+}}, !"max_live_divergent_pc", i32 {{[0-9]+}}, !"divergent_branches", i32 1, !"uniform_branches", i32 0}

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @divergent, !"kernel", i32 1}
!1 = !{ptr @uniform, !"kernel", i32 1}
!2 = !{ptr @straight, !"kernel", i32 1}

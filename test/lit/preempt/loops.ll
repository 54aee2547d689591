; One point for each innermost loop: at the barrier where there is one (bar.pp), else a pp; one every K instructions
; outside of loops, and none in a short kernel. Lin's dissertation, 2.4.1.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-preempt;check=1;without=loop-unrolling>' -disable-output %s 2>&1 \
; RUN:   | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-flow;check=1>' -disable-output %s 2>&1 | %FileCheck %s --check-prefix=FLOW
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-preempt;preempt-every=10;check=1;without=loop-unrolling>' -disable-output %s 2>&1 \
; RUN:   | %FileCheck %s --check-prefix=TEN
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;without=loop-unrolling;remarks=all;o=%t>' -pass-remarks-analysis=heddle-preempt -S %s -o %t.ll 2>&1 \
; RUN:   | %FileCheck %s --check-prefix=REMARK
; RUN: %FileCheck %s --check-prefix=IR < %t.ll
; RUN: %FileCheck %s --check-prefix=JSON < %t.heddle.json

; FLOW:      kernel walk: blocks 3, loops 1
; FLOW-NEXT:   block 0: 0000-{{[0-9a-f]+}}, frequency 1, loop depth 0, to 1
; FLOW-NEXT:     live in none, out [[IN:R.*]]
; FLOW-NEXT:   block 1: {{[0-9a-f]+-[0-9a-f]+}}, frequency 10, loop depth 1, to 2 1
; FLOW-NEXT:     live in [[IN]], out [[IN]]
; FLOW-NEXT:   block 2: [[END:[0-9a-f]+]]-[[END]], frequency 1, loop depth 0, to end
; FLOW-NEXT:     live in none, out none
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0() convergent
@tile = internal addrspace(3) global [64 x i32] undef

; Lanes leave the loop one by one, but the counter's pattern holds for those that still need it.
; CHECK-LABEL: kernel walk: points 1, barriers 0, drain
; CHECK-NEXT: {{[0-9a-f]+}} pp loop {{[0-9a-f]+}} mask {{[0-9a-f]+}} live R
; CHECK-NEXT: divergent mask {{[0-9a-f]+}} live R
; CHECK-NEXT: patterns {{.*}}strided by 1
; REMARK: remark: {{.*}}kernel walk: preemption points 1, at most {{[0-9]+}} instructions apart
; REMARK: remark: {{.*}}pp at pc {{[0-9a-f]+}}: live registers {{[0-9]+}}, under divergence {{[0-9]+}}
define void @walk(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %j, %loop ]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store volatile i32 %i, ptr addrspace(1) %q
  %j = add i32 %i, 32
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: kernel waits: points 1, barriers 2, drain
; CHECK-NEXT: bar.pp loop
; CHECK-NOT: and more
; IR: define {{(ptx_kernel )?}}void @waits({{.*}}!heddle.preempt ![[P:[0-9]+]]
; IR: ![[P]] = !{!"drain_instructions", i32 {{[0-9]+}}, ![[Q:[0-9]+]]}
; IR: ![[Q]] = !{!"bar.pp", i32 {{[0-9]+}}, !"R{{[^"]+}}", !"R{{[^"]+}}"}
define void @waits(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %add, %loop ]
  %a = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %a, ptr addrspace(3) %s
  call void @llvm.nvvm.barrier0()
  %b = load volatile i32, ptr addrspace(3) @tile
  call void @llvm.nvvm.barrier0()
  %add = add i32 %sum, %b
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  store volatile i32 %add, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: kernel short: points 0, barriers 0, drain
; TEN-LABEL: kernel short: points {{[1-9]}}, barriers 0, drain {{([0-9]|10)$}}
; TEN-NEXT: {{[0-9a-f]+}} pp mask
define void @short(ptr addrspace(1) %p) {
  %a = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %a, ptr addrspace(1) %p
  %b = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %b, ptr addrspace(1) %p
  %c = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %c, ptr addrspace(1) %p
  %d = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %d, ptr addrspace(1) %p
  %e = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %e, ptr addrspace(1) %p
  %f = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %f, ptr addrspace(1) %p
  ret void
}

; JSON: "name": "waits"
; JSON: "liveness": {
; JSON-NEXT: "max_live":
; JSON: "preempt": {
; JSON-NEXT: "preempt_every": 1000,
; JSON: "preemption_points": [
; JSON: "kind": "bar.pp",
; JSON: "mask": "0x{{[0-9a-f]+}}",

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @walk, !"kernel", i32 1}
!1 = !{ptr @waits, !"kernel", i32 1}
!2 = !{ptr @short, !"kernel", i32 1}

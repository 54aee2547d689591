; For whom branch conditions and values are the same: what is computed from launch constants alone, from a block's index, from
; what a warp shares, from the thread's index. A loop's end may be the same for all, in an iteration.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;without=if-conversion>' -S %s | %FileCheck --check-prefix=IR %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata;without=if-conversion>' -disable-output %s 2>&1 | %FileCheck --check-prefix=JSON %s

; IR: br i1 %all, {{.*}} !heddle.branch [[GRID:![0-9]+]]
; IR: br i1 %block, {{.*}} !heddle.branch [[BLOCK:![0-9]+]]
; IR: br i1 %warp, {{.*}} !heddle.branch [[WARP:![0-9]+]]
; IR: br i1 %lanes, {{.*}} !heddle.branch [[AFFINE:![0-9]+]]
; IR: br i1 %hash, {{.*}} !heddle.branch [[DIVERGENT:![0-9]+]]
; IR: br i1 %more, {{.*}} !heddle.branch [[LOOP:![0-9]+]]
; IR-DAG: [[GRID]] = !{!"grid"}
; IR-DAG: [[BLOCK]] = !{!"block"}
; IR-DAG: [[WARP]] = !{!"warp"}
; IR-DAG: [[AFFINE]] = !{!"affine"}
; IR-DAG: [[DIVERGENT]] = !{!"divergent"}
; IR-DAG: [[LOOP]] = !{!"grid", !"iteration"}

; JSON:      "branch_classes": {
; JSON-NEXT:   "grid": 2,
; JSON-NEXT:   "block": 1,
; JSON-NEXT:   "warp": 1,
; JSON-NEXT:   "affine": 1,
; JSON-NEXT:   "divergent": 1
; JSON-NEXT: },
; JSON-NEXT: "branches": [
; JSON:        "class": "grid",
; JSON-NEXT:   "iterates": false,
; JSON:        "class": "block",
; JSON:        "class": "warp",
; JSON:        "class": "affine",
; JSON:        "class": "divergent",
; JSON:        "class": "grid",
; JSON-NEXT:   "iterates": true,

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.fabs.f32(float)

define void @k(ptr addrspace(1) %p, float %x, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call float @llvm.fabs.f32(float %x)
  %all = fcmp olt float %size, 1.0
  br i1 %all, label %one, label %two
one:
  store volatile i32 1, ptr addrspace(1) %p
  br label %two
two:
  %odd = and i32 %c, 3
  %block = icmp eq i32 %odd, %n
  br i1 %block, label %three, label %four
three:
  store volatile i32 2, ptr addrspace(1) %p
  br label %four
four:
  %shared = load i32, ptr addrspace(1) %p
  %warp = icmp eq i32 %shared, 0
  br i1 %warp, label %five, label %six
five:
  store volatile i32 3, ptr addrspace(1) %p
  br label %six
six:
  %lanes = icmp slt i32 %t, %n
  br i1 %lanes, label %seven, label %eight
seven:
  store volatile i32 4, ptr addrspace(1) %p
  br label %eight
eight:
  %mixed = xor i32 %t, %n
  %hash = icmp ult i32 %mixed, 9
  br i1 %hash, label %nine, label %loop
nine:
  store volatile i32 5, ptr addrspace(1) %p
  br label %loop
loop:
  %k = phi i32 [ 0, %eight ], [ 0, %nine ], [ %k1, %loop ]
  store volatile i32 %k, ptr addrspace(1) %p
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

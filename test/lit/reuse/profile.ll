; A run's counts in place of the estimate: 20 warps go round 100 times each, not 10.
; RUN: printf '[launch]\ngrid = 5\nblock = 128\n[arg0]\nkind = buffer\ntype = i32\ncount = 640\n[arg1]\nkind = i32\nvalue = 100\n' > %t.ini
; RUN: %heddle run --kernel k --launch %t.ini --profile --stats %t.json --quiet %s
; RUN: %FileCheck --check-prefix=JSON %s < %t.json
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-reuse;check=1;profile=%t.json>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %heddle run --kernel k --launch %t.ini --stats %t.plain --quiet %s
; RUN: not %opt -load-pass-plugin=%plugin -passes='print<heddle-reuse;profile=%t.plain>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=NONE %s

; JSON:      "profile": {
; JSON-NEXT:   "functions": [
; JSON-NEXT:     {
; JSON-NEXT:       "name": "k",
; JSON-NEXT:       "executed": [
; JSON-NEXT:         20,
; JSON:              2000,
; JSON:            "branches": [
; JSON:              "taken": 1980,
; JSON-NEXT:         "fell_through": 20

; CHECK: kernel k: rthld 16, profiled, near
; CHECK: IMAD_WIDE dst R{{[0-9]+ [3-9][0-9][0-9] far}}

; NONE: error: the statistics have no 'profile'; 'heddle run --profile --stats FILE' writes one

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr noalias %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %t, %entry ], [ %product, %loop ]
  %product = mul i32 %sum, %sum
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store i32 %product, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

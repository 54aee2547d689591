; Control bits of a loop with a load a turn: who waits for whom, by architecture; code before sm_75 has none. The
; checker has looked at them (check=1), and the object keeps them.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-control;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: sed s/sm_75/sm_86/ %s | %opt -load-pass-plugin=%plugin -passes='print<heddle-control;check=1>' -disable-output 2>&1 \
; RUN:     | %FileCheck --check-prefix=AMPERE %s
; RUN: sed s/sm_75/sm_70/ %s | %opt -load-pass-plugin=%plugin -passes='print<heddle-control;check=1>' -disable-output 2>&1 \
; RUN:     | %FileCheck --check-prefix=VOLTA %s
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<o=%t;check=1>' -disable-output %s
; RUN: %heddle dis --control %t.hdo | %FileCheck %s
; RUN: %heddle dis %t.hdo | %FileCheck --check-prefix=PLAIN %s
; RUN: %heddle dis --json %t.hdo | %FileCheck --check-prefix=JSON %s

; The load raises a counter, which shows two cycles later; who reads its result waits for it. The branch's guard is 12
; cycles old. Nothing is written behind the store, whose sources need no counter.
; CHECK:      kernel
; CHECK:      B------:R-:W-:Y:S04{{.*}} IMAD.WIDE
; CHECK-NEXT: B------:R-:W[[#COUNTER:]]:-:S02{{.*}} LDG
; CHECK-NEXT: B[[#COUNTER]]-----:R-:W-:Y:S12{{.*}} ISETP
; CHECK-NEXT: B------:R-:W-:-:S01{{.*}} BRA
; CHECK:      B------:R-:W-:-:S01{{.*}} STG
; CHECK-NEXT: B------:R-:W-:-:S01{{.*}} EXIT

; AMPERE:     :R-:W-:Y:S13{{.*}} ISETP
; VOLTA:      kernel
; VOLTA-NOT:  S0
; PLAIN:      kernel
; PLAIN-NOT:  S0
; JSON:       "control": {
; JSON-NEXT:    "text": "B{{[-0-5]+}}:R{{[-0-5]}}:W{{[-0-5]}}:{{[-Y]}}:S{{[0-9]+}}",
; JSON-NEXT:    "wait": [
; JSON:         "stall":

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr noalias %in, ptr noalias %out, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %in, i32 %i
  %next = load i32, ptr %p
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  %q = getelementptr i32, ptr %out, i32 %t
  store i32 %next, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
attributes #0 = { "target-cpu"="sm_75" }
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

; The verdict in the IR, in a remark and in the metadata; the instruction that breaks it is marked.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;remarks=all>' -S -pass-remarks-analysis=heddle-idempotence %s -o %t.ll 2>%t.err
; RUN: %FileCheck --check-prefix=REMARK %s < %t.err
; RUN: %FileCheck --check-prefix=IR %s < %t.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata>' -disable-output %s 2>&1 | %FileCheck --check-prefix=JSON %s

; REMARK: kernel a: blocks can be restarted from their beginning
; REMARK: kernel b: blocks cannot be restarted: store at {{[0-9a-f]+}} may overwrite what is read at {{[0-9a-f]+}}
; REMARK: blocks of kernel b cannot be restarted: store at {{[0-9a-f]+}} may overwrite what is read at {{[0-9a-f]+}}
; REMARK-NOT: remark

; IR:      define {{(ptx_kernel )?}}void @a({{.*}} !heddle.idempotence [[A:![0-9]+]]
; IR-NOT:  !heddle.breaks
; IR:      define {{(ptx_kernel )?}}void @b({{.*}} !heddle.idempotence [[B:![0-9]+]]
; IR:      load i32
; IR-NOT:  !heddle.breaks
; IR:      store i32 %w, ptr %p, align 4{{.*}}, !heddle.breaks [[WHY:![0-9]+]]
; IR-DAG:  [[A]] = !{!"idempotent", i32 1}
; IR-DAG:  [[B]] = !{!"idempotent", i32 0, !"store", !"b", i32 [[#]]}
; IR-DAG:  [[WHY]] = !{!"store"}

; JSON:      "name": "a"
; JSON:      "idempotence": {
; JSON-NEXT:   "idempotent": true,
; JSON-NEXT:   "why": null,
; JSON-NEXT:   "at": null,
; JSON-NEXT:   "read": null
; JSON:      "name": "b"
; JSON:      "idempotence": {
; JSON-NEXT:   "idempotent": false,
; JSON-NEXT:   "why": "store",
; JSON-NEXT:   "at": {
; JSON-NEXT:     "function": "b",
; JSON-NEXT:     "pc": [[#]],

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @a(ptr noalias %p) {
  store i32 0, ptr %p
  ret void
}

define void @b(ptr %p) {
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @a, !"kernel", i32 1}
!1 = !{ptr @b, !"kernel", i32 1}

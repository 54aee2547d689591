; The counts in the IR, in a remark and in the metadata, where each instruction has a digit of tags.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;rthld=7;remarks=all>' -S -pass-remarks-analysis=heddle-reuse %s -o %t.ll 2>%t.err
; RUN: %FileCheck --check-prefix=REMARK %s < %t.err
; RUN: %FileCheck --check-prefix=IR %s < %t.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata;rthld=7>' -disable-output %s 2>&1 | %FileCheck --check-prefix=JSON %s

; REMARK: kernel k: register operands near [[#]], far 0, dead [[#]], RTHLD 7, estimated
; REMARK-NOT: remark

; IR:      define {{(ptx_kernel )?}}void @k({{.*}} !heddle.reuse [[REUSE:![0-9]+]]
; IR:      [[REUSE]] = !{!"rthld", i32 7, !"near", i32 [[#]], !"far", i32 0, !"dead", i32 [[#]]}

; JSON:      "reuse": {
; JSON-NEXT:   "rthld": 7,
; JSON-NEXT:   "profiled": false,
; JSON-NEXT:   "near": [[#]],
; JSON-NEXT:   "far": 0,
; JSON-NEXT:   "dead": [[#]],
; JSON-NEXT:   "histogram": [
; JSON:        "tags": "{{[0-9a-f]*}}00"

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr noalias %in, ptr noalias %out) {
  %v = load i32, ptr %in
  %w = mul i32 %v, %v
  store i32 %w, ptr %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}

; Each step has its own line.
; RUN: %opt -load-pass-plugin=%plugin -passes=heddle -time-passes -disable-output %s 2>&1 | %FileCheck %s
; CHECK-DAG: heddle-legalize
; CHECK-DAG: heddle-select
; CHECK-DAG: heddle-lower
; CHECK-DAG: heddle-stackdepth

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @f() {
  ret void
}

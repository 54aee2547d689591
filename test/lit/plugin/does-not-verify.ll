; RUN: %not %opt -load-pass-plugin=%plugin -disable-verify -passes='heddle<o=%t>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %not ls %t.hdo
; CHECK: heddle: error: the module does not verify: Instruction does not dominate all uses!

target triple = "nvptx64-nvidia-cuda"

define i32 @f(i32 %x) {
  %a = add i32 %b, 1
  %b = add i32 %x, 1
  ret i32 %a
}

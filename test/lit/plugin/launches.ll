; heddle-cc passes on what libclang saw in the host code.
; RUN: echo '{"kernels": [{"name": "app::k", "params": [{"name": "result", "type": "int *"}, {"name": "x", "type": "int"}]}],' > %t.json
; RUN: echo ' "launches": [{"kernel": "_ZN3app1kEPii", "file": "a.cu", "line": 9, "block": [64, 2, 1], "shared": 512},' >> %t.json
; RUN: echo '              {"kernel": "elsewhere", "file": "a.cu", "line": 10, "block": null}]}' >> %t.json
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata;launches=%t.json>' -disable-output %s 2>&1 | %FileCheck %s

; RUN: echo '{"kernels": [}' > %t.bad.json
; RUN: %not %opt -load-pass-plugin=%plugin -passes='heddle<launches=%t.bad.json>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=BAD %s
; BAD: {{.*}}.bad.json:1:{{[0-9]+}}: error: launch facts:

; CHECK: "demangled": "app::k(int*, int)"
; CHECK: "name": "result",
; CHECK-NEXT: "type": "int *"
; CHECK: "launches": [
; CHECK: "line": 9
; CHECK: 64,
; CHECK-NEXT: 2,
; CHECK-NEXT: 1
; CHECK-NOT: elsewhere

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @_ZN3app1kEPii(ptr addrspace(1) %out, i32 %x) {
  store i32 %x, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @_ZN3app1kEPii, !"kernel", i32 1}

; Loads from __constant__ variables go through the constant caches, also volatile ones and those of an address that each
; lane has for itself; pointers that may lead there and elsewhere are read as any other memory, and nothing is stored.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(4) externally_initialized global [64 x i32] zeroinitializer, align 16

; CHECK-LABEL: function direct:
; CHECK-DAG: LDCX R{{[0-9]+}}, [R{{[0-9]+}}.64
; CHECK-DAG: LDCX.64 R{{[0-9]+}}, [R{{[0-9]+}}.64+0x10]
; CHECK-DAG: LDCX.64 R{{[0-9]+}}, [R{{[0-9]+}}.64+0x18]
; CHECK-NOT: LDG
; CHECK: RET
define <4 x i32> @direct() noinline {
  %word = load i32, ptr addrspace(4) @table, align 4
  %wide = load <4 x i32>, ptr addrspace(4) getelementptr ([64 x i32], ptr addrspace(4) @table, i64 0, i64 4), align 16
  %sum = insertelement <4 x i32> %wide, i32 %word, i32 0
  ret <4 x i32> %sum
}

; CHECK-LABEL: function indexed:
; CHECK: LDCX R4, [R{{[0-9]+}}.64]
; CHECK-NOT: LDG
; CHECK: RET
define i32 @indexed(i32 %i) noinline {
  %at = sext i32 %i to i64
  %place = getelementptr [64 x i32], ptr addrspace(4) @table, i64 0, i64 %at
  %word = load volatile i32, ptr addrspace(4) %place, align 4
  ret i32 %word
}

; CHECK-LABEL: function assembly:
; CHECK: LDCX.64 R{{[0-9]+}}, [R{{[0-9]+}}.64+0x8]
; CHECK: RET
define i64 @assembly(i64 %at) noinline {
  %word = call i64 asm sideeffect "ld.const.u64 $0, [$1+8];", "=l,l"(i64 %at)
  ret i64 %word
}

; CHECK-LABEL: function anywhere:
; CHECK-NOT: LDCX
; CHECK: LD R4, [R{{[0-9]+}}.64]
; CHECK: RET
define i32 @anywhere(ptr %p) noinline {
  %word = load i32, ptr %p, align 4
  ret i32 %word
}

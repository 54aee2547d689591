; Threads' index times a number that is not known, masked: no lane's part of it is a multiple of 32, though its warp begins
; at one.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata>' -disable-output %s 2>&1 | %FileCheck %s
; CHECK:      "address": null,
; CHECK-NEXT: "assumes":
; CHECK-NEXT: "block": null,
; CHECK-NEXT: "lane_stride": null,
; CHECK-NEXT: "stride": null,
; CHECK-NEXT: "alignment": 4,
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %product = mul i32 %thread, %n
  %low = and i32 %product, 30
  %index = zext i32 %low to i64
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 0, ptr addrspace(1) %at, align 4
  ret void
}

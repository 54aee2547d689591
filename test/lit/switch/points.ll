; Where a warp may be switched out: the first instruction that needs what a global load brings, and barriers. What is
; still loading there is kept whole, and a context has the size of the largest. Lin's dissertation, 3.6.6.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-switch;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;remarks=all;o=%t>' -pass-remarks-analysis=heddle-switch -S %s -o /dev/null 2>&1 \
; RUN:   | %FileCheck %s --check-prefix=REMARK
; RUN: %FileCheck %s --check-prefix=JSON < %t.heddle.json
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0() convergent
@tile = internal addrspace(3) global [64 x i32] undef

; Two 64-bit addresses, of whose words the lower are strided, and two loads: 2 x 8 + 2 x 128 + 2 x 128. The first use
; does not settle the second load. What is computed in place of the first is as random as that was.
; CHECK:      kernel two: switch points 2, context 528 bytes
; CHECK-NEXT:   {{[0-9a-f]+}} load bytes 528 live R
; CHECK-NEXT:     divergent live R
; CHECK-NEXT:     loading R{{[0-9]+}} [[SECOND:R[0-9]+]]
; CHECK-NEXT:     patterns R{{[0-9]+}} strided by 4, R{{[0-9]+}} strided by 4
; CHECK-NEXT:   {{[0-9a-f]+}} load bytes 528 live R
; CHECK-NEXT:     divergent live R
; CHECK-NEXT:     loading [[SECOND]]{{$}}
; CHECK-NEXT:     patterns R
; REMARK: remark: {{.*}}kernel two: switch points 2, context 528 bytes
; JSON: "name": "two"
; JSON: "switch_context_bytes": 528
; JSON: "switch_points"
; JSON: "kind": "load"
define void @two(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %x = load volatile i32, ptr addrspace(1) %a
  %y = load volatile i32, ptr addrspace(1) %b
  %x2 = mul i32 %x, %x
  store volatile i32 %x2, ptr addrspace(1) %a
  %y2 = mul i32 %y, %y
  store volatile i32 %y2, ptr addrspace(1) %b
  ret void
}

; A load of shared memory is none that switches a warp out: only the barrier is. An address and half of another.
; CHECK-NEXT: kernel shared: switch points 1, context 264 bytes
; CHECK-NEXT:   {{[0-9a-f]+}} barrier bytes 264 live R
; CHECK-NEXT:     divergent live R
; CHECK-NEXT:     loading none
; CHECK-NEXT:     patterns R{{[0-9]+}} strided by 4{{$}}
define void @shared(ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 %t, ptr addrspace(3) %s
  call void @llvm.nvvm.barrier0()
  %o = xor i32 %t, 1
  %r = getelementptr i32, ptr addrspace(3) @tile, i32 %o
  %v = load i32, ptr addrspace(3) %r
  %v2 = mul i32 %v, %v
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %v2, ptr addrspace(1) %g
  ret void
}

; Nothing reads what it loads, but the reply will come: kept at the barrier, though not live.
; CHECK-NEXT: kernel dropped: switch points 1, context 272 bytes
; CHECK-NEXT:   {{[0-9a-f]+}} barrier bytes 272 live R
; CHECK-NEXT:     divergent live R
; CHECK-NEXT:     loading R
; CHECK-NEXT:     patterns R{{[0-9]+}} strided by 1, R{{[0-9]+}} strided by 4
define void @dropped(ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load volatile i32, ptr addrspace(1) %a
  call void @llvm.nvvm.barrier0()
  store volatile i32 %t, ptr addrspace(1) %a
  ret void
}

; The call does not wait for its argument: its first use is in the callee, whose context is the kernel's, too.
; CHECK-NEXT: function square: switch points 1, context [[BYTES:[0-9]+]] bytes
; CHECK-NEXT:   0000 load bytes [[BYTES]] live R
; CHECK-NEXT:     divergent live R
; CHECK-NEXT:     loading R4
; CHECK-NEXT:     patterns none
; CHECK-NEXT: kernel calls: switch points 0, context [[BYTES]] bytes
define internal i32 @square(i32 %x) noinline {
  %r = mul i32 %x, %x
  ret i32 %r
}

define void @calls(ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load volatile i32, ptr addrspace(1) %a
  %r = call i32 @square(i32 %x)
  store volatile i32 %r, ptr addrspace(1) %a
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3}
!0 = !{ptr @two, !"kernel", i32 1}
!1 = !{ptr @shared, !"kernel", i32 1}
!2 = !{ptr @dropped, !"kernel", i32 1}
!3 = !{ptr @calls, !"kernel", i32 1}

; What a warp asks of memory: in the metadata, as remarks and in the IR.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;remarks=all>' -S -pass-remarks-analysis=heddle-affine %s -o %t.ll 2>%t.err
; RUN: %FileCheck --check-prefix=REMARK %s < %t.err
; RUN: %FileCheck --check-prefix=IR %s < %t.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata>' -disable-output %s 2>&1 | %FileCheck --check-prefix=JSON %s

; REMARK:      kernel rows: linear values {{.*}} branches the same for all threads 0,
; REMARK-NEXT: kernel rows: pc {{.*}}: lanes are 4*P2 bytes apart here: each warp writes up to 32 sectors; transpose the index
; REMARK-NEXT: kernel rows: pc {{.*}}: each warp reads 32 sectors here (lanes are 4096 bytes apart), 4 would do; transpose the index
; REMARK-NEXT: kernel tile: linear values
; REMARK-NEXT: kernel tile: pc {{.*}}: each warp reads 16 sectors here (lanes are 16 bytes apart), 4 would do; keep each member in an array of its own
; REMARK-NEXT: kernel tile: pc {{.*}}: each warp writes one bank of shared memory 32 times here (lanes are 128 bytes apart); pad the rows by an element
; REMARK-NEXT: kernel tile: pc {{.*}}: each warp reads 5 sectors here, one more than the data fill; align the first element
; REMARK-NOT:  remark

; IR: define {{(ptx_kernel )?}}void @rows({{.*}} !heddle.affine
; IR: load i32, {{.*}} !heddle.access [[GOOD:![0-9]+]]
; IR: store i32 {{.*}} !heddle.access [[UNKNOWN:![0-9]+]]
; IR: store i32 {{.*}} @buffer{{.*}} !heddle.access [[SHARED:![0-9]+]]
; IR: define {{(ptx_kernel )?}}void @tile(
; IR: %a = load float, {{.*}} !heddle.access [[VECTOR:![0-9]+]]
; IR-DAG: [[VECTOR]] = !{!"address", !"{P0, 16, 256, 0, 4096, 0, 0}", !"stride", !"16", !"sectors", i32 16, i32 16}
; IR-DAG: [[GOOD]] = !{!"address", !"{P0, 4, 0, 0, 4*ntid.x, 0, 0}", !"stride", !"4", !"sectors", i32 4, i32 4}
; IR-DAG: [[UNKNOWN]] = !{!"address", !"{P1, 4*P2, 0, 0, 4*P2*ntid.x, 0, 0}", !"stride", !"4*P2"}
; IR-DAG: [[SHARED]] = !{!"address", !"{@buffer, 0, 0, 0, 0, 0, 0}", !"stride", !"0", !"conflicts", i32 1, i32 1}

; Blocks of any size with whole rows.
; JSON:      "name": "rows"
; JSON:      "address": "{P0, 4, 0, 0, 4*ntid.x, 0, 0}",
; JSON-NEXT: "assumes": "whole_rows",
; JSON-NEXT: "block": null,
; JSON-NEXT: "lane_stride": "4",
; JSON-NEXT: "stride": 4,
; JSON-NEXT: "alignment": 128,
; JSON-NEXT: "sectors_per_request": [
; JSON-NEXT:   4,
; JSON-NEXT:   4
; JSON-NEXT: ],
; JSON-NEXT: "bank_conflict_degree": null,
; JSON:      "address": "{P1, 4*P2, 0, 0, 4*P2*ntid.x, 0, 0}",
; JSON-NEXT: "assumes": "whole_rows",
; JSON-NEXT: "block": null,
; JSON-NEXT: "lane_stride": "4*P2",
; JSON-NEXT: "stride": null,
; JSON-NEXT: "alignment": 4,
; JSON-NEXT: "sectors_per_request": null,

; Blocks of 16 x 16: a warp is two rows of the block. A vector that the lowering makes of neighbours is an access like any
; other.
; JSON:      "name": "tile"
; JSON:      "bytes": 16,
; JSON-NEXT: "address": "{P0, 16, 256, 0, 4096, 0, 0}",
; JSON-NEXT: "assumes": "block",
; JSON-NEXT: "block": [
; JSON-NEXT:   16,
; JSON-NEXT:   16,
; JSON-NEXT:   1
; JSON-NEXT: ],
; JSON-NEXT: "lane_stride": "16",
; JSON-NEXT: "stride": 16,
; JSON-NEXT: "alignment": 256,
; JSON-NEXT: "sectors_per_request": [
; JSON-NEXT:   16,
; JSON-NEXT:   16
; JSON-NEXT: ],

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@buffer = internal addrspace(3) global [2048 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

define void @rows(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %m = mul nsw i32 %c, %d
  %i = add nsw i32 %m, %t
  %pi = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %x = load i32, ptr addrspace(1) %pi
  %j = mul nsw i32 %i, %n
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %j
  store i32 %x, ptr addrspace(1) %po
  store i32 %x, ptr addrspace(3) @buffer
  %k = shl nsw i32 %i, 10
  %pk = getelementptr i32, ptr addrspace(1) %in, i32 %k
  %y = load volatile i32, ptr addrspace(1) %pk
  ret void
}

define void @tile(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %row = mul nsw i32 %y, 16
  %cell = add nsw i32 %row, %x
  %base = mul nsw i32 %c, 256
  %i = add nsw i32 %base, %cell
  %p0 = getelementptr {float, float, float, float}, ptr addrspace(1) %in, i32 %i
  %p1 = getelementptr {float, float, float, float}, ptr addrspace(1) %in, i32 %i, i32 1
  %p2 = getelementptr {float, float, float, float}, ptr addrspace(1) %in, i32 %i, i32 2
  %p3 = getelementptr {float, float, float, float}, ptr addrspace(1) %in, i32 %i, i32 3
  %a = load float, ptr addrspace(1) %p0, align 16
  %b = load float, ptr addrspace(1) %p1, align 4
  %e = load float, ptr addrspace(1) %p2, align 8
  %f = load float, ptr addrspace(1) %p3, align 4
  %ab = fadd float %a, %b
  %ef = fadd float %e, %f
  %s = fadd float %ab, %ef
  %po = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %s, ptr addrspace(1) %po
  %one = load volatile float, ptr addrspace(1) %p0
  %turned = mul nsw i32 %cell, 32
  %ps = getelementptr float, ptr addrspace(3) @buffer, i32 %turned
  store float %s, ptr addrspace(3) %ps
  %pu = getelementptr float, ptr addrspace(1) %po, i32 1
  %u = load volatile float, ptr addrspace(1) %pu
  ret void
}

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @rows, !"kernel", i32 1}
!1 = !{ptr @tile, !"kernel", i32 1}
!2 = !{ptr @tile, !"reqntidx", i32 16, !"reqntidy", i32 16, !"reqntidz", i32 1}

; Texture fetches: inline PTX and NVVM's intrinsics become the instruction of the texture unit, with the first two
; coordinates in one pair and the rest in another, and no more channels than are read.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: sed 's/tex.2d.v4.f32.f32/tex.cube.v4.f32.f32/' %s > %t.cube.ll
; RUN: %not %opt -load-pass-plugin=%plugin -passes='print<heddle-code>' -disable-output %t.cube.ll 2>&1 | %FileCheck --check-prefix=CUBE %s
; CUBE: inline assembly 'tex.cube.v4.f32.f32': cubemaps and multisampled textures are not supported
; RUN: sed 's/\[$4, {$5, $6}\];", "=f,=f,=f,=f,l,f,f"(/[$4, {$5}];", "=f,=f,=f,=f,l,f,f"(/' %s > %t.few.ll
; RUN: %not %opt -load-pass-plugin=%plugin -passes='print<heddle-code>' -disable-output %t.few.ll 2>&1 | %FileCheck --check-prefix=FEW %s
; FEW: inline assembly 'tex.2d.v4.f32.f32': expected 2 coordinates after the texture object

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: function one:
; CHECK: TEX.LZ.2D R{{[0-9]+}}, R{{[0-9]+}}, R{{[0-9]+}}{{$|[ ;]}}
define float @one(i64 %t, float %x, float %y) noinline {
  %v = call { float, float, float, float } asm "tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", "=f,=f,=f,=f,l,f,f"(i64 %t, float %x, float %y)
  %r = extractvalue { float, float, float, float } %v, 0
  ret float %r
}

; The second channel needs the first; the text drops the others.
; CHECK-LABEL: function two:
; CHECK: TEX.LL.2D.64
define float @two(i64 %t, float %x, float %y, float %l) noinline {
  %v = call float asm "{ .reg .f32 a; tex.level.2d.v4.f32.f32 {a, $0, _, _}, [$1, {$2, $3}], $4; }", "=f,l,f,f,f"(i64 %t, float %x, float %y, float %l)
  ret float %v
}

; CHECK-LABEL: function index:
; CHECK: TLD.1D.128
define i32 @index(i64 %t, i32 %i) noinline {
  %v = call { i32, i32, i32, i32 } asm "tex.1d.v4.s32.s32 {$0, $1, $2, $3}, [$4, $5];", "=r,=r,=r,=r,l,r"(i64 %t, i32 %i)
  %a = extractvalue { i32, i32, i32, i32 } %v, 3
  ret i32 %a
}

; CHECK-LABEL: function layer:
; CHECK: TEX.LL.ARRAY_2D.128 R{{[0-9]+}}, R{{[0-9]+}}, R{{[0-9]+}}, R{{[0-9]+}}
define float @layer(i64 %t, i32 %layer, float %x, float %y, float %l) noinline {
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.array.level.v4f32.f32(i64 %t, i32 %layer, float %x, float %y, float %l)
  %r = extractvalue { float, float, float, float } %v, 1
  ret float %r
}

; CHECK-LABEL: function slopes:
; CHECK: TXD.2D
define float @slopes(i64 %t, float %x, float %y) noinline {
  %v = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.grad.v4f32.f32(i64 %t, float %x, float %y, float 0.5, float 0.0, float 0.0, float %x)
  %r = extractvalue { float, float, float, float } %v, 0
  ret float %r
}

; CHECK-LABEL: function gathered:
; CHECK: TLD4.G.128
define float @gathered(i64 %t, float %x, float %y) noinline {
  %v = call { float, float, float, float } @llvm.nvvm.tld4.unified.g.2d.v4f32.f32(i64 %t, float %x, float %y)
  %r = extractvalue { float, float, float, float } %v, 3
  ret float %r
}

declare { float, float, float, float } @llvm.nvvm.tex.unified.2d.array.level.v4f32.f32(i64, i32, float, float, float)
declare { float, float, float, float } @llvm.nvvm.tex.unified.2d.grad.v4f32.f32(i64, float, float, float, float, float, float)
declare { float, float, float, float } @llvm.nvvm.tld4.unified.g.2d.v4f32.f32(i64, float, float)

; A structure by value, and narrow numbers.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { i8, double, i32 }

define ptx_kernel void @k(ptr addrspace(1) %out, ptr byval(%pair) align 8 %p, i8 signext %x, i16 zeroext %y) {
  %a = load i8, ptr %p, align 8
  %second = getelementptr %pair, ptr %p, i32 0, i32 1
  %b = load double, ptr %second, align 8
  %third = getelementptr %pair, ptr %p, i32 0, i32 2
  %c = load i32, ptr %third, align 8
  %a32 = sext i8 %a to i32
  %b32 = fptosi double %b to i32
  %x32 = sext i8 %x to i32
  %y32 = zext i16 %y to i32
  %s1 = add i32 %a32, %b32
  %s2 = add i32 %s1, %c
  %s3 = add i32 %s2, %x32
  %s4 = add i32 %s3, %y32
  store i32 %s4, ptr addrspace(1) %out, align 4
  ret void
}

// The image inside the program: its bytes as they are in the file, page aligned, in read-only memory.
#if defined(__APPLE__)
  .const
#define SYMBOL(name) _##name
#else
  .section .rodata
#define SYMBOL(name) name
#endif
  .global SYMBOL(whyfail_image_begin)
  .global SYMBOL(whyfail_image_end)
  .balign 4096
SYMBOL(whyfail_image_begin):
  .incbin WHYFAIL_IMAGE
SYMBOL(whyfail_image_end):
  .byte 0
#if defined(__linux__)
  .section .note.GNU-stack,"",%progbits
#endif

// Compiled for x86-64-v3 (src/sarrus/CMakeLists.txt); called only where the processor has it.
#define SARRUS_INSTRUCTIONS x86_64_v3
#define SARRUS_INSTRUCTIONS_NAME "x86-64-v3"
#include "sarrus/articulated/kernels/kernel.inc"

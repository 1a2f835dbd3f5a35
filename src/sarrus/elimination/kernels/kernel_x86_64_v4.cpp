// Compiled for x86-64-v4 (src/sarrus/CMakeLists.txt); called only where the processor has it.
#define SARRUS_INSTRUCTIONS x86_64_v4
#define SARRUS_INSTRUCTIONS_NAME "x86-64-v4"
#include "sarrus/elimination/kernels/kernel.inc"

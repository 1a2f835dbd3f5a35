// Compiled for whatever the build is for.
#define SARRUS_INSTRUCTIONS any
#define SARRUS_INSTRUCTIONS_NAME "any"
#include "sarrus/articulated/kernels/kernel.inc"

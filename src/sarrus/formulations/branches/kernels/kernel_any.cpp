// For every processor.
#define SARRUS_INSTRUCTIONS any
#define SARRUS_INSTRUCTIONS_NAME "any"
#include "sarrus/formulations/branches/kernels/kernel.inc"

/*
 * The whole machine: instructions and opcode names. Headers include heddle/inst.h; only sources that name opcodes
 * include heddle/opcodes.h.
 */
#ifndef HEDDLE_MACHINE_H
#define HEDDLE_MACHINE_H

#include "heddle/inst.h"
#include "heddle/opcodes.h"

#endif

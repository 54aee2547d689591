/*
 * The whole machine: instructions and opcode names. Headers include heddle/inst.h, which test/lit/project/floors.test
 * checks; only sources that name opcodes include this one or heddle/opcodes.h.
 */
#ifndef HEDDLE_MACHINE_H
#define HEDDLE_MACHINE_H

#include "heddle/inst.h"
#include "heddle/opcodes.h"

#endif

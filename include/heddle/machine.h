/*
 * The whole machine: instructions and the names of their opcodes. Headers include heddle/inst.h, and heddle/opcodes.h
 * what names opcodes.
 */
#ifndef HEDDLE_MACHINE_H
#define HEDDLE_MACHINE_H

#include "heddle/inst.h"
#include "heddle/opcodes.h"

#endif

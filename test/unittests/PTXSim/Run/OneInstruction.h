//===- OneInstruction.h - Kernels of one instruction ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TEST_PTXSIM_RUN_ONEINSTRUCTION_H
#define ATTN_TEST_PTXSIM_RUN_ONEINSTRUCTION_H

#include "../InstructionForms.h"
#include "attn-ptxsim/PTXSim.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>

namespace attn::ptx::test {

using Values = std::vector<uint64_t>;

/// Runs `code` in one warp, or more when there are more than 32 inputs. Its
/// lanes find inputs[k][lane] in %a, %b, %c, %e, %f (registers of the types in
/// `types`, the first of which is that of the result %d); returns %d of each
/// lane. "pred" registers hold value != 0.
Values evaluate(const std::string &code, const std::vector<std::string> &types,
                const std::vector<Values> &inputs, Report *report = nullptr);

/// Module text with a version and a target before `body`.
std::string moduleText(const std::string &body);

/// Runs a kernel over buffers of 32-bit words; arguments are pointers to all of
/// them in order.
llvm::Expected<Report> runKernel(const std::string &body, Launch launch,
                                 std::vector<std::vector<uint32_t>> &buffers,
                                 const Options &options = {});

/// "f: message" of the first finding or of the error, "" if there is none.
std::string problem(llvm::Expected<Report> result);

/// Runs a kernel whose argument is a buffer of a word for each thread, in one
/// cluster; returns the buffer. The problem goes to `found`; without one it
/// fails the test.
std::vector<uint32_t> runThreads(const std::string &text, uint32_t block,
                                 uint32_t cluster, std::string *found);

/// What an instruction should give, bits in and out, one lane.
using Expect1 = llvm::function_ref<uint64_t(uint64_t)>;
using Expect2 = llvm::function_ref<uint64_t(uint64_t, uint64_t)>;
using Expect3 = llvm::function_ref<uint64_t(uint64_t, uint64_t, uint64_t)>;

/// Runs "OP %d, %a{, %b{, %c}}REST;" over all combinations of `values` (cut to
/// the registers' size) and compares with `expect`. `types`: d, a, b, c.
void check1(const std::string &op, const std::vector<std::string> &types,
            const Values &values, Expect1 expect, const std::string &rest = "");
void check2(const std::string &op, const std::vector<std::string> &types,
            const Values &values, Expect2 expect, const std::string &rest = "");
void check3(const std::string &op, const std::vector<std::string> &types,
            const Values &values, Expect3 expect, const std::string &rest = "");

/// Integers at which things go wrong, in 64 bits.
const Values &edgeIntegers();
/// f32 and f64 bits: zeros, subnormals, ends of the range, infinities, NaN.
const Values &edgeFloats();
const Values &edgeDoubles();

inline uint64_t f32(float value) { return llvm::bit_cast<uint32_t>(value); }
inline uint64_t f64(double value) { return llvm::bit_cast<uint64_t>(value); }

} // namespace attn::ptx::test

#endif // ATTN_TEST_PTXSIM_RUN_ONEINSTRUCTION_H

#!/usr/bin/env python3
# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the compiler in known ways and counts how many breaks the tests catch.

Each mutation replaces one piece of source text, rebuilds the tools and runs tests
that must fail, and that are seen to pass beforehand. The source is restored whatever
happens; a mutation whose text is no longer there is an error, so that this list
follows the code.

  utils/mutate.py            all mutations
  utils/mutate.py rescale e0 only those
  utils/mutate.py --check    only whether their texts are there
"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")

CASES = ["{python}", "test/Integration/generate_cases.py", "--attn-run=build/bin/attn-run", "--jobs=2",
         "--shard=0/12", "--directory={tmp}"]
SEEN = ["{lit}", "build/test", "--filter=run-seen-keys"]
DECODE = ["{python}", "test/Integration/generate_decode.py", "--attn-run=build/bin/attn-run", "--jobs=2",
          "--shard=0/4", "--directory={tmp}"]
PROBES = ["{python}", "test/Integration/probe_cases.py", "--attn-run=build/bin/attn-run", "--directory={tmp}"]
LOADS = ["{python}", "test/Integration/load_cases.py", "--attn-run=build/bin/attn-run", "--jobs=2",
         "--shard=1/2", "--directory={tmp}"]
BLOCKS = ["{python}", "test/Integration/generate_blocks.py", "--attn-run=build/bin/attn-run", "--shard=0/4",
          "--directory={tmp}"]
POSITIONS = ["{python}", "test/Integration/generate_blocks.py", "--attn-run=build/bin/attn-run", "--shard=2/4",
             "--directory={tmp}"]
ELEMENTS = ["{lit}", "build/test", "--filter=elements-quick"]
DRAWS = ["{lit}", "build/test", "--filter=attn-run/draws"]
NORMS = ["{lit}", "build/test", "--filter=norm-quick"]
FUSED = ["{lit}", "build/test", "--filter=fuse-epilogue"]
NANS = ["{lit}", "build/test", "--filter=run-nan-scores"]
PAIR_TILES = ["{lit}", "build/test", "--filter=pair-cases|bf16-accuracy"]
KERNEL = ["{lit}", "build/test", "--filter=TileToVector"]
ENTRY = ["{lit}", "build/test", "--filter=EntryABI"]
PROFILE = ["{lit}", "build/test", "--filter=Conversion/Host/profile"]
SIZES = ["{lit}", "build/test", "--filter=Conversion/Checks|attn-run/wrong-sizes"]
CHECKS = "lib/Conversion/Checks/"
RAISE = ["{lit}", "build/test", "--filter=raise-attention"]
SPELLINGS = ["{lit}", "build/test", "--filter=fuzz/raise"]
LIBRARY = ["{lit}", "build/test", "--filter=CAPI/(callbacks|faults|memory|modules).test"]
LEFT = ["{lit}", "build/test", "--filter=remark-left|raise-report"]
MOMENTS = ["{lit}", "build/test", "--filter=moments-oracle"]
LINT = ["{lit}", "build/test", "--filter=Lint/(scales|missing-scale)"]
WORK = ["{lit}", "build/test", "--filter=analyze-work"]
BLOCKS_RAISED = ["{lit}", "build/test", "--filter=raise-(softmax|norm|activation|linear|rope)"]
PAIRS = ["{lit}", "build/test", "--filter=run-pairs"]
UNIT = ["{lit}", "build/test", "--filter=run-tiles"]
UNIT_TILES = ["{lit}", "build/test", "--filter=tile-cases"]
UNIT_PAGES = ["{lit}", "build/test", "--filter=guard-pages-tiles"]
PACKED = ["{lit}", "build/test", "--filter=run-packed-constant"]
LAYOUTS = ["{lit}", "build/test", "--filter=any-layout|collapse-contractions"]
DYNAMIC = ["{lit}", "build/test", "--filter=simplify-sizes"]
CACHES = ["{lit}", "build/test", "--filter=raise-cache|tile-decode-parts"]
BITS = ["{lit}", "build/test", "--filter=same-bits"]
ROWS = ["{python}", "test/Integration/row_cases.py", "--attn-run=build/bin/attn-run", "--shard=0/5", "--directory={tmp}"]

BYTECODE = ["{lit}", "build/test", "--filter=IR/bytecode"]
DEVICE = ["{lit}", "build/test", "--filter=Conversion/GPU|attn-run/simulate"]
ATTENTION_ROLES = ["{lit}", "build/test", "--filter=Conversion/GPU/Attention/run-roles"]
ROLES = ["{lit}", "build/test", "--filter=Conversion/GPU/roles"]
ROLES_CODE = ["{lit}", "build/test", "--filter=Conversion/GPU/Attention/roles-machine-code"]
DISPATCH = ["{lit}", "build/test", "--filter=attn-compile/(aarch64|amx)-dispatch"]
TILES = ["build/test/unittests/bin/TileEmulatorTests"]
ENTROPY = ["build/test/unittests/bin/AttnAnalysisTests", "--gtest_filter=Entropy.*"]
#: What is built for tests beside attn-run and attn-opt.
BUILT = [(LIBRARY, "AttnC"), (DISPATCH, "attn-compile"), (ROLES_CODE, "attn-compile"), (TILES, "TileEmulatorTests"), (ENTROPY, "AttnAnalysisTests")]
GPU, TILE_UNIT = "lib/Conversion/GPU/", "lib/Runtime/TileEmulator/"

TILE, IR = "lib/Conversion/TileToVector/", "lib/Dialect/Attn/IR/"
ROW_CODE, VECTOR_ROWS = "lib/Conversion/Rows/", "lib/Conversion/VectorRows/"
PRODUCTS, LANES = "lib/Conversion/Contraction/", "lib/Conversion/Lanes/"
SCORE = "lib/Dialect/Attn/Score/ScoreEmitter.cpp"
STATE = "lib/Dialect/Attn/Score/SoftmaxState.cpp"
RAISED = "lib/Dialect/Attn/Transforms/Raise/"
SCHEDULED = "lib/Dialect/Attn/Transforms/Schedule/"

#: name: (what breaks, file, text, broken text, tests)
MUTATIONS = {
    "rescale": ("acc is not rescaled when the maximum grows", TILE + "OnlineSoftmax.cpp",
                "arith::MulFOp::create(b, loc, loadAcc(b, row, position), factors[c])",
                "loadAcc(b, row, position)", CASES),
    "rescale-sum": ("the running sum is not rescaled", TILE + "OnlineSoftmax.cpp",
                    "sum.push_back(emitMoved(lanes, oldSum, factors.back(), Value()));",
                    "sum.push_back(oldSum);", CASES),
    "fpcr-bit": ("AArch64 keeps denormals", "lib/Conversion/Host/FlushDenormals.cpp",
                 "kFlushFPCR = 1 << 24", "kFlushFPCR = 1 << 25", ["{lit}", "build/test", "--filter=outline-parallel.mlir"]),
    "id-registers": ("an object does not ask for SVE2", "lib/Target/CPU/AArch64Checks.cpp",
                     "ok = builder.CreateAnd(ok, hasField(*field));", "(void)hasField(*field);", DISPATCH),
    "tile-permission": ("an object uses tiles that Linux has not been asked for", "lib/Target/CPU/X86Checks.cpp",
                        "return required.xcr0 & kTileRegisters ? requestTiles(ok) : ok;", "return ok;", DISPATCH),
    "tile-refusal": ("an object does not look at what Linux answers", "lib/Target/CPU/X86Checks.cpp",
                     "Value *granted = builder.CreateIsNull(status);", "Value *granted = builder.CreateIsNotNull(status);",
                     DISPATCH),
    "emulated-denormals": ("emulated products keep denormals", TILE_UNIT + "TileProducts.cpp",
                           "kTileUnitMXCSR = 0x9fc0", "kTileUnitMXCSR = 0x1f80", TILES),
    "emulated-order": ("an emulated product is added up in another order", TILE_UNIT + "TileProducts.cpp",
                       "sum[n] + (parts[0][n] + parts[1][n])", "(sum[n] + parts[0][n]) + parts[1][n]", TILES),
    "emulated-index": ("an index of the upper registers is a lower one", TILE_UNIT + "MemoryOperand.cpp",
                       "((sib >> 3) & 7) | (x ? 8 : 0)", "((sib >> 3) & 7)", TILES),
    "emulated-written": ("tiles that nothing has written are multiplied", TILE_UNIT + "TileUnit.cpp",
                         "if (!(written & (1u << tile)))", "if (written == 0)", TILES),
    "emulated-pairs": ("the first elements of emulated pairs are added before the second ones", TILE_UNIT + "TileProducts.cpp",
                       "for (unsigned part = 2; part-- > 0;)", "for (unsigned part = 0; part < 2; ++part)", TILES),
    "emulated-released": ("tiles stay as they were after their release", TILE_UNIT + "TileUnit.cpp",
                          "    release();\n    return true;\n  case TileOp::Zero:", "    return true;\n  case TileOp::Zero:", TILES),
    "emulated-sizes": ("sizes that an emulated program computes are lost", "lib/Compiler/Emulation.cpp",
                       "if (call.num_sizes)", "if (call.num_sizes < 0)", ["{lit}", "build/test", "--filter=attn-run/emulator"]),
    "padding-fill": ("the constant of (1 - m) * fill is lost", RAISED + "ReadScore.cpp",
                     "term = addToTerm(graph, term, -shown);", "(void)addToTerm(graph, term, -shown);", RAISE),
    "collapsed-heads": ("heads collapsed with the value dimension are a batch", RAISED + "AssignRoles.cpp",
                        "holdsValueDim(*variable, query, key, value)", "holdsValueDim(*variable, query, key, key)", RAISE),
    "query-bound": ("lambda takes up half of what a query is divided by", TILE + "QueryBound.cpp",
                    "lanes.mul(lanes.mul(factor, up[0]), up[1])", "lanes.mul(factor, up[0])",
                    ["{lit}", "build/test", "--filter=softcap-overflow"]),
    "power-rest": ("a power's exponent is a rounded product", "lib/Conversion/Math/EmitExponentials.cpp",
                   "e.subExact(yHigh, e.subExact(biased, magic)), yLow)",
                   "e.subExact(yHigh, e.subExact(biased, magic)), e.mul(yLow, e.constant(0.0)))",
                   ["{lit}", "build/test", "--filter=expand-math-accuracy"]),
    "gelu-table": ("gelu's polynomials begin at the wrong multiple", "lib/Conversion/Math/EmitGeluTable.cpp",
                   "e.bits(e.add(b, e.constant(magic)))", "e.bits(e.add(b, e.constant(magic + 0.25)))",
                   ["{lit}", "build/test", "--filter=gelu-epilogue"]),
    "gelu-infinity": ("gelu of -inf is 0", "lib/Conversion/Math/EmitGeluTable.cpp",
                      "Value weight = e.select(e.compare(CmpFPredicate::OLT, x, b), x, b);", "Value weight = b;",
                      ["{lit}", "build/test", "--filter=gelu-epilogue"]),
    "column-groups": ("blocks of columns overlap", PRODUCTS + "MatrixBlock.cpp",
                      "column = multiply(builder, columnGroup, width);",
                      "column = multiply(builder, columnGroup, width - tile.getColumns());",
                      ["{lit}", "build/test", "--filter=threads-linear"]),
    "silu-tail": ("silu is 0 where its exponential is no number any more", "lib/Conversion/Math/EmitSigmoid.cpp",
                  "e.isDouble() ? 523.0 : 70.0", "e.isDouble() ? 5230.0 : 700.0",
                  ["{lit}", "build/test", "--filter=expand-math-accuracy"]),
    "mask-edge": ("the causal edge is off by one", IR + "Masks.cpp",
                  "return lanes.cmp(arith::CmpIPredicate::sle, where.column, where.position);",
                  "return lanes.cmp(arith::CmpIPredicate::slt, where.column, where.position);", CASES),
    "skipped-tiles": ("one visible key too few is kept", IR + "Masks.cpp",
                      "upper = lanes.min(upper, lanes.add(row.position, lanes.integer(1)));",
                      "upper = lanes.min(upper, row.position);", CASES),
    "seen-count": ("a row sees one key more", "lib/Conversion/AttnToLinalg/CountSeenKeys.cpp", "builder.getI32IntegerAttr(-1)",
                   "builder.getI32IntegerAttr(0)", SEEN),
    "seen-rows": ("all rows see what the first does", "lib/Conversion/AttnToLinalg/CountSeenKeys.cpp",
                  "(byPosition && dim == op.getRowDim())", "false", SEEN),
    "seen-range": ("a mask that is no range counts as one", "lib/Conversion/AttnToLinalg/CountSeenKeys.cpp",
                   "if (!llvm::all_of(op.getMasks(), isRange))", "if (!llvm::any_of(op.getMasks(), isRange))", SEEN),
    "kurtosis-move": ("gaps of four do not follow the maximum", STATE, "times(6, lanes.mul(f2, rest2), old.gaps2)",
                      "times(4, lanes.mul(f2, rest2), old.gaps2)", ["{lit}", "build/test", "--filter=probe-kurtosis"]),
    "kurtosis-origin": ("nearly equal weights have powers around 0", STATE, "lanes.select(isNear, gaps, powers)",
                        "lanes.select(isNear, powers, powers)", ["{lit}", "build/test", "--filter=probe-kurtosis"]),
    "kurtosis-hidden": ("hidden keys are weights of 0", STATE, "lanes.select(hidden, zero, one));", "lanes.select(hidden, one, one));", ["{lit}", "build/test", "--filter=probe-kurtosis"]),
    "statistics-count": ("an unbiased variance makes the same kurtosis", RAISED + "RaiseStatistics.cpp",
                         "!isNumber(whole.number, count)", "!isNumber(whole.number, whole.number)",
                         ["{lit}", "build/test", "--filter=raise-statistics"]),
    "probe-logarithm": ("any logarithm makes an entropy", RAISED + "ReadProbes.cpp", "if (inside == weight)",
                        "if (inside == weight || true)", ["{lit}", "build/test", "--filter=raise-attention-probes"]),
    "band": ("a causal row has one key more, for all but the kernel", IR + "Masks.cpp",
             "return {std::nullopt, 0};", "return {std::nullopt, 1};", ["{lit}", "build/test", "--filter=attn-run/flops"]),
    "chunk-start": ("chunks begin one key late", IR + "Masks.cpp",
                    "return lanes.mul(lanes.div(position, count), count);",
                    "return lanes.add(lanes.mul(lanes.div(position, count), count), lanes.integer(1));",
                    ["{lit}", "build/test", "--filter=mask-chunked"]),
    "chunk-band": ("a chunk's band has one key less", IR + "Masks.cpp",
                   "return {std::max<int64_t>(0, *position) % getSize(), 0};",
                   "return {std::max<int64_t>(0, *position - 1) % getSize(), 0};",
                   ["{lit}", "build/test", "--filter=mask-chunked"]),
    "prefix-end": ("a prefix has one key less", IR + "Masks.cpp",
                   "return lanes.max(lanes.add(row.position, lanes.integer(1)), row.params[0]);",
                   "return lanes.max(lanes.add(row.position, lanes.integer(1)), lanes.sub(row.params[0], lanes.integer(1)));",
                   ["{lit}", "build/test", "--filter=mask-prefix-lm"]),
    "first-block": ("causal rows before the first whole block are left out",
                    "lib/Dialect/Attn/Transforms/Tile/TileBuilder.cpp",
                    "begin = begin + count - count.ceilDiv(rows) * rows;",
                    "begin = begin + count - count.floorDiv(rows) * rows;", CASES),
    "length": ("n = position counts from 0", SCORE,
               "count = rows.add(row.position, one);", "count = row.position;", CASES),
    "e0": ("softmax1 has no +1", IR + "ScoreEmission.cpp",
           "Value Softmax1Attr::emitLogExtra(LaneBuilder &lanes, ValueRange) const {\n  return lanes.constant(0.0);",
           "Value Softmax1Attr::emitLogExtra(LaneBuilder &lanes, ValueRange) const {\n  return {};", CASES),
    "alibi": ("the ALiBi slopes of the first heads are shifted", IR + "ScoreEmission.cpp",
              "Value next = lanes.add(head, lanes.integer(1));", "Value next = head;", CASES),
    "poison": ("hidden values are multiplied by 0 instead of left out", TILE + "OnlineGroup.cpp",
               "contraction.skipsZeros = scores.hidesKeys();", "contraction.skipsZeros = false;", KERNEL),
    "poison-rows": ("of a tile whose sums are NaN, the last row is not computed again", PRODUCTS + "ContractionEmitter.cpp",
                    "addIndex(then, loc, tried.row, tried.height)", "addIndex(then, loc, tried.row, tried.height - 1)", CASES),
    "pair-order": ("the two terms of a step change places", PRODUCTS + "StepArithmetic.cpp",
                   "llvm::append_values(mask, lane, tile.lanes + lane);", "llvm::append_values(mask, tile.lanes + lane, lane);",
                   PAIR_TILES),
    "pair-tail": ("the last of an odd number of keys has no value", LANES + "PackPairs.cpp",
                  "emitLoop(builder, loc, full, pairs, 1,", "emitLoop(builder, loc, full, full, 1,", PAIR_TILES),
    "pair-rescale": ("acc is not rescaled on its way through the product of pairs", TILE + "OnlineGroup.cpp",
                     "if (!accFactors.empty())", "if (false)", PAIR_TILES),
    "pair-cosine": ("a cosine's scale forgets the rest of 1 / norm", TILE + "PackQuery.cpp",
                    "scale = lanes.mul(scale, mask(mantissa, one));", "", PAIR_TILES),
    "decode-pair-poison": ("hidden values are multiplied by 0 in pairs when decoding", PRODUCTS + "StepArithmetic.cpp",
                           "Value kept = arith::SelectOp::create(builder, loc, some, toBits(lhs), zero);", "Value kept = toBits(lhs);", PAIR_TILES),
    "pair-half": ("of two vectors of pairs both are the first", LANES + "PackPairs.cpp",
                  "int64_t column = half * count / 2 + i;", "int64_t column = i;", PAIRS),
    "tile-stride": ("rows of a tile lie as far apart as they have elements", PRODUCTS + "TileProduct.cpp",
                    "return {address, toBytes(stride), bytes};", "return {address, toInteger(builder, loc, stride), bytes};", UNIT),
    "tile-sums": ("a register tile goes on with the sums of the last one", PRODUCTS + "TileProduct.cpp",
                  "      amx::emitZero(builder, loc, i);", "      continue;", UNIT),
    "tile-terms": ("behind the last term of a row stands what is there", PRODUCTS + "PackTiles.cpp",
                   "copy(b, term, mask); });", "copy(b, term, Value()); });", UNIT),
    "tile-panels": ("behind the last term of a panel stands what is there", PRODUCTS + "MatrixPanel.cpp",
                    "  if (tile.isOfTiles())\n    emitZeros(", "  if (false)\n    emitZeros(", UNIT),
    "tile-rows": ("the unit is configured for tiles of half the rows", "lib/Conversion/Math/AMX.cpp",
                  "configuration[rowCounts + tile] = char(kTileRows);", "configuration[rowCounts + tile] = char(kTileRows / 2);", UNIT),
    "tile-release": ("tiles are in use for ever", "lib/Conversion/CPU/ConfigureTiles.cpp",
                     "  amx::emitRelease(builder, last->getLoc());\n", "", UNIT),
    "tile-weights": ("behind the last weight of a tile stand scores", TILE + "OnlineSoftmax.cpp",
                     "  if (tile.isOfTiles())\n    emitZeroWeights();\n", "", UNIT_TILES),
    "tile-query": ("behind the last term of the query stands what was there", TILE + "PackQuery.cpp",
                   "int64_t end = llvm::alignTo(headDim, kTileTerms) / terms;", "int64_t end = 0;", UNIT_TILES),
    "tile-poison": ("on the tile unit hidden values are multiplied by 0", TILE + "OnlineTiles.cpp",
                    "int64_t full = scores.hidesKeys() ? 0 : rows / tile.mr * tile.mr;", "int64_t full = rows / tile.mr * tile.mr;", UNIT_TILES),
    "tile-rescale": ("on the tile unit acc is not rescaled", TILE + "OnlineTiles.cpp",
                     "    emitScaledAcc(accFactors);\n", "", UNIT_TILES),
    "tile-keys": ("keys that end within a tile are read past their end", TILE + "TileRows.cpp",
                  "isWhole = arith::AndIOp::create(builder, loc, areRows, areTerms);", "isWhole = areTerms;", UNIT_PAGES),
    "convert-tail": ("the last keys of a narrow block stored by columns are not converted", LANES + "ConvertBlock.cpp",
                     "  emitElements(builder, row, full, end);\n", "", CASES),
    "exp2-f64": ("f64 weights come from the polynomial of f32", LANES + "Weights.cpp",
                 "coefficients = coefficientsF64;", "coefficients = coefficientsF32;", CASES),
    "merge": ("merged sums are not rescaled", TILE + "MergeStates.cpp",
              "emitMoved(\n            in, splatLoad(nested, 2, range, row), rescale.factor, sums[0])",
              "in.add(splatLoad(nested, 2, range, row), sums[0])", DECODE),
    "split-edge": ("ranges are too short to cover all keys", "lib/Dialect/Attn/Transforms/Tile/DecodeBuilder.cpp",
                   "arith::CeilDivSIOp::create(rewriter, loc, vectors, splits)",
                   "arith::DivSIOp::create(rewriter, loc, vectors, splits)", DECODE),
    "key-tail": ("lanes past the last key count", TILE + "KeyLanes.cpp",
                 "Value visible = active;", "Value visible = lanes.boolean(true);", DECODE),
    "decode-poison": ("hidden values are multiplied by 0 when decoding", TILE + "DecodeOutput.cpp",
                      "bool hides = !op.getMasks().empty();", "bool hides = false;", KERNEL),
    "decode-group": ("the heads of a group have one ALiBi slope", TILE + "KeyLanes.cpp",
                     "batch.back() = row.head;", "batch.back() = lanes.index(0);", DECODE),
    "squares": ("squared weights are rescaled once", STATE,
                "now = emitMoved(lanes, power, f, rest.get(kind));", "now = emitMoved(lanes, old, f, rest.get(kind));", PROBES),
    "logs": ("logarithms of weights do not follow the maximum", STATE,
             "lanes.fma(emitFiniteDistance(lanes, rescale.distance), sum, old);", "old;", PROBES),
    "nan-lse": ("an infinite score has the lse of an infinite sink", STATE,
                "lanes.mul(max, total), log)", "max, log)", NANS),
    "nan-row": ("a row of NaN scores has the lse of a row without keys", STATE,
                "lanes.cmp(arith::CmpFPredicate::OEQ, sum, zero)",
                "lanes.cmp(arith::CmpFPredicate::OEQ, factor, zero)", NANS),
    "top": ("the maximum that weights refer to is taken for that of the scores", TILE + "OnlineGroup.cpp",
            "emitTop(highest);", "emitTop(reference);", PROBES),
    "slope": ("half_gradient_norm forgets sqrt(d)", STATE, "lanes.mul(scale, lanes.sqrt(dims))", "scale", PROBES),
    "decode-statistics": ("statistics are not rescaled when decoding", TILE + "DecodeSoftmax.cpp",
                          "lanes, old, splatLoad(b, operands.sum, row), rescale, block);",
                          "lanes, old, splatLoad(b, operands.sum, row), {lanes.constant(0.0), lanes.constant(1.0)}, block);", PROBES),
    "merge-statistics": ("statistics of ranges refer to different maxima", TILE + "MergeStates.cpp",
                         "emitMovedStatistics(in, part, splatLoad(b, 2, range, row), rescale, rest);",
                         "emitMovedStatistics(in, part, splatLoad(b, 2, range, row), {in.constant(0.0), in.constant(1.0)}, rest);",
                         PROBES),
    "merge-top": ("the last range has the largest score", TILE + "MergeStates.cpp",
                  "? emitMax(b, row, 3 + i)", "? splatLoad(b, 3 + i, zero, row)", PROBES),
    "threads": ("two workers forget the last piece of work", "lib/Runtime/HostContext.cpp",
                "      count = n;", "      count = workers.size() > 1 ? n - 1 : n;", BITS),
    "in-place": ("the overlap of a cache and an input is not noticed", "lib/Conversion/EntryABI/EmitEntry.cpp",
                 "if (j == i || (j > i && isWritten(j)))", "if (j >= i)", ENTRY),
    "row-rest": ("lanes past the end of a row are summed", "lib/Conversion/CPU/VectorizeReductions.cpp",
                 "mask\n                      ? arith::SelectOp::create(builder, loc, mask, result, sum)\n"
                 "                      : result;", "result;", ELEMENTS),
    "raise-mask": ("the raiser lets a row see one key too many", RAISED + "ReadMask.cpp",
                   "band.narrow({std::nullopt, reach});", "band.narrow({std::nullopt, *reach + 1});", RAISE),
    "raise-align": ("the raiser swaps the alignments", RAISED + "ReadMask.cpp",
                    "shift == 0 ? Alignment::TopLeft : Alignment::BottomRight",
                    "shift == 0 ? Alignment::BottomRight : Alignment::TopLeft", RAISE),
    "raise-fill": ("a finite fill hides all keys of a row", RAISED + "ReadSteps.cpp",
                   "plan.meansEmptyRows = true;", "plan.meansEmptyRows = false;", RAISE),
    "raise-fill-region": ("the score region has no fill", RAISED + "BuildAttention.cpp",
                          "builder.getFloatAttr(score.getType(), step.fill)", "builder.getFloatAttr(score.getType(), 0.0)", RAISE),
    "raise-guard": ("rows may be 0 where any mask has no key", RAISED + "ReadSteps.cpp",
                    "graph.conjunction(keeps) != softmax.visible", "!softmax.visible", RAISE),
    "raise-end": ("the raiser lets a row of dynamic lengths see one key too many", RAISED + "ReadEndBand.cpp",
                  "band.narrow({std::nullopt, right});", "band.narrow({std::nullopt, *right + 1});", RAISE),
    "sizes-slice": ("the first rows of a tensor are all of it", RAISED + "ExtractedOperands.cpp",
                    "if (extraction.sliced.empty())", "if (true || extraction.sliced.empty())", DYNAMIC),
    "sizes-assert": ("nothing says that a size is not broadcast", RAISED + "ExtractedOperands.cpp",
                     "(broadcasts ? result.asserted : result.sliced).push_back(dim);",
                     "if (!broadcasts)\n      result.sliced.push_back(dim);", DYNAMIC),
    "cache-old": ("a cache is updated before its old value is read", RAISED + "RaiseCache.cpp",
                  "if (!around || !around->isBeforeInBlock(last))", "if (!around)", CACHES),
    "cache-outside": ("a row outside of a cache is written at its end", RAISED + "ReadCacheWrite.cpp",
                      "(builder, arith::CmpIPredicate::eq, at, inside)", "(builder, arith::CmpIPredicate::eq, inside, inside)",
                      CACHES),
    "cache-parts": ("keys behind a cache have the positions of the cache", "lib/Dialect/Attn/Transforms/Tile/DecodeBuilder.cpp",
                    "offsets[key] = keys.lower;\n  SmallVector<Slice> outputs;", "SmallVector<Slice> outputs;", CACHES),
    "left-twice": ("a softmax in an attention that is not raised is explained, too",
                   "include/attn/Dialect/Attn/Transforms/Raise/Candidates.h",
                   "!(notRaised == RemarkId::SoftmaxNotRaised && feedsExplained(anchor))", "true", LEFT),
    "left-silent": ("chains without a product are not explained", "lib/Analysis/Raised/RemarkLeft.cpp",
                    "for (bool products : {true, false})", "for (bool products : {true})", LEFT),
    "moments-tilt": ("a row sees no more of the direction its scores point in", "lib/Analysis/Moments/FollowAttention.cpp",
                     "double variance = record.tilt *", "double variance = 0.0 *", MOMENTS),
    "moments-rows": ("all rows of a causal attention see as many keys", "lib/Analysis/Moments/FollowAttention.cpp",
                     "constexpr double kAlike = 1.2;", "constexpr double kAlike = 1e9;", MOMENTS),
    "moments-cosine": ("cosines are normal", "lib/Analysis/Moments/Weights.cpp",
                       "source.shape = Shape::Cosine;", "source.shape = Shape::Normal;", MOMENTS),
    "moments-length": ("all queries are equally long", "lib/Analysis/Moments/Weights.cpp",
                       "std::max(spread, 1e-9)", "1e-9", MOMENTS),
    "entropy-cosines": ("cosines under a factor of 64 leave one key", "include/attn/Analysis/Entropy.h",
                        "return model == ScoreModel::Cosine ? 2048.0 : 64.0;", "return model == ScoreModel::Cosine ? 64.0 : 64.0;", ENTROPY),
    "lint-small": ("no scale is too small", "lib/Analysis/Lint/Scores.cpp",
                   "scores.rowVariance < kSmallestVariance", "scores.rowVariance < 0.0", LINT),
    "lint-tried": ("a mend is not tried", "lib/Analysis/Lint/Warnings.cpp",
                   "    lint_checks::runTrials(context);\n", "", LINT),
    "report-layers": ("the rows before a layer's first product are none of it", "lib/Analysis/Raised/Layers.cpp",
                      "    ++before;", "    break;", LEFT),
    "lint-t5": ("weights of T5's queries are those of others", "lib/Analysis/Moments/Arguments.cpp",
                "end && makesQueriesOfT5(*end)", "end && false", LINT),
    "lint-unit": ("rows of length 1 may have any factor", "lib/Analysis/Lint/Scores.cpp",
                  "(subject.isCosine || isUnit", "(subject.isCosine", LINT),
    "work-calls": ("functions that are called count nothing", "lib/Analysis/OpWork.cpp",
                   "return ++calls <= 8192 && ", "return ++calls <= 0 && ", WORK),
    "raise-shift": ("a softmax may be shifted by any tensor", RAISED + "RaiseSoftmax.cpp",
                    "return llvm::is_contained(known, tensor);", "return true || llvm::is_contained(known, tensor);",
                    BLOCKS_RAISED),
    "raise-shared": ("a softmax is raised where its steps stay", RAISED + "RaiseSoftmax.cpp",
                     "if (spelling.isShared())", "if (false && spelling.isShared())", BLOCKS_RAISED),
    "raise-count": ("a norm may divide by any number", RAISED + "ReadNorm.cpp",
                    "(isWide ? 0x1p-51 : 0x1p-22)", "1.0", BLOCKS_RAISED),
    "raise-function": ("an activation may be off by a hundredth", RAISED + "RaiseActivation.cpp",
                       "type.isF64() ? 1e-12 : 1e-6", "1e-2", BLOCKS_RAISED),
    "raise-gain": ("a function may have any gain behind it", RAISED + "RaiseActivation.cpp",
                   "point.second / scale.gain + scale.center", "point.second + scale.center", BLOCKS_RAISED),
    "raise-layout": ("the raiser transposes weights", RAISED + "RaiseLinear.cpp",
                     "linear.layout = inOut ?", "linear.layout = !inOut ?", BLOCKS_RAISED),
    "raise-order": ("a layer's result is in the wrong order", RAISED + "BuildLinear.cpp",
                    "invertPermutationVector(linear.resultOrder)", "linear.resultOrder", BLOCKS_RAISED),
    "raise-window": ("the raiser lets a window see one key too many", RAISED + "ReadMask.cpp",
                     "int64_t left = band.left ? *band.left + shift : -1;", "int64_t left = band.left ? *band.left + shift + 1 : -1;",
                     SPELLINGS),
    "raise-dense": ("the raiser drops a mask", RAISED + "ReadMask.cpp",
                    "  if (!rest.empty())\n    dense.push_back(graph.conjunction(rest));",
                    "  if (!dense.empty())\n    dense.pop_back();", SPELLINGS),
    "raise-scale": ("a scale is taken for that of one side", RAISED + "ReadScore.cpp",
                    "score.scale *= factor->number;", "score.scale *= std::sqrt(factor->number);", SPELLINGS),
    "raise-maximum": ("any number may be taken from the scores of a row of fills", RAISED + "ReadSteps.cpp",
                      "!takesMaximum(graph, softmax, lowest))", "false)", RAISE),
    "raise-logarithm": ("a logarithm counts beside a fill", RAISED + "RaiseAttention.cpp",
                        "      mayHideByFills(graph, plan))", "      false)", RAISE),
    "raise-distance": ("any distance belongs to a larger number", RAISED + "SimplifyExpr.cpp",
                       "if (distance != graph.subtract(a, b) && distance != graph.subtract(b, a))", "if (false)", RAISE),
    "raise-column": ("a sink is taken for a key beside it", RAISED + "MatchSoftmax.cpp",
                     "if (at < begin || at >= begin + length)", "if (at >= length)", RAISE),
    "raise-parts": ("a sum of softmaxes is their difference", RAISED + "SplitWeights.cpp",
                    "lanes.add(sum, term)", "lanes.sub(sum, term)", RAISE),
    "terms-apart": ("terms are copied in the order of the other operand", SCHEDULED + "CollapseContraction.cpp",
                    "      terms = getTerms(lhs);", "      terms = getTerms(rhs);", LAYOUTS),
    "pair-places": ("the second of a pair of bf16 lies somewhere else", PRODUCTS + "StepArithmetic.cpp",
                    "builder.getI32IntegerAttr(16 * i)", "builder.getI32IntegerAttr(8 * i)", PAIRS),
    "packed-half": ("the second term of a pair in a packed constant is the first of the next pair", PRODUCTS + "PackedConstant.cpp",
                    "to = to * each + k % each;", "to = to * each;", PAIRS),
    "packed-group": ("groups of packed panels all are the first", PRODUCTS + "MatrixBlock.cpp",
                     "firstPanel = multiply(builder, columnGroup, panelBound);", "firstPanel = createIndex(builder, loc, 0);", PACKED),
    "pair-last": ("what fills up the last pair of a column is a term of the next row", PRODUCTS + "MatrixPanel.cpp",
                  "vector::CreateMaskOp::create(inner, loc, type, rest)",
                  "vector::CreateMaskOp::create(\n                       inner, loc, type, addIndex(inner, loc, rest, 1))", PAIRS),
    "dots-held": ("the tree of dot products begins again where it was cut", PRODUCTS + "MatrixDots.cpp",
                  "emitLaneSums(builder, loc, parts, count)", "emitLaneSums(builder, loc, parts)", PAIRS),
    "dots-chain": ("all partial sums of a column that is read alone are of the same terms", PRODUCTS + "MatrixDots.cpp",
                   "addIndex(nested, loc, k, chain * length)", "addIndex(nested, loc, k, 0)", PAIRS),
    "compact": ("any argument is taken for a compact one", "lib/Conversion/EntryABI/UnitInnerStrides.cpp",
                "    if (ShapedType::isDynamic(stated[dim]) ||\n", "    if (!isLast || ShapedType::isDynamic(stated[dim]) ||\n", ENTRY),
    "raise-angle": ("rows may turn by any angle", RAISED + "ReadRope.cpp",
                    "2e-6 + std::abs(angle) * 0x1p-20", "1.0 + std::abs(angle)", BLOCKS_RAISED),
    "profile-unit": ("a kernel's two forms count twice", "lib/Conversion/Host/ProfileSteps.cpp",
                     "if (call && call.getCallee().ends_with(getUnitFunctionName(\"\")))", "if (false)", PROFILE),
    "raise-turn": ("tables may turn rows the other way", RAISED + "ReadRopeTables.cpp",
                   "if (turnsBack != rope.turnsBack)", "if (false)", BLOCKS_RAISED),
    "raise-table": ("sines lie where cosines do", RAISED + "BuildRope.cpp",
                    "sines = buildTable(builder, loc, *rope.sines, rope.rotated);", "sines = cosines;", BLOCKS_RAISED),
    "raise-widened": ("what was rounded to a narrow type counts as widened", RAISED + "PullThrough.cpp",
                      "moved.getDefiningOp<arith::ExtFOp>()", "moved.getDefiningOp<arith::TruncFOp>()", BLOCKS_RAISED),
    "given-turn": ("the second of a pair takes the first one's sine", ROW_CODE + "GivenAngles.cpp",
                   "load(piece, row, add(column, lanes.index(distance)))", "load(piece, row, column)", POSITIONS),
    "merge-means": ("chunks of a column lose the distance of their means", VECTOR_ROWS + "NormMeasure.cpp",
                    "spread = lanes.fma(lanes.mul(delta, weight), delta,\n                     "
                    "lanes.add(spread, otherSpread));",
                    "spread = lanes.add(spread, otherSpread);\n  (void)weight;", NORMS),
    "residual-factor": ("a residual counts fully whatever its factor", "lib/Conversion/Shared/NormFactor.cpp",
                        "  if (factor)\n    residual =", "  if (false)\n    residual =", NORMS),
    "steps": ("sums of earlier steps over the terms are lost", PRODUCTS + "MatrixStore.cpp",
              "scf::YieldOp::create(more, loc, addFrom(more, waiting));",
              "scf::YieldOp::create(more, loc, part.sums);", BLOCKS),
    "last-step": ("an epilogue follows every step over the terms", PRODUCTS + "MatrixBlock.cpp",
                  "emitTiles(before, /*isLast=*/false);", "emitTiles(before, /*isLast=*/true);", BLOCKS),
    "extras": ("an epilogue reads its operands in the tile's first row", PRODUCTS + "MatrixStore.cpp",
               "load(builder, memref, getPosition(builder, row, i), i)",
               "load(builder, memref, getPosition(builder, place.row, i), i)", BLOCKS),
    "epilogue-uses": ("an epilogue takes in what others need without it",
                      "lib/Dialect/Attn/Transforms/Fuse/FuseEpilogue.cpp",
                      "return user != consumer;", "return !user;", FUSED),
    "rotate-halves": ("the first half turns the other way", TILE + "RowChanger.cpp",
                      "return {lanes.sub(lanes.mul(a, cosine), lanes.mul(b, sine)),",
                      "return {lanes.add(lanes.mul(a, cosine), lanes.mul(b, sine)),", LOADS),
    "rotate-neighbours": ("both elements of a pair get the same sign", TILE + "RowChanger.cpp",
                          "vector::ShuffleOp::create(b, loc, narrow.neg(sine), sine, signs)",
                          "vector::ShuffleOp::create(b, loc, sine, sine, signs)", LOADS),
    "rotate-row": ("all rows turn as the first one", TILE + "RowChanger.cpp",
                   "dims[op.getKeyDim()] = where.row;", "dims[op.getKeyDim()] = createIndex(b, loc, 0);", LOADS),
    "angle-step": ("sines of the next position lack a product", VECTOR_ROWS + "AngleRows.cpp",
                   "in.fma(sine, stepCosine, in.mul(cosine, stepSine))", "in.mul(sine, stepCosine)", POSITIONS),
    "far-angle": ("steps between positions whatever the angles", VECTOR_ROWS + "AngleRows.cpp",
                  "arith::AndIOp::create(builder, loc, isNear, isLong)", "isLong", POSITIONS),
    "table-row": ("all positions of a block turn as its first one", ROW_CODE + "Rope.cpp",
                  "row.number[op.getRowDimension()],", "low,", POSITIONS),
    "large-angle": ("an angle is reduced by a rounded half turn", "lib/Conversion/Math/EmitSineAndCosine.cpp",
                    "for (double part : {M_PI_2, rest})", "for (double part : {M_PI_2})", POSITIONS),
    "rare-lanes": ("all lanes take the part of a branch that one of them takes", "lib/Conversion/CPU/GenericVectors.cpp",
                   "arith::SelectOp::create(builder, loc, lanesOfThen, taken, other)", "taken", DRAWS),
    "norm-in-turn": ("a row is read before the one before it is written", VECTOR_ROWS + "VectorRows.cpp",
                     "    waiting.emplace();\n    before(piece);\n    SmallVector<Store> stores = std::move(*waiting);\n"
                     "    waiting.reset();\n    step(piece, sums);\n",
                     "    step(piece, sums);\n    waiting.emplace();\n    before(piece);\n"
                     "    SmallVector<Store> stores = std::move(*waiting);\n    waiting.reset();\n", NORMS),
    "row-norm-tail": ("lanes past the row count in its variance", TILE + "RowChanger.cpp",
                      "    clearTail(wide, chunks);\n", "", LOADS),
    "row-norm-mean": ("the variance of a row is the sum of squares", TILE + "RowChanger.cpp",
                      "    variance = scalar.mul(variance, inverse);\n", "    (void)inverse;\n", LOADS),
    "segment-max": ("segments of a row refer to their own maxima", ROW_CODE + "SoftmaxSegments.cpp",
                    "return lanes.fma(weight, sum, old);", "return (void)weight, lanes.add(sum, old);", ROWS),
    "softmax-extra": ("e0 is not relative to the maximum", "lib/Conversion/Shared/SoftmaxRow.cpp",
                      "lanes.exp(lanes.add(logExtra, distance))", "((void)distance, lanes.exp(logExtra))", ROWS),
    "softmax-rest": ("lanes past the end of a row count in its sum", ROW_CODE + "SoftmaxSteps.cpp",
                     "piece.within(emitWeight(piece, x, weighting), 0.0)", "emitWeight(piece, x, weighting)", ROWS),
    "chunk-means": ("the means of chunks are taken for the common one", ROW_CODE + "Statistics.cpp",
                    "Value d = s.sub(s.div(read(kSum), count), mean);", "Value d = s.mul(count, s.constant(0.0));", ROWS),
    "chunk-powers": ("fourth powers around a first number lack a term", ROW_CODE + "ChunkPowers.cpp",
                     "s.sub(times(6.0, s2), times(3.0, ds1))", "times(6.0, s2)",
                     ["{lit}", "build/test", "--filter=kurtosis-far"]),
    "constant-order": ("constants keep the places that bufferization gave them", "lib/Pipelines/HostPhases.cpp",
                       "  pm.addPass(createOrderConstantsPass());\n", "", ["{lit}", "build/test", "--filter=reproducible|to-cpu"]),
    "portable-schedules": ("schedules outlive the portable path", "lib/Pipelines/TensorPipelines.cpp",
                           "decompose.ignoreSchedules = options.portableOnly;", "", ["{lit}", "build/test", "--filter=portable-schedules"]),
    "device-tail": ("a thread past the last element works", GPU + "Structured/ElementKernel.cpp",
                    "kernel.below(linear, total)", "kernel.below(linear, kernel.add(total, 1))", DEVICE),
    "device-grid": ("the last block is missing", GPU + "Structured/ElementKernel.cpp",
                    "kernel.ceilDiv(total, threads)", "kernel.div(total, threads)", DEVICE),
    "device-threads": ("threads share an element of a result", GPU + "Structured/StructuredKernel.cpp",
                       "    if (isEverywhere)\n", "", DEVICE),
    "device-note": ("a failed check in a kernel is not noted", GPU + "Structured/KernelAssertions.cpp",
                    "  memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::maxu, mark,\n"
                    "                              note, ValueRange());\n", "  (void)mark;\n", DEVICE),
    "device-sink": ("a number is loaded after a kernel wrote it", GPU + "Outline/SinkIntoLaunch.cpp",
                    "    if (mayWrite(op, root))\n      return false;\n", "", DEVICE),
    "device-offset": ("a view begins where its memory does", GPU + "Outline/KernelArguments.cpp",
                      "  if (isOffsetOpen(type)) {", "  if (false) {", DEVICE),
    "device-shuffles": ("half of a warp is not summed", GPU + "Rows/RowPasses.cpp",
                        "std::min(rowThreads, kWarpLanes) / 2;", "std::min(rowThreads, kWarpLanes) / 4;", DEVICE),
    "device-barrier": ("the next sum may overwrite this one", GPU + "Rows/RowPasses.cpp",
                       "  // The next sum comes to the same place.\n  kernel.barrier();\n", "", DEVICE),
    "device-row-end": ("lanes past a row's end count", GPU + "Rows/RowPasses.cpp",
                       "    if (!known || *known < (current + 1) * turn)\n", "    if (false)\n", DEVICE),
    "device-row-alignment": ("rows are aligned wherever they begin", "lib/Conversion/Shared/Alignment.cpp",
                             "  distances.addRows(memref);\n", "", DEVICE),
    "device-column-sums": ("lanes share a number of shared memory", GPU + "Rows/RowPasses.cpp",
                           "int64_t lanes = schedule.getStrided() ? kWarpLanes : 1;", "int64_t lanes = 1;", DEVICE),
    "device-item-rows": ("the last item has rows that are not there", GPU + "Rows/RowKernel.cpp",
                         "if (i != 0 && (!known || *known % kItemRows != 0)) {", "if (false) {", DEVICE),
    "device-square": ("a square is read before it is written", GPU + "Structured/TransposedElements.cpp",
                      "  kernel.barrier();\n", "", DEVICE),
    "device-neighbours": ("a thread's neighbours are the first ones", GPU + "Structured/WideElements.cpp",
                          "indices[dim] = kernel.add(first, i);", "indices[dim] = first;", DEVICE),
    "device-stage": ("a step is multiplied before it has come", GPU + "Product/ProductKernel.cpp",
                     "emitCopyWait(kernel, ahead - 1);", "emitCopyWait(kernel, ahead);", DEVICE),
    "device-last-step": ("the last step has terms that do not exist", GPU + "Product/ProductKernel.cpp",
                         "emitIf(kernel.less(last, place.depth), copyWhole, [&] {", "emitIf(exists, copyWhole, [&] {", DEVICE),
    "device-warp-columns": ("all warps have the first columns", GPU + "Fragment/SharedTile.cpp",
                            "    chunk = kernel.add(chunk, firstChunk);", "    (void)firstChunk;", DEVICE),
    "device-fragments": ("a fragment of sums overwrites the one before it", GPU + "Product/StagedSums.cpp",
                         "    if (fragment != 0)\n      kernel.warpBarrier();\n", "", DEVICE),
    "device-alignment": ("the weight may lie anywhere", GPU + "Product/ProductLaunch.cpp",
                         "host.both(lhs, rhs)", "host.both(lhs, lhs)", DEVICE),
    "roles-expect": ("fewer bytes are waited for than come", GPU + "Product/ProductRoles.cpp",
                     "ring.emitFill(kernel, at, shape.getStageBytes())",
                     "ring.emitFill(kernel, at, shape.getStageBytes() - 128)", ROLES),
    "roles-free-parity": ("a stage counts as free before it is", GPU + "Fragment/StageRing.cpp",
                          "                  kernel.bitXor(at.phase, kernel.constant(1)));\n  Value full",
                          "                  at.phase);\n  Value full", ROLES),
    "roles-full-parity": ("a stage counts as full before it is", GPU + "Fragment/StageRing.cpp",
                          "emitBarrierWait(kernel, getFull(kernel, at.stage), at.phase);",
                          "emitBarrierWait(kernel, getFull(kernel, at.stage), kernel.bitXor(at.phase, kernel.constant(1)));",
                          ROLES),
    "roles-phase": ("the second round waits for the first one", GPU + "Fragment/StageRing.cpp",
                    "kernel.select(isLast, other, at.phase)", "at.phase", ROLES),
    "roles-turn": ("a ring has one stage more than there are", GPU + "Fragment/StageRing.cpp",
                   "kernel.equal(next, kernel.constant(stages))", "kernel.equal(next, kernel.constant(stages + 1))", ROLES),
    "roles-releases": ("one warp gives a stage back for all", GPU + "Product/ProductRoles.cpp",
                       "emitInit(kernel, groups * kGroupWarps)", "emitInit(kernel, 1)", ROLES),
    "roles-release": ("a stage is given back before it is multiplied", GPU + "Product/ProductRoles.cpp",
                      "ring.emitRelease(kernel, before, place.lane)", "ring.emitRelease(kernel, at, place.lane)", ROLES),
    "roles-wait": ("the step before may still go on when its stage is given back", GPU + "Product/ProductRoles.cpp",
                   "/*pending=*/1);", "/*pending=*/2);", ROLES),
    "roles-last-wait": ("sums are stored before they are there", GPU + "Product/ProductRoles.cpp",
                        "/*pending=*/0);", "/*pending=*/1);", ROLES),
    "roles-commit": ("products belong to no group", GPU + "Product/ProductRoles.cpp",
                     "  emitGroupCommit(kernel);\n", "", ROLES),
    "roles-fence": ("no fence stands before products", GPU + "Product/ProductRoles.cpp",
                    "  emitGroupFence(kernel, {});\n", "", ROLES),
    "roles-init-fence": ("the copy engine may not see that there are barriers", GPU + "Fragment/StageRing.cpp",
                         "  emitBarrierInitFence(kernel);\n", "", ROLES),
    "roles-barrier": ("sums overwrite operands of the other group", GPU + "Product/ProductRoles.cpp",
                      "kernel.constant(shape.getGroups() * kGroupWarps * kWarpLanes),", "kernel.constant(kWarpLanes),", ROLES),
    "roles-barrier-id": ("each group waits at a barrier of its own for all", GPU + "Product/ProductRoles.cpp",
                         "kernel.constant(kProductBarrier),", "kernel.add(group, kernel.constant(kProductBarrier)),", ROLES),
    "roles-stage": ("all steps go where the first one does", GPU + "Product/ProductRoles.cpp",
                    "kernel.mul(at.stage, kernel.constant(shape.getStageBytes())));", "kernel.constant(0));", ROLES),
    "roles-box": ("panels overwrite each other", GPU + "Product/ProductRoles.cpp",
                  "kernel.mul(inTile, map.getBoxBytes())", "kernel.mul(inTile, 0 * map.getBoxBytes())", ROLES),
    "roles-across": ("panels hold the same columns", GPU + "Product/ProductRoles.cpp",
                     "kernel.mul(inTile, operand.getAcrossBox())", "kernel.mul(inTile, 0 * operand.getAcrossBox())", ROLES),
    "cluster-mask": ("a block keeps to itself what it brings for all", GPU + "Fragment/TensorMap.cpp",
                     "(1 << blocks) - 1", "1", ROLES),
    "cluster-part": ("all blocks bring the first part", GPU + "Product/ProductRoles.cpp",
                     "kernel.mul(place.inCluster, boxes)", "kernel.mul(place.inCluster, 0 * boxes)", ROLES),
    "cluster-releases": ("a stage is free when one block is done with it", GPU + "Fragment/StageRing.cpp",
                         "releases * cluster", "releases", ROLES),
    "cluster-release": ("a block gives a stage back to itself alone", GPU + "Fragment/StageRing.cpp",
                        "kernel.less(lane, kernel.constant(cluster))", "kernel.equal(lane, kernel.constant(0))", ROLES),
    "cluster-start": ("copies come before another block has its barriers", GPU + "Product/ProductRoles.cpp",
                      "    emitClusterArrive(kernel);\n    emitClusterWait(kernel);\n  } else {\n    kernel.barrier();\n  }",
                      "    kernel.barrier();\n    emitClusterArrive(kernel);\n  } else {\n    kernel.barrier();\n  }", ROLES),
    "cluster-end": ("a block ends while others still give its stages back", GPU + "Product/ProductRoles.cpp",
                    "  if (isCluster)\n    emitClusterWait(kernel);\n", "", ROLES),
    "cluster-panels": ("blocks of a cluster bring parts of panels", "lib/Dialect/Attn/Transforms/Schedule/SelectGPUProduct.cpp",
                       "if (columns % (cluster * kPanelColumns) != 0)", "if (columns == 0)",
                       ["{lit}", "build/test", "--filter=select-role-products"]),
    "cluster-tiles": ("the last cluster lacks a block", GPU + "Product/ProductLaunch.cpp",
                      "kernel.mul(kernel.ceilDiv(count, rows * cluster), cluster)", "kernel.ceilDiv(count, rows)", ROLES),
    "roles-group": ("all groups have the first rows", GPU + "Product/ProductRoles.cpp",
                    "kernel.mul(group, kernel.constant(kGroupRows))", "kernel.mul(group, kernel.constant(0))", ROLES),
    "roles-registers": ("the groups want more registers than there are", "include/attn/Dialect/Attn/IR/RoleRegisters.h",
                        "RoleRegisters{24, 240}", "RoleRegisters{24, 248}", ROLES),
    "roles-swizzle": ("copies swizzle in another way than products", GPU + "Fragment/TensorMap.cpp",
                      "SWIZZLE_128B", "SWIZZLE_NONE", ROLES),
    "roles-batch": ("all matrices of a batch are the first one", GPU + "Product/ProductRoles.cpp",
                    "coordinates.push_back(place.batch[dim]);", "coordinates.push_back(kernel.constant(0 * dim));", ROLES),
    "map-sizes": ("sizes of a tensor are in the host's order", "lib/Conversion/Host/TensorMapCalls.cpp",
                  "int64_t from = rank - 1 - dim;", "int64_t from = dim;", ROLES),
    "map-exists": ("rows may begin anywhere", GPU + "Fragment/TensorMap.cpp",
                   "kMapBytes = 16", "kMapBytes = 2", ROLES),
    "map-empty": ("a tensor without elements has a map", GPU + "Fragment/TensorMap.cpp",
                  "arith::CmpIPredicate::ne", "arith::CmpIPredicate::uge", ROLES),
    "map-kind": ("the context takes a map for a number", "lib/Conversion/Host/DeviceImages.cpp",
                 "{kTensorMapBytes, ATTN_GPU_TENSOR_MAP}", "{kTensorMapBytes, ATTN_GPU_NUMBER}", ROLES),
    "device-dots": ("lanes that share a sum do not meet", GPU + "Product/RowDots.cpp",
                    "mask >= shape.getLanesAcross();", "mask > shape.getLanesAcross();", DEVICE),
    "device-rescale": ("accumulators keep their weights when the maximum grows", GPU + "Attention/SoftmaxFragment.cpp",
                       "accumulators.toFloatLanes(factor), {});", "accumulators.constant(1.0), {});", DEVICE),
    "device-merge": ("ranges of keys are added up as if their maxima were alike", GPU + "Attention/MergeStates.cpp",
                     "next.sum = emitMoved(lanes, sum, rescale.factor, sums.sum);",
                     "next.sum = lanes.add(sum, sums.sum);", DEVICE),
    "device-head-rows": ("rows of the second head of a tile are taken for more of the first", GPU + "Attention/AttentionRows.cpp",
                         "result.number = kernel.sub(row, kernel.mul(head, place.headRows));",
                         "result.number = kernel.min(row, kernel.sub(place.headRows, kernel.constant(1)));", DEVICE),
    "device-wait": ("keys are used before they have come", GPU + "Attention/AttentionKernel.cpp",
                    "  // The tile's keys are there, and nobody uses the last values any more.\n  emitCopyWait(kernel, 0);\n",
                    "", DEVICE),
    "device-tail-keys": ("the key after the last one counts", GPU + "Attention/ScoreFragments.cpp",
                         "compare(arith::CmpIPredicate::slt, rows[row].upper);",
                         "compare(arith::CmpIPredicate::sle, rows[row].upper);", DEVICE),
    "attention-early": ("keys in front of a window are seen", GPU + "Attention/ScoreFragments.cpp",
                    "    bits = arith::OrIOp::create(b, loc, bits, early);\n", "    (void)early;\n", ATTENTION_ROLES),
    "attention-pairs": ("of an eight's two keys one counts", GPU + "Attention/ScoreFragments.cpp",
                    "kernel.min(kernel.bitAnd(end, 7), 2)", "kernel.min(kernel.bitAnd(end, 7), 1)", ATTENTION_ROLES),
    "attention-numbers": ("later numbers of bits begin as the first one does", GPU + "Attention/ScoreFragments.cpp",
                      "kernel.max(kernel.sub(before, first), 0)", "kernel.max(before, 0)", ATTENTION_ROLES),
    "device-swizzle": ("chunks of a row stay in their banks", GPU + "Fragment/SharedTile.cpp",
                       "  Value place = kernel.bitXor(chunk, change);\n", "  (void)change;\n  Value place = chunk;\n", DEVICE),
    "attention-fence": ("products begin before registers are written", GPU + "Attention/OverlappedTiles.cpp",
                    "  Values sums = emitGroupFence(kernel, state.output, lhs);\n  Values similarities",
                    "  Values sums = state.output;\n  Values similarities", ATTENTION_ROLES),
    "attention-commit": ("products of scores are no group of their own", GPU + "Attention/AttentionRoles.cpp",
                     "steps, {});\n  emitGroupCommit(kernel);", "steps, {});", ATTENTION_ROLES),
    "attention-scores": ("scores are read while they are in flight", GPU + "Attention/OverlappedTiles.cpp",
                     "/*pending=*/1);", "/*pending=*/2);", ATTENTION_ROLES),
    "attention-output": ("sums are rescaled while they are in flight", GPU + "Attention/OverlappedTiles.cpp",
                     "/*pending=*/0, lhs);", "/*pending=*/1, lhs);", ATTENTION_ROLES),
    "attention-parity": ("consumers wait for the round before", GPU + "Fragment/StageRing.cpp",
                     "emitBarrierWait(kernel, getFull(kernel, at.stage), at.phase);",
                     "emitBarrierWait(kernel, getFull(kernel, at.stage), kernel.bitXor(at.phase, kernel.constant(1)));", ATTENTION_ROLES),
    "attention-bytes": ("a stage is full when half of it has come", GPU + "Fragment/StageRing.cpp",
                    "  emitBarrierExpect(kernel, full, bytes);", "  emitBarrierExpect(kernel, full, bytes / 2);", ATTENTION_ROLES),
    "attention-releases": ("a stage is free when one group has read it", GPU + "Attention/AttentionRoles.cpp",
                       "    keyRing.emitInit(kernel, shape.getWarps());", "    keyRing.emitInit(kernel, kGroupWarps);", ATTENTION_ROLES),
    "attention-stage": ("values are those of the next stage", GPU + "Attention/OverlappedTiles.cpp",
                    "values = getValues(overlap.before.stage);", "values = getValues(at.stage);", ATTENTION_ROLES),
    "attention-stride": ("groups of eight rows lie twice as far apart", GPU + "Fragment/PanelTile.cpp",
                     "(PanelTile::kAlignment >> kUnitBits)", "(2 * PanelTile::kAlignment >> kUnitBits)", ATTENTION_ROLES),
    "attention-panels": ("panels of values lie too close to each other", GPU + "Fragment/PanelTile.cpp",
                     "rowsAreTerms ? tile.getPanelBytes() >> kUnitBits : 1;", "PanelTile::kAlignment >> kUnitBits;", ATTENTION_ROLES),
    "attention-rows": ("all groups multiply the first rows", GPU + "Attention/AttentionRoles.cpp",
                   "kernel.mul(group, kernel.constant(kGroupRows)),\n", "kernel.mul(group, kernel.constant(0)),\n", ATTENTION_ROLES),
    "attention-layout": ("matrices are taken for ones that are not swizzled", GPU + "Fragment/PanelTile.cpp",
                     "kSwizzle128 = 1;", "kSwizzle128 = 0;", ATTENTION_ROLES),
    "attention-turn": ("a group takes the turn of the other one", GPU + "Attention/OverlappedTiles.cpp",
                   "kernel.arrive(kernel.add(next, kernel.constant(kTurnBarrier)), kTurnThreads);",
                   "kernel.arrive(kernel.constant(kTurnBarrier), kTurnThreads);", ATTENTION_ROLES),
    "attention-registers": ("consumers ask for more registers than there are", GPU + "Attention/AttentionRoles.cpp",
                        "emitSetRegisters(kernel, registers.products,", "emitSetRegisters(kernel, registers.products + 8,",
                        ATTENTION_ROLES),
    "attention-proxy": ("tensor cores do not see that values were zeroed", GPU + "Attention/RoleValues.cpp",
                    "  emitSharedFence(kernel);\n", "", ATTENTION_ROLES),
    "attention-zeroed": ("values past a batch's length stay", GPU + "Attention/RoleValues.cpp",
                     "      zeroValues(tile.first, at.stage, limit);\n", "", ATTENTION_ROLES),
    "attention-release": ("values are given back before they are multiplied", GPU + "Attention/OverlappedTiles.cpp",
                      "  Values similarities = emitScores(queries, keys);\n  sums =",
                      "  Values similarities = emitScores(queries, keys);\n  valueRing.emitRelease(kernel, overlap.before, place.lane);\n  sums =", ATTENTION_ROLES),
    "attention-hidden": ("values that are not finite meet weights of hidden keys", GPU + "Attention/RoleValues.cpp",
                     "Value hasOdd = emitHasOdd(at.stage);",
                     "Value hasOdd = kernel.less(limit, limit);\n  emitHasOdd(at.stage);", ATTENTION_ROLES),
    "attention-half": ("one half of a chunk is not looked at for values that are not finite", GPU + "Attention/RoleValues.cpp",
                   "getHalf(kernel, loaded, true) : getZeros", "getHalf(kernel, loaded, false) : getZeros", ATTENTION_ROLES),
    "attention-apart": ("weights are taken apart in every tile for what rare ones need", GPU + "Attention/RoleValues.cpp",
                    "hidden.push_back(kernel.opaque(word));", "hidden.push_back(word);",
                    ROLES_CODE),
    "attention-pair-end": ("of two sums one is not looked at", GPU + "Attention/RoleValues.cpp",
                       "last[0], last[1]);", "last[0], last[0]);", ATTENTION_ROLES),
    "attention-added": ("values that are not finite stay for the products", GPU + "Attention/RoleValues.cpp",
                    "    zeroValues(tile.first, at.stage, /*limit=*/Value());\n", "", ATTENTION_ROLES),
    "attention-values": ("values are multiplied before they have come", GPU + "Attention/OverlappedTiles.cpp",
                     "      valueRing.emitWait(kernel, at);\n", "      ;\n", ATTENTION_ROLES),
    "attention-one-edge": ("a mask crosses one tile of a block, however short tiles are", GPU + "Attention/AttentionRoles.cpp",
                       "getMostEdges() != 1;", "!getMostEdges();", ATTENTION_ROLES),
    "attention-read": ("values are zeroed while other warps read them", GPU + "Attention/RoleValues.cpp",
                   "    kernel.barrier(barrier, shape.getThreads());\n    zeroValues", "    zeroValues", ATTENTION_ROLES),
    "attention-edges": ("the producer brings edges as the consumers' full tiles", GPU + "Attention/AttentionRoles.cpp",
                    "firstKey = getTile(loop.getInductionVar());", "firstKey = getEdge(loop.getInductionVar());", ATTENTION_ROLES),
    "attention-wait": ("keys are read before they have come", GPU + "Attention/OverlappedTiles.cpp",
                   "  keyRing.emitWait(kernel, at);\n", "", ATTENTION_ROLES),
    "attention-query": ("the query is read before it has come", GPU + "Attention/AttentionRoles.cpp",
                    "  queryRing.emitWait(kernel, queryRing.getStart(kernel));\n", "", ATTENTION_ROLES),
    "attention-sign": ("rows whose factor is below 0 look for the smallest similarity", GPU + "Attention/AttentionRoles.cpp",
                   "  negateQueries();\n", "", ATTENTION_ROLES),
    "attention-sign-wait": ("a group multiplies before the signs of its rows are there", GPU + "Attention/AttentionRoles.cpp",
                        "  emitSharedFence(kernel);\n  awaitGroup();\n}", "}", ATTENTION_ROLES),
    "store-fence": ("the copy engine does not see the output", GPU + "Attention/AttentionRoles.cpp",
                    "  emitSharedFence(kernel);\n  awaitGroup();\n  constexpr", "  awaitGroup();\n  constexpr", ATTENTION_ROLES),
    "store-barrier": ("the output leaves before all warps have written it", GPU + "Attention/AttentionRoles.cpp",
                      "  emitSharedFence(kernel);\n  awaitGroup();\n  constexpr", "  emitSharedFence(kernel);\n  constexpr",
                      ATTENTION_ROLES),
    "store-commit": ("nobody waits for the output", GPU + "Attention/AttentionRoles.cpp",
                     "    emitStoreCommit(kernel);\n", "", ATTENTION_ROLES),
    "store-row": ("all groups write the first rows", GPU + "Attention/AttentionRoles.cpp",
                  "kernel.add(place.firstRow, inTile), inTile);", "place.firstRow, inTile);", ATTENTION_ROLES),
    "store-box": ("a group writes the rows of all", GPU + "Attention/LowerAttentionToGPU.cpp",
                  "shape.valueDim, kGroupRows}};", "shape.valueDim}};", ATTENTION_ROLES),
    "wave-heads": ("the last wave has heads that there are not", GPU + "Attention/LowerAttentionToGPU.cpp",
                   "kernel.min(together, kernel.sub(heads, first))", "kernel.max(together, kernel.sub(heads, heads))",
                   ATTENTION_ROLES),
    "wave-level": ("a wave's heads have the same tile", GPU + "Attention/LowerAttentionToGPU.cpp",
                   "kernel.sub(kernel.sub(tiles, one), level)", "kernel.sub(tiles, one)", ATTENTION_ROLES),
    "cosine-wait": ("norms of keys are read before they are there", GPU + "Attention/RoleFactors.cpp",
                    "    factorRing.emitWait(kernel, at);\n", "", ATTENTION_ROLES),
    "cosine-keys": ("keys are measured before they have come", GPU + "Attention/RoleFactors.cpp",
                    "  keyRing.emitWait(kernel, at);\n", "", ATTENTION_ROLES),
    "cosine-fills": ("norms are there when one warp has measured its keys", GPU + "Attention/AttentionRoles.cpp",
                     "emitInit(kernel, shape.getWarps(), kFactorWarps)", "emitInit(kernel, shape.getWarps(), 1)", ATTENTION_ROLES),
    "cosine-warp": ("a warp arrives before its lanes have written", GPU + "Fragment/StageRing.cpp",
                    "  kernel.warpBarrier();\n", "", ATTENTION_ROLES),
    "cosine-half": ("odd rows leave out half of their elements", GPU + "Attention/CosineRows.cpp",
                    "chunk = kernel.bitXor(chunk, half);", "chunk = kernel.max(chunk, half);", ATTENTION_ROLES),
    "cosine-stage": ("all tiles have the factors of the first stage", GPU + "Attention/RoleFactors.cpp",
                     "scaleByNorms(similarities, getFactors(at.stage));",
                     "scaleByNorms(similarities, getFactors(kernel.constant(0)));", ATTENTION_ROLES),
    "softcap-half": ("a softcap's exponential lacks its 2", GPU + "Attention/SoftmaxFragment.cpp",
                     "lanes.constant(2.0 * llvm::numbers::log2e)", "lanes.constant(llvm::numbers::log2e)", ATTENTION_ROLES),
    "descriptor-half": ("all steps of a lhs are the first one", GPU + "Fragment/PanelTile.cpp",
                        "kernel.constant(bytes >> kUnitBits)));\n  return", "kernel.constant(0 * bytes)));\n  return",
                        ATTENTION_ROLES),
    "attention-coordinate": ("tiles begin at the first row", GPU + "Attention/RoleTiles.cpp",
                         "coordinates = {Value(), row};", "coordinates = {Value(), kernel.constant(0)};", ATTENTION_ROLES),
    "device-expanded": ("a maximum is a comparison and selections", GPU + "ToNVVM/DeviceToLLVM.cpp",
                        "arith::populateCeilFloorDivExpandOpsPatterns(rewrites);", "arith::populateArithExpandOpsPatterns(rewrites);",
                        DEVICE),
    "branch-sizes": ("a branch has the size of whatever one of its ways has", "lib/Conversion/Checks/ResolveSizes.cpp",
                     "return llvm::is_contained(others, each);", "return true;", ["{lit}", "build/test", "--filter=results-to-dest"]),
    "raise-heads": ("products of heads with one keep their rows in one dimension", "lib/Dialect/Attn/Transforms/Raise/ExpandProducts.cpp",
                    "fused->get().hasOneUse() && hasUnknownInnerSize(expand);", "false;", DYNAMIC),
    "raise-nan-product": ("a score of -inf times 0 is 0", "lib/Dialect/Attn/Transforms/Raise/ReadScore.cpp",
                          "/*multiplies=*/true", "/*multiplies=*/false", RAISE),
    "scan-turns": ("a scan of some parts is one of all", "lib/Dialect/Attn/Transforms/Raise/ScannedCache.cpp",
                   "      type.getDimSize(0) != turns || ", "      ", CACHES),
    "scan-first": ("a scan may begin anywhere", "lib/Dialect/Attn/Transforms/Raise/ScannedCache.cpp",
                   "first->number == 0 &&", "true &&", CACHES),
    "raise-inside": ("a padded mask is read in front of its tensor", "lib/Dialect/Attn/Transforms/Raise/EmitExpr.cpp",
                     "if (range.lower && *range.lower < 0)", "if (false)", RAISE),
    "raise-columns": ("a slice is a part of as many columns, wherever it begins",
                      "lib/Dialect/Attn/Transforms/Raise/SplitConcats.cpp",
                      "sizes.get(op.getMixedOffsets()[dim]) == begin &&", "", RAISE),
    "resource-extra": ("a constant that is a resource is a number", "lib/Dialect/Attn/Transforms/Fuse/EpilogueBuilder.cpp",
                       "if (isa<ElementsAttr>(number)) {", "if (isa<DenseElementsAttr>(number)) {", FUSED),
    "equal-sizes": ("loops are as long as any operand", CHECKS + "SizeDemands.cpp",
                    "    demands.demandEqual(size, *extents[loop]);\n  else\n", "    return;\n  else\n", SIZES),
    "windows": ("an index into a window may be its input's size", CHECKS + "DemandBuilder.cpp",
                "compare(CmpIPredicate::ult, index, bound,", "compare(CmpIPredicate::ule, index, bound,", SIZES),
    "full-cache": ("a slice may begin anywhere", CHECKS + "TensorDemands.cpp",
                   "    demands.demandAtMost({offset, \"the offset\" + which},\n                         "
                   "{most, size.name + \" less the size\"});\n", "    (void)most;\n", SIZES),
    "loop-sizes": ("a loop keeps no size", CHECKS + "ResolveSizes.cpp",
                   "  return value && at == dim;", "  return false;", SIZES),
    "entry-checks": ("the entry does not ask whether sizes fit", "lib/Conversion/EntryABI/EmitEntry.cpp",
                     "  entry.returnIfFailed(call.getResults().back());\n", "", SIZES),
    "divisors": ("a divisor may be 0", CHECKS + "ElementDemands.cpp",
                 "  demands.demand(compare(arith::CmpIPredicate::ne, divisor, APInt(width, 0)),\n"
                 "                 \"the divisor must not be 0\");\n", "", SIZES),
    "casts": ("what a cast says of sizes is forgotten", "lib/Pipelines/TensorPipelines.cpp",
              "  pm.addNestedPass<func::FuncOp>(createCheckCastsPass());\n", "", SIZES),
    "reach": ("strides may lead anywhere", "lib/Conversion/EntryABI/EntryBuilder.cpp",
              "  checkReach(view, isEmpty);\n", "", ENTRY),
    "schedule-limit": ("schedules have numbers of any size", IR + "ScheduleVerifier.cpp",
                       "number.value < number.least || number.value > number.most", "number.value < number.least",
                       ["{lit}", "build/test", "--filter=schedule-errors"]),
    "schedule-kind": ("an op takes any schedule", IR + "ScheduleKind.h", "  if (llvm::isa<OpTys...>(op))\n",
                      "  if (llvm::isa<OpTys...>(op) || !mnemonic.empty())\n", ["{lit}", "build/test", "--filter=schedule-errors"]),
    "module-target": ("passes compile for the host, whatever the module says", IR + "Target.cpp",
                      "      return describe(attribute);\n", "      return getHostTargetDescription();\n",
                      ["{lit}", "build/test", "--filter=read-target|select-schedule"]),
    "fused-schedule": ("what fusion makes has no schedule", "lib/Dialect/Attn/Transforms/Fuse/FuseRope.cpp",
                       "scheduleOp(positions, readTarget(op)).remarks", "Route().remarks",
                       ["{lit}", "build/test", "--filter=fuse-rope"]),
    "scratch-wrap": ("bytes of scratch memory wrap", "lib/Conversion/Host/PlaceScratch.cpp",
                     "bytes = LLVM::SelectOp::create(builder, loc, wraps, most, bytes);", "(void)most, (void)wraps;",
                     ["{lit}", "build/test", "--filter=place-scratch"]),
    "refusals": ("ops without a lowering go on", "lib/Conversion/Upstream/CheckUpstream.cpp",
                 "if (name.starts_with(refusal.name) && !isAccepted(op))", "if (name == refusal.advice)",
                 ["{lit}", "build/test", "--filter=check-upstream"]),
    "changed-keys": ("decoding reads the first block's keys again", TILE + "DecodeAttention.cpp",
                     "firstKey = block;", "firstKey = zero;", LOADS),
    "change-order": ("a norm is done after the rotation that follows it",
                     "lib/Dialect/Attn/Transforms/Fuse/LoadedRows.cpp",
                     "changes = {change};\n  llvm::append_range(changes, self.getRowChanges(rows));",
                     "changes(self.getRowChanges(rows));\n  changes.push_back(change);", LOADS),
    "library-fault": ("a fault of LLVM ends the host", "lib/CAPI/Guard.cpp",
                      "  if (recovery)\n    recover(ATTN_INTERNAL, reason);\n", "  (void)reason;\n", LIBRARY),
    "library-memory": ("the end of memory ends the host", "lib/CAPI/Memory.cpp",
                       "  if (!memory && bytes)\n", "  if (!memory && bytes && false)\n", LIBRARY),
    "library-lost": ("a module goes on after a fault", "lib/CAPI/Session.cpp",
                     "    ir->isDamaged = true;\n", "    ir->isDamaged = false;\n", LIBRARY),
    "library-cancel": ("passes that were left out count as done", "lib/Compiler/Lowering.cpp",
                       "  if (isCancelled && isCancelled())\n", "  if (false)\n", LIBRARY),
    "library-profile": ("what was counted before counts, too", "lib/Compiler/StepProfile.cpp",
                        "  std::fill_n(counts, 2 * steps.size(), 0);\n", "",
                        ["{lit}", "build/test", "--filter=CAPI/profile.test"]),
    "library-held": ("an object is taken for what it holds", "lib/CAPI/Entry.cpp",
                     "static_cast<const char *>(object) + offset;", "static_cast<const char *>(object) + 0 * offset;",
                     ["{lit}", "build/test", "--filter=CAPI/kernel.test"]),
    "library-leak": ("modules stay", "lib/CAPI/Module.cpp", "    runOnLargeStack([&] { delete module; });\n",
                     "    runOnLargeStack([&] {});\n", LIBRARY),
    "library-stack": ("a call has the stack of its host", "lib/CAPI/Guard.cpp", "size_t(128) << 20", "size_t(64) << 10",
                      LIBRARY),
    "library-strides": ("the reference takes tensors for compact", "lib/CAPI/Tensors.cpp",
                        "    strides.assign(tensor.strides, tensor.strides + tensor.ndim);\n", "    strides = strides;\n",
                        LIBRARY),
    "bytecode-later": ("files of later versions are read", IR + "Bytecode.cpp",
                       "number > attn::DialectVersion::kCurrent", "number == 0", BYTECODE),
    "bytecode-none": ("bytecode has no version", IR + "AttnDialect.cpp",
                      "addInterfaces<AttnInlinerInterface, AttnBytecodeInterface>();",
                      "addInterfaces<AttnInlinerInterface>();", BYTECODE),
}


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **options)


def build(*tests):
    more = [target for test, target in BUILT if test in tests]
    done = run(["ninja", "-C", BUILD, "attn-run", "attn-opt", *more])
    if done.returncode != 0:
        sys.exit(done.stdout[-3000:])


def build_for(names):
    """All that the tests of these mutations use, from sources as they are."""
    build(*(MUTATIONS[name][-1] for name in names))


def tests_fail(command, directory):
    lit = os.path.join(run(["llvm-config-22", "--bindir"]).stdout.strip(), "lit")
    values = {"python": sys.executable, "tmp": directory, "lit": lit}
    done = run([part.format(**values) for part in command])
    return done.returncode != 0, (done.stdout + done.stderr).strip().splitlines()


def require_passing(names, directory):
    """Tests that fail without any mutation (no numpy, a broken tree) would catch every one."""
    build_for(names)
    for command in {tuple(MUTATIONS[name][-1]): None for name in names}:
        failed, lines = tests_fail(command, directory)
        if failed:
            sys.exit(f"unbroken, this fails already: {' '.join(command)}\n" + "\n".join(lines[-5:]))


def read_source(name):
    """The file that a mutation changes, with the text that it replaces in it once."""
    path, text = MUTATIONS[name][1:3]
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        source = file.read()
    if source.count(text) != 1:
        sys.exit(f"{name}: its text occurs {source.count(text)} times in {path}; mend utils/mutate.py")
    return source


def try_mutation(name, directory):
    what, path, text, broken, tests = MUTATIONS[name]
    path, source = os.path.join(ROOT, path), read_source(name)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(source.replace(text, broken))
        build(tests)
        caught, lines = tests_fail(tests, directory)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
    print(f"{'caught  ' if caught else 'SURVIVED'} {name:14} {what}: {lines[-1] if lines else ''}", flush=True)
    return caught


def main():
    only_check = sys.argv[1:] == ["--check"]
    names = list(MUTATIONS) if only_check else sys.argv[1:] or list(MUTATIONS)
    for name in names:
        if name not in MUTATIONS:
            sys.exit(f"unknown mutation '{name}'; known: {', '.join(MUTATIONS)}")
        read_source(name)
    if only_check:
        print(f"{len(names)} mutations have their text")
        return 0
    with tempfile.TemporaryDirectory() as directory:
        require_passing(names, directory)
        caught = sum(try_mutation(name, directory) for name in names)
    build_for(names)
    print(f"{caught} of {len(names)} mutations caught")
    return 0 if caught == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())

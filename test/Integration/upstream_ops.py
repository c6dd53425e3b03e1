# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries upstream ops in small programs: each gives right results, or is refused by its name.

An op that is neither ends as an internal error, which this counts as a failure.
"""

import os
import re
import subprocess

from case_runner import describe_failure, make_parser, run_shard, target_flags

FLOATS = ["f32", "f64", "f16", "bf16"]
SMALL_FLOATS = ["f8E4M3FN", "f8E5M2", "f8E4M3", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f8E3M4", "f6E2M3FN",
                "f4E2M1FN", "tf32", "f80", "f128"]

UNARY_MATH = ["absf", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc",
              "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "round", "roundeven", "rsqrt", "sin",
              "sinh", "sqrt", "tan", "tanh", "trunc"]
PREDICATES = ["isfinite", "isinf", "isnan", "isnormal"]
BINARY_FLOAT = ["math.atan2", "math.copysign", "math.powf", "arith.addf", "arith.subf", "arith.mulf", "arith.divf",
                "arith.remf", "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"]
BINARY_INTEGER = ["arith.addi", "arith.subi", "arith.muli", "arith.divsi", "arith.divui", "arith.ceildivsi",
                  "arith.ceildivui", "arith.floordivsi", "arith.remsi", "arith.remui", "arith.andi", "arith.ori",
                  "arith.xori", "arith.shli", "arith.shrsi", "arith.shrui", "arith.maxsi", "arith.maxui", "arith.minsi",
                  "arith.minui", "math.ipowi"]
NAMED_UNARY = ["exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "rsqrt", "square", "tanh",
               "erf"]
NAMED_BINARY = ["add", "sub", "mul", "div", "max", "min", "powf"]

# name -> (arguments, result, body with the result in %r)
PROGRAMS = {}
# What the reference does not interpret.
unchecked = set()


def add(name, arguments, result, body):
    PROGRAMS[name] = (arguments, result, body)


def add_elementwise():
    """Ops on whole tensors."""
    for op in UNARY_MATH:
        for element in ["f32", "f64", "f16"]:
            add(f"math.{op} {element}", f"%a: tensor<9x{element}>", f"tensor<9x{element}>",
                f"%r = math.{op} %a : tensor<9x{element}>")
    for op in PREDICATES:
        add(f"math.{op}", "%a: tensor<9xf32>", "tensor<9xi1>", f"%r = math.{op} %a : tensor<9xf32>")
    for op in BINARY_FLOAT:
        for element in ["f32", "f64", "bf16"]:
            add(f"{op} {element}", f"%a: tensor<9x{element}>, %b: tensor<9x{element}>", f"tensor<9x{element}>",
                f"%r = {op} %a, %b : tensor<9x{element}>")
    for op in BINARY_INTEGER:
        for element in ["i32", "i64", "i8"]:
            # Divisors and shifts are 1 to 3.
            add(f"{op} {element}", f"%a: tensor<9x{element}>, %b: tensor<9x{element}>", f"tensor<9x{element}>",
                f"""%one = arith.constant dense<1> : tensor<9x{element}>
                %mask = arith.constant dense<2> : tensor<9x{element}>
                %c = arith.andi %b, %mask : tensor<9x{element}>
                %d = arith.ori %c, %one : tensor<9x{element}>
                %r = {op} %a, %d : tensor<9x{element}>""")
    for op in ["absi", "ctlz", "ctpop", "cttz"]:
        add(f"math.{op}", "%a: tensor<9xi32>", "tensor<9xi32>", f"%r = math.{op} %a : tensor<9xi32>")
    add("math.fma", "%a: tensor<9xf32>", "tensor<9xf32>", "%r = math.fma %a, %a, %a : tensor<9xf32>")
    add("math.clampf", "%a: tensor<9xf32>, %b: tensor<9xf32>", "tensor<9xf32>",
        "%r = math.clampf %a to [%b, %b] : tensor<9xf32>")
    add("math.fpowi", "%a: tensor<9xf32>, %b: tensor<9xi32>", "tensor<9xf32>",
        "%r = math.fpowi %a, %b : tensor<9xf32>, tensor<9xi32>")
    add("math.sincos", "%a: tensor<9xf32>", "tensor<9xf32>",
        "%s, %c = math.sincos %a : tensor<9xf32>\n%r = arith.addf %s, %c : tensor<9xf32>")
    for op in ["addui_extended", "mulsi_extended", "mului_extended"]:
        second = "tensor<9xi1>" if op == "addui_extended" else "tensor<9xi32>"
        types = "tensor<9xi32>, tensor<9xi1>" if op == "addui_extended" else "tensor<9xi32>"
        add(f"arith.{op}", "%a: tensor<9xi32>, %b: tensor<9xi32>", second,
            f"%s, %r = arith.{op} %a, %b : {types}")
    add("arith.negf", "%a: tensor<9xf32>", "tensor<9xf32>", "%r = arith.negf %a : tensor<9xf32>")
    add("arith.cmpf", "%a: tensor<9xf32>, %b: tensor<9xf32>", "tensor<9xi1>",
        "%r = arith.cmpf ult, %a, %b : tensor<9xf32>")
    add("arith.cmpi", "%a: tensor<9xi32>, %b: tensor<9xi32>", "tensor<9xi1>",
        "%r = arith.cmpi ult, %a, %b : tensor<9xi32>")
    add("arith.select", "%a: tensor<9xf32>, %c: tensor<9xi1>", "tensor<9xf32>",
        "%n = arith.negf %a : tensor<9xf32>\n%r = arith.select %c, %a, %n : tensor<9xi1>, tensor<9xf32>")


def add_casts():
    def cast(op, source, target):
        add(f"arith.{op} {source} to {target}", f"%a: tensor<9x{source}>", f"tensor<9x{target}>",
            f"%r = arith.{op} %a : tensor<9x{source}> to tensor<9x{target}>")
    for narrow in ["f16", "bf16"]:
        for wide in ["f32", "f64"]:
            cast("extf", narrow, wide)
            cast("truncf", wide, narrow)
    for integer in ["i8", "i16", "i32", "i64", "i1"]:
        for element in FLOATS:
            cast("sitofp", integer, element)
            cast("uitofp", integer, element)
            if integer != "i1":
                cast("fptosi", element, integer)
                # A negative number has no unsigned one.
                add(f"arith.fptoui {element} to {integer}", f"%a: tensor<9x{element}>", f"tensor<9x{integer}>",
                    f"%p = math.absf %a : tensor<9x{element}>\n"
                    f"%r = arith.fptoui %p : tensor<9x{element}> to tensor<9x{integer}>")
    for narrow, wide in [("i8", "i32"), ("i1", "i8"), ("i32", "i64")]:
        cast("extsi", narrow, wide)
        cast("extui", narrow, wide)
        cast("trunci", wide, narrow)
    cast("bitcast", "f32", "i32")
    for small in SMALL_FLOATS:
        wide = "f64" if small in ("f80", "f128") else "f32"
        there, back = ("extf", "truncf") if wide == "f64" else ("truncf", "extf")
        for element in {wide, "f32"} if there == "extf" else {"f32", "f64", "f16", "bf16"}:
            if small == "tf32" and element in ("f16", "bf16"):
                continue
            add(f"arith.{there} {element} to {small}", f"%a: tensor<9x{element}>", f"tensor<9x{element}>",
                f"""%s = arith.{there} %a : tensor<9x{element}> to tensor<9x{small}>
                %r = arith.{back} %s : tensor<9x{small}> to tensor<9x{element}>""")
    add("arith.scaling_truncf", "%a: tensor<9xf32>, %b: tensor<9xf32>", "tensor<9xf32>",
        """%s = arith.scaling_truncf %a, %b : tensor<9xf32>, tensor<9xf32> to tensor<9xf8E4M3FN>
        %r = arith.scaling_extf %s, %b : tensor<9xf8E4M3FN>, tensor<9xf32> to tensor<9xf32>""")
    add("arith.index_cast", "%a: tensor<9xi32>", "tensor<9xi64>",
        "%i = arith.index_cast %a : tensor<9xi32> to tensor<9xindex>\n"
        "%r = arith.index_cast %i : tensor<9xindex> to tensor<9xi64>")
    add("arith.index_castui", "%a: tensor<9xi32>", "tensor<9xi64>",
        "%i = arith.index_castui %a : tensor<9xi32> to tensor<9xindex>\n"
        "%r = arith.index_castui %i : tensor<9xindex> to tensor<9xi64>")


def add_tensor():
    add("tensor.bitcast", "%a: tensor<9xi32>", "tensor<9xui32>",
        "%r = tensor.bitcast %a : tensor<9xi32> to tensor<9xui32>")
    add("tensor.cast", "%a: tensor<9xf32>", "tensor<9xf32>",
        "%c = tensor.cast %a : tensor<9xf32> to tensor<?xf32>\n%r = tensor.cast %c : tensor<?xf32> to tensor<9xf32>")
    add("tensor.concat", "%a: tensor<9xf32>, %b: tensor<4xf32>", "tensor<13xf32>",
        "%r = tensor.concat dim(0) %a, %b : (tensor<9xf32>, tensor<4xf32>) -> tensor<13xf32>")
    add("tensor.empty read", "%a: tensor<3x9xf32>", "tensor<3x9xf32>",
        "%e = tensor.empty() : tensor<3x9xf32>\n%z = arith.constant dense<0.0> : tensor<3x9xf32>\n"
        "%m = arith.mulf %a, %z : tensor<3x9xf32>\n%c = arith.cmpf une, %e, %e : tensor<3x9xf32>\n"
        "%r = arith.select %c, %m, %m : tensor<3x9xi1>, tensor<3x9xf32>")
    add("tensor.empty reduced", "%a: tensor<3x9xf32>", "tensor<3xf32>",
        """%e = tensor.empty() : tensor<3x9xf32>
        %i = tensor.empty() : tensor<3xf32>
        %s = linalg.reduce ins(%e : tensor<3x9xf32>) outs(%i : tensor<3xf32>) dimensions = [1]
          (%x: f32, %y: f32) { %t = arith.maximumf %x, %y : f32 linalg.yield %t : f32 }
        %z = arith.constant dense<0.0> : tensor<3xf32>
        %n = arith.cmpf one, %s, %s : tensor<3xf32>
        %r = arith.select %n, %s, %z : tensor<3xi1>, tensor<3xf32>""")
    add("tensor.expand_shape", "%a: tensor<12xf32>", "tensor<3x4xf32>",
        "%r = tensor.expand_shape %a [[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>")
    add("tensor.collapse_shape", "%a: tensor<3x4xf32>", "tensor<12xf32>",
        "%r = tensor.collapse_shape %a [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>")
    add("tensor.extract", "%a: tensor<9xf32>", "f32",
        "%i = arith.constant 3 : index\n%r = tensor.extract %a[%i] : tensor<9xf32>")
    add("tensor.extract_slice", "%a: tensor<9xf32>", "tensor<4xf32>",
        "%r = tensor.extract_slice %a[1] [4] [2] : tensor<9xf32> to tensor<4xf32>")
    add("tensor.from_elements", "%a: f32, %b: f32", "tensor<2xf32>", "%r = tensor.from_elements %a, %b : tensor<2xf32>")
    add("tensor.gather", "%a: tensor<9x6xf32>", "tensor<3x6xf32>",
        """%i = arith.constant dense<[[1], [8], [0]]> : tensor<3x1xi32>
        %r = tensor.gather %a[%i] gather_dims([0]) : (tensor<9x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>""")
    add("tensor.gather two dims", "%a: tensor<9x6x5xf32>", "tensor<3x1x1x5xf32>",
        """%i = arith.constant dense<[[1, 5], [8, 0], [0, 3]]> : tensor<3x2xindex>
        %r = tensor.gather %a[%i] gather_dims([0, 1]) : (tensor<9x6x5xf32>, tensor<3x2xindex>) -> tensor<3x1x1x5xf32>""")
    add("tensor.gather last dim", "%a: tensor<9x6xf32>", "tensor<2x3x9xf32>",
        """%i = arith.constant dense<[[[1], [5], [0]], [[0], [3], [3]]]> : tensor<2x3x1xi64>
        %r = tensor.gather %a[%i] gather_dims([1]) unique : (tensor<9x6xf32>, tensor<2x3x1xi64>) -> tensor<2x3x9xf32>""")
    add("tensor.scatter", "%a: tensor<9x6xf32>, %b: tensor<3x6xf32>", "tensor<9x6xf32>",
        """%i = arith.constant dense<[[1], [8], [0]]> : tensor<3x1xi32>
        %r = tensor.scatter %b into %a[%i] scatter_dims([0]) unique
          : (tensor<3x6xf32>, tensor<9x6xf32>, tensor<3x1xi32>) -> tensor<9x6xf32>""")
    add("tensor.generate", "%a: tensor<9xf32>", "tensor<9xf32>",
        """%r = tensor.generate { ^bb0(%i: index): %x = tensor.extract %a[%i] : tensor<9xf32>
          tensor.yield %x : f32 } : tensor<9xf32>""")
    add("tensor.insert", "%a: tensor<9xf32>, %b: f32", "tensor<9xf32>",
        "%i = arith.constant 3 : index\n%r = tensor.insert %b into %a[%i] : tensor<9xf32>")
    add("tensor.insert_slice", "%a: tensor<9xf32>, %b: tensor<4xf32>", "tensor<9xf32>",
        "%r = tensor.insert_slice %b into %a[1] [4] [2] : tensor<4xf32> into tensor<9xf32>")
    add("tensor.pad", "%a: tensor<9xf32>", "tensor<13xf32>",
        """%z = arith.constant 0.0 : f32
        %r = tensor.pad %a low[1] high[3] { ^bb0(%i: index): tensor.yield %z : f32 } : tensor<9xf32> to tensor<13xf32>""")
    add("tensor.rank", "%a: tensor<9xf32>", "i64",
        "%k = tensor.rank %a : tensor<9xf32>\n%r = arith.index_cast %k : index to i64")
    add("tensor.reshape", "%a: tensor<12xf32>", "tensor<3x4xf32>",
        """%s = arith.constant dense<[3, 4]> : tensor<2xindex>
        %r = tensor.reshape %a(%s) : (tensor<12xf32>, tensor<2xindex>) -> tensor<3x4xf32>""")
    add("tensor.splat", "%a: f32", "tensor<9xf32>", "%r = tensor.splat %a : tensor<9xf32>")
    add("tensor.dim", "%a: tensor<9xf32>", "i64",
        """%i = arith.constant 0 : index
        %d = tensor.dim %a, %i : tensor<9xf32>
        %r = arith.index_cast %d : index to i64""")


def add_linalg():
    def named(op, inputs, output, extra=""):
        arguments = ", ".join(f"%a{i}: tensor<{t}>" for i, t in enumerate(inputs))
        names = ", ".join(f"%a{i}" for i in range(len(inputs)))
        types = ", ".join(f"tensor<{t}>" for t in inputs)
        element = output.split("x")[-1]
        zero = "0.0" if element.startswith(("f", "b")) else "0"
        add(f"linalg.{op}", arguments, f"tensor<{output}>", f"""%zero = arith.constant {zero} : {element}
            %e = tensor.empty() : tensor<{output}>
            %z = linalg.fill ins(%zero : {element}) outs(%e : tensor<{output}>) -> tensor<{output}>
            %r = linalg.{op} {extra} ins({names} : {types}) outs(%z : tensor<{output}>) -> tensor<{output}>""")
    for op in NAMED_UNARY:
        named(op, ["3x9xf32"], "3x9xf32")
    for op in NAMED_BINARY:
        named(op, ["3x9xf32", "3x9xf32"], "3x9xf32")
    add("linalg.div_unsigned", "%a: tensor<9xi32>", "tensor<9xi32>",
        """%c = arith.constant dense<3> : tensor<9xi32>
        %e = tensor.empty() : tensor<9xi32>
        %r = linalg.div_unsigned ins(%a, %c : tensor<9xi32>, tensor<9xi32>) outs(%e : tensor<9xi32>) -> tensor<9xi32>""")
    named("select", ["9xi1", "9xf32", "9xf32"], "9xf32")
    named("copy", ["3x9xf32"], "3x9xf32")
    named("elementwise kind=#linalg.elementwise_kind<exp>", ["3x9xf32"], "3x9xf32")
    for op, inputs, output in [
            ("matmul", ["3x5xf32", "5x9xf32"], "3x9xf32"), ("matvec", ["3x5xf32", "5xf32"], "3xf32"),
            ("vecmat", ["5xf32", "5x9xf32"], "9xf32"), ("dot", ["5xf32", "5xf32"], "f32"),
            ("batch_matmul", ["2x3x5xf32", "2x5x9xf32"], "2x3x9xf32"),
            ("batch_matvec", ["2x3x5xf32", "2x5xf32"], "2x3xf32"),
            ("batch_vecmat", ["2x5xf32", "2x5x9xf32"], "2x9xf32"),
            ("batch_reduce_matmul", ["2x3x5xf32", "2x5x9xf32"], "3x9xf32"),
            ("mmt4d", ["2x3x4x5xf32", "2x3x6x5xf32"], "2x2x4x6xf32"),
            ("batch_mmt4d", ["2x2x3x4x5xf32", "2x2x3x6x5xf32"], "2x2x2x4x6xf32"),
            ("conv_1d", ["9xf32", "3xf32"], "7xf32"), ("conv_2d", ["9x8xf32", "3x2xf32"], "7x7xf32"),
            ("conv_3d", ["9x8x7xf32", "3x2x1xf32"], "7x7x7xf32"),
            ("conv_1d_nwc_wcf", ["2x9x3xf32", "3x3x4xf32"], "2x7x4xf32"),
            ("conv_1d_ncw_fcw", ["2x3x9xf32", "4x3x3xf32"], "2x4x7xf32"),
            ("conv_2d_nhwc_hwcf", ["2x9x8x3xf32", "3x2x3x4xf32"], "2x7x7x4xf32"),
            ("conv_2d_nhwc_fhwc", ["2x9x8x3xf32", "4x3x2x3xf32"], "2x7x7x4xf32"),
            ("conv_2d_nchw_fchw", ["2x3x9x8xf32", "4x3x3x2xf32"], "2x4x7x7xf32"),
            ("conv_2d_ngchw_fgchw", ["1x2x3x9x8xf32", "4x2x3x3x2xf32"], "1x2x4x7x7xf32"),
            ("conv_2d_ngchw_gfchw", ["1x2x3x9x8xf32", "2x4x3x3x2xf32"], "1x2x4x7x7xf32"),
            ("conv_2d_nhwgc_gfhwc", ["1x9x8x2x3xf32", "2x4x3x2x3xf32"], "1x7x7x2x4xf32"),
            ("conv_3d_ndhwc_dhwcf", ["1x5x5x5x2xf32", "2x2x2x2x3xf32"], "1x4x4x4x3xf32"),
            ("conv_3d_ncdhw_fcdhw", ["1x2x5x5x5xf32", "3x2x2x2x2xf32"], "1x3x4x4x4xf32"),
            ("depthwise_conv_1d_nwc_wc", ["2x9x3xf32", "3x3xf32"], "2x7x3xf32"),
            ("depthwise_conv_1d_ncw_cw", ["2x3x9xf32", "3x3xf32"], "2x3x7xf32"),
            ("depthwise_conv_1d_nwc_wcm", ["2x9x3xf32", "3x3x2xf32"], "2x7x3x2xf32"),
            ("depthwise_conv_2d_nhwc_hwc", ["2x9x8x3xf32", "3x2x3xf32"], "2x7x7x3xf32"),
            ("depthwise_conv_2d_nchw_chw", ["2x3x9x8xf32", "3x3x2xf32"], "2x3x7x7xf32"),
            ("depthwise_conv_2d_nhwc_hwcm", ["2x9x8x3xf32", "3x2x3x2xf32"], "2x7x7x3x2xf32"),
            ("depthwise_conv_3d_ndhwc_dhwc", ["1x5x5x5x2xf32", "2x2x2x2xf32"], "1x4x4x4x2xf32"),
            ("depthwise_conv_3d_ncdhw_cdhw", ["1x2x5x5x5xf32", "2x2x2x2xf32"], "1x2x4x4x4xf32"),
            ("depthwise_conv_3d_ndhwc_dhwcm", ["1x5x5x5x2xf32", "2x2x2x2x3xf32"], "1x4x4x4x2x3xf32"),
            ("pooling_nhwc_sum", ["1x8x8x3xf32", "2x2xf32"], "1x7x7x3xf32"),
            ("pooling_nhwc_max", ["1x8x8x3xf32", "2x2xf32"], "1x7x7x3xf32"),
            ("pooling_nhwc_min", ["1x8x8x3xf32", "2x2xf32"], "1x7x7x3xf32"),
            ("pooling_nhwc_max_unsigned", ["1x8x8x3xi32", "2x2xi32"], "1x7x7x3xi32"),
            ("pooling_nhwc_min_unsigned", ["1x8x8x3xi32", "2x2xi32"], "1x7x7x3xi32"),
            ("pooling_nchw_sum", ["1x3x8x8xf32", "2x2xf32"], "1x3x7x7xf32"),
            ("pooling_nchw_max", ["1x3x8x8xf32", "2x2xf32"], "1x3x7x7xf32"),
            ("pooling_nwc_sum", ["1x8x3xf32", "2xf32"], "1x7x3xf32"),
            ("pooling_nwc_max", ["1x8x3xf32", "2xf32"], "1x7x3xf32"),
            ("pooling_nwc_min", ["1x8x3xf32", "2xf32"], "1x7x3xf32"),
            ("pooling_ncw_sum", ["1x3x8xf32", "2xf32"], "1x3x7xf32"),
            ("pooling_ncw_max", ["1x3x8xf32", "2xf32"], "1x3x7xf32"),
            ("pooling_ndhwc_sum", ["1x5x5x5x2xf32", "2x2x2xf32"], "1x4x4x4x2xf32"),
            ("pooling_ndhwc_max", ["1x5x5x5x2xf32", "2x2x2xf32"], "1x4x4x4x2xf32")]:
        named(op, inputs, output)
    # The scalars are zero points.
    for op, inputs, output in [
            ("quantized_matmul", ["3x5xi8", "5x9xi8"], "3x9xi32"),
            ("quantized_batch_matmul", ["2x3x5xi8", "2x5x9xi8"], "2x3x9xi32"),
            ("conv_2d_nhwc_hwcf_q", ["1x9x8x3xi8", "3x2x3x4xi8"], "1x7x7x4xi32"),
            ("depthwise_conv_2d_nhwc_hwc_q", ["1x9x8x3xi8", "3x2x3xi8"], "1x7x7x3xi32")]:
        named(op, inputs, output)
        arguments, result, body = PROGRAMS[f"linalg.{op}"]
        types = ", ".join(f"tensor<{t}>" for t in inputs)
        PROGRAMS[f"linalg.{op}"] = (arguments, result, "%zp = arith.constant 3 : i32\n" + body.replace(
            f"ins(%a0, %a1 : {types})", f"ins(%a0, %a1, %zp, %zp : {types}, i32, i32)"))
    add("linalg.contract", "%a: tensor<3x5xf32>, %b: tensor<5x9xf32>", "tensor<3x9xf32>",
        """%z = arith.constant dense<0.0> : tensor<3x9xf32>
        %r = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
          affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : tensor<3x5xf32>, tensor<5x9xf32>)
          outs(%z : tensor<3x9xf32>) -> tensor<3x9xf32>""")
    add("linalg.transpose", "%a: tensor<3x9xf32>", "tensor<9x3xf32>",
        """%e = tensor.empty() : tensor<9x3xf32>
        %r = linalg.transpose ins(%a : tensor<3x9xf32>) outs(%e : tensor<9x3xf32>) permutation = [1, 0]""")
    add("linalg.broadcast", "%a: tensor<9xf32>", "tensor<3x9xf32>",
        """%e = tensor.empty() : tensor<3x9xf32>
        %r = linalg.broadcast ins(%a : tensor<9xf32>) outs(%e : tensor<3x9xf32>) dimensions = [0]""")
    add("linalg.reduce", "%a: tensor<3x9xf32>", "tensor<3xf32>",
        """%z = arith.constant dense<0.0> : tensor<3xf32>
        %r = linalg.reduce { arith.addf } ins(%a : tensor<3x9xf32>) outs(%z : tensor<3xf32>) dimensions = [1]""")
    add("linalg.map", "%a: tensor<3x9xf32>", "tensor<3x9xf32>",
        """%e = tensor.empty() : tensor<3x9xf32>
        %r = linalg.map { math.exp } ins(%a : tensor<3x9xf32>) outs(%e : tensor<3x9xf32>)""")
    add("linalg.index", "%a: tensor<9xi64>", "tensor<9xi64>",
        """%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%a : tensor<9xi64>) { ^bb0(%o: i64): %i = linalg.index 0 : index
          %c = arith.index_cast %i : index to i64
          %s = arith.addi %c, %o : i64
          linalg.yield %s : i64 } -> tensor<9xi64>""")
    add("linalg.fill_rng_2d", "%a: f64, %b: f64", "tensor<3x9xf32>",
        """%s = arith.constant 7 : i32
        %e = tensor.empty() : tensor<3x9xf32>
        %r = linalg.fill_rng_2d ins(%a, %b, %s : f64, f64, i32) outs(%e : tensor<3x9xf32>) -> tensor<3x9xf32>""")
    for dim in [0, 1]:
        add(f"linalg.softmax dim {dim}", "%a: tensor<3x9xf32>", "tensor<3x9xf32>",
            f"""%e = tensor.empty() : tensor<3x9xf32>
            %r = linalg.softmax dimension({dim}) ins(%a : tensor<3x9xf32>) outs(%e : tensor<3x9xf32>) -> tensor<3x9xf32>""")
    add("linalg.softmax bf16", "%a: tensor<2x3x9xbf16>", "tensor<2x3x9xbf16>",
        """%e = tensor.empty() : tensor<2x3x9xbf16>
        %r = linalg.softmax dimension(2) ins(%a : tensor<2x3x9xbf16>) outs(%e : tensor<2x3x9xbf16>) -> tensor<2x3x9xbf16>""")
    add("linalg.pack", "%a: tensor<6x8xf32>", "tensor<3x2x2x4xf32>",
        """%e = tensor.empty() : tensor<3x2x2x4xf32>
        %r = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e
          : tensor<6x8xf32> -> tensor<3x2x2x4xf32>""")
    add("linalg.pack padded", "%a: tensor<5x7xf32>", "tensor<2x3x4x2xf32>",
        """%z = arith.constant 0.5 : f32
        %e = tensor.empty() : tensor<2x3x4x2xf32>
        %r = linalg.pack %a padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0]
          inner_tiles = [4, 2] into %e : tensor<5x7xf32> -> tensor<2x3x4x2xf32>""")
    add("linalg.unpack", "%a: tensor<3x2x2x4xf32>", "tensor<6x8xf32>",
        """%e = tensor.empty() : tensor<6x8xf32>
        %r = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e
          : tensor<3x2x2x4xf32> -> tensor<6x8xf32>""")
    add("linalg.unpack padded", "%a: tensor<2x3x4x2xf32>", "tensor<5x7xf32>",
        """%e = tensor.empty() : tensor<5x7xf32>
        %r = linalg.unpack %a outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 2] into %e
          : tensor<2x3x4x2xf32> -> tensor<5x7xf32>""")
    add("linalg.winograd_filter_transform", "%a: tensor<2x3x3x5xf32>", "tensor<6x6x5x2xf32>",
        """%e = tensor.empty() : tensor<6x6x5x2xf32>
        %r = linalg.winograd_filter_transform fmr(F_4_3) ins(%a : tensor<2x3x3x5xf32>)
          outs(%e : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>""")
    add("linalg.winograd_input_transform", "%a: tensor<2x10x10x5xf32>", "tensor<6x6x2x2x2x5xf32>",
        """%e = tensor.empty() : tensor<6x6x2x2x2x5xf32>
        %r = linalg.winograd_input_transform fmr(F_4_3) ins(%a : tensor<2x10x10x5xf32>)
          outs(%e : tensor<6x6x2x2x2x5xf32>) -> tensor<6x6x2x2x2x5xf32>""")
    add("linalg.winograd_output_transform", "%a: tensor<6x6x2x2x2x2xf32>", "tensor<2x8x8x2xf32>",
        """%e = arith.constant dense<0.0> : tensor<2x8x8x2xf32>
        %r = linalg.winograd_output_transform fmr(F_4_3) ins(%a : tensor<6x6x2x2x2x2xf32>)
          outs(%e : tensor<2x8x8x2xf32>) -> tensor<2x8x8x2xf32>""")


def add_control():
    bounds = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c9 = arith.constant 9 : index\n"
    add("scf.for", "%a: tensor<9xf32>", "tensor<9xf32>", bounds +
        """%r = scf.for %i = %c0 to %c9 step %c1 iter_args(%t = %a) -> tensor<9xf32> {
          %x = tensor.extract %t[%i] : tensor<9xf32>
          %n = arith.negf %x : f32
          %u = tensor.insert %n into %t[%i] : tensor<9xf32>
          scf.yield %u : tensor<9xf32> }""")
    add("scf.if", "%a: tensor<9xf32>, %c: i1", "tensor<9xf32>",
        """%r = scf.if %c -> tensor<9xf32> { %n = arith.negf %a : tensor<9xf32>
          scf.yield %n : tensor<9xf32> } else { scf.yield %a : tensor<9xf32> }""")
    add("scf.while", "%a: f32", "f32",
        """%b = arith.constant 100.0 : f32
        %t = arith.constant 3.0 : f32
        %r = scf.while (%x = %a) : (f32) -> f32 { %y = math.absf %x : f32
          %c = arith.cmpf olt, %y, %b : f32
          %z = arith.addf %y, %t : f32
          scf.condition(%c) %z : f32 } do { ^bb0(%x: f32): scf.yield %x : f32 }""")
    add("scf.forall", "%a: tensor<9xf32>", "tensor<9xf32>",
        """%r = scf.forall (%i) in (9) shared_outs(%t = %a) -> tensor<9xf32> {
          %s = tensor.extract_slice %a[%i] [1] [1] : tensor<9xf32> to tensor<1xf32>
          %n = arith.negf %s : tensor<1xf32>
          scf.forall.in_parallel { tensor.parallel_insert_slice %n into %t[%i] [1] [1] : tensor<1xf32> into tensor<9xf32> } }""")
    add("scf.index_switch", "%a: tensor<9xf32>, %k: i64", "tensor<9xf32>",
        """%i = arith.index_cast %k : i64 to index
        %r = scf.index_switch %i -> tensor<9xf32> case 1 { %n = arith.negf %a : tensor<9xf32>
          scf.yield %n : tensor<9xf32> } default { scf.yield %a : tensor<9xf32> }""")
    add("scf.execute_region", "%a: tensor<9xf32>", "tensor<9xf32>",
        """%r = scf.execute_region -> tensor<9xf32> { %n = arith.negf %a : tensor<9xf32>
          scf.yield %n : tensor<9xf32> }""")
    add("scf.parallel", "%a: tensor<9xf32>", "f32", bounds +
        """%z = arith.constant 0.0 : f32
        %r = scf.parallel (%i) = (%c0) to (%c9) step (%c1) init (%z) -> f32 {
          %x = tensor.extract %a[%i] : tensor<9xf32>
          scf.reduce(%x : f32) { ^bb0(%l: f32, %h: f32): %s = arith.addf %l, %h : f32
            scf.reduce.return %s : f32 } }""")
    add("cf.assert", "%a: tensor<9xf32>", "tensor<9xf32>",
        "%c = arith.constant true\ncf.assert %c, \"never\"\n%r = arith.negf %a : tensor<9xf32>")
    add("cf.br", "%a: tensor<9xf32>", "tensor<9xf32>",
        "cf.br ^next\n^next:\n%r = arith.negf %a : tensor<9xf32>")
    add("affine.for", "%a: tensor<9xf32>", "tensor<9xf32>",
        """%r = affine.for %i = 0 to 9 iter_args(%t = %a) -> tensor<9xf32> {
          %x = tensor.extract %t[%i] : tensor<9xf32>
          %n = arith.negf %x : f32
          %u = tensor.insert %n into %t[%i] : tensor<9xf32>
          affine.yield %u : tensor<9xf32> }""")
    add("affine.if", "%a: tensor<9xf32>", "tensor<9xf32>",
        """%c = arith.constant 1 : index
        %r = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%c) -> tensor<9xf32> { affine.yield %a : tensor<9xf32>
        } else { %n = arith.negf %a : tensor<9xf32>
          affine.yield %n : tensor<9xf32> }""")
    add("affine.parallel", "%a: tensor<9xf32>", "f32",
        """%r = affine.parallel (%i) = (0) to (9) reduce ("addf") -> f32 {
          %x = tensor.extract %a[%i] : tensor<9xf32>
          affine.yield %x : f32 }""")
    for op, text in [("apply", "affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)"),
                     ("max", "affine.max affine_map<(d0) -> (d0 * 2, 7)>(%i)"),
                     ("min", "affine.min affine_map<(d0) -> (d0 * 2, 7)>(%i)"),
                     ("linearize_index", "affine.linearize_index [%i, %i] by (3, 4) : index")]:
        add(f"affine.{op}", "%a: i64", "i64", f"""%i = arith.index_cast %a : i64 to index
            %s = {text}
            %r = arith.index_cast %s : index to i64""")
    add("affine.delinearize_index", "%a: i64", "i64", """%i = arith.index_cast %a : i64 to index
        %s:2 = affine.delinearize_index %i into (3, 4) : index, index
        %r = arith.index_cast %s#1 : index to i64""")
    add("ub.poison", "%a: tensor<9xf32>", "tensor<9xf32>",
        "%p = ub.poison : f32\n%r = arith.negf %a : tensor<9xf32>")


def add_memory():
    add("bufferization.alloc_tensor", "%a: tensor<9xf32>", "tensor<9xf32>",
        "%c = bufferization.alloc_tensor() copy(%a) : tensor<9xf32>\n%r = arith.negf %c : tensor<9xf32>")
    add("bufferization.materialize_in_destination", "%a: tensor<9xf32>", "tensor<9xf32>",
        """%e = tensor.empty() : tensor<9xf32>
        %r = bufferization.materialize_in_destination %a in %e : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>""")
    add("bufferization.to_buffer", "%a: tensor<9xf32>", "tensor<9xf32>",
        """%m = bufferization.to_buffer %a read_only : tensor<9xf32> to memref<9xf32>
        %r = bufferization.to_tensor %m restrict : memref<9xf32> to tensor<9xf32>""")
    add("memref.alloc", "%a: tensor<9xf32>", "f32",
        """%m = memref.alloc() : memref<9xf32>
        %c0 = arith.constant 0 : index
        %x = tensor.extract %a[%c0] : tensor<9xf32>
        memref.store %x, %m[%c0] : memref<9xf32>
        %r = memref.load %m[%c0] : memref<9xf32>
        memref.dealloc %m : memref<9xf32>""")
    add("memref.alloca", "%a: f32", "f32",
        """%m = memref.alloca() : memref<f32>
        memref.store %a, %m[] : memref<f32>
        %r = memref.load %m[] : memref<f32>""")
    add("memref.get_global", "%a: f32", "f32",
        """%m = memref.get_global @numbers : memref<2xf32>
        %c0 = arith.constant 0 : index
        %r = memref.load %m[%c0] : memref<2xf32>""")
    add("vector.transfer_read", "%a: tensor<8xf32>", "f32",
        """%z = arith.constant 0.0 : f32
        %c0 = arith.constant 0 : index
        %v = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : tensor<8xf32>, vector<8xf32>
        %r = vector.reduction <add>, %v : vector<8xf32> into f32""")
    add("vector.transfer_write", "%a: tensor<4x8xf32>, %x: f32", "tensor<4x8xf32>",
        """%c0 = arith.constant 0 : index
        %v = vector.broadcast %x : f32 to vector<2x8xf32>
        %r = vector.transfer_write %v, %a[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, tensor<4x8xf32>""")
    add("llvm.intr.ctpop", "%a: i64", "i64", "%r = llvm.intr.ctpop(%a) : (i64) -> i64")


def write_module(path, program):
    arguments, result, body = program
    more = "memref.global \"private\" constant @numbers : memref<2xf32> = dense<[1.0, 2.0]>\n" \
        if "@numbers" in body else ""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{more}func.func @main({arguments}) -> {result} {{\n{body}\nreturn %r : {result}\n}}\n")


def run(case, index, args):
    """(exit code, what is wrong or nothing)."""
    name, program = case
    path = os.path.join(args.directory, f"op{index}.mlir")
    write_module(path, program)
    failures, code = [], 0
    for more in [], ["--portable"]:
        command = [args.attn_run, path, *target_flags(args, index)] + more
        try:
            result = subprocess.run(command + ["--check"], capture_output=True, text=True, timeout=60, check=False)
            # What the reference does not know is compiled and run.
            if "the reference cannot run" in result.stderr:
                result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
                unchecked.add(name)
        except subprocess.TimeoutExpired:
            failures.append(describe_failure(index, name, "took more than 60 s", command, ""))
            continue
        text = result.stdout + result.stderr
        if "may be anything" in text:
            failures.append(describe_failure(index, name, "the reference has no numbers to compare with", command, text))
        code = max(code, result.returncode)
        refused = result.returncode == 2 and re.search(
            rf"op{index}.mlir:\d+: '[a-z_0-9.]+' (is not compiled: |has numbers|works on|reads)", text)
        if result.returncode != 0 and not refused:
            failures.append(describe_failure(index, name, f"exit code {result.returncode}", command, text))
    if not failures and not args.keep:
        os.remove(path)
    return name, code, failures


def main():
    for add_group in [add_elementwise, add_casts, add_tensor, add_linalg, add_control, add_memory]:
        add_group()
    args = make_parser(__doc__).parse_args()
    _, results = run_shard(list(PROGRAMS.items()), run, args)
    bad = [text for _, _, failures in results for text in failures]
    for text in bad:
        print(text)
    refused = [name for name, code, failures in results if code == 2 and not failures]
    print(f"refused: {', '.join(refused)}")
    print(f"not in the reference: {', '.join(sorted(unchecked))}")
    print(f"{len(results)} programs of {len(PROGRAMS)}: {len(refused)} refused, {len(bad)} failures")


if __name__ == "__main__":
    main()

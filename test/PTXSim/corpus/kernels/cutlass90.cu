//===- cutlass90.cu - A Hopper matrix product of CUTLASS ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Warp-specialised (PINGPONG: ping-pong between two consumer warpgroups, in
// clusters of two with multicast), as the collective builder makes it. The host
// part prints the kernel's parameter block as JSON: its tensor maps are what
// CUTLASS passed to cuTensorMapEncodeTiled.

#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/epilogue/thread/linear_combination.h"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <new>

using namespace cute;

using TileShape = Shape<_64, _64, _64>;
#ifndef CLUSTER_M
#define CLUSTER_M 1
#endif
using Cluster = Shape<Int<CLUSTER_M>, _1, _1>;
using Element = cutlass::half_t;
#ifdef PINGPONG
using Schedule = cutlass::gemm::KernelTmaWarpSpecializedPingpong;
#else
using Schedule = cutlass::gemm::KernelTmaWarpSpecialized;
#endif

using Epilogue = cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, TileShape, Cluster,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, float,
    cutlass::layout::RowMajor, 4, float, cutlass::layout::RowMajor, 4,
    cutlass::epilogue::TmaWarpSpecialized>::CollectiveOp;

using Mainloop = cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element,
    cutlass::layout::RowMajor, 8, Element, cutlass::layout::ColumnMajor, 8,
    float, TileShape, Cluster, cutlass::gemm::collective::StageCount<3>,
    Schedule>::CollectiveOp;

using Kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>,
                                                    Mainloop, Epilogue>;

extern "C" __global__ void __launch_bounds__(Kernel::MaxThreadsPerBlock,
                                             Kernel::MinBlocksPerMultiprocessor)
    cutlass_gemm(__grid_constant__ Kernel::Params const params) {
  extern __shared__ char smem[];
  Kernel kernel;
  kernel(params, smem);
}

//===----------------------------------------------------------------------===//
// The parameter block
//===----------------------------------------------------------------------===//

/// Stands in for the driver: the map's 128 bytes hold its number.
static int maps = 0;
extern "C" CUresult
cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type,
                       cuuint32_t rank, void *address, const cuuint64_t *dims,
                       const cuuint64_t *strides, const cuuint32_t *box,
                       const cuuint32_t *elementStrides, CUtensorMapInterleave,
                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                       CUtensorMapFloatOOBfill) {
  auto list = [&](const char *name, auto *values, unsigned count) {
    printf(", \"%s\": [", name);
    for (unsigned i = 0; i < count; ++i)
      printf("%s%llu", i ? ", " : "", (unsigned long long)values[i]);
    printf("]");
  };
  const int bytes[] = {0, 32, 64, 128};
  const char *types[] = {"u8",  "u16", "u32", "i32", "u64",
                         "i64", "f16", "f32", "f64", "bf16"};
  printf("%s  {\"address\": %llu, \"dtype\": \"%s\"", maps ? ",\n" : "",
         (unsigned long long)address, types[type]);
  list("dims", dims, rank);
  list("strides", strides, rank - 1);
  list("box", box, rank);
  list("element_strides", elementStrides, rank);
  printf(", \"swizzle\": %d}", bytes[swizzle]);
  memset(map, 0xEE, sizeof *map);
  reinterpret_cast<unsigned char *>(map)[127] = maps++;
  return CUDA_SUCCESS;
}
extern "C" CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "";
  return CUDA_SUCCESS;
}

int main(int argc, char **argv) {
  int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
  auto pointer = [](unsigned long long i) { return i << 40; };
  Kernel::Arguments arguments{};
  arguments.mode = cutlass::gemm::GemmUniversalMode::kGemm;
  arguments.problem_shape = {m, n, k, 1};
  arguments.mainloop.ptr_A = (const Element *)pointer(1);
  arguments.mainloop.ptr_B = (const Element *)pointer(2);
  arguments.mainloop.dA = {k, {}, 0};
  arguments.mainloop.dB = {k, {}, 0};
  arguments.epilogue.ptr_C = (const float *)pointer(3);
  arguments.epilogue.ptr_D = (float *)pointer(4);
  arguments.epilogue.dC = {n, {}, 0};
  arguments.epilogue.dD = {n, {}, 0};
  arguments.epilogue.thread.alpha = 1;
  arguments.epilogue.thread.beta = 2;
  arguments.hw_info.sm_count = 4;
  arguments.hw_info.max_active_clusters = 2;
  printf("{\"maps\": [\n");
  alignas(128) static unsigned char bytes[sizeof(Kernel::Params)];
  memset(bytes, 0, sizeof bytes);
  auto *params = new (bytes)
      Kernel::Params(Kernel::to_underlying_arguments(arguments, nullptr));
  dim3 grid = Kernel::get_grid_shape(*params),
       block = Kernel::get_block_shape();
  printf("],\n\"grid\": [%u, %u, %u], \"block\": %u, \"cluster\": %d, "
         "\"shared\": %d,\n\"bytes\": \"",
         grid.x, grid.y, grid.z, block.x, CLUSTER_M,
         int(Kernel::SharedStorageSize));
  for (unsigned char byte : bytes)
    printf("%02x", byte);
  printf("\"}\n");
}

# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Protocol mistakes: edits of one kernel's text, and what must be reported where.

Not in the list, because they are no mistakes: waits for a stage that no earlier turn of the loop has used.
"""

import re
from dataclasses import dataclass

RACE = ("Race", "InFlight", "Uninitialised")
DEADLOCK = ("Deadlock",)


@dataclass
class Mutation:
    name: str
    case: str
    edits: list  # (pattern, replacement, which occurrence or None for all)
    kinds: tuple  # one of them must be reported; "Refused": the PTX is bad input
    at: str  # and at a line of the broken kernel that matches this
    strict: bool = False  # a note, which --strict makes a finding


def drop(pattern, which=None):
    return (r"[^\n;{}]*" + pattern + r"[^\n;]*;", "", which)


def pass_at_once(which=None):
    """A wait that does not wait: the branch out of its loop is always taken."""
    return (r"@done bra (DONE_\d+);", r"bra \1;", which)


def some_lanes(pattern, which=0):
    """Lane 3 does not take part."""
    return (r"([^\n;{}@]*" + pattern + r"[^\n;]*;)",
            r"{ .reg .pred q; .reg .u32 l; mov.u32 l, %laneid; setp.ne.u32 q, l, 3; @q \1 }", which)


def swap(pattern, replacement, which=None):
    return (pattern, replacement, which)


def M(name, case, edits, kinds, at, strict=False):
    return Mutation(name, case, edits if isinstance(edits, list) else [edits], kinds if isinstance(kinds, tuple) else (kinds,), at, strict)


BULK_IN = r"cp\.async\.bulk\.tensor\S*shared::cluster\.global"
BULK_OUT = r"cp\.async\.bulk\.tensor\S*global\.shared"

MUTATIONS = [
    # Plain barriers, votes and shuffles.
    M("missing_bar_before_read", "reduce_sum", drop(r"bar\.sync"), RACE, r"ld\.shared|st\.shared"),
    M("bar_in_half_a_warp", "reduce_sum", some_lanes(r"bar\.sync"), ("DivergentAligned", "Deadlock"), r"bar\.sync"),
    M("shuffle_without_a_named_lane", "reduce_sum", some_lanes(r"shfl\.sync\.bfly"), ("DivergentAligned", "Deadlock"), r"shfl\.sync"),
    M("missing_bar_in_scan", "shared_scan", drop(r"bar\.sync", 1), RACE, r"ld\.shared|st\.shared"),
    M("scan_reads_uninitialised", "shared_scan", drop(r"st\.shared", 0), "Uninitialised", r"ld\.shared"),
    M("scan_reads_past_the_end", "shared_scan", swap(r"ld\.shared\.u32 (\s*%r\d+), \[(%r\d+)\]", r"ld.shared.u32 \1, [\2+2048]", 2), "OutOfBounds", r"ld\.shared"),
    M("scan_reads_misaligned", "shared_scan", swap(r"ld\.shared\.u32 (\s*%r\d+), \[(%r\d+)\]", r"ld.shared.u32 \1, [\2+2]", 0), "Misaligned", r"ld\.shared"),
    M("missing_syncwarp", "warp_shared_reduce", drop(r"bar\.warp\.sync", 0), RACE, r"ld\.shared|st\.shared"),
    M("missing_syncwarp_before_write", "warp_shared_reduce", drop(r"bar\.warp\.sync", 3), RACE, r"ld\.shared|st\.shared"),
    M("histogram_without_atomics", "histogram", swap(r"atom\.shared\.add\.u32 (\s*%r\d+), (\[%r\d+\]), 1;", r"ld.shared.u32 \1, \2; add.u32 \1, \1, 1; st.shared.u32 \2, \1;"), RACE, r"ld\.shared|st\.shared"),
    M("histogram_not_cleared", "histogram", drop(r"st\.shared", 0), "Uninitialised", r"atom\.shared"),
    M("histogram_missing_bar", "histogram", drop(r"bar\.sync", 1), RACE, r"ld\.shared|atom\.shared"),
    M("transpose_missing_bar", "transpose", drop(r"bar\.sync"), RACE, r"ld\.shared|st\.shared"),
    M("transpose_wrong_row", "transpose", swap(r"\[(%r\d+)\+3168\], ", r"[\1+4224], "), "OutOfBounds", r"st\.shared"),
    M("softmax_scratch_reused", "softmax_rows", drop(r"bar\.sync", 1), RACE, r"ld\.shared|st\.shared"),
    # Blocks that meet in global memory.
    M("histogram_without_global_atomics", "histogram",
      swap(r"atom\.global\.add\.u32 (\s*%r\d+), (\[%rd\d+\]), (%r\d+);", r"ld.global.u32 \1, \2; add.u32 \1, \1, \3; st.global.u32 \2, \1;"),
      RACE, r"(ld|st)\.global"),
    M("last_block_without_fences", "last_block", drop(r"membar\.gl"), RACE, r"ld\.volatile\.global|st\.global"),
    M("last_block_without_release", "last_block", drop(r"membar\.gl", 0), RACE, r"ld\.volatile\.global|st\.global"),
    M("last_block_without_acquire", "last_block", drop(r"membar\.gl", 1), RACE, r"ld\.volatile\.global|st\.global"),
    M("last_block_fence_of_the_block", "last_block", swap(r"membar\.gl", "membar.cta"), RACE, r"ld\.volatile\.global|st\.global"),
    M("last_block_fence_after_the_counter", "last_block",
      swap(r"(membar\.gl;)((?:.|\n)*?atom\.global\.inc[^;]*;)", r"\2 \1", 0), RACE, r"ld\.volatile\.global|st\.global"),
    M("last_block_results_in_one_place", "last_block", swap(r"mul\.wide\.u32 (\s*%rd\d+, %r\d+), 4;(\s*add\.s64[^;]*;\s*st\.global)", r"mul.wide.u32 \1, 0;\2"),
      RACE, r"ld\.volatile\.global|st\.global"),
    # Threads of one block that meet in global memory.
    M("scan_results_in_one_place", "shared_scan", swap(r"shl\.b64 (\s*%rd\d+, %rd\d+), 2;(\s*add\.s64[^;]*;\s*st\.global)", r"and.b64 \1, 0;\2"),
      "Race", r"st\.global"),
    M("sums_in_one_place", "llvm_calls_80", swap(r"add\.s64 (\s*%rd8), %rd3, %rd5;", r"mov.u64 \1, %rd3;"), "Race", r"st\.global"),
    M("transpose_in_place", "llvm_transpose_90", swap(r"ld\.param\.b64 (\s*%rd\d+), \[llvm_transpose_param_0\]", r"ld.param.b64 \1, [llvm_transpose_param_1]"),
      (*RACE,), r"ld\.global|st\.global"),
    M("bulk_copy_of_fresh_words", "bulk_copy", swap(r"(cp\.async\.bulk\.shared::cluster\.global\S* \[%r\d+\], (\[%rd\d+\]),)", r"st.global.u32 \2, 7; \1"),
      "MissingProxyFence", r"cp\.async\.bulk\.shared"),
    M("bulk_copy_of_fresh_words_llvm", "llvm_bulk_90", swap(r"(cp\.async\.bulk\.shared::cluster\.global\S* \[%r\d+\], (\[%rd\d+\]),)", r"st.global.u32 \2, 7; \1"),
      "MissingProxyFence", r"cp\.async\.bulk\.shared"),
    # Registers that nothing has written.
    M("gemm_sums_not_cleared", "gemm_mma_64x64x256", drop(r"mov\.(f32|b32)\s+%(f|r)\d+, 0f00000000"), "Uninitialised", r"mma\.sync"),
    M("steps_not_cleared", "collatz", drop(r"mov\.(u|b|s)32\s+%r\d+, 0"), "Uninitialised", r"add\.s32|mov"),
    M("sum_not_cleared", "llvm_layer_norm_80", drop(r"mov\.b32\s+%r\d+, 0f00000000"), "Uninitialised", r"add\S*\.f32|mov|shfl"),
    # Named barriers.
    M("producer_does_not_wait", "named_barriers", drop(r"bar\.sync 2"), (*RACE, "BarrierMisuse"), r"ld\.shared|st\.shared|bar\."),
    M("producer_does_not_arrive", "named_barriers", drop(r"bar\.arrive 1"), DEADLOCK, r"bar\.sync"),
    M("consumer_does_not_arrive", "named_barriers", drop(r"bar\.arrive 2"), DEADLOCK, r"bar\.sync"),
    M("named_barrier_count", "named_barriers", swap(r"bar\.sync 1, 128", "bar.sync 1, 96"), ("BarrierMisuse", *DEADLOCK), r"bar\.(sync|arrive) 1"),
    M("named_barrier_id", "named_barriers", swap(r"bar\.arrive 2", "bar.arrive 3"), (*DEADLOCK, "BarrierMisuse"), r"bar\.(sync|arrive)"),
    # cp.async, ldmatrix, mma.sync.
    M("gemm_without_wait_group", "gemm_mma_64x64x256", drop(r"cp\.async\.wait_group"), RACE, r"ldmatrix"),
    M("gemm_waits_for_too_few", "gemm_mma_64x64x256", swap(r"cp\.async\.wait_group 1", "cp.async.wait_group 2"), RACE, r"ldmatrix"),
    M("gemm_without_commit", "gemm_mma_64x64x256", drop(r"cp\.async\.commit_group", 0), RACE, r"ldmatrix"),
    M("gemm_missing_bar", "gemm_mma_64x64x256", drop(r"bar\.sync"), RACE, r"ldmatrix|cp\.async"),
    M("gemm_copy_misaligned", "gemm_mma_64x64x256", swap(r"(cp\.async\.cg\.shared\.global \[%r\d+)\]", r"\1+8]", 3), "Misaligned", r"cp\.async\.cg.*\+8"),
    M("gemm_copy_past_the_matrix", "gemm_mma_64x64x256", swap(r"(cp\.async\.cg\.shared\.global \[%r\d+\], \[%rd\d+)\]", r"\1+65536]", 3), "OutOfBounds", r"cp\.async\.cg.*\+65536"),
    M("gemm_store_past_the_result", "gemm_mma_64x64x256", swap(r"(st\.global\.v2\.f32\s+\[%rd\d+)\]", r"\1+16384]"), "OutOfBounds", r"st\.global"),
    M("ldmatrix_in_half_a_warp", "gemm_mma_64x64x256", some_lanes(r"ldmatrix\.sync"), ("DivergentAligned", "Deadlock"), r"ldmatrix"),
    M("mma_in_half_a_warp", "attention_mma_full", some_lanes(r"mma\.sync", 5), ("DivergentAligned", "Deadlock"), r"mma\.sync"),
    M("attention_values_not_waited_for", "attention_mma_causal", swap(r"cp\.async\.wait_group 1", "cp.async.wait_group 2", 1), RACE, r"ldmatrix.*trans"),
    M("attention_key_stage_reused", "attention_mma_causal", [drop(r"bar\.sync", 0), drop(r"bar\.sync", 0)], RACE, r"ldmatrix|cp\.async"),
    M("async_arrive_dropped", "copy_async_mbarrier", drop(r"cp\.async\.mbarrier\.arrive"), DEADLOCK, r"test_wait"),
    M("async_arrive_counts_itself", "copy_async_mbarrier", swap(r"arrive\.noinc", "arrive"), (*DEADLOCK, "BarrierMisuse"), r"test_wait|cp\.async\.mbarrier"),
    M("async_barrier_count", "copy_async_mbarrier", swap(r"(mbarrier\.init\S* \[%r\d+\]), 64", r"\1, 32"), (*RACE, "BarrierMisuse"), r"ld\.shared|cp\.async\.mbarrier"),
    M("barrier_not_initialised", "copy_async_mbarrier", drop(r"mbarrier\.init"), ("BarrierMisuse", "Uninitialised"), r"mbarrier"),
    # TMA loads.
    M("load_not_waited_for", "tma_load_2d_128", pass_at_once(), RACE, r"ld\.shared"),
    M("load_expects_too_much", "tma_load_2d_128", swap(r"(arrive\.expect_tx\S* _, \[%r\d+\]), %r\d+", r"\1, 4096"), DEADLOCK, r"try_wait"),
    M("load_expects_too_little", "tma_load_2d_128", swap(r"(arrive\.expect_tx\S* _, \[%r\d+\]), %r\d+", r"\1, 1024"), (*RACE, *DEADLOCK, "BarrierMisuse"), r"ld\.shared|try_wait|" + BULK_IN),
    M("load_past_shared_memory", "tma_load_2d_128", swap("(" + BULK_IN + r"\S* \[%r\d+)\]", r"\1+1024]"), "OutOfBounds", BULK_IN),
    M("load_misaligned", "tma_load_2d_128", swap("(" + BULK_IN + r"\S* \[%r\d+)\]", r"\1+16]"), ("Misaligned", "BadDescriptor"), BULK_IN),
    M("load_parity", "tma_load_2d_128", swap(r"(try_wait\S* done, \[%r\d+\]), %r\d+", r"\1, 1"), RACE, r"ld\.shared"),
    M("load_barrier_not_synchronised", "tma_load_2d_128", drop(r"bar\.sync"), (*RACE, "BarrierMisuse"), r"mbarrier"),
    # TMA stores.
    M("store_without_fence", "tma_store_128", drop(r"fence\.proxy\.async", 0), "MissingProxyFence", r"st\.shared|" + BULK_OUT),
    M("store_missing_bar", "tma_store_128", drop(r"bar\.sync", 0), RACE, r"st\.shared|" + BULK_OUT),
    M("store_buffer_reused_early", "tma_store_128", drop(r"wait_group\.read", 0), RACE, r"st\.shared|" + BULK_OUT),
    M("store_not_committed", "tma_store_128", drop(r"commit_group", 0), (*RACE, "AsyncMisuse"), r"st\.shared|" + BULK_OUT),
    M("store_buffer_not_handed_back", "tma_store_128", drop(r"bar\.sync", 1), RACE, r"st\.shared|" + BULK_OUT),
    M("reduce_left_unfinished", "tma_reduce", drop(r"cp\.async\.bulk\.wait_group"), (*RACE, "AsyncMisuse"), r"ret|cp\.reduce"),
    M("bulk_without_fence", "bulk_copy", drop(r"fence\.proxy\.async"), "MissingProxyFence", r"st\.shared|cp\.async\.bulk\.global|cp\.reduce"),
    M("bulk_size_not_a_multiple", "bulk_copy", swap(r"(cp\.async\.bulk\.global.*), 1024", r"\1, 1000"), ("Misaligned", "AsyncMisuse"), r"cp\.async\.bulk\.global"),
    M("bulk_loads_half", "bulk_copy", swap(r"(cp\.async\.bulk\.shared.*), 1024", r"\1, 512"), DEADLOCK, r"try_wait"),
    M("bulk_stores_too_much", "bulk_copy", swap(r"(cp\.async\.bulk\.global.*), 1024", r"\1, 2048"), ("OutOfBounds", *RACE), r"cp\.async\.bulk\.global"),
    M("bulk_not_waited_for", "bulk_copy", pass_at_once(), RACE, r"ld\.shared"),
    # The ring.
    M("ring_without_arrive", "ring_sum", drop(r"mbarrier\.arrive\.shared"), DEADLOCK, r"try_wait"),
    M("ring_without_expect_tx", "ring_sum", swap(r"mbarrier\.arrive\.expect_tx(\S* _, \[%r\d+\]), %r\d+", r"mbarrier.arrive\1"), (*RACE, "BarrierMisuse"), r"ld\.shared|try_wait|" + BULK_IN),
    M("ring_expects_too_much", "ring_sum", swap(r"2048;", "4096;"), (*DEADLOCK, "BarrierMisuse"), r"try_wait|expect_tx"),
    M("ring_consumer_parity", "ring_sum", swap(r"(try_wait\S* done, \[%r\d+\]), %r\d+", r"\1, 1", 1), (*RACE, *DEADLOCK), r"ld\.shared|try_wait"),
    M("ring_producer_parity", "ring_sum", swap(r"(try_wait\S* done, \[%r\d+\]), %r\d+", r"\1, 1", 0), (*RACE, *DEADLOCK, "BarrierMisuse"), r"ld\.shared|try_wait|expect_tx|" + BULK_IN),
    M("ring_consumer_does_not_wait", "ring_sum", pass_at_once(1), RACE, r"ld\.shared"),
    M("ring_stage_reused_early", "ring_sum", pass_at_once(0), (*RACE, "BarrierMisuse"), r"ld\.shared|expect_tx|" + BULK_IN),
    M("ring_missing_bar_after_init", "ring_sum", drop(r"bar\.sync\s+0"), (*RACE, "BarrierMisuse"), r"mbarrier|" + BULK_IN),
    M("ring_arrives_before_reading", "ring_sum", drop(r"bar\.warp\.sync"), RACE, r"ld\.shared|" + BULK_IN),
    M("ring_named_barrier_count", "ring_sum", swap(r"bar\.sync 1, 128", "bar.sync 1, 160"), (*DEADLOCK, "BarrierMisuse"), r"bar\.sync"),
    M("ring_missing_named_barrier", "ring_sum", drop(r"bar\.sync 1"), RACE, r"ld\.shared|st\.shared"),
    M("setmaxnreg_in_half_a_warp", "ring_sum", some_lanes(r"setmaxnreg\.inc"), ("DivergentAligned", "Deadlock"), r"setmaxnreg"),
    M("setmaxnreg_not_a_multiple", "ring_sum", swap(r"(setmaxnreg\.inc\S*) 160", r"\1 161"), "Refused", r"setmaxnreg"),
    M("registers_not_given_back", "triton_gemm_tma_ws", drop(r"setmaxnreg\.dec\S*\s+40"), DEADLOCK, r"setmaxnreg\.inc"),
    M("registers_taken_by_dec", "triton_gemm_tma_ws", swap(r"setmaxnreg\.inc(\S*\s+256)", r"setmaxnreg.dec\1"), "RegisterMisuse", r"setmaxnreg\.dec"),
    # Clusters.
    M("cluster_reads_too_early", "cluster_reduce", [drop(r"barrier\.cluster\.arrive", 0), drop(r"barrier\.cluster\.wait", 0)], RACE, r"ld\.u32|st\.shared|atom\.shared"),
    M("cluster_leaves_too_early", "cluster_reduce", [drop(r"barrier\.cluster\.arrive", 1), drop(r"barrier\.cluster\.wait", 1)], (*RACE, "OutOfBounds", "Fault", "AsyncMisuse"), r"ld\.u32|ret"),
    M("cluster_rank_too_high", "cluster_reduce", swap(r"(mapa\.u64\s+%rd\d+, %rd\d+), %r\d+", r"\1, 9"), ("OutOfBounds", "Fault"), r"mapa|ld\.u32"),
    M("cluster_arrive_without_wait", "cluster_histogram", drop(r"barrier\.cluster\.wait", 0), (*RACE, "BarrierMisuse"), r"red|st\.shared|barrier\.cluster"),
    M("multicast_to_one", "multicast_sum", swap(r"(mov\.u16\s+%rs\d+), 3;", r"\1, 1;"), DEADLOCK, r"try_wait"),
    M("multicast_without_remote_arrive", "multicast_sum", drop(r"mbarrier\.arrive\.release\.cluster"), DEADLOCK, r"try_wait"),
    M("multicast_frees_only_its_own", "multicast_sum", swap(r"mapa\.shared::cluster\.u32 remote, (%r\d+), %r\d+;", r"mov.u32 remote, \1;"), (*RACE, *DEADLOCK, "BarrierMisuse"), r"ld\.shared|try_wait|mbarrier|" + BULK_IN),
    M("multicast_not_waited_for", "multicast_sum", pass_at_once(1), RACE, r"ld\.shared"),
    M("multicast_barrier_init_not_ordered", "multicast_sum", [drop(r"barrier\.cluster\.arrive", 0), drop(r"barrier\.cluster\.wait", 0)], (*RACE, "BarrierMisuse"), r"mbarrier|" + BULK_IN),
    # mbarriers that the async proxy or other blocks use before their initialisation is visible.
    M("ring_init_not_fenced", "ring_sum", drop(r"fence\.mbarrier_init"), "MissingProxyFence", r"mbarrier\.init|" + BULK_IN, strict=True),
    M("wgmma_init_not_fenced", "wgmma_ss_128", drop(r"fence\.mbarrier_init"), "MissingProxyFence", r"mbarrier\.init|" + BULK_IN, strict=True),
    M("cutlass_init_not_fenced", "cutlass_gemm", drop(r"fence\.mbarrier_init"), "MissingProxyFence", r"mbarrier\.init|" + BULK_IN, strict=True),
    M("bulk_init_not_fenced", "bulk_copy", drop(r"fence\.mbarrier_init"), "MissingProxyFence", r"mbarrier\.init|cp\.async\.bulk\.shared", strict=True),
    M("llvm_init_not_fenced", "llvm_bulk_90", drop(r"fence\.mbarrier_init"), "MissingProxyFence", r"mbarrier\.init|cp\.async\.bulk\.shared", strict=True),
    M("multicast_init_not_fenced", "multicast_sum", drop(r"fence\.mbarrier_init"), "MissingProxyFence", r"mbarrier\.init|" + BULK_IN),
    M("pingpong_init_not_fenced", "cutlass_gemm_pingpong", drop(r"fence\.mbarrier_init"), ("Race", "MissingProxyFence"), r"mbarrier\.init"),
    # wgmma.
    M("wgmma_without_fence", "wgmma_rs_128", drop(r"wgmma\.fence"), ("AsyncMisuse", *RACE), r"wgmma\.mma_async"),
    M("wgmma_without_wait", "wgmma_ss_128", drop(r"wgmma\.wait_group"), (*RACE, "AsyncMisuse"), r"wgmma|st\.global|" + BULK_IN),
    M("wgmma_without_commit", "wgmma_ss_128", drop(r"wgmma\.commit_group"), (*RACE, "AsyncMisuse"), r"wgmma|st\.global|" + BULK_IN),
    M("wgmma_registers_overwritten", "wgmma_rs_128", drop(r"wgmma\.wait_group"), (*RACE, "AsyncMisuse"), r"ld\.global|wgmma|st\.global|" + BULK_IN),
    M("wgmma_in_half_a_warp", "wgmma_ss_128", some_lanes(r"wgmma\.commit_group"), ("DivergentAligned", "Deadlock"), r"wgmma\.commit"),
    M("wgmma_wrong_swizzle", "wgmma_ss_128", swap("4611686293305360384", str(2 << 62 | 1024 >> 4 << 32 | 1 << 16)), "BadDescriptor", r"wgmma\.mma_async"),
    M("wgmma_no_swizzle", "wgmma_ss_64", swap(r"-?\d{19};", str(512 >> 4 << 32 | 1 << 16) + ";"), "BadDescriptor", r"wgmma\.mma_async"),
    M("wgmma_wrong_stride", "wgmma_ss_128", swap("4611686293305360384", str(1 << 62 | 4096 >> 4 << 32 | 1 << 16)), ("BadDescriptor", "OutOfBounds", *RACE), r"wgmma\.mma_async"),
    M("wgmma_before_the_data", "wgmma_ss_64_t", pass_at_once(1), RACE, r"wgmma\.mma_async"),
    M("wgmma_stage_freed_early", "wgmma_ss_128", pass_at_once(0), (*RACE, "BarrierMisuse"), r"wgmma\.mma_async|expect_tx|" + BULK_IN),
    M("wgmma_expects_half", "wgmma_ss_128", swap(r"16384;", "8192;"), (*RACE, "BarrierMisuse"), r"wgmma\.mma_async|try_wait|expect_tx|" + BULK_IN),
    M("wgmma_consumer_does_not_arrive", "wgmma_ss_128", drop(r"mbarrier\.arrive\.shared"), DEADLOCK, r"try_wait"),
    # Kernels of Triton and CUTLASS.
    M("triton_missing_bar", "triton_layer_norm_80", drop(r"bar\.sync", 0), RACE, r"ld\.shared|st\.shared"),
    M("triton_attention_missing_bar", "triton_attention_80", drop(r"bar\.sync"), RACE, r"ldmatrix|st\.shared|ld\.shared|cp\.async"),
    M("triton_gemm_store_without_fence", "triton_gemm_tma", drop(r"fence\.proxy\.async"), "MissingProxyFence", r"st\.shared|" + BULK_OUT),
    M("triton_gemm_without_wgmma_wait", "triton_gemm_tma", drop(r"wgmma\.wait_group"), "InFlight", r"wgmma\.mma_async"),
    M("triton_attention_without_arrive", "triton_attention_tma_ws", drop(r"mbarrier\.arrive\.shared"), DEADLOCK, r"try_wait|barrier\.sync"),
    M("triton_attention_expects_half", "triton_attention_tma_ws", swap(r"(expect_tx.*), 8192", r"\1, 4096"), (*RACE, *DEADLOCK, "BarrierMisuse"), r"wgmma|try_wait|expect_tx|cp\.async"),
    M("cutlass_store_without_fence", "cutlass_gemm", drop(r"fence\.proxy\.async"), "MissingProxyFence", r"st\.shared|cp\.async\.bulk"),
    M("cutlass_missing_epilogue_bar", "cutlass_gemm", drop(r"bar\.sync %r", 0), RACE, r"st\.shared|ld\.shared|cp\.async\.bulk"),
    M("cutlass_consumer_does_not_release", "cutlass_gemm", drop(r"mbarrier\.arrive\.shared::cluster", 0), DEADLOCK, r"try_wait|bar"),
    M("pingpong_store_without_fence", "cutlass_gemm_pingpong", drop(r"fence\.proxy\.async"), "MissingProxyFence", r"st\.shared|" + BULK_OUT),
    M("pingpong_without_wgmma_wait", "cutlass_gemm_pingpong", drop(r"wgmma\.wait_group\S* 0"), (*RACE, "AsyncMisuse"), r"wgmma\.mma_async"),
    M("pingpong_consumer_does_not_release", "cutlass_gemm_pingpong", drop(r"mbarrier\.arrive\.shared::cluster"), DEADLOCK, r"try_wait"),
    M("pingpong_turn_not_handed_over", "cutlass_gemm_pingpong", drop(r"mbarrier\.arrive\.shared::cta", 0), DEADLOCK, r"try_wait"),
    M("pingpong_cluster_not_waited_for", "cutlass_gemm_pingpong", drop(r"barrier\.cluster\.wait"), ("BarrierMisuse", *RACE, *DEADLOCK), r"barrier\.cluster|mbarrier"),
    M("cutlass_missing_bar_after_init", "cutlass_gemm", drop(r"bar\.sync\s+0"), (*RACE, "BarrierMisuse"), r"mbarrier|cp\.async\.bulk"),
]


def body_range(text, kernel):
    start = re.search(r"\.entry\s+" + re.escape(kernel) + r"\b", text).start()
    end = text.find(".entry", start + 6)
    return start, len(text) if end < 0 else end


def apply(mutation, text, kernel):
    """The broken text; an edit that finds nothing is an error, so that the list follows the corpus."""
    start, end = body_range(text, kernel)
    body = text[start:end]
    for pattern, replacement, which in mutation.edits:
        found = list(re.finditer(pattern, body))
        if not found or (which is not None and which >= len(found)):
            raise ValueError(f"{mutation.name}: '{pattern}' occurs {len(found)} times")
        for match in reversed(found if which is None else [found[which]]):
            edited = match.expand(replacement)
            # Lines keep their numbers.
            edited += "\n" * (match.group().count("\n") - edited.count("\n"))
            body = body[:match.start()] + edited + body[match.end():]
    return text[:start] + body + text[end:]


def matching_lines(mutation, text, kernel):
    start, end = body_range(text, kernel)
    first = text.count("\n", 0, start) + 1
    return {first + i for i, line in enumerate(text[start:end].split("\n")) if re.search(mutation.at, line)}

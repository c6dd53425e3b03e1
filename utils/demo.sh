#!/usr/bin/env bash
# The main job on real input: an attention that PyTorch exported becomes a
# kernel, is checked against PyTorch's own output and against the f64 reference,
# and is measured beside this machine's peak. The first run installs what is
# missing and builds; a later one takes seconds.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

prepare attn-run || exit 1
cd "$ATTN_ROOT" || exit 2
attn_run="$ATTN_BUILD/bin/attn-run"

echo "== examples/torch_sdpa_causal.mlir: causal attention exported by PyTorch"
"$attn_run" examples/torch_sdpa_causal.mlir \
  --inputs=examples/torch_sdpa_causal.npz --expect=examples/torch_sdpa_causal.npz \
  --check --bench --remarks || exit 1

echo
echo "== examples/causal_2048.mlir: the same computation, 4 heads of 2048 x 64"
"$attn_run" examples/causal_2048.mlir --bench || exit 1

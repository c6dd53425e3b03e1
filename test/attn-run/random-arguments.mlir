// Random arguments depend on the seed only, and the integers that policies
// take are legal ones: lengths in [0, N], positions in [0, N), segment ids that
// never decrease along a row.

// RUN: rm -rf %t && split-file %s %t
// RUN: attn-run %t/policies.mlir --seed=1 --output=%t/1.npz --check
// RUN: attn-run %t/policies.mlir --seed=1 --output=%t/again.npz
// RUN: attn-run %t/policies.mlir --seed=2 --output=%t/2.npz
// RUN: cmp %t/1.npz %t/again.npz
// RUN: not cmp %t/1.npz %t/2.npz
// RUN: %python %S/Inputs/npz.py print %t/1.npz > %t/1.txt
// RUN: %python %t/check.py %t/1.txt

//--- policies.mlir
func.func @f(%q: tensor<64x1x3x8xf32>, %k: tensor<64x1x5x8xf32>, %v: tensor<64x1x5x8xf32>,
             %lengths: tensor<64xi32>, %position: tensor<64x3xi64>,
             %rows: tensor<64x3xi32>, %keys: tensor<64x5xi32>, %mask: tensor<64x1x3x5xi1>)
    -> (tensor<64x1x3x8xf32>, tensor<64xi32>, tensor<64x3xi64>, tensor<64x3xi32>,
        tensor<64x5xi32>, tensor<64x1x3x5xi1>) {
  %init = tensor.empty() : tensor<64x1x3x8xf32>
  %o = attn.attention scale(#attn.log_length<base = 512.0, n = position_operand>) softmax(#attn.softmax)
      masks [#attn.kv_lengths, #attn.segment_ids, #attn.dense_mask]
      ins(%q, %k, %v : tensor<64x1x3x8xf32>, tensor<64x1x5x8xf32>, tensor<64x1x5x8xf32>)
      params(%position, %lengths, %rows, %keys, %mask
          : tensor<64x3xi64>, tensor<64xi32>, tensor<64x3xi32>, tensor<64x5xi32>, tensor<64x1x3x5xi1>)
      outs(%init : tensor<64x1x3x8xf32>) -> tensor<64x1x3x8xf32>
  return %o, %lengths, %position, %rows, %keys, %mask
      : tensor<64x1x3x8xf32>, tensor<64xi32>, tensor<64x3xi64>, tensor<64x3xi32>,
        tensor<64x5xi32>, tensor<64x1x3x5xi1>
}

//--- check.py
import sys

arrays = {}
for line in open(sys.argv[1]):
    name, rest = line.split(" ", 1)
    shape, numbers = rest[rest.index("("):].split(")")
    arrays[name] = [float(n) for n in numbers.split()]
assert set(arrays["out1.npy"]) == {0, 1, 2, 3, 4, 5}, "lengths"
assert set(arrays["out2.npy"]) == {0, 1, 2, 3, 4}, "positions"
for name, width in (("out3.npy", 3), ("out4.npy", 5)):
    ids = arrays[name]
    rows = [ids[i:i + width] for i in range(0, len(ids), width)]
    assert all(row == sorted(row) and row[0] == 0 for row in rows), "segment ids"
    assert any(row[-1] > 0 for row in rows), "more than one segment"
assert set(arrays["out5.npy"]) == {0, 1}, "mask"
normal = arrays["out0.npy"]
assert all(abs(x) < 10 for x in normal)

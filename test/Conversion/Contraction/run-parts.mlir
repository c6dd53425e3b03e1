// Products of f32 and f16 in parts of bf16 on the tile unit, in software where the machine has none, against the f64 oracle:
// rows, columns and terms that end within a tile, both layouts of a weight, several steps over the terms, an epilogue with a
// bias and a residual, a weight that is a constant and is cut at compile time, with numbers that bf16 rounds to 0, a batch,
// products of structured ops, dynamic sizes and none at all, by a schedule that was written for it. With three parts the error is that of f32. The
// result has the same bits for any number of threads.

// REQUIRES: avx512bf16
// DEFINE: %{options} = --target=cpu:x86-64-v4-amx --emulator=amx --check --remarks
// RUN: attn-run %s %{options} --entry=two | FileCheck %s --check-prefixes=CHECK,FOUR -DPARTS=2
// RUN: attn-run %s %{options} --entry=three | FileCheck %s --check-prefixes=CHECK,TWO -DPARTS=3
// RUN: attn-run %s %{options} --entry=any --shape=0:37x131 --shape=1:131x75 --shape=2:37x75 | FileCheck %s --check-prefixes=CHECK,ONE -DPARTS=3
// RUN: attn-run %s %{options} --entry=any --shape=0:3x0 --shape=1:0x5 --shape=2:3x5 | FileCheck %s --check-prefixes=CHECK,ONE -DPARTS=3
// RUN: attn-run %s %{options} --entry=by_hand --shape=0:33x97 --shape=1:97x40 --shape=2:33x40 | FileCheck %s --check-prefixes=UNIT,ONE
// RUN: attn-run %s %{options} --entry=by_hand --shape=0:64x64 --shape=1:64x128 --shape=2:64x128 | FileCheck %s --check-prefixes=UNIT,ONE
// RUN: attn-run %s %{options} --entry=structured | FileCheck %s --check-prefixes=CHECK,TWO -DPARTS=2
// RUN: attn-run %s %{options} --entry=nothing | FileCheck %s --check-prefix=TWO
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=two --threads=1 --output=%t.1.npz
// RUN: attn-run %s --target=cpu:x86-64-v4-amx --emulator=amx --entry=two --threads=5 --output=%t.5.npz
// RUN: cmp %t.1.npz %t.5.npz
// CHECK: {{emulated tiles: [1-9][0-9]* configurations|tiles of this machine}}
// UNIT: {{emulated tiles: [1-9][0-9]* configurations|tiles of this machine}}
// CHECK-NOT: FAULTS
// CHECK-NOT: MISMATCH
// ONE-COUNT-1: match
// TWO-COUNT-2: match
// FOUR-COUNT-4: match
// CHECK: instruction = bf16_tiles, parts = [[PARTS]]>

func.func @two(%x: tensor<69x130xf32>, %y: tensor<40x2100xf32>, %h: tensor<33x64xf16>, %u: tensor<130x75xf32>, %v: tensor<33x2100xf32>,
               %w: tensor<50x64xf16>, %b: tensor<33xf32>, %r: tensor<40x33xf32>, %s: tensor<69x24xf32>)
    -> (tensor<69x75xf32>, tensor<40x33xf32>, tensor<33x50xf16>, tensor<69x6xf32>) {
  %0 = tensor.empty() : tensor<69x75xf32>
  %1 = attn.linear ins(%x, %u : tensor<69x130xf32>, tensor<130x75xf32>) outs(%0 : tensor<69x75xf32>) {attn.products = #attn.products<bf16x3>} -> tensor<69x75xf32>
  %2 = tensor.empty() : tensor<40x33xf32>
  %3 = attn.linear weight(out_in) ins(%y, %v, %b : tensor<40x2100xf32>, tensor<33x2100xf32>, tensor<33xf32>)
      extras(%r : tensor<40x33xf32>) outs(%2 : tensor<40x33xf32>) epilogue {
  ^bb0(%value: f32, %residual: f32):
    %g = attn.activation gelu %value : f32
    %sum = arith.addf %g, %residual : f32
    attn.yield %sum : f32
  } {attn.products = #attn.products<bf16x3>} -> tensor<40x33xf32>
  %4 = tensor.empty() : tensor<33x50xf16>
  %5 = attn.linear weight(out_in) ins(%h, %w : tensor<33x64xf16>, tensor<50x64xf16>) outs(%4 : tensor<33x50xf16>) {attn.products = #attn.products<bf16x3>} -> tensor<33x50xf16>
  %6 = tensor.empty() : tensor<69x6xf32>
  // Some of its numbers are denormal, and one has parts that are.
  %constant = arith.constant dense<"0x614B4DBC988429BE82527EC29944D740F9699139C0ADE03B4B7A0DB95EE7C8C2CEADBF3D9240513C59A80B41B7DD9DC3DE5075BA6DCDCC3F6AC04F3C98B65DC2E968ABC297E494BF0619A1C1E6DB79BC98E30A0036AA8D3E383301C0F8E496B90DBC513B6671D439974E52C5227283BE4212FBBE9A4FB1BDAC0BA5B901000080142E1BC128D29BB8752286C076D94ABFAAB00BBE7B772DBF3B2EE6422EFF8DC043CC153F4A72B741000000007A548B3E0D050DC30267873D76B7323EDE847EBF50066FBFE9F682BFAB45F643A63917BC50F03C3D24AB0CC0F69EA9BC402957C1077039436A76113B81A19B3AEEE36C007251583FFE36D741E54A1BC2136B8FC28BD9AC39B4084BBCAA54C143D3DCADBB9DF59B3D52D5BABB0000C000D632F838CCFD5243DB6E5DB90A52E53AA23426BC28BE99BCB128A4C37F8BF73CA9A138BAD795F8BD266991C1809ED73D050507BC75D3A2BAA62E9D39B82D19BF9D16A5BAE98FDDBCFF02E4C0A191DDBBEE5CAB3F2D5384B9FA3021C07C1AEBBB35AE51BD085BB4B9FFB9873B78B1EDBD1A1075BE26A838B9FA0E05C47812243D98BDC2BA75B4CD391A5A7342F94EF53D50BDC9BC4CE4DD3E3314B23A7600F1BA5C34E83C80A21042F67E1DBAA42DA2BF8C517EC46918C53CFCCE883D3B6D26BF4276D73A2B15F041B5779BB9F7D9033F4DE51CB9B49587B9F64E03BC8A6EFABE5823DE3D451608BE9FC85E3EABE2B839E0D617442B61DE3E0C3C6C43E1DBF94125CF693C31889F3C1594043FE1BE3543B04B6BC4A4E72CBE86104B3A3D7BA144B730C643"> : tensor<24x6xf32>
  %7 = attn.linear ins(%s, %constant : tensor<69x24xf32>, tensor<24x6xf32>) outs(%6 : tensor<69x6xf32>) {attn.products = #attn.products<bf16x3>} -> tensor<69x6xf32>
  return %1, %3, %5, %7 : tensor<69x75xf32>, tensor<40x33xf32>, tensor<33x50xf16>, tensor<69x6xf32>
}

func.func @three(%a: tensor<3x67x70xf32>, %b: tensor<3x70x50xf32>, %s: tensor<70x24xf32>) -> (tensor<3x67x50xf32>, tensor<70x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<3x67x50xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<3x67x50xf32>) -> tensor<3x67x50xf32>
  %2 = linalg.batch_matmul {attn.products = #attn.products<bf16x6>} ins(%a, %b : tensor<3x67x70xf32>, tensor<3x70x50xf32>) outs(%1 : tensor<3x67x50xf32>) -> tensor<3x67x50xf32>
  %constant = arith.constant dense<"0x614B4DBC988429BE82527EC29944D740F9699139C0ADE03B4B7A0DB95EE7C8C2CEADBF3D9240513C59A80B41B7DD9DC3DE5075BA6DCDCC3F6AC04F3C98B65DC2E968ABC297E494BF0619A1C1E6DB79BC98E30A0036AA8D3E383301C0F8E496B90DBC513B6671D439974E52C5227283BE4212FBBE9A4FB1BDAC0BA5B901000080142E1BC128D29BB8752286C076D94ABFAAB00BBE7B772DBF3B2EE6422EFF8DC043CC153F4A72B741000000007A548B3E0D050DC30267873D76B7323EDE847EBF50066FBFE9F682BFAB45F643A63917BC50F03C3D24AB0CC0F69EA9BC402957C1077039436A76113B81A19B3AEEE36C007251583FFE36D741E54A1BC2136B8FC28BD9AC39B4084BBCAA54C143D3DCADBB9DF59B3D52D5BABB0000C000D632F838CCFD5243DB6E5DB90A52E53AA23426BC28BE99BCB128A4C37F8BF73CA9A138BAD795F8BD266991C1809ED73D050507BC75D3A2BAA62E9D39B82D19BF9D16A5BAE98FDDBCFF02E4C0A191DDBBEE5CAB3F2D5384B9FA3021C07C1AEBBB35AE51BD085BB4B9FFB9873B78B1EDBD1A1075BE26A838B9FA0E05C47812243D98BDC2BA75B4CD391A5A7342F94EF53D50BDC9BC4CE4DD3E3314B23A7600F1BA5C34E83C80A21042F67E1DBAA42DA2BF8C517EC46918C53CFCCE883D3B6D26BF4276D73A2B15F041B5779BB9F7D9033F4DE51CB9B49587B9F64E03BC8A6EFABE5823DE3D451608BE9FC85E3EABE2B839E0D617442B61DE3E0C3C6C43E1DBF94125CF693C31889F3C1594043FE1BE3543B04B6BC4A4E72CBE86104B3A3D7BA144B730C643"> : tensor<6x24xf32>
  %3 = tensor.empty() : tensor<70x6xf32>
  %4 = attn.linear weight(out_in) ins(%s, %constant : tensor<70x24xf32>, tensor<6x24xf32>) outs(%3 : tensor<70x6xf32>) {attn.products = #attn.products<bf16x6>} -> tensor<70x6xf32>
  return %2, %4 : tensor<3x67x50xf32>, tensor<70x6xf32>
}

func.func @any(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = attn.linear ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) {attn.products = #attn.products<bf16x6>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @by_hand(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = attn.linear schedule(#attn.contraction_schedule<rows = 32, depth = 64, panels = 2, lanes = 16, mr = 16, nr = 3, instruction = bf16_tiles, parts = 3>)
      ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) {attn.products = #attn.products<bf16x6>} -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @structured(%h: tensor<64x64xf16>, %x: tensor<64x96xf32>, %y: tensor<96x40xf32>, %o: tensor<64x64xf32>, %p: tensor<64x40xf32>) -> (tensor<64x64xf32>, tensor<64x40xf32>) {
  %0 = linalg.matmul {attn.products = #attn.products<bf16x3>} ins(%h, %h : tensor<64x64xf16>, tensor<64x64xf16>) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul {attn.products = #attn.products<bf16x3>} ins(%x, %y : tensor<64x96xf32>, tensor<96x40xf32>) outs(%p : tensor<64x40xf32>) -> tensor<64x40xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x40xf32>
}

// Sums of no terms are biases.
func.func @nothing(%x: tensor<31x0xf32>, %w: tensor<40x0xf32>, %u: tensor<0x40xf32>, %b: tensor<40xf32>) -> (tensor<31x40xf32>, tensor<31x40xf32>) {
  %0 = tensor.empty() : tensor<31x40xf32>
  %1 = attn.linear weight(out_in) schedule(#attn.contraction_schedule<rows = 64, depth = 128, panels = 3, lanes = 16, mr = 32, nr = 1, instruction = bf16_tiles, parts = 3>)
      ins(%x, %w, %b : tensor<31x0xf32>, tensor<40x0xf32>, tensor<40xf32>) outs(%0 : tensor<31x40xf32>) {attn.products = #attn.products<bf16x6>} -> tensor<31x40xf32>
  %2 = attn.linear schedule(#attn.contraction_schedule<rows = 64, depth = 128, panels = 3, lanes = 16, mr = 32, nr = 1, instruction = bf16_tiles, parts = 3>)
      ins(%x, %u, %b : tensor<31x0xf32>, tensor<0x40xf32>, tensor<40xf32>) outs(%0 : tensor<31x40xf32>) {attn.products = #attn.products<bf16x6>} -> tensor<31x40xf32>
  return %1, %2 : tensor<31x40xf32>, tensor<31x40xf32>
}

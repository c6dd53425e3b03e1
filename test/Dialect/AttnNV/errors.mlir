// RUN: attn-opt %s -split-input-file -verify-diagnostics

func.func @one_row(%a: i64, %b: i64) {
  // expected-error @+1 {{has two rows of sums, of one type}}
  %s = attn_nv.wgmma bf16(%a), %b : (i64) vector<16xf32>
  return
}

// -----

func.func @columns(%a: i64, %b: i64) {
  // expected-error @+1 {{multiplies a multiple of 8 columns, at most 256; these sums are of 12}}
  %s:2 = attn_nv.wgmma bf16(%a), %b : (i64) vector<3xf32>, vector<3xf32>
  return
}

// -----

func.func @many_columns(%a: i64, %b: i64) {
  // expected-error @+1 {{at most 256; these sums are of 264}}
  %s:2 = attn_nv.wgmma bf16(%a), %b : (i64) vector<66xf32>, vector<66xf32>
  return
}

// -----

func.func @accumulators(%a: i64, %b: i64, %c: vector<8xf32>) {
  // expected-error @+1 {{accumulators have other types than the sums}}
  %s:2 = attn_nv.wgmma f16(%a), %b plus %c, %c : (i64) plus vector<8xf32>, vector<8xf32> -> vector<4xf32>, vector<4xf32>
  return
}

// -----

func.func @lhs(%a: i32, %b: i64) {
  // expected-error @+1 {{has a lhs of one descriptor or four registers, got 2 values}}
  %s:2 = attn_nv.wgmma f16(%a, %a), %b : (i32, i32) vector<4xf32>, vector<4xf32>
  return
}

// -----

func.func @descriptor(%a: i32, %b: i64) {
  // expected-error @+1 {{a lhs is one i64 or four i32, got 'i32'}}
  %s:2 = attn_nv.wgmma f16(%a), %b : (i32) vector<4xf32>, vector<4xf32>
  return
}

// -----

func.func @transposed(%a: i32, %b: i64) {
  // expected-error @+1 {{a lhs in registers cannot be transposed}}
  %s:2 = attn_nv.wgmma f16(%a, %a, %a, %a), %b lhs_transposed : (i32, i32, i32, i32) vector<4xf32>, vector<4xf32>
  return
}

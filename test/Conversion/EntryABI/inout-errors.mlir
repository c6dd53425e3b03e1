// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-results-to-destinations

// expected-error@+1 {{argument #0: attn.inout must be the number of a result, found 2 : index}}
func.func @no_such_result(%a: tensor<4xf32> {attn.inout = 2 : index}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// expected-error@+1 {{argument #0: attn.inout must be the number of a result, found unit}}
func.func @no_number(%a: tensor<4xf32> {attn.inout}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// expected-error@+1 {{argument #0 of type 'tensor<?xf32>' cannot be updated to result #0 of type 'tensor<4xf32>'}}
func.func @other_type(%a: tensor<?xf32> {attn.inout = 0 : index}) -> tensor<4xf32> {
  %0 = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A number has no memory that the caller could read again.
// expected-error@+1 {{argument #0 of type 'f32' cannot be updated to result #0 of type 'f32'}}
func.func @number(%a: f32 {attn.inout = 0 : index}) -> f32 {
  return %a : f32
}

// -----

// expected-error@+1 {{result #0 is the new value of two arguments, #0 and #1}}
func.func @twice(%a: tensor<4xf32> {attn.inout = 0 : index}, %b: tensor<4xf32> {attn.inout = 0 : index}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

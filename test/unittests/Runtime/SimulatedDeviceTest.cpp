//===- SimulatedDeviceTest.cpp - Host code against the simulated GPU ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Runtime/SimulatedDevice.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace attn;

namespace {

/// What an object for a GPU holds.
struct Object {
  std::string text;
  attn_gpu_image image;
  attn_gpu_module module;

  explicit Object(const std::string &kernels)
      : text(".version 8.6\n.target sm_90a\n.address_size 64\n" + kernels),
        image{0, 0, text.size(), text.data()},
        module{ATTN_GPU_ABI_VERSION, 1, &image} {}
};

constexpr attn_gpu_parameter kPointer = {8, ATTN_GPU_POINTER};
constexpr attn_gpu_parameter kNumber = {4, ATTN_GPU_NUMBER};
constexpr attn_gpu_parameter kMap = {128, ATTN_GPU_TENSOR_MAP};

struct Kernel {
  std::vector<attn_gpu_parameter> parameters;
  attn_gpu_kernel kernel;

  Kernel(const Object &object, const char *name, uint32_t threads,
         std::vector<attn_gpu_parameter> list)
      : parameters(std::move(list)), kernel{&object.module,
                                            name,
                                            {threads, 1, 1},
                                            {1, 1, 1},
                                            uint32_t(parameters.size()),
                                            0,
                                            parameters.data()} {}

  template <typename... T>
  int launch(SimulatedDevice &device, uint32_t blocks, T... values) const {
    void *pointers[] = {&values...};
    uint32_t grid[3] = {blocks, 1, 1};
    attn_gpu_context *context = device.getContext();
    return context->launch(context, &kernel, grid, 0, pointers);
  }
};

/// c[i] = a[i] + b[i] for i < n.
const char *addText = R"(
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
.reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<5>; .reg .f32 %f<3>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];
ld.param.u32 %r4, [n];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
mad.lo.u32 %r0, %r1, %r2, %r0;
setp.ge.u32 %p, %r0, %r4; @%p bra DONE;
mul.wide.u32 %rd0, %r0, 4;
add.u64 %rd1, %rd1, %rd0; add.u64 %rd2, %rd2, %rd0; add.u64 %rd3, %rd3, %rd0;
ld.global.f32 %f0, [%rd1];
ld.global.f32 %f1, [%rd2];
add.f32 %f2, %f0, %f1;
st.global.f32 [%rd3], %f2;
DONE: ret;
})";

class SimulatedDeviceTest : public ::testing::Test {
protected:
  Object object{addText};
  Kernel add{object, "add", 32, {kPointer, kPointer, kPointer, kNumber}};
  SimulatedDevice device{SimulatedDevice::Options()};
  attn_context &base = device.getContext()->base;

  float *addInput(const char *name, std::vector<float> values) {
    return static_cast<float *>(
        device.addTensor(name, values.data(), values.size() * 4, true));
  }
  float *addOutput(const char *name, size_t count) {
    return static_cast<float *>(
        device.addTensor(name, nullptr, count * 4, false));
  }
  std::vector<float> fetch(const void *pointer, size_t count) {
    std::vector<float> values(count);
    device.fetch(pointer, values.data());
    return values;
  }
  std::string findings() { return llvm::join(device.describeFindings(), "\n"); }
  /// True if the findings are one, and it holds both texts.
  void expectFinding(const char *first, const char *second = "") {
    std::string text = findings();
    EXPECT_NE(text.find(first), std::string::npos) << text;
    EXPECT_NE(text.find(second), std::string::npos) << text;
  }
};

std::vector<float> ramp(size_t count, float first = 0) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST_F(SimulatedDeviceTest, AddsVectors) {
  float *a = addInput("a", ramp(50)), *b = addInput("b", ramp(50, 100));
  float *c = addOutput("c", 50);
  EXPECT_EQ(add.launch(device, 2, a, b, c, 50), ATTN_OK);
  EXPECT_EQ(findings(), "");
  std::vector<float> sums = fetch(c, 50);
  EXPECT_EQ(sums[0], 100);
  EXPECT_EQ(sums[49], 198);
  EXPECT_EQ(findings(), "");
  ASSERT_EQ(device.getLaunches().size(), 1u);
  EXPECT_EQ(device.getLaunches()[0].kernel, "add");
  EXPECT_EQ(device.getLaunches()[0].grid.x, 2u);
  EXPECT_GT(device.getLaunches()[0].report.warpInstructions, 20u);
  // The process has no such memory.
  EXPECT_DEATH(std::fprintf(stderr, "%f", *c), "");
}

// Host code counts with addresses: parts of tensors, and of scratch.
TEST_F(SimulatedDeviceTest, PointersIntoTheMiddle) {
  float *a = addInput("a", ramp(50)), *c = addOutput("c", 20);
  auto *scratch = static_cast<float *>(base.alloc(base.host, 40, 16));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch) % 256, 0u);
  EXPECT_EQ(device.getLiveBytes(), 40u);
  EXPECT_EQ(add.launch(device, 1, a + 10, a + 40, scratch, 10), ATTN_OK);
  EXPECT_EQ(add.launch(device, 1, scratch, a, c + 10, 10), ATTN_OK);
  EXPECT_EQ(add.launch(device, 1, scratch + 5, a, c, 5), ATTN_OK);
  EXPECT_EQ(add.launch(device, 1, scratch, scratch + 5, c + 5, 5), ATTN_OK);
  // Behind the end, but for no element; no blocks at all.
  EXPECT_EQ(add.launch(device, 1, a + 50, nullptr, c + 20, 0), ATTN_OK);
  EXPECT_EQ(add.launch(device, 0, a, a, c, 50), ATTN_OK);
  base.free(base.host, scratch);
  base.free(base.host, nullptr);
  EXPECT_EQ(device.getLiveBytes(), 0u);
  std::vector<float> sums = fetch(c, 20);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(sums[0], 60);  // a[15] + a[45] + a[0]
  EXPECT_EQ(sums[5], 110); // a[10] + a[40] + a[15] + a[45]
  EXPECT_EQ(sums[19], 19 + 49 + 9);
}

// The second kernel reads one element more than the first has written.
TEST_F(SimulatedDeviceTest, UndefinedScratch) {
  float *a = addInput("a", ramp(50)), *c = addOutput("c", 20);
  void *scratch = base.alloc(base.host, 80, 16);
  EXPECT_EQ(add.launch(device, 1, a, a, scratch, 9), ATTN_OK);
  EXPECT_EQ(add.launch(device, 1, a, scratch, c, 9), ATTN_OK);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(add.launch(device, 1, a, scratch, c, 10), ATTN_OK);
  expectFinding("launch 2, kernel 'add', PTX line 16: uninitialised",
                "scratch");
}

TEST_F(SimulatedDeviceTest, OutOfBounds) {
  float *a = addInput("a", ramp(20)), *c = addOutput("c", 20);
  EXPECT_EQ(add.launch(device, 1, a, a + 1, c, 20), ATTN_OK);
  expectFinding("kernel 'add', PTX line 16: out-of-bounds", "'a', 80 bytes");
  // Far behind it, and still not in what lies next.
  device.restart(ptx::Schedule::earliest());
  a = addInput("a", ramp(20));
  c = addOutput("c", 1 << 18);
  EXPECT_EQ(add.launch(device, 1, a + (1 << 17), a, c, 1), ATTN_OK);
  expectFinding("out-of-bounds", "'a', 80 bytes");
}

TEST_F(SimulatedDeviceTest, WritesAnInput) {
  float *a = addInput("a", ramp(20));
  EXPECT_EQ(add.launch(device, 1, a, a, a, 20), ATTN_OK);
  expectFinding("PTX line 18: read-only", "'a'");
}

TEST_F(SimulatedDeviceTest, UseAfterFree) {
  float *a = addInput("a", ramp(20)), *c = addOutput("c", 20);
  void *scratch = base.alloc(base.host, 80, 16);
  EXPECT_EQ(add.launch(device, 1, a, a, scratch, 20), ATTN_OK);
  base.free(base.host, scratch);
  // Another block does not get its addresses.
  EXPECT_NE(base.alloc(base.host, 80, 16), scratch);
  EXPECT_EQ(add.launch(device, 1, a, scratch, c, 0), ATTN_OK);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(add.launch(device, 1, a, scratch, c, 20), ATTN_OK);
  expectFinding("PTX line 16: out-of-bounds", "scratch 2, which is free again");
  EXPECT_EQ(device.getLiveBytes(), 80u);
}

TEST_F(SimulatedDeviceTest, WrongFree) {
  float *a = addInput("a", ramp(20));
  void *scratch = base.alloc(base.host, 80, 16);
  base.free(base.host, scratch);
  EXPECT_EQ(findings(), "");
  base.free(base.host, scratch);
  EXPECT_EQ(findings(), "'scratch 1' is freed, which is free already");
  base.free(base.host, a);
  base.free(base.host, a + 1);
  EXPECT_EQ(device.getHostFindings().size(), 3u);
}

// A result that no kernel has written completely.
TEST_F(SimulatedDeviceTest, UndefinedResult) {
  float *a = addInput("a", ramp(20)), *c = addOutput("c", 20);
  EXPECT_EQ(add.launch(device, 1, a, a, c, 19), ATTN_OK);
  EXPECT_EQ(findings(), "");
  fetch(c, 20);
  EXPECT_EQ(findings(), "the host reads 80 bytes of 'c', of which nothing has "
                        "written 4, the first at byte 76");
}

// What the simulator cannot launch is an error of the call.
TEST_F(SimulatedDeviceTest, Refusals) {
  float *a = addInput("a", ramp(20)), *c = addOutput("c", 20);
  auto expect = [&](int code, const char *text) {
    EXPECT_EQ(code, ATTN_ERROR_DEVICE) << text;
    EXPECT_NE(std::string(base.error).find(text), std::string::npos)
        << base.error;
  };
  Kernel few{object, "add", 32, {kPointer, kPointer, kPointer}};
  expect(few.launch(device, 1, a, a, c),
         "kernel 'add' has 4 parameters, but 3 arguments are given");
  Kernel wide{object, "add", 32, {kPointer, kPointer, kPointer, kPointer}};
  expect(wide.launch(device, 1, a, a, c, c), "argument 3");
  Kernel other{object, "sub", 32, {}};
  expect(other.launch(device, 1, 0), "there is no kernel 'sub'");
  Kernel large{object, "add", 2048, {kPointer, kPointer, kPointer, kNumber}};
  expect(large.launch(device, 1, a, a, c, 20), "1024 threads");
  Kernel map{object, "add", 32, {kPointer, kPointer, kPointer, kMap}};
  struct Map {
    uint64_t words[16];
  } none = {};
  expect(map.launch(device, 1, a, a, c, none), "parameter 3 is no tensor map");

  Object broken{".visible .entry k() {\n foo.u32 %r1;\n}"};
  expect(Kernel(broken, "k", 32, {}).launch(device, 1, 0), "PTX: line 5: ");
  Object cubin{addText};
  cubin.image.arch = 80;
  expect(Kernel(cubin, "add", 32, {}).launch(device, 1, 0), "has no PTX");
  Object old{addText};
  old.module.abi_version = 7;
  expect(Kernel(old, "add", 32, {}).launch(device, 1, 0), "version 7");
  EXPECT_TRUE(device.getLaunches().empty());
  EXPECT_EQ(base.alloc(base.host, size_t(1) << 60, 16), nullptr);
}

TEST_F(SimulatedDeviceTest, DynamicSharedMemory) {
  SimulatedDevice::Options options;
  options.sharedBytes = 1000;
  SimulatedDevice small(options);
  attn_gpu_context *context = small.getContext();
  Object empty{".visible .entry k() { ret; }"};
  Kernel k{empty, "k", 32, {}};
  uint32_t grid[3] = {1, 1, 1};
  EXPECT_EQ(context->launch(context, &k.kernel, grid, 1000, nullptr), ATTN_OK);
  EXPECT_EQ(context->launch(context, &k.kernel, grid, 1001, nullptr),
            ATTN_ERROR_DEVICE);
  EXPECT_STREQ(context->base.error,
               "kernel 'k': 1001 bytes of dynamic shared memory, and a block "
               "has at most 1000");
}

TEST_F(SimulatedDeviceTest, Read) {
  float *a = addInput("a", ramp(20)), *c = addOutput("c", 20);
  attn_gpu_context *context = device.getContext();
  float values[2] = {};
  EXPECT_EQ(context->read(context, values, a + 7, 8), ATTN_OK);
  EXPECT_EQ(values[1], 8);
  EXPECT_EQ(context->read(context, values, a + 19, 8), ATTN_ERROR_DEVICE);
  EXPECT_STREQ(base.error, "read: 8 bytes behind the end of 'a'");
  EXPECT_EQ(context->read(context, values, values, 8), ATTN_ERROR_DEVICE);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(context->read(context, values, c + 1, 4), ATTN_OK);
  expectFinding("read reads 4 bytes of 'c'", "byte 4");
}

// The second run starts from nothing but the parsed PTX.
TEST_F(SimulatedDeviceTest, Restart) {
  float *a = addInput("a", ramp(20));
  base.alloc(base.host, 80, 16);
  EXPECT_EQ(add.launch(device, 1, a, a, a + 1, 20), ATTN_OK);
  EXPECT_NE(findings(), "");
  device.restart(ptx::Schedule::latest());
  EXPECT_EQ(findings(), "");
  EXPECT_TRUE(device.getLaunches().empty());
  EXPECT_EQ(device.getLiveBytes(), 0u);
  a = addInput("a", ramp(20));
  float *c = addOutput("c", 20);
  object.text.assign(object.text.size(), ' ');
  EXPECT_EQ(add.launch(device, 1, a, a, c, 20), ATTN_OK);
  EXPECT_EQ(fetch(c, 20)[19], 38);
}

/// Copies the box at (8, 2) of a tensor map to `out`.
const char *boxText = R"(
.visible .entry box(.param .align 64 .b8 map[128], .param .u64 out)
{
.reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .f32 %f;
.shared .align 128 .b8 tile[64]; .shared .align 8 .b64 bar;
mov.u32 %r0, %tid.x; mov.u32 %r1, tile; mov.u32 %r2, bar;
setp.ne.u32 %p, %r0, 0; @%p bra WAIT;
mbarrier.init.shared.b64 [%r2], 1;
fence.mbarrier_init.release.cluster;
mov.b64 %rd0, map; cvta.param.u64 %rd0, %rd0;
mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r2], 64;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0, {8, 2}], [%r2];
WAIT:
bar.sync 0;
AGAIN:
mbarrier.try_wait.parity.shared.b64 %p, [%r2], 0;
@!%p bra AGAIN;
shl.b32 %r3, %r0, 2; add.u32 %r3, %r3, %r1;
ld.shared.f32 %f, [%r3];
ld.param.u64 %rd2, [out]; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd2, %rd2, %rd3;
st.global.f32 [%rd2], %f;
ret;
})";

TEST_F(SimulatedDeviceTest, TensorMap) {
  Object boxObject{boxText};
  Kernel box{boxObject, "box", 16, {kMap, kPointer}};
  // A tensor of 12 columns and 5 rows, 16 floats apart, behind 4 others.
  float *a = addInput("a", ramp(4 + 5 * 16)), *c = addOutput("c", 16);
  attn_gpu_tensor tensor = {};
  tensor.data = a + 4;
  tensor.type = 7; // CU_TENSOR_MAP_DATA_TYPE_FLOAT32
  tensor.rank = 2;
  tensor.dims[0] = 12;
  tensor.dims[1] = 5;
  tensor.strides[0] = 64;
  tensor.box[0] = 8;
  tensor.box[1] = 2;
  struct alignas(64) Map {
    uint64_t words[16];
  } map;
  attn_gpu_context *context = device.getContext();
  ASSERT_EQ(context->tensor_map(context, &map, &tensor), ATTN_OK);
  ASSERT_EQ(box.launch(device, 1, map, c), ATTN_OK) << base.error;
  EXPECT_EQ(findings(), "");
  std::vector<float> want = {44, 45, 46, 47, 0, 0, 0, 0,
                             60, 61, 62, 63, 0, 0, 0, 0};
  EXPECT_EQ(fetch(c, 16), want);

  tensor.rank = 6;
  EXPECT_EQ(context->tensor_map(context, &map, &tensor), ATTN_ERROR_DEVICE);
  // The driver asks for multiples of 16 bytes.
  tensor.rank = 2;
  tensor.strides[0] = 60;
  ASSERT_EQ(context->tensor_map(context, &map, &tensor), ATTN_OK);
  EXPECT_EQ(box.launch(device, 1, map, c), ATTN_ERROR_DEVICE);
  EXPECT_NE(std::string(base.error).find("argument 0: "), std::string::npos)
      << base.error;
}

} // namespace

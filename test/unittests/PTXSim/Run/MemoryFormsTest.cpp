//===- MemoryFormsTest.cpp - Every form of ld and st ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane has 16 bytes of a pattern in the space under test. A load is
// checked register by register, a store by all 16 bytes afterwards.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include "llvm/ADT/StringRef.h"

namespace attn::ptx::test {

namespace {
uint8_t patternByte(unsigned at) { return uint8_t(at * 37 + 11 + at / 7 * 90); }

struct Element {
  std::string type;
  unsigned bits;
  bool isSigned;

  /// Bytes travel in 16-bit registers.
  std::string reg() const {
    return bits <= 16 ? "%h" : bits == 32 ? "%t" : bits == 64 ? "%w" : "%q";
  }
};
std::vector<Element> elements() {
  std::vector<Element> result{{"b128", 128, false}};
  for (unsigned bits : {8u, 16u, 32u, 64u})
    for (const char *sort : {"b", "u", "s", "f"})
      if (*sort != 'f' || bits >= 32)
        result.push_back({sort + std::to_string(bits), bits, *sort == 's'});
  return result;
}

/// ".global.nc.v4.f32" and the like; `policy` for .L2::cache_hint.
struct Form {
  std::string modifiers;
  Element element;
  unsigned count = 1;
  bool policy = false;

  std::string name(const char *opcode) const {
    return opcode + modifiers +
           (count > 1 ? ".v" + std::to_string(count) : "") + "." + element.type;
  }
  std::string registers() const {
    std::string list;
    for (unsigned k = 0; k != count; ++k)
      list += (k ? ", " : "") + element.reg() + std::to_string(k);
    return count > 1 ? "{" + list + "}" : list;
  }
  std::string tail() const { return policy ? ", %policy;\n" : ";\n"; }
};

/// The space a form names: the last modifier that is one; "" is generic.
std::string spaceOf(const Form &form) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(form.modifiers).split(parts, '.');
  for (llvm::StringRef part : parts)
    for (llvm::StringRef space :
         {"global", "shared", "local", "const", "param"})
      if (part.starts_with(space))
        return space.str();
  return "";
}

const char *const kRegisters =
    ".reg .b64 %in, %out, %m, %off, %policy; .reg .b16 %h<16>;\n"
    ".reg .b32 %t<16>, %tid, %v<4>; .reg .b64 %w<8>, %x<2>; .reg .b128 "
    "%q<2>;\n";

/// Puts the address of the lane's 16 bytes of the space into %m, filled.
std::string prepare(const std::string &space) {
  std::string load = "ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%m];\n";
  std::string text = "add.u64 %m, %in, %off;\n" + load;
  std::string add = "add.u64 %m, %m, %off;\n";
  std::string fill = " [%m], {%v0, %v1, %v2, %v3};\n";
  if (space == "shared")
    return text + ".shared .align 16 .b8 s[512]; mov.u64 %m, s;\n" + add +
           "st.shared.v4.b32" + fill;
  if (space == "local")
    return text + ".local .align 16 .b8 l[16]; mov.u64 %m, l;\n" +
           "st.local.v4.b32" + fill;
  if (space == "const")
    return "mov.u64 %m, table;\n" + add;
  if (space == "param")
    return "mov.b64 %m, bytes;\n" + add;
  return text;
}

/// The registers of a load as 64-bit words, element after element.
std::string publish(const Form &form) {
  std::string text;
  for (unsigned k = 0; k != form.count; ++k) {
    std::string r = form.element.reg() + std::to_string(k);
    std::string at = "[%x0+" + std::to_string(8 * k) + "], ";
    unsigned bits = form.element.bits;
    text += bits <= 16   ? "cvt.u64.u16 %x1, " + r
            : bits == 32 ? "cvt.u64.u32 %x1, " + r
            : bits == 64 ? "mov.b64 %x1, " + r
                         : "mov.b128 {%x1, %w7}, " + r;
    text += ";\nst.global.b64 " + at + "%x1;\n";
    if (bits == 128)
      text += "st.global.b64 [%x0+8], %w7;\n";
  }
  return text;
}

std::string kernelText(const std::string &body, const std::string &functions) {
  std::string bytes;
  for (unsigned k = 0; k != 512; ++k)
    bytes += (k ? "," : "") + std::to_string(patternByte(k));
  return ".const .align 16 .b8 table[512] = {" + bytes + "};\n" + functions +
         ".entry k(.param .u64 in, .param .u64 out,\n"
         ".param .align 16 .b8 bytes[512]) {\n" +
         kRegisters +
         "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
         "mov.u32 %tid, %tid.x; mul.wide.u32 %off, %tid, 16;\n"
         "createpolicy.fractional.L2::evict_last.b64 %policy, 0.5;\n"
         "mad.wide.u32 %x0, %tid, 64, %out;\n" +
         body + "ret; }";
}

/// 64 bytes a lane of output.
std::vector<uint8_t> execute(const std::string &text) {
  std::vector<uint8_t> in(512), out(2048, 0xee);
  for (unsigned k = 0; k != 512; ++k)
    in[k] = patternByte(k);
  llvm::Expected<Module> module = Module::parse(moduleText(text));
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return out;
  }
  Launch launch;
  launch.block.x = 32;
  launch.buffers = {{"in", in.data(), in.size(), true, false},
                    {"out", out.data(), out.size(), true, false}};
  Argument bytes;
  bytes.bytes = in;
  launch.arguments = {Argument::pointer(0), Argument::pointer(1), bytes};
  EXPECT_EQ(problem(run(*module, launch)), "") << text;
  return out;
}

void expectLoaded(const Form &form, const std::vector<uint8_t> &out) {
  unsigned bytes = form.element.bits / 8;
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned k = 0; k != form.count; ++k) {
      uint64_t got[2], want[2] = {0, 0};
      std::memcpy(got, out.data() + 64 * lane + 8 * k, bytes == 16 ? 16 : 8);
      for (unsigned b = 0; b != bytes; ++b)
        want[b / 8] |= uint64_t(patternByte(16 * lane + bytes * k + b))
                       << (b % 8 * 8);
      if (bytes == 1 && form.element.isSigned && want[0] & 0x80)
        want[0] |= 0xff00;
      ASSERT_EQ(got[0], want[0]) << form.name("ld") << " lane " << lane;
      if (bytes == 16)
        ASSERT_EQ(got[1], want[1]) << form.name("ld") << " lane " << lane;
    }
}

void checkLoad(const Form &form) {
  std::string load =
      form.name("ld") + " " + form.registers() + ", [%m]" + form.tail();
  noteForms(load);
  expectLoaded(form, execute(kernelText(
                         prepare(spaceOf(form)) + load + publish(form), "")));
}

/// What a store writes: the pattern from 100 on, moved into its registers.
std::string storedRegisters(const Form &form) {
  std::string text;
  for (unsigned k = 0; k != form.count; ++k) {
    std::string r = form.element.reg() + std::to_string(k);
    uint64_t words[2] = {0, 0};
    unsigned bytes = form.element.bits / 8;
    for (unsigned b = 0; b != bytes; ++b)
      words[b / 8] |= uint64_t(patternByte(100 + bytes * k + b)) << (b % 8 * 8);
    // What lies above the element is not stored.
    if (bytes == 1)
      words[0] |= 0x5500;
    text += bytes == 16 ? "mov.b64 %w0, " + std::to_string(words[0]) +
                              "; mov.b64 %w1, " + std::to_string(words[1]) +
                              "; mov.b128 " + r + ", {%w0, %w1};\n"
                        : "mov.b" + std::to_string(std::max(16u, 8 * bytes)) +
                              " " + r + ", " + std::to_string(words[0]) + ";\n";
  }
  return text;
}

void expectStored(const Form &form, const std::vector<uint8_t> &out) {
  unsigned bytes = form.element.bits / 8 * form.count;
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned b = 0; b != 16; ++b)
      ASSERT_EQ(out[64 * lane + b],
                b < bytes ? patternByte(100 + b) : patternByte(16 * lane + b))
          << form.name("st") << " lane " << lane << " byte " << b;
}

const char *const kCopyOut = " {%v0, %v1, %v2, %v3}, [%m];\n"
                             "st.global.v4.b32 [%x0], {%v0, %v1, %v2, %v3};\n";

void checkStore(const Form &form) {
  std::string space = spaceOf(form);
  std::string store =
      form.name("st") + " [%m], " + form.registers() + form.tail();
  noteForms(store);
  std::string load = "ld" + (space.empty() ? "" : "." + space) + ".v4.b32";
  expectStored(form, execute(kernelText(prepare(space) + storedRegisters(form) +
                                            store + load + kCopyOut,
                                        "")));
}

/// Loads of a function's parameter, and stores to a call's.
void checkFunctionParameters(const Form &form) {
  std::string load = form.name("ld") + " " + form.registers() + ", [a];\n";
  std::string store = form.name("st") + " [pa], " + form.registers() + ";\n";
  noteForms(load + store);
  auto call = [&](const std::string &inside, const std::string &before) {
    return kernelText(
        prepare("") +
            "{ .param .b64 po; .param .align 16 .b8 pa[16];\n"
            "st.param.b64 [po], %x0;\n"
            "st.param.v4.b32 [pa], {%v0, %v1, %v2, %v3};\n" +
            before + "call f, (po, pa); }\n",
        std::string(".func f(.param .b64 o, .param .align 16 .b8 a[16]) {\n") +
            kRegisters + "ld.param.b64 %x0, [o];\n" + inside + "ret; }\n");
  };
  expectLoaded(form, execute(call(load + publish(form), "")));
  std::string all = kCopyOut;
  all.replace(all.find("[%m]"), 4, "[a]");
  expectStored(form, execute(call("ld.param.v4.b32" + all,
                                  storedRegisters(form) + store)));
}

std::vector<unsigned> counts(const Element &e) {
  std::vector<unsigned> result{1};
  for (unsigned n : {2u, 4u, 8u})
    if (e.bits * n <= 128)
      result.push_back(n);
  return result;
}
const Element u32{"b32", 32, false}, f32Element{"f32", 32, false};
} // namespace

TEST(MemoryForms, SpacesTypesVectors) {
  for (const Element &e : elements())
    for (unsigned n : counts(e)) {
      for (const char *space :
           {"", ".global", ".global.nc", ".local", ".shared", ".shared::cta",
            ".shared::cluster", ".const", ".param", ".param::entry"})
        checkLoad({space, e, n});
      for (const char *space : {"", ".global", ".local", ".shared",
                                ".shared::cta", ".shared::cluster"})
        checkStore({space, e, n});
      for (const char *space : {".param", ".param::func"})
        checkFunctionParameters({space, e, n});
      if (HasFailure())
        return;
    }
}

TEST(MemoryForms, OrdersAndScopes) {
  for (const char *scope : {".cta", ".cluster", ".gpu", ".sys"})
    for (const char *space : {"", ".global", ".shared", ".shared::cluster"})
      for (const Element &e :
           {u32, f32Element, Element{"b8", 8, false}, Element{"u16", 16, false},
            Element{"b64", 64, false}}) {
        for (const char *order : {".relaxed", ".acquire"})
          checkLoad({std::string(order) + scope + space, e});
        for (const char *order : {".relaxed", ".release"})
          checkStore({std::string(order) + scope + space, e});
      }
  for (const char *order :
       {".relaxed.gpu", ".acquire.gpu", ".relaxed.sys", ".acquire.sys"})
    checkLoad({std::string(order) + ".global", f32Element, 4});
  for (const char *space : {"", ".global", ".shared"}) {
    checkLoad({std::string(".volatile") + space, u32});
    checkStore({std::string(".volatile") + space, u32});
    checkLoad({std::string(".volatile") + space, {"f64", 64, false}, 2});
    checkLoad({std::string(".volatile") + space, {"u32", 32, false}, 2});
  }
  for (const char *space : {"", ".global", ".shared", ".local"}) {
    checkLoad({std::string(".weak") + space, u32});
    checkStore({std::string(".weak") + space, u32});
  }
  checkLoad({".mmio.relaxed.sys.global", u32});
  checkStore({".mmio.relaxed.sys.global", u32});
}

// Hints change no value.
TEST(MemoryForms, CacheHints) {
  for (const char *hint :
       {".ca", ".cg", ".cs", ".lu", ".cv", ".ca.nc", ".cg.nc", ".cs.nc"})
    checkLoad({std::string(".global") + hint, f32Element});
  checkLoad({".shared.ca", f32Element});
  for (const char *hint : {".wb", ".cg", ".cs", ".wt"})
    checkStore({std::string(".global") + hint, f32Element});
  for (const char *first :
       {"", ".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first",
        ".L1::evict_last", ".L1::no_allocate"}) {
    std::string level1 = first;
    for (const char *nc : {"", ".nc"})
      for (const char *size : {"", ".L2::64B", ".L2::128B", ".L2::256B"}) {
        checkLoad({std::string(".global") + nc + level1 + size, f32Element, 4});
        checkLoad(
            {std::string(".global") + nc + level1 + ".L2::cache_hint" + size,
             f32Element, 4, true});
      }
    checkStore({".global" + level1, f32Element, 4});
    checkStore({".global" + level1 + ".L2::cache_hint", f32Element, 4, true});
    checkLoad({".relaxed.gpu.global" + level1, u32});
    checkStore({".relaxed.gpu.global" + level1, u32});
  }
}

// ldu is a load of what does not change.
TEST(MemoryForms, LoadUniform) {
  for (const Element &e : elements())
    for (unsigned n : counts(e))
      for (const char *space : {"", ".global"}) {
        Form form{space, e, n};
        std::string load =
            form.name("ldu") + " " + form.registers() + ", [%m];\n";
        noteForms(load);
        expectLoaded(
            form, execute(kernelText(prepare("") + load + publish(form), "")));
      }
}

// Neither changes a value: prefetches, priorities and policies.
TEST(MemoryForms, Prefetches) {
  std::vector<std::string> codes;
  for (const char *form :
       {"prefetch.L1", "prefetch.L2", "prefetch.global.L1",
        "prefetch.global.L2", "prefetch.global.L2::evict_last",
        "prefetch.global.L2::evict_normal", "prefetchu.L1"})
    codes.push_back(std::string(form) + " [%in];");
  codes.push_back(".local .b8 l[16]; mov.u64 %m, l; prefetch.local.L1 [%m];");
  codes.push_back(".local .b8 l[16]; mov.u64 %m, l; prefetch.local.L2 [%m];");
  for (const char *form : {"applypriority.L2::evict_normal",
                           "applypriority.global.L2::evict_normal"})
    codes.push_back(std::string(form) + " [%in], 128;");
  for (const char *first :
       {"evict_last", "evict_normal", "evict_first", "evict_unchanged"})
    for (const char *second :
         {"", ".L2::evict_first", ".L2::evict_unchanged"}) {
      std::string name = std::string(".L2::") + first + second + ".b64 %policy";
      codes.push_back("createpolicy.fractional" + name + ", 0.25;");
      codes.push_back("createpolicy.fractional" + name + ";");
      if (std::string(first) == "evict_last" ||
          std::string(first) == "evict_first")
        for (const char *global : {"", ".global"})
          codes.push_back(std::string("createpolicy.range") + global + name +
                          ", [%in], 128, 512;");
    }
  codes.push_back("mov.b64 %m, 0; createpolicy.cvt.L2.b64 %policy, %m;");
  for (const std::string &code : codes) {
    noteForms(code);
    std::vector<uint8_t> out =
        execute(kernelText(code + "\n" +
                               "st.global.L2::cache_hint.b32 [%x0], "
                               "%tid, %policy;\n",
                           ""));
    for (unsigned lane = 0; lane != 32; ++lane)
      EXPECT_EQ(out[64 * lane], lane) << code;
  }
}

} // namespace attn::ptx::test

"""lit configuration: what a test may call, and the features it may require.

Features: x86, avx2, avx512, avx512bf16 (emulates AMX, too), amx (what this CPU can run), cuda (the toolkit was
found), ptxas and nvdisasm (in PATH, or where utils/cuda-tools.sh puts them), openmp
(its run-time library was built), qemu-aarch64 (the emulator and AArch64's C compiler),
valgrind, pkg-config, plugin (the plugin for mlir-opt was built),
attn_python (libattn was built), torch, jax, onnx and mypy (the Python that `--param frameworks=PYTHON` names has them),
asserts, asan, kernel-asan (clang has the address sanitizer's library, for kernels), full (absent in a quick run: slow
tests require it), and sweep (what utils/sweep.sh alone runs).
"""

import os
import platform
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "attn"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unittests"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.attn_obj_root, "test")

# The two sanitizers and the home directory are all a test gets from outside.
llvm_config.with_system_environment(["HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS"])
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.attn_tools_dir, append_path=True)

config.substitutions += [
    ("%examples", os.path.join(config.attn_src_root, "examples")),
    ("%attn_src_root", config.attn_src_root),
    ("%attn_obj_root", config.attn_obj_root),
    ("%python", config.python_executable),
    ("%cmake", config.cmake_executable),
    ("%plugin", os.path.join(config.attn_obj_root, "lib", "attn-plugin.so")),
    ("%mlir-tblgen", config.mlir_tblgen),
    ("%llvm-tblgen", os.path.join(config.llvm_tools_dir, "llvm-tblgen")),
    ("%host_cxx", config.host_cxx),
    ("%host_cc", config.host_cc),
    ("%openmp_library", config.openmp_library),
    # Another compiler than the one that built this, where there is one.
    ("%gnu_compilers", "-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++" if shutil.which("g++") else ""),
    ("%llvm_tools", config.llvm_tools_dir),
    ("%llvm_library", os.path.join(config.llvm_library_dir, "libLLVM.so")),
    ("%mlir_library", os.path.join(config.llvm_library_dir, "libMLIR.so")),
    ("%mlir_include", config.llvm_include_dir),
    ("%cxx_flags", f"-std=c++17 -fno-exceptions -isystem {config.llvm_include_dir}"),
]
# Programs that link libattn. With sanitizers in it they have to bring them.
sanitize = "-fsanitize=address,undefined" if config.sanitizer else ""
library_dir = os.path.join(config.attn_obj_root, "lib")
include_dir = os.path.join(config.attn_src_root, "include")
config.substitutions += [
    ("%sanitize", sanitize),
    ("%c99", f"{config.host_cc} -std=c99 -pedantic -Wall -Wextra -Werror {sanitize} -I{include_dir}"),
    ("%link_attn", f"-L{library_dir} -lattn -Wl,-rpath,{library_dir}"),
]
tools = [
    # Tests that bring data of their own make it with numpy.
    ToolSubst("python3", config.python_executable, unresolved="ignore"),
    "FileCheck",
    "not",
    "split-file",
    "attn-opt",
    ToolSubst("mlir-opt", unresolved="ignore"),
    ToolSubst("attn-run", unresolved="ignore"),
    ToolSubst("attn-compile", unresolved="ignore"),
    ToolSubst("attn-ptx-run", unresolved="ignore"),
    ToolSubst("attn-reduce", unresolved="ignore"),
    ToolSubst("attn-lsp-server", unresolved="ignore"),
]
llvm_config.add_tool_substitutions(tools, [config.attn_tools_dir, config.llvm_tools_dir])


def cpu_flags():
    try:
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith("flags"):
                    return set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return set()


flags = cpu_flags()
if platform.machine() in ("x86_64", "AMD64"):
    config.available_features.add("x86")
if {"avx2", "fma", "bmi2", "f16c"} <= flags:
    config.available_features.add("avx2")
if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
    config.available_features.add("avx512")
if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_bf16"} <= flags:
    config.available_features.add("avx512bf16")
if {"amx_tile", "amx_bf16"} <= flags:
    config.available_features.add("amx")
if config.has_cuda:
    config.available_features.add("cuda")
# Something is there only where no toolkit is installed.
llvm_config.with_environment("PATH", os.path.join(config.attn_obj_root, "cuda-tools"), append_path=True)
for tool in ("ptxas", "nvdisasm"):
    if shutil.which(tool, path=config.environment["PATH"]):
        config.available_features.add(tool)
if config.has_assertions:
    config.available_features.add("asserts")
if config.sanitizer:
    config.available_features.add("asan")
if config.has_plugin and not config.sanitizer:
    config.available_features.add("plugin")
if config.openmp_library and not config.openmp_library.endswith("NOTFOUND"):
    config.available_features.add("openmp")
for tool in ("valgrind", "pkg-config"):
    if shutil.which(tool):
        config.available_features.add(tool)
clang = os.path.join(config.llvm_tools_dir, "clang")
if os.path.exists(clang) and not config.sanitizer:
    runtime = subprocess.run([clang, "-print-file-name=libclang_rt.asan-x86_64.so"], capture_output=True, text=True, check=False)
    if os.path.exists(runtime.stdout.strip()):
        config.available_features.add("kernel-asan")
if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
    config.available_features.add("qemu-aarch64")
# The package as it lies in the tree, with the library of the build.
libattn = os.path.join(config.attn_obj_root, "lib", "libattn.so")
if os.path.exists(libattn) and not config.sanitizer:
    config.available_features.add("attn_python")
frameworks = lit_config.params.get("frameworks")
for package, module in (("torch", "torch_mlir"), ("jax", "jax"), ("onnx", "onnx"), ("onnxruntime", "onnxruntime"),
                        ("onnxscript", "onnxscript"), ("mypy", "mypy")):
    found = f"import importlib.util as u, sys; sys.exit(not (u.find_spec('{package}') and u.find_spec('{module}')))"
    if frameworks and subprocess.run([frameworks, "-c", found], check=False).returncode == 0:
        config.available_features.add(package)
package = (f"env PYTHONPATH={config.attn_src_root}/python ATTN_LIBRARY={libattn} "
           f"ATTN_CACHE_DIR={config.test_exec_root}/attn-cache")
config.substitutions += [
    ("%attn-python", f"{package} {config.python_executable}"),
    ("%attn-frameworks", f"{package} {frameworks}"),
    ("%frameworks", frameworks or ""),
]
if not lit_config.params.get("quick"):
    config.available_features.add("full")
if lit_config.params.get("sweep"):
    config.available_features.add("sweep")

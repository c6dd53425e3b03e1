# Everything the build looks for outside the project. What is optional is
# reported by attn_print_summary, what is required stops the configuration.

# Debian keeps each LLVM under its own prefix, which llvm-config-22 knows.
if(NOT MLIR_DIR)
  find_program(ATTN_LLVM_CONFIG NAMES llvm-config-22 llvm-config)
  if(ATTN_LLVM_CONFIG)
    execute_process(COMMAND "${ATTN_LLVM_CONFIG}" --prefix
      OUTPUT_VARIABLE ATTN_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(MLIR_DIR "${ATTN_LLVM_PREFIX}/lib/cmake/mlir" CACHE PATH "Where MLIRConfig.cmake is")
  endif()
endif()
if(ATTN_PTXSIM_ONLY)
  string(REGEX REPLACE "/mlir$" "/llvm" attn_llvm_dir "${MLIR_DIR}")
  find_package(LLVM REQUIRED CONFIG HINTS "${attn_llvm_dir}")
  set(ATTN_ENABLE_PCH OFF)
else()
  find_package(MLIR REQUIRED CONFIG)
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "attn-mlir needs LLVM/MLIR 22, found ${LLVM_VERSION} in ${MLIR_DIR}")
endif()
# LLVM's package says how LLVM was built; how we build is ours to say.
set(LLVM_ENABLE_ASSERTIONS ${ATTN_ENABLE_ASSERTIONS})
# The packaged LLVM has no type information for `vptr` and `function`.
set(LLVM_UBSAN_FLAGS "-fsanitize=undefined -fno-sanitize=vptr,function -fno-sanitize-recover=all")

# lit and the generators of test data need Python with numpy. Debian's numpy
# belongs to /usr/bin/python3, which need not be the first python3 in PATH.
function(attn_find_python)
  find_program(python_in_path NAMES python3 NO_CACHE)
  foreach(candidate "${ATTN_PYTHON}" "${python_in_path}" /usr/bin/python3)
    if(candidate AND EXISTS "${candidate}")
      execute_process(COMMAND "${candidate}" -c "import numpy"
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
      if(status EQUAL 0)
        set(ATTN_PYTHON "${candidate}" CACHE FILEPATH "Python with numpy" FORCE)
        return()
      endif()
    endif()
  endforeach()
endfunction()
attn_find_python()
if(NOT ATTN_PYTHON)
  if(ATTN_ENABLE_TESTS)
    message(FATAL_ERROR "The tests need a Python with numpy (Debian: python3-numpy). "
      "Set ATTN_PYTHON, or ATTN_ENABLE_TESTS=OFF.")
  endif()
else()
  set(Python3_EXECUTABLE "${ATTN_PYTHON}" CACHE FILEPATH "Python that runs lit" FORCE)
endif()
if(NOT LLVM_EXTERNAL_LIT)
  set(LLVM_EXTERNAL_LIT "${LLVM_TOOLS_BINARY_DIR}/lit" CACHE FILEPATH "lit" FORCE)
endif()

if(ATTN_ENABLE_TESTS)
  find_package(GTest QUIET)
endif()

if(ATTN_ENABLE_CCACHE)
  find_program(ATTN_CCACHE ccache)
endif()
if(ATTN_ENABLE_CCACHE AND ATTN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this sloppiness ccache refuses every file that uses a precompiled
  # header. The header's own time stamp is left out in AddAttn.cmake. Preprocessing
  # a file to find it in the cache would take nearly as long as compiling it.
  set(attn_launcher "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros "${ATTN_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${attn_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${attn_launcher})
endif()

# The optional run-time library on OpenMP is compiled by Clang, for its libomp.
if(CMAKE_C_COMPILER_ID MATCHES Clang AND NOT ATTN_PTXSIM_ONLY)
  find_library(ATTN_OPENMP_LIBRARY omp HINTS "${LLVM_LIBRARY_DIR}")
endif()

# What needs the toolkit says SKIPPED without it.
set(ATTN_HAS_CUDA OFF)
if(ATTN_ENABLE_CUDA)
  find_package(CUDAToolkit QUIET)
  if(CUDAToolkit_FOUND)
    set(ATTN_HAS_CUDA ON)
  endif()
endif()

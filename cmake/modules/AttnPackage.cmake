# find_package(Attn), from this build tree and from an install tree, and the
# summary that ends the configuration.
include(CMakePackageConfigHelpers)

set(attn_package_dir lib/cmake/attn)

function(attn_configure_package destination include_dirs bin_dir)
  set(ATTN_CONFIG_INCLUDE_DIRS "${include_dirs}")
  set(ATTN_CONFIG_TOOLS_DIR "${bin_dir}")
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/modules/AttnConfig.cmake.in"
    "${destination}/AttnConfig.cmake"
    INSTALL_DESTINATION ${attn_package_dir}
    NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file("${destination}/AttnConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
endfunction()

# The build tree.
set(build_package "${PROJECT_BINARY_DIR}/${attn_package_dir}")
attn_configure_package("${build_package}"
  "${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include" "${LLVM_RUNTIME_OUTPUT_INTDIR}")
export(EXPORT AttnTargets FILE "${build_package}/AttnTargets.cmake")

# The install tree; its paths are relative to where the package lies.
set(install_package "${PROJECT_BINARY_DIR}/cmake/install")
attn_configure_package("${install_package}" "\${PACKAGE_PREFIX_DIR}/include" "\${PACKAGE_PREFIX_DIR}/bin")
install(EXPORT AttnTargets DESTINATION ${attn_package_dir})
install(FILES "${install_package}/AttnConfig.cmake" "${install_package}/AttnConfigVersion.cmake"
  DESTINATION ${attn_package_dir})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" "${PROJECT_BINARY_DIR}/include/"
  DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/attn-mlir)

function(_attn_describe out path absent)
  if(path)
    set(${out} "${path}" PARENT_SCOPE)
  else()
    set(${out} "${absent}" PARENT_SCOPE)
  endif()
endfunction()

function(attn_print_summary)
  _attn_describe(openmp "${ATTN_OPENMP_LIBRARY}" "SKIPPED (libomp not found)")
  _attn_describe(ccache "${ATTN_CCACHE}" "not used")
  set(cuda "SKIPPED (toolkit not found)")
  if(ATTN_HAS_CUDA)
    set(cuda "${CUDAToolkit_VERSION} in ${CUDAToolkit_BIN_DIR}")
  endif()
  set(unit_tests "SKIPPED (GoogleTest not found)")
  if(NOT ATTN_ENABLE_TESTS)
    set(unit_tests "off")
  elseif(GTest_FOUND)
    set(unit_tests "GoogleTest ${GTest_VERSION}")
  endif()
  message(STATUS "")
  message(STATUS "attn-mlir ${PROJECT_VERSION}")
  message(STATUS "  build type          ${CMAKE_BUILD_TYPE}")
  message(STATUS "  compiler            ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION}")
  message(STATUS "  LLVM and MLIR       ${LLVM_VERSION} in ${MLIR_DIR}")
  message(STATUS "  assertions          ${LLVM_ENABLE_ASSERTIONS}")
  message(STATUS "  sanitizers          ${LLVM_USE_SANITIZER}")
  message(STATUS "  precompiled headers ${ATTN_ENABLE_PCH}")
  message(STATUS "  ccache              ${ccache}")
  message(STATUS "  lit                 ${LLVM_EXTERNAL_LIT}")
  message(STATUS "  unit tests          ${unit_tests}")
  message(STATUS "  Python with numpy   ${ATTN_PYTHON}")
  message(STATUS "  OpenMP runtime      ${openmp}")
  message(STATUS "  CUDA toolkit        ${cuda}")
  message(STATUS "  tools go to         ${LLVM_RUNTIME_OUTPUT_INTDIR}")
  message(STATUS "")
endfunction()

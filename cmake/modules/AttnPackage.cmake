# find_package(Attn) and pkg-config, from this build tree and from an install
# tree, and the summary that ends the configuration. `cmake --install build
# --component NAME` installs a part: tools, Attn, c, runtime, plugin, examples.
include(CMakePackageConfigHelpers)

set(attn_package_dir lib/cmake/attn)
set(attn_sets Attn runtime)
if(TARGET AttnC)
  list(APPEND attn_sets c)
endif()

# Attn::Attn: all that is written in C++.
add_library(AttnAll INTERFACE)
set_target_properties(AttnAll PROPERTIES EXPORT_NAME Attn)
target_link_libraries(AttnAll INTERFACE AttnCompiler AttnLint)
add_library(Attn::Attn ALIAS AttnAll)
install(TARGETS AttnAll EXPORT Attn_Attn COMPONENT Attn)

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
foreach(set IN LISTS attn_sets)
  export(EXPORT Attn_${set} NAMESPACE Attn:: FILE "${build_package}/Attn_${set}.cmake")
endforeach()

# The install tree; its paths are relative to where the package lies.
set(install_package "${PROJECT_BINARY_DIR}/cmake/install")
attn_configure_package("${install_package}" "\${PACKAGE_PREFIX_DIR}/include" "\${PACKAGE_PREFIX_DIR}/bin")
function(attn_install_headers set)
  install(DIRECTORY ${ARGN} DESTINATION include COMPONENT ${set}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
endfunction()
attn_install_headers(Attn "${PROJECT_SOURCE_DIR}/include/attn" "${PROJECT_SOURCE_DIR}/include/attn-ptxsim"
  "${PROJECT_BINARY_DIR}/include/attn")
attn_install_headers(runtime "${PROJECT_SOURCE_DIR}/include/attn-runtime")
if(TARGET AttnC)
  attn_install_headers(c "${PROJECT_SOURCE_DIR}/include/attn-c" "${PROJECT_SOURCE_DIR}/include/attn-runtime")
endif()
foreach(set IN LISTS attn_sets)
  install(EXPORT Attn_${set} NAMESPACE Attn:: DESTINATION ${attn_package_dir} COMPONENT ${set})
  install(FILES "${install_package}/AttnConfig.cmake" "${install_package}/AttnConfigVersion.cmake"
    DESTINATION ${attn_package_dir} COMPONENT ${set})
  if(NOT set STREQUAL "Attn")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/modules/${set}.pc.in" "${install_package}/attn-${set}.pc" @ONLY)
    install(FILES "${install_package}/attn-${set}.pc" DESTINATION lib/pkgconfig COMPONENT ${set})
  endif()
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
  DESTINATION share/doc/attn-mlir COMPONENT examples)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION share/doc/attn-mlir COMPONENT examples
  PATTERN __pycache__ EXCLUDE)

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
  set(plugin "SKIPPED (libMLIR.so not found, or sanitizers)")
  if(TARGET attn-plugin)
    set(plugin "for ${ATTN_SHARED_MLIR}")
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
  message(STATUS "  plugin of mlir-opt  ${plugin}")
  message(STATUS "  CUDA toolkit        ${cuda}")
  message(STATUS "  tools go to         ${LLVM_RUNTIME_OUTPUT_INTDIR}")
  message(STATUS "")
endfunction()

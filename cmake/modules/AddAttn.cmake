# Thin wrappers, so that each folder's CMakeLists.txt reads as a table of
# sources and dependencies.

# _attn_use_pch(target AttnPCH | AttnPTXSimPCH | AttnTestPCH): precompiled headers
# for what includes MLIR, for the simulator, which does not, and for its tests. They
# only speed the build up; each file still includes what it uses.
function(_attn_use_pch target pch)
  if(NOT ATTN_ENABLE_PCH)
    return()
  endif()
  if(NOT TARGET ${pch})
    cmake_language(CALL _attn_add_${pch})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()

function(_attn_add_pch name header)
  add_library(${name} OBJECT "${PROJECT_SOURCE_DIR}/cmake/pch.cpp")
  target_precompile_headers(${name} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/${header}")
  llvm_update_compile_flags(${name})
  # ccache finds the precompiled header by content, so no time may be in it.
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

function(_attn_add_AttnPCH)
  _attn_add_pch(AttnPCH pch.h)
  add_dependencies(AttnPCH AttnIRIncGen AttnNVIncGen AttnConversionPassIncGen
    AttnTransformsPassIncGen)
endfunction()

function(_attn_add_AttnPTXSimPCH)
  _attn_add_pch(AttnPTXSimPCH pch-ptxsim.h)
endfunction()

function(_attn_add_AttnTestPCH)
  _attn_add_pch(AttnTestPCH pch-test.h)
  _attn_set_test_options(AttnTestPCH)
endfunction()

# What a file needs that includes MLIR's headers. In this build every folder has
# it; in the package find_package(Attn) fills it from the MLIR that it finds.
add_library(AttnMLIR INTERFACE)
set_target_properties(AttnMLIR PROPERTIES EXPORT_NAME mlir)
add_library(Attn::mlir ALIAS AttnMLIR)
install(TARGETS AttnMLIR EXPORT Attn_Attn COMPONENT Attn)

# attn_export_library(AttnName [AS name] [SET set]): puts a library into
# find_package(Attn) as Attn::Name. A set is what a component of the package has
# (see AttnConfig.cmake.in); `Attn` is all that needs MLIR.
function(attn_export_library name)
  cmake_parse_arguments(ARG "" "AS;SET" "" ${ARGN})
  if(NOT ARG_AS)
    string(REGEX REPLACE "^Attn" "" ARG_AS ${name})
  endif()
  if(NOT ARG_SET)
    set(ARG_SET Attn)
    target_link_libraries(${name} INTERFACE AttnMLIR)
  endif()
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${ARG_AS})
  add_library(Attn::${ARG_AS} ALIAS ${name})
  target_include_directories(${name} INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:include>")
  install(TARGETS ${name} EXPORT Attn_${ARG_SET}
    ARCHIVE DESTINATION lib COMPONENT ${ARG_SET}
    LIBRARY DESTINATION lib COMPONENT ${ARG_SET})
  set_property(GLOBAL APPEND PROPERTY ATTN_LIBS ${name})
endfunction()

# add_attn_library(Name sources... LINK_LIBS ... LINK_COMPONENTS ... DEPENDS ...)
# A folder is a library: its sources are all *.cpp of the folder, and those named
# of folders below. A folder with two libraries names the sources of each.
# MLIR libraries go in LINK_LIBS, LLVM components in LINK_COMPONENTS.
# Exported in the project's own set, not in MLIR's.
function(add_attn_library name)
  set(own ${ARGN})
  list(FILTER own INCLUDE REGEX "^[^/]*\\.cpp$")
  if(own)
    set(own)
  else()
    file(GLOB own CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "*.cpp")
  endif()
  add_mlir_library(${name} ${own} ${ARGN} DISABLE_INSTALL EXCLUDE_FROM_LIBMLIR PARTIAL_SOURCES_INTENDED)
  # add_mlir_library compiles in obj.${name} when it makes an aggregate.
  foreach(target ${name} obj.${name})
    if(TARGET ${target})
      _attn_use_pch(${target} AttnPCH)
    endif()
  endforeach()
  attn_export_library(${name})
endfunction()

# add_attn_ptxsim_library(Name sources... LINK_LIBS ...)
# Part of the PTX simulator: LLVM's Support library and no MLIR. The files of
# lib/PTXSim include each other as "PTXSim/...".
function(add_attn_ptxsim_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  llvm_map_components_to_libnames(llvm Support)
  if(LLVM_LINK_LLVM_DYLIB AND NOT ATTN_PTXSIM_ONLY)
    # A second copy in a program with the shared library would have handlers of
    # errors of its own. Tools that want the static one alone say so.
    set(llvm "$<IF:$<BOOL:$<TARGET_PROPERTY:ATTN_STATIC_LLVM>>,${llvm},LLVM>")
  endif()
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/lib")
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} ${llvm})
  set_target_properties(${name} PROPERTIES
    ARCHIVE_OUTPUT_DIRECTORY "${LLVM_LIBRARY_OUTPUT_INTDIR}")
  _attn_use_pch(${name} AttnPTXSimPCH)
  attn_export_library(${name})
endfunction()

# add_attn_tool(name sources... [PTXSIM] LINK_LIBS ... LINK_COMPONENTS ...)
# PTXSIM: a tool of the simulator, without MLIR.
function(add_attn_tool name)
  cmake_parse_arguments(ARG "PTXSIM" "" "LINK_LIBS;LINK_COMPONENTS" ${ARGN})
  set(LLVM_LINK_COMPONENTS ${ARG_LINK_COMPONENTS})
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  if(ARG_PTXSIM)
    _attn_use_pch(${name} AttnPTXSimPCH)
  else()
    _attn_use_pch(${name} AttnPCH)
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT tools)
  set_property(GLOBAL APPEND PROPERTY ATTN_TOOLS ${name})
endfunction()

# add_attn_unittest(NameTests sources... LINK_LIBS ... LINK_COMPONENTS ...)
# One GoogleTest program; the name must end in Tests, by which lit finds it.
function(add_attn_unittest name)
  if(NOT GTest_FOUND)
    return()
  endif()
  _attn_add_unittest(${name} ${ARGN})
  _attn_use_pch(${name} AttnPCH)
endfunction()

# add_attn_ptxsim_unittest(NameTests sources...): such a program about the
# simulator, without MLIR. Its files include the simulator's as "PTXSim/...".
function(add_attn_ptxsim_unittest name)
  if(NOT GTest_FOUND)
    return()
  endif()
  _attn_add_unittest(${name} ${ARGN} LINK_LIBS AttnPTXSim)
  _attn_set_test_options(${name})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/lib")
  _attn_use_pch(${name} AttnTestPCH)
endfunction()

function(_attn_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;LINK_COMPONENTS" ${ARGN})
  set(LLVM_LINK_COMPONENTS ${ARG_LINK_COMPONENTS} Support)
  set(LLVM_RUNTIME_OUTPUT_INTDIR "${PROJECT_BINARY_DIR}/test/unittests/bin")
  add_llvm_executable(${name} IGNORE_EXTERNALIZE_DEBUGINFO NO_INSTALL_RPATH
    ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest GTest::gtest_main)
  set_property(GLOBAL APPEND PROPERTY ATTN_UNITTESTS ${name})
endfunction()

# What tests expand to is long and runs once: optimizing it takes half of its
# compiler's time.
function(_attn_set_test_options target)
  target_link_libraries(${target} PRIVATE GTest::gtest)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()

# Adds what `library` needs to two lists of the caller: archives, as targets, in
# attn_archives, and libraries of the system in attn_system. The packages of MLIR
# name one shared LLVM, which is left out.
function(_attn_collect_archives library)
  if(library MATCHES "^\\$<LINK_ONLY:(.*)>$")
    set(library "${CMAKE_MATCH_1}")
  endif()
  if(library STREQUAL "LLVM" OR library MATCHES "ATTN_STATIC_LLVM"
      OR library IN_LIST attn_archives OR library IN_LIST attn_system)
    return()
  endif()
  set(kind "")
  if(TARGET ${library})
    get_target_property(kind ${library} TYPE)
  endif()
  if(kind MATCHES "^(STATIC|INTERFACE)_LIBRARY$")
    if(kind STREQUAL "STATIC_LIBRARY")
      list(APPEND attn_archives ${library})
    endif()
    get_target_property(needs ${library} INTERFACE_LINK_LIBRARIES)
    foreach(need IN LISTS needs)
      if(need)
        _attn_collect_archives("${need}")
      endif()
    endforeach()
  else()
    list(APPEND attn_system "${library}")
  endif()
  set(attn_archives "${attn_archives}" PARENT_SCOPE)
  set(attn_system "${attn_system}" PARENT_SCOPE)
endfunction()

# attn_collect_own(out AttnName...): the archives of this project that these link,
# themselves included.
function(attn_collect_own out)
  set(attn_archives "")
  set(attn_system "")
  foreach(library ${ARGN})
    _attn_collect_archives(${library})
  endforeach()
  set(own "")
  foreach(archive ${attn_archives})
    get_target_property(is_imported ${archive} IMPORTED)
    if(NOT is_imported)
      list(APPEND own ${archive})
    endif()
  endforeach()
  set(${out} ${own} PARENT_SCOPE)
endfunction()

# attn_link_static(target LIBS ... COMPONENTS ...): links the archives of LIBS
# and of LLVM's components into a shared library, whatever the tools link. What
# no code reaches is left out.
function(attn_link_static target)
  cmake_parse_arguments(ARG "" "" "LIBS;COMPONENTS" ${ARGN})
  llvm_map_components_to_libnames(llvm ${ARG_COMPONENTS})
  set(attn_archives "")
  set(attn_system "")
  foreach(library ${ARG_LIBS} ${llvm})
    _attn_collect_archives(${library})
  endforeach()
  # A compressor that not every machine has; zlib is on all of them.
  if(TARGET zstd::libzstd_static)
    list(TRANSFORM attn_system REPLACE "^zstd::libzstd_shared$" "zstd::libzstd_static")
  endif()
  set(files "")
  foreach(archive ${attn_archives})
    list(APPEND files "$<TARGET_FILE:${archive}>")
    get_target_property(is_imported ${archive} IMPORTED)
    if(NOT is_imported)
      add_dependencies(${target} ${archive})
    endif()
  endforeach()
  # All of the C++ run-time, too: hosts may have another, or none.
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc
    "LINKER:--as-needed,--gc-sections,-z,nodelete")
  if(NOT LLVM_USE_SANITIZER)
    target_link_options(${target} PRIVATE "LINKER:-z,defs")
  endif()
  if(LLVM_USE_LINKER MATCHES "lld")
    # Relocations in a bitmap: glibc 2.36, which LLVM's archives need anyway.
    target_link_options(${target} PRIVATE "LINKER:--icf=all,-z,pack-relative-relocs")
  endif()
  target_link_libraries(${target} PRIVATE
    -Wl,--start-group ${files} -Wl,--end-group ${attn_system})
  set_target_properties(${target} PROPERTIES LINK_DEPENDS "${files}")
endfunction()

# Tests: unit_tests (every src/**/*_test.cc), system_tests (tests/system/*_test.cc), and the scripts of tests/system.
# A script says in one of its first five lines what it wants, e.g. `# label: sanitize` or `# label: serial`.
enable_testing()

# What lives behind the gate is never destroyed, so leaks of recorded programs tell nothing; unit tests look for them.
set(test_environment
    ASAN_OPTIONS=detect_leaks=0
    REPRISE=${PROJECT_BINARY_DIR}/bin/reprise
    REPRISE_GUESTS=${PROJECT_BINARY_DIR}/guests
    REPRISE_EXAMPLES=${PROJECT_BINARY_DIR}/examples
    REPRISE_BUILD=${PROJECT_BINARY_DIR}
    REPRISE_SOURCE=${PROJECT_SOURCE_DIR}
    PYTHONDONTWRITEBYTECODE=1)
add_custom_target(sanitize DEPENDS tool guests)

file(GLOB_RECURSE unit_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*_test.cc)
file(GLOB system_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/system/*_test.cc)
if(GTest_FOUND)
  include(GoogleTest)
  # Tests are listed when ctest starts, not while building: a program that hangs must not hang the build.
  set(discovery DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
  if(unit_sources)
    add_executable(unit_tests ${unit_sources})
    target_link_libraries(unit_tests PRIVATE reprise_tool_lib rapidcheck GTest::gmock GTest::gtest GTest::gtest_main)
    if(TARGET reprise_runtime_objects)
      target_link_libraries(unit_tests PRIVATE reprise_runtime_objects)
    endif()
    target_include_directories(unit_tests PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_precompile_headers(unit_tests PRIVATE <gmock/gmock.h> <gtest/gtest.h> <string> <vector>)
    target_compile_options(unit_tests PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1 -g1>)
    if(REPRISE_SANITIZE)
      target_compile_options(unit_tests PRIVATE -O0)  # what they test is optimised
    endif()
    gtest_discover_tests(unit_tests ${discovery} PROPERTIES LABELS sanitize TIMEOUT 300)
    add_dependencies(sanitize unit_tests)
  endif()
  if(system_sources)
    add_executable(system_tests ${system_sources})
    target_link_libraries(system_tests PRIVATE reprise_tool_lib GTest::gmock GTest::gtest GTest::gtest_main)
    target_include_directories(system_tests PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    # The launcher hands over the environment: gtest_discover_tests cannot pass a list in a property.
    set_target_properties(system_tests PROPERTIES CROSSCOMPILING_EMULATOR "${CMAKE_COMMAND};-E;env;${test_environment}")
    gtest_discover_tests(system_tests ${discovery} PROPERTIES TIMEOUT 1200)
  endif()
else()
  message(STATUS "GoogleTest is missing: unit tests are left out (./test installs it)")
endif()

# Programs that tests drive: they call the tool's own code, many times in one process.
add_custom_target(drivers)
file(GLOB driver_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/drivers/*.cc)
foreach(source ${driver_sources})
  cmake_path(GET source STEM name)
  add_executable(driver_${name} ${source})
  set_target_properties(driver_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/drivers)
  target_link_libraries(driver_${name} PRIVATE reprise_tool_lib)
  target_include_directories(driver_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_dependencies(drivers driver_${name})
endforeach()
add_dependencies(sanitize drivers)

# Targets of libFuzzer, in the preset `fuzz` only.
add_custom_target(fuzz)
if(REPRISE_FUZZ)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cc)
  foreach(source ${fuzz_sources})
    cmake_path(GET source STEM name)
    add_executable(fuzz_${name} ${source})
    set_target_properties(fuzz_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    target_link_libraries(fuzz_${name} PRIVATE reprise_core)
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz fuzz_${name})
  endforeach()
endif()

# add_script(file): registers a script under its stem, with the labels it asks for.
function(add_script script)
  cmake_path(GET script STEM name)
  cmake_path(GET script EXTENSION extension)
  set(interpreter bash)
  if(extension STREQUAL ".py")
    set(interpreter python3)
  endif()
  add_test(NAME ${name} COMMAND ${interpreter} ${script})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT 1200)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(STRINGS ${script} head LIMIT_COUNT 5)
  string(REGEX MATCHALL "label: [a-z_]+" labels "${head}")
  list(TRANSFORM labels REPLACE "label: " "")
  set_tests_properties(${name} PROPERTIES LABELS "${labels}")
  if("serial" IN_LIST labels)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/system/*.py ${PROJECT_SOURCE_DIR}/tests/system/*.sh)
list(FILTER scripts EXCLUDE REGEX "/(_[^/]*|[^/]*_lib\\.py|conftest\\.[^/]*)$")
foreach(script ${scripts})
  add_script(${script})
endforeach()

add_test(NAME check_self_test COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/check --self-test)

# The other presets are tests of the release preset, so that one summary tells all and -R selects among them.
if(REPRISE_PRESET_TESTS)
  foreach(preset clang asan tsan)
    add_test(NAME preset_${preset} COMMAND bash ${PROJECT_SOURCE_DIR}/tools/test_preset ${preset})
    set_tests_properties(preset_${preset} PROPERTIES RUN_SERIAL TRUE TIMEOUT 2400 LABELS preset)
  endforeach()
endif()

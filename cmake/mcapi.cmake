# MCAPI: one runtime, two libraries (2.015 and 1.063 have functions of the same names with other arguments).
if(NOT TARGET reprise)
  return()
endif()

find_sources(mcapi_sources src/program/adapters/mcapi)
list(FILTER mcapi_sources EXCLUDE REGEX "/interface[12]\\.cc$")
add_library(mcapi_objects OBJECT ${mcapi_sources})
target_include_directories(mcapi_objects PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
# No guarded statics: who initialises one is a step of the program.
target_compile_options(mcapi_objects PRIVATE -ftls-model=initial-exec -fno-threadsafe-statics)
# The way of a message is short and leads through many files.
include(CheckIPOSupported)
check_ipo_supported(RESULT mcapi_ipo LANGUAGES CXX)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(mcapi_ipo OFF)
endif()
set_property(TARGET mcapi_objects PROPERTY INTERPROCEDURAL_OPTIMIZATION ${mcapi_ipo})

# add_mcapi(target number headers): a library with one of the interfaces.
function(add_mcapi target number headers)
  add_library(${target} SHARED $<TARGET_OBJECTS:mcapi_objects> ${PROJECT_SOURCE_DIR}/src/program/adapters/mcapi/interface${number}.cc)
  set_target_properties(${target} PROPERTIES VERSION ${number} SOVERSION ${number} LINKER_LANGUAGE CXX
                        INTERPROCEDURAL_OPTIMIZATION ${mcapi_ipo})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
                             INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/${headers}> $<INSTALL_INTERFACE:include/${headers}>)
  target_link_libraries(${target} PRIVATE reprise ${CMAKE_DL_LIBS} PUBLIC Threads::Threads)
  # The program must name libreprise too: what it stands before (fork, pthread_create) is looked for in libc first otherwise.
  target_link_libraries(${target} INTERFACE -Wl,--push-state,--no-as-needed reprise -Wl,--pop-state)
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-as-needed)
endfunction()
add_mcapi(mcapi 2 mcapi)
add_mcapi(mcapi1 1 mcapi1)

# What the launcher puts before libc for MCAPI programs: clocks, random numbers, standard input, processors.
find_sources(inputs_sources src/program/adapters/libc)
add_library(reprise_inputs SHARED ${inputs_sources})
set_target_properties(reprise_inputs PROPERTIES VERSION 0 SOVERSION 0)
target_include_directories(reprise_inputs PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_options(reprise_inputs PRIVATE -ftls-model=initial-exec -fno-threadsafe-statics)
target_link_libraries(reprise_inputs PRIVATE reprise ${CMAKE_DL_LIBS} Threads::Threads)
target_link_options(reprise_inputs PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-as-needed)

# What the library is tested with: programs of several nodes, which are not guests (tests/guests are recorded one by one).
add_custom_target(mcapi_programs)
file(GLOB mcapi_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/mcapi/*.cc)
foreach(source ${mcapi_tests})
  cmake_path(GET source STEM name)
  add_executable(mcapi_${name} ${source})
  set_target_properties(mcapi_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/mcapi)
  if(name MATCHES "^old_")
    target_link_libraries(mcapi_${name} PRIVATE mcapi1)
  else()
    target_link_libraries(mcapi_${name} PRIVATE mcapi)
  endif()
  add_dependencies(mcapi_programs mcapi_${name})
endforeach()

# Foreign libraries to test with: both interfaces on a runtime without hooks, for messages of at most 128 bytes.
set(plain ${PROJECT_BINARY_DIR}/foreign)
add_library(mcapi_plain_objects OBJECT ${mcapi_sources} ${PROJECT_SOURCE_DIR}/tests/foreign/nobody.cc)
add_custom_target(mcapi_plain)
foreach(number 1 2)
  set(interface ${PROJECT_SOURCE_DIR}/src/program/adapters/mcapi/interface${number}.cc)
  add_library(mcapi_plain${number} SHARED $<TARGET_OBJECTS:mcapi_plain_objects> ${interface})
  add_library(mcapi_static${number} STATIC $<TARGET_OBJECTS:mcapi_plain_objects> ${interface})
  set_target_properties(mcapi_plain${number} mcapi_static${number} PROPERTIES OUTPUT_NAME mcapi_plain${number} LINKER_LANGUAGE CXX
                        LIBRARY_OUTPUT_DIRECTORY ${plain} ARCHIVE_OUTPUT_DIRECTORY ${plain})
  target_link_options(mcapi_plain${number} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/tests/foreign/exports.map)
  target_link_libraries(mcapi_plain${number} PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
  add_dependencies(mcapi_plain mcapi_plain${number} mcapi_static${number})
endforeach()
foreach(target mcapi_plain_objects mcapi_plain1 mcapi_plain2 mcapi_static1 mcapi_static2)
  target_include_directories(${target} PRIVATE ${plain} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${target} PRIVATE MCAPI_MESSAGE_BYTES=128 reprise=plain_mcapi)
  target_compile_options(${target} PRIVATE -fPIC -fno-threadsafe-statics)
endforeach()
foreach(header mcapi1/mcapi.h mcapi/mcapi.h mcapi/mca.h)
  file(READ ${PROJECT_SOURCE_DIR}/include/${header} text)
  string(REGEX REPLACE "(MCAPI_MAX_(MSG|MESSAGE|PKT|PACKET)_SIZE) 65536" "\\1 128" text "${text}")
  file(CONFIGURE OUTPUT ${plain}/${header} CONTENT "${text}" @ONLY)
endforeach()
add_dependencies(mcapi_programs mcapi_plain reprise_inputs)

include(GNUInstallDirs)
install(TARGETS reprise_inputs LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS mcapi mcapi1 EXPORT reprise LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mcapi ${PROJECT_SOURCE_DIR}/include/mcapi1 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(mcapi_up "..")
if(CMAKE_INSTALL_LIBDIR MATCHES "/")  # lib/x86_64-linux-gnu: one folder deeper
  set(mcapi_up "../..")
endif()
foreach(name mcapi mcapi1)
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.pc "\
libdir=\${pcfiledir}/..
includedir=\${libdir}/${mcapi_up}/${CMAKE_INSTALL_INCLUDEDIR}

Name: ${name}
Description: messages between the nodes of one machine, to be recorded and replayed
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir}/${name} -pthread
Libs: -L\${libdir} -l${name} -Wl,--push-state,--no-as-needed -lreprise -Wl,--pop-state -pthread
")
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

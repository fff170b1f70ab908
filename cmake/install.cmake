# Installing: the tool, the library, its headers, find_package(reprise), pkg-config, man pages, bash completion; a Debian package by CPack.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

if(NOT TARGET reprise OR NOT TARGET reprise-cli)
  return()
endif()

install(TARGETS reprise EXPORT reprise LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS reprise-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/reprise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

install(EXPORT reprise NAMESPACE reprise:: FILE reprise-targets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/reprise)
file(WRITE ${PROJECT_BINARY_DIR}/reprise-config.cmake "\
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(\${CMAKE_CURRENT_LIST_DIR}/reprise-targets.cmake)
")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/reprise-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/reprise-config.cmake ${PROJECT_BINARY_DIR}/reprise-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/reprise)

# Paths relative to the file itself: the tree may be moved.
file(WRITE ${PROJECT_BINARY_DIR}/reprise.pc "\
prefix=\${pcfiledir}/../..
libdir=\${pcfiledir}/..
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: reprise
Description: record a concurrent program once, run that same execution again
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir} -pthread
Libs: -L\${libdir} -lreprise -pthread -Wl,-z,now
")
if(CMAKE_INSTALL_LIBDIR MATCHES "/")  # lib/x86_64-linux-gnu: one folder deeper
  file(READ ${PROJECT_BINARY_DIR}/reprise.pc pc)
  string(REPLACE "\${pcfiledir}/../.." "\${pcfiledir}/../../.." pc "${pc}")
  file(WRITE ${PROJECT_BINARY_DIR}/reprise.pc "${pc}")
endif()
install(FILES ${PROJECT_BINARY_DIR}/reprise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/docs/man/reprise.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/docs/man/reprise.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
# The tool writes its own completion, so the two cannot differ.
install(CODE "
  set(completion \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/bash-completion/completions\")
  file(MAKE_DIRECTORY \"\${completion}\")
  execute_process(COMMAND ${PROJECT_BINARY_DIR}/bin/reprise completion bash OUTPUT_FILE \"\${completion}/reprise\" COMMAND_ERROR_IS_FATAL ANY)
")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME reprise)
set(CPACK_PACKAGE_CONTACT "the reprise project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "record a concurrent program once, run that same execution again")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)

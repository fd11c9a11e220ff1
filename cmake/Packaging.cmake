# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` lays where, and the .deb that `cpack` makes of it. Nothing installed names a path of the machine
# that built it: libraries find each other from where they lie.
#   bin/            carryover, carryover-cli
#   lib/carryover/  our libraries; torch/ and nvidia/ as ./lab unpacks them, the few that the CPU half needs; scripts/
#   share/          the demo, desktop entry, icon, AppStream metadata, MIME type, man page, completions, documents
set(CARRYOVER_LIBRARIES lib/carryover)
set(CARRYOVER_DOCS share/doc/carryover)

# --- programs and libraries
# One RPATH for both trees. Where they differ, CMake ends that of the build tree with colons, to have room for the other:
# empty entries, which are the current folder. So the build tree has LibTorch where an installation has it.
set_target_properties(carryover carryover-cli PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                      INSTALL_RPATH "$ORIGIN/../${CARRYOVER_LIBRARIES};$ORIGIN/../lib")
set_target_properties(carryover_core PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
set_target_properties(carryover_engine PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;$ORIGIN/torch/lib")
file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
foreach(folder torch nvidia)
  file(CREATE_LINK ${CARRYOVER_TORCH_DIR}/${folder} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${folder} SYMBOLIC)
endforeach()
install(TARGETS carryover carryover-cli RUNTIME DESTINATION bin)
install(TARGETS carryover_core carryover_engine LIBRARY DESTINATION ${CARRYOVER_LIBRARIES})
if(CARRYOVER_BUILD_CUDA)
  set_target_properties(carryover_cuda PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                        INSTALL_RPATH "$ORIGIN/nvidia/cu13/lib")
  install(TARGETS carryover_cuda LIBRARY DESTINATION ${CARRYOVER_LIBRARIES})
endif()
foreach(library torch/lib/libtorch_cpu.so torch/lib/libc10.so nvidia/cu13/lib/libcudart.so.13
        nvidia/cu13/lib/libcupti.so.13)
  get_filename_component(folder ${library} DIRECTORY)
  install(FILES ${CARRYOVER_TORCH_DIR}/${library} DESTINATION ${CARRYOVER_LIBRARIES}/${folder})
endforeach()
# LibTorch's symbol table is a fifth of it. CMake strips its own targets only.
find_program(CARRYOVER_STRIP strip)
install(CODE "
  if(CMAKE_INSTALL_DO_STRIP)
    execute_process(COMMAND ${CARRYOVER_STRIP} --strip-unneeded
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CARRYOVER_LIBRARIES}/torch/lib/libtorch_cpu.so\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CARRYOVER_LIBRARIES}/torch/lib/libc10.so\"
      COMMAND_ERROR_IS_FATAL ANY)
  endif()")

# --- what `carryover setup-cuda` runs
foreach(script setup_cuda.sh search_path.sh common.sh plan.sh fetcher.sh cuda_runtime.sh wheels.py)
  install(PROGRAMS ${CMAKE_SOURCE_DIR}/scripts/${script} DESTINATION ${CARRYOVER_LIBRARIES}/scripts)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/scripts/wheels.txt ${CMAKE_SOURCE_DIR}/scripts/wheels-cuda.txt
        ${CMAKE_SOURCE_DIR}/scripts/pip.txt
        DESTINATION ${CARRYOVER_LIBRARIES}/scripts)

# --- the desktop
set(desktop ${CMAKE_SOURCE_DIR}/resources/desktop)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/demo DESTINATION share/carryover)
install(FILES ${desktop}/carryover.desktop DESTINATION share/applications)
install(FILES ${desktop}/carryover.metainfo.xml DESTINATION share/metainfo RENAME org.carryover.Carryover.metainfo.xml)
install(FILES ${desktop}/carryover.xml DESTINATION share/mime/packages)
install(FILES ${CMAKE_SOURCE_DIR}/resources/icons/carryover.svg DESTINATION share/icons/hicolor/scalable/apps)

# --- experiments: their plans say where demo and adapters lie in an installation
set(plans_made ${CMAKE_BINARY_DIR}/share/made/experiments)
file(GLOB plans CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/experiments/*.json)
foreach(plan ${plans})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${plan})
  get_filename_component(name ${plan} NAME)
  file(READ ${plan} text)
  string(REPLACE "\"../../resources/" "\"../" text "${text}")
  file(WRITE ${plans_made}/${name} "${text}")
  install(FILES ${plans_made}/${name} DESTINATION share/carryover/experiments)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/examples/experiments/README.md DESTINATION share/carryover/experiments)
install(PROGRAMS ${CMAKE_SOURCE_DIR}/examples/experiments/fetch_books.py DESTINATION share/carryover/experiments)
install(FILES ${CMAKE_SOURCE_DIR}/examples/experiments/books/books.json DESTINATION share/carryover/experiments/books)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/experiments/demo DESTINATION share/carryover/experiments)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/adapters DESTINATION share/carryover)

# --- made at build time: packed pages, and completions, which the program itself writes
set(made ${CMAKE_BINARY_DIR}/share/made)
file(MAKE_DIRECTORY ${made})
file(WRITE ${made}/carryover-cli.1 ".so man1/carryover.1\n")
add_custom_command(OUTPUT ${made}/carryover.1.gz ${made}/carryover-cli.1.gz ${made}/changelog.gz
  COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/docs/carryover.1 > ${made}/carryover.1.gz
  COMMAND gzip -9nc ${made}/carryover-cli.1 > ${made}/carryover-cli.1.gz
  COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/CHANGELOG.md > ${made}/changelog.gz
  DEPENDS ${CMAKE_SOURCE_DIR}/docs/carryover.1 ${CMAKE_SOURCE_DIR}/CHANGELOG.md VERBATIM)
add_custom_command(OUTPUT ${made}/carryover.bash ${made}/_carryover ${made}/carryover.fish
  COMMAND carryover-cli completion bash > ${made}/carryover.bash
  COMMAND carryover-cli completion zsh > ${made}/_carryover
  COMMAND carryover-cli completion fish > ${made}/carryover.fish
  DEPENDS carryover-cli VERBATIM)
add_custom_target(carryover_made_files ALL DEPENDS ${made}/carryover.1.gz ${made}/carryover.bash)
install(FILES ${made}/carryover.1.gz ${made}/carryover-cli.1.gz DESTINATION share/man/man1)
foreach(program carryover carryover-cli)  # bash looks for a file that is named as the program
  install(FILES ${made}/carryover.bash DESTINATION share/bash-completion/completions RENAME ${program})
  install(FILES ${made}/carryover.fish DESTINATION share/fish/vendor_completions.d RENAME ${program}.fish)
endforeach()
install(FILES ${made}/_carryover DESTINATION share/zsh/vendor-completions)

# --- documents and licences
install(FILES ${CMAKE_SOURCE_DIR}/docs/guide.md ${CMAKE_SOURCE_DIR}/docs/guide.de.md
        ${CMAKE_SOURCE_DIR}/docs/results.md ${CMAKE_SOURCE_DIR}/docs/benchmarks.md ${CMAKE_SOURCE_DIR}/LICENSE
        ${desktop}/copyright DESTINATION ${CARRYOVER_DOCS})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/pictures DESTINATION ${CARRYOVER_DOCS}
        FILES_MATCHING PATTERN "*-light-1280x800.png" PATTERN "window-dark-1920x1080.png")
install(FILES ${made}/changelog.gz DESTINATION ${CARRYOVER_DOCS})
install(FILES ${made}/sbom.spdx.json DESTINATION ${CARRYOVER_DOCS} OPTIONAL)  # scripts/sbom.py, for the .deb
install(FILES ${CMAKE_SOURCE_DIR}/SECURITY.md DESTINATION ${CARRYOVER_DOCS})
install(DIRECTORY ${CARRYOVER_TORCH_DIR}/torch-2.11.0.dist-info/licenses/ DESTINATION ${CARRYOVER_DOCS}/licences/torch
        OPTIONAL)
install(DIRECTORY ${CARRYOVER_TORCH_DIR}/nvidia_cuda_runtime-13.0.96.dist-info/licenses/
        DESTINATION ${CARRYOVER_DOCS}/licences/nvidia OPTIONAL)

# --- the .deb; `./lab package` calls cpack
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME carryover)
set(CPACK_PACKAGE_CONTACT "The Carryover authors <carryover@users.noreply.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "desktop lab for segmented long-context language models")
set(CPACK_PACKAGE_DESCRIPTION
"Runs pretrained language models on long texts, segment by segment, and shows
what is carried from one segment to the next, what is retrieved from the past
and by which head, what it costs, and what it does to the loss. Fine-tunes
through the carry; compares runs; makes figures. This package has the CPU half
of LibTorch; 'carryover setup-cuda' fetches what a GPU needs.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)  # as many as there are processors
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib ${CARRYOVER_TORCH_DIR}/torch/lib
    ${CARRYOVER_TORCH_DIR}/nvidia/cu13/lib)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "fonts-dejavu-core, poppler-utils")  # text in the window; PDF figures to SVG
# ca-certificates: `carryover fetch` and `carryover setup-cuda`
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "ca-certificates, fonts-noto-core, fonts-noto-color-emoji, fonts-wqy-microhei, shared-mime-info")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-venv")  # `carryover setup-cuda`
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${desktop}/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

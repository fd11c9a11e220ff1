# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DOUTPUT=FILE "-DSOURCES=A;B" -P unity.cmake: one file that compiles tests together. What they include is read
# once, ahead of them; each is then in a namespace of its own, since their helpers have the same names.
set(includes)
set(tests)
foreach(source ${SOURCES})
  file(STRINGS ${source} lines REGEX "^#include [<\"][^.]*(\\.h)?[>\"]")
  list(APPEND includes ${lines})
  get_filename_component(name ${source} NAME_WE)
  string(APPEND tests "namespace in_${name} {\n#include \"${source}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
# The results of moc include these, which differ by the version of Qt; inside a namespace they would declare theirs.
foreach(header memory QtCore/qmetatype.h QtCore/qtmochelpers.h QtCore/qxptype_traits.h)
  string(APPEND includes "\n#if __has_include(<${header}>)\n#include <${header}>\n#endif")
endforeach()
file(WRITE ${OUTPUT} "${includes}\n${tests}")

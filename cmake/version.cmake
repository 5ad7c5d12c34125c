# Run with cmake -P: writes OUTPUT with what --version says. SOURCE: the checkout, VERSION, BUILD_TYPE.
#
# At build time rather than when configuring, because a commit does not configure anew. Outside a
# checkout (a tarball, perhaps unpacked within somebody else's repository) there is no commit to name.
set(commit "")
if(EXISTS ${SOURCE}/.git)
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short HEAD
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
      set(commit "")
    endif()
  endif()
endif()
if(commit)
  # Without optional locks: a build must not get in the way of a commit.
  execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit "-dirty")
  endif()
endif()

set(text "#pragma once
#define WEIGHBRIDGE_VERSION \"${VERSION}\"
#define WEIGHBRIDGE_COMMIT \"${commit}\"
#define WEIGHBRIDGE_BUILD_TYPE \"${BUILD_TYPE}\"
")
# Untouched when nothing changed, so that nothing is compiled for it.
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()

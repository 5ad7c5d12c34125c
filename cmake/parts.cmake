# The outside parts, all from Debian packages (see tools/setup/packages.txt).
find_package(PkgConfig REQUIRED)
find_package(Boost 1.81 EXACT REQUIRED)
find_package(simdjson REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
# Static: a program that is asked for no https then pays next to nothing for being able to. Loading the shared
# libraries costs every start milliseconds, and 4 MiB resident.
set(OPENSSL_USE_STATIC_LIBS TRUE)
find_package(OpenSSL 3 REQUIRED)
find_package(GTest REQUIRED)
include(GoogleTest)

# Debian ships llhttp as C sources inside node-llhttp; there is no library package.
add_library(llhttp STATIC
  /usr/share/llhttp/api.c /usr/share/llhttp/http.c /usr/share/llhttp/llhttp.c)
target_include_directories(llhttp SYSTEM PUBLIC /usr/share/include/llhttp)
target_compile_options(llhttp PRIVATE -w)

# HMAC for the reference server. Static, because it takes three objects of the library: loading a shared one
# would cost every start of a server whose start is measured.
find_library(NETTLE_STATIC libnettle.a REQUIRED)
add_library(nettle STATIC IMPORTED)
set_target_properties(nettle PROPERTIES IMPORTED_LOCATION ${NETTLE_STATIC})

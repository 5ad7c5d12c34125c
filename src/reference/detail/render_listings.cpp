// Run by the build: writes the tools of every surface to FOLDER/<surface>.json.

#include <cstdio>
#include <fstream>
#include <string>

#include "reference/embedded.h"
#include "reference/listing.h"

using namespace weighbridge::reference;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: render_listings FOLDER\n", stderr);
    return 2;
  }
  const Catalogue catalogue(embedded_operations(), embedded_words());
  for (const auto surface : {Surface::dynamic, Surface::meta, Surface::individual}) {
    const std::string path = std::string(argv[1]) + "/" + std::string(to_string(surface)) + ".json";
    std::ofstream file(path, std::ios::binary);
    file << render_listing(surface, catalogue).tools;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write %s\n", path.c_str());
      return 1;
    }
  }
  return 0;
}

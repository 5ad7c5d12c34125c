#pragma once

namespace weighbridge::reference {

/// The whole program. Returns its exit code: 0 done, 2 the words are wrong, 3 it could not start.
int run(int argc, char** argv);

}  // namespace weighbridge::reference

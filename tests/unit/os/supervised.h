#pragma once

#include <string>
#include <thread>

#include "os/real_clock.h"
#include "os/supervisor.h"

namespace weighbridge::os {

inline constexpr const char* kSelf = "/proc/self/exe";

inline Instant soon() {
  return now() + 60s;
}

inline SpawnRequest shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
}

template <typename Condition>
bool comes_true(Condition condition) {
  for (const Instant deadline = soon(); now() < deadline; std::this_thread::sleep_for(1ms))
    if (condition()) return true;
  return condition();
}

}  // namespace weighbridge::os

#include "record/record.h"

namespace weighbridge::record {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::complete:
      return "complete";
    case Status::interrupted:
      return "interrupted";
    case Status::broke_off:
      return "broke_off";
  }
  return {};
}

bool from_string(std::string_view text, Status& status) {
  for (const Status known : {Status::complete, Status::interrupted, Status::broke_off}) {
    if (to_string(known) != text) continue;
    status = known;
    return true;
  }
  return false;
}

}  // namespace weighbridge::record

#pragma once

// Every struct of a record as a list of its members, in the order of the document, under the names
// that they have there: members(visit, it) calls visit(name, member) for each. Writer and reader
// both walk these lists, so that neither can know a member that the other does not. The lists are
// long and dull on purpose: the only thing to do for a new member is to add its line here, in
// schema/record.schema.json and in docs/record.md (a test compares all three with the headers).

#include "record/detail/members_calibration.h"
#include "record/detail/members_load.h"
#include "record/detail/members_record.h"
#include "record/detail/members_repeat.h"
#include "record/detail/members_scenario.h"

#include <array>

#include "base/units.h"
#include "reference/delay.h"
#include "reference/detail/flag.h"

namespace weighbridge::reference {
namespace {

Result<void> read_memory(std::string_view text, TimedMemory& memory) {
  WB_TRY(memory, TimedMemory::parse(text));
  return {};
}

constexpr std::array kWeightFlags{
    Flag{"--weight-delay", "DELAY",
         "Hold back every answer to tools/call: 10ms, uniform:5ms-15ms, exponential:20ms, "
         "bimodal:5ms,50ms,0.1, list:1ms,2ms or @FILE",
         [](Given text, Options& options) -> Result<void> {
           WB_TRY([[maybe_unused]] const auto readable, DelaySource::parse(*text, 0));
           options.weights.delay = *text;
           return {};
         }},
    Flag{"--seed", "N", "Seed of the delays. Default: 1",
         [](Given text, Options& options) { return read_number(*text, options.weights.seed); }},
    Flag{"--weight-freeze", "LENGTH/PERIOD",
         "Stand still for LENGTH at the start of every PERIOD, counted from the first request: "
         "1s/4s",
         [](Given text, Options& options) -> Result<void> {
           WB_TRY(options.weights.freeze, FreezePlan::parse(*text));
           return {};
         }},
    Flag{"--weight-concurrency", "N",
         "Serve at most N tools/call at once; the others wait in the order in which they came",
         [](Given text, Options& options) {
           return read_number(*text, options.weights.concurrency);
         }},
    Flag{"--weight-cpu", "TIME", "Burn so much processor time in every tools/call",
         [](Given text, Options& options) {
           return read_duration(*text, options.weights.call.cpu);
         }},
    Flag{"--weight-list-cpu", "TIME", "Burn so much processor time in every tools/list",
         [](Given text, Options& options) {
           return read_duration(*text, options.weights.list_cpu);
         }},
    Flag{"--weight-start-cpu", "TIME", "Burn so much processor time before anything is served",
         [](Given text, Options& options) {
           return read_duration(*text, options.weights.start_cpu);
         }},
    Flag{"--weight-start-delay", "TIME", "Stand still so long before anything is served",
         [](Given text, Options& options) {
           return read_duration(*text, options.weights.start_delay);
         }},
    Flag{"--weight-build-delay", "TIME",
         "Have no catalogue for so long after the start: what needs it waits, the rest is answered",
         [](Given text, Options& options) {
           return read_duration(*text, options.weights.build_delay);
         }},
    Flag{"--weight-hold", "SIZE", "Hold so much resident memory for every credential: 50KiB",
         [](Given text, Options& options) {
           return read_size(*text, options.weights.credential_bytes);
         }},
    Flag{"--weight-process-hold", "SIZE", "Hold so much resident memory from the start",
         [](Given text, Options& options) {
           return read_size(*text, options.weights.process_bytes);
         }},
    Flag{"--weight-session-hold", "SIZE",
         "Hold so much resident memory for every session, until it ends. In whole pages",
         [](Given text, Options& options) {
           return read_size(*text, options.weights.session_bytes);
         }},
    Flag{"--weight-connection-hold", "SIZE",
         "Hold so much resident memory for every connection, until it is closed. In whole pages",
         [](Given text, Options& options) {
           return read_size(*text, options.weights.connection_bytes);
         }},
    Flag{
        "--weight-leak", "SIZE[/TIME]",
        "Hold so much resident memory for every tools/call, for ever or for a time: 4KiB, 4KiB/2s",
        [](Given text, Options& options) { return read_memory(*text, options.weights.call.leak); }},
    Flag{
        "--weight-peak", "SIZE[/TIME]",
        "Take so much resident memory in every tools/call and give it back after TIME (default "
        "20ms): 64MiB",
        [](Given text, Options& options) { return read_memory(*text, options.weights.call.peak); }},
    Flag{"--weight-fds", "N", "Hold N descriptors for every tools/call until its answer",
         [](Given text, Options& options) {
           return read_number(*text, options.weights.call.things.descriptors);
         }},
    Flag{"--weight-threads", "N", "Hold N sleeping threads for every tools/call until its answer",
         [](Given text, Options& options) {
           return read_number(*text, options.weights.call.things.threads);
         }},
    Flag{"--weight-children", "N",
         "Hold N sleeping child processes for every tools/call until its answer",
         [](Given text, Options& options) {
           return read_number(*text, options.weights.call.things.children);
         }},
    Flag{"--weight-session-fds", "N", "Hold N descriptors for every session until it ends",
         [](Given text, Options& options) {
           return read_number(*text, options.weights.session_things.descriptors);
         }},
    Flag{"--weight-session-threads", "N", "Hold N sleeping threads for every session",
         [](Given text, Options& options) {
           return read_number(*text, options.weights.session_things.threads);
         }},
    Flag{"--weight-session-children", "N", "Hold N sleeping child processes for every session",
         [](Given text, Options& options) {
           return read_number(*text, options.weights.session_things.children);
         }},
    Flag{"--weight-leak-abandoned", "",
         "Keep what a session holds for ever when it times out instead of being ended by DELETE",
         [](Given text, Options& options) {
           return read_bool(text, options.weights.leak_abandoned);
         }},
    Flag{"--weight-bytes", "SIZE", "Answer the tool null with so many bytes of text",
         [](Given text, Options& options) {
           return read_size(*text, options.weights.call.answer_bytes);
         }},
    Flag{"--weight-id", "PLACE", "Where in an answer its id stands: first or last. Default: first",
         [](Given text, Options& options) -> Result<void> {
           if (*text != "first" && *text != "last")
             return wrong(fmt::format("\"{}\" is neither first nor last", *text));
           options.weights.id_last = *text == "last";
           return {};
         }},
    Flag{"--weight-first-byte", "TIME", "Hold back the first byte of every answer for so long",
         [](Given text, Options& options) {
           return read_duration(*text, options.weights.first_byte);
         }},
    Flag{
        "--weight-chunk", "SIZE", "Write answers in chunks of so many bytes",
        [](Given text, Options& options) { return read_size(*text, options.weights.chunk_bytes); }},
    Flag{
        "--weight-trickle", "TIME", "Pause so long between two chunks",
        [](Given text, Options& options) { return read_duration(*text, options.weights.trickle); }},
};

}  // namespace

std::span<const Flag> weight_flags() {
  return kWeightFlags;
}

}  // namespace weighbridge::reference

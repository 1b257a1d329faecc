// Arbitrary bytes as the trace of a program: a report as a table, as JSON and as a page, or an error.
#include "base/json_value.hpp"
#include "bytes.hpp"
#include "profile/report.hpp"
#include "profile/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace quern;
  tool::Report report;
  auto trace = tool::read_trace(fuzz::text_of(data, size));
  if (!trace.ok()) {
    fuzz::require(!trace.error().message().empty(), "An error without a message.");
    return 0;
  }
  report.trace = std::move(*trace);
  report.rows = tool::rows_of(report.trace);
  (void)tool::table_of(report, true);
  (void)tool::page_of(report);
  const std::string json = tool::json_of(report);
  fuzz::require(base::parse_json(json).ok(), "The report is not JSON.", json);
  return 0;
}

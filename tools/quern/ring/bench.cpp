#include <cstdio>

#include "actor_request.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "measure.hpp"
#include "subcommands.hpp"
#include "telemetry/monitor.hpp"
#include "telemetry_text.hpp"

namespace quern::tool {

base::Result<int> ring_bench(const Arguments& arguments, const Device& device) {
  QUERN_TRY_ASSIGN(const std::uint64_t calls, count_option(arguments, "--calls", 100'000));
  telemetry::ThrottleWatch throttling(device.info());
  const Latency call = measure_calls(device, calls);
  const double send = measure_send(device);
  Flow flow;
  flow.messages = std::max<std::uint64_t>(calls * 10, 64);
  flow.is_parallel = likes_parallel(device);
  const FlowResult one_way = measure_flow(device, flow);
  const Latency launches = measure_launches(device, std::min<std::uint64_t>(calls, 10'000));
  const ThrottleReasons throttled = throttling.reasons();
  const bool is_right = call.wrong == 0 && one_way.is_right && launches.wrong == 0;
  if (arguments.has("--json")) {
    base::JsonWriter json(2);
    json.begin_object().member("device", device.info().id()).member("name", device.name());
    json.member("call_p50", call.p50).member("call_p99", call.p99).member("call_max", call.max);
    json.member("calls", call.calls).member("wrong", call.wrong).member("send", send);
    json.member("messages_per_second", one_way.per_second).member("checksum_right", one_way.is_right);
    json.member("launches_p50", launches.p50).member("right", is_right);
    write_throttled(json, throttled);
    json.end_object();
    std::fputs(json.take().c_str(), stdout);
    return is_right ? kOk : kFailed;
  }
  std::printf("ring kernels on %s (%s)\n", device.name().c_str(), device.driver().c_str());
  std::printf("call round trip   p50 %s   p99 %s   max %s   %s calls, %s lost\n",
              base::format_duration(call.p50).c_str(), base::format_duration(call.p99).c_str(),
              base::format_duration(call.max).c_str(), base::format_count(call.calls).c_str(),
              base::format_count(call.wrong).c_str());
  std::printf("send              %s host   %.3g M msg/s one way, 64 bytes each, %s\n",
              base::format_duration(send).c_str(), one_way.per_second * 1e-6,
              one_way.is_right ? "checksum correct" : "CHECKSUM WRONG");
  const double ratio = launches.p50 / call.p50;
  std::printf("same by launches  %s   %.1f× %s\n", base::format_duration(launches.p50).c_str(),
              ratio >= 1 ? ratio : 1 / ratio, ratio >= 1 ? "slower" : "faster");
  if (!throttled.empty()) std::printf("%s\n", throttled_text(throttled).c_str());
  return is_right ? kOk : kFailed;
}

}  // namespace quern::tool

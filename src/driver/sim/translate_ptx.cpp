// Inline PTX that the simulator executes itself.
#include <algorithm>

#include "driver/sim/messages.hpp"
#include "driver/sim/translator.hpp"
#include "lang/ir/simulated_ptx.hpp"

namespace quern::sim {

void Translator::ptx(const ir::Inst* inst) {
  const std::string& attribute = inst->attr().text;
  std::string_view text = attribute;
  text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  const bool is_simulated = text.starts_with(ir::kSimulatedPtx);
  if (is_simulated) text.remove_prefix(ir::kSimulatedPtx.size());
  const bool has_result = !inst->type->is_void();
  std::optional<PtxInfo> info = is_simulated ? parse_ptx(text, has_result) : std::nullopt;
  if (!info || info->arguments.back() != inst->operands.size()) {
    fail(message::kUnknownPtx(text.substr(0, text.find(' '))), inst);
    return;
  }
  for (const ir::Value* v : inst->operands) info->slots.push_back(use(v));
  if (info->kind == PtxKind::kBulkStore) note_write(inst->operand(0));
  const bool is_cluster_barrier =
      info->kind == PtxKind::kClusterArrive || info->kind == PtxKind::kClusterWait;
  code_->has_cluster_barrier = code_->has_cluster_barrier || is_cluster_barrier;
  const bool maps =
      info->kind == PtxKind::kMapShared || info->kind == PtxKind::kClusterRank || info->is_multicast;
  code_->maps_shared = code_->maps_shared || maps;
  const uint32_t dst = has_result ? result(inst) : kNoSlot;
  code_->ptx.push_back(std::move(*info));
  emit(OpCode::kPtx, dst, 0, 0, static_cast<uint32_t>(code_->ptx.size() - 1));
}

}  // namespace quern::sim

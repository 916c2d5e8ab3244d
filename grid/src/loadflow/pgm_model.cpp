#ifdef FUGU_POWER_GRID_MODEL

#include "pgm_model.hpp"

#include <power_grid_model_c/dataset_definitions.h>

#include <cstdint>

namespace fugu::grid::pgm {
namespace {

/// The library takes a source with an internal impedance. This one changes no voltage by more than about 1e-9 of
/// itself.
constexpr double kSourcePowerVa = 1e14;
constexpr PGM_Idx kIterationsMax = 20;

PGM_ID id(std::size_t value) { return static_cast<PGM_ID>(value); }

/// All elements of one kind. What is not set has the library's default.
class Component {
 public:
  Component(const Handle& handle, const char* name, const PGM_MetaComponent* kind, std::size_t size)
      : handle_(handle.get()), name_(name), size_(index(size)), buffer_(PGM_create_buffer(handle_, kind, size_)) {
    PGM_buffer_set_nan(handle_, kind, buffer_.get(), 0, size_);
  }

  template <class Value>
  void set(const PGM_MetaAttribute* attribute, std::size_t element, Value value) {
    // Stride 0: the library counts strides of the source from the buffer's start, not from `element`.
    PGM_buffer_set_value(handle_, attribute, buffer_.get(), &value, index(element), 1, 0);
  }
  void add_to(const Input& dataset) const {
    PGM_dataset_const_add_buffer(handle_, dataset.get(), name_, size_, size_, nullptr, buffer_.get());
  }

 private:
  PGM_Handle* handle_;
  const char* name_;
  PGM_Idx size_;
  std::unique_ptr<void, Destroy<PGM_destroy_buffer>> buffer_;
};

/// The network for the library. Ids are the nodes' numbers; then the node above the transformer and all else.
class ModelMaker {
 public:
  ModelMaker(const Network& network, VoltageAt voltage_at, const Handle& handle)
      : network_(network),
        has_transformer_(voltage_at == VoltageAt::source),
        handle_(handle),
        next_id_(network.nodes().size()) {}

  Result<Model> make() {
    const std::size_t source_node = has_transformer_ ? next_id_++ : network_.root();
    const Component nodes = make_nodes(source_node);
    const Component lines = make_lines();
    const Component sources = make_source(source_node);
    const Component loads = make_loads();
    const Component transformers = make_transformer(source_node);
    const Input dataset(PGM_create_dataset_const(handle_.get(), "input", 0, 1));
    for (const Component* each : {&nodes, &lines, &sources, &loads}) each->add_to(dataset);
    if (has_transformer_) transformers.add_to(dataset);
    FUGU_TRY(check(handle_));
    Model model(PGM_create_model(handle_.get(), network_.data().frequency_hz, dataset.get()));
    FUGU_TRY(check(handle_));
    return model;
  }

 private:
  Component make_nodes(std::size_t source_node) {
    const std::size_t own = network_.nodes().size();
    Component nodes(handle_, "node", PGM_def_input_node, own + (has_transformer_ ? 1 : 0));
    for (std::size_t i = 0; i < own; ++i) {
      nodes.set(PGM_def_input_node_id, i, id(i));
      nodes.set(PGM_def_input_node_u_rated, i, network_.nominal_v());
    }
    if (has_transformer_) {
      nodes.set(PGM_def_input_node_id, own, id(source_node));
      nodes.set(PGM_def_input_node_u_rated, own, 1000 * network_.transformer().hv_kv);
    }
    return nodes;
  }

  Component make_lines() {
    Component lines(handle_, "line", PGM_def_input_line, network_.lines().size());
    for (std::size_t i = 0; i < network_.lines().size(); ++i) {
      const Line& line = network_.lines()[i];
      const auto is_closed = static_cast<std::int8_t>(line.is_closed);
      lines.set(PGM_def_input_line_id, i, id(next_id_++));
      lines.set(PGM_def_input_line_from_node, i, id(network_.line_ends()[i].from));
      lines.set(PGM_def_input_line_to_node, i, id(network_.line_ends()[i].to));
      lines.set(PGM_def_input_line_from_status, i, is_closed);
      lines.set(PGM_def_input_line_to_status, i, is_closed);
      lines.set(PGM_def_input_line_r1, i, line.r_ohm);
      lines.set(PGM_def_input_line_x1, i, line.x_ohm);
      lines.set(PGM_def_input_line_c1, i, line.c_nf * 1e-9);
      lines.set(PGM_def_input_line_tan1, i, 0.0);
    }
    return lines;
  }

  Component make_source(std::size_t node) {
    Component sources(handle_, "source", PGM_def_input_source, 1);
    sources.set(PGM_def_input_source_id, 0, id(next_id_++));
    sources.set(PGM_def_input_source_node, 0, id(node));
    sources.set(PGM_def_input_source_status, 0, std::int8_t{1});
    sources.set(PGM_def_input_source_u_ref, 0, has_transformer_ ? network_.transformer().source_pu : 1.0);
    sources.set(PGM_def_input_source_sk, 0, kSourcePowerVa);
    return sources;
  }

  Component make_loads() {
    Component loads(handle_, "sym_load", PGM_def_input_sym_load, network_.customers().size());
    for (std::size_t i = 0; i < network_.customers().size(); ++i) {
      loads.set(PGM_def_input_sym_load_id, i, id(next_id_++));
      loads.set(PGM_def_input_sym_load_node, i, id(network_.customer_nodes()[i]));
      loads.set(PGM_def_input_sym_load_status, i, std::int8_t{1});
      loads.set(PGM_def_input_sym_load_type, i, std::int8_t{0});  // constant power
      loads.set(PGM_def_input_sym_load_p_specified, i, 0.0);
      loads.set(PGM_def_input_sym_load_q_specified, i, 0.0);
    }
    return loads;
  }

  Component make_transformer(std::size_t source_node) {
    Component transformers(handle_, "transformer", PGM_def_input_transformer, 1);
    const Transformer& transformer = network_.transformer();
    const auto set = [&](const PGM_MetaAttribute* attribute, auto value) { transformers.set(attribute, 0, value); };
    set(PGM_def_input_transformer_id, id(next_id_++));
    set(PGM_def_input_transformer_from_node, id(source_node));
    set(PGM_def_input_transformer_to_node, id(network_.root()));
    set(PGM_def_input_transformer_u1, 1000 * transformer.hv_kv * (1 + transformer.tap_percent / 100));
    set(PGM_def_input_transformer_u2, 1000 * transformer.lv_kv);
    set(PGM_def_input_transformer_sn, 1000 * transformer.rated_kva);
    set(PGM_def_input_transformer_uk, transformer.uk_percent / 100);
    set(PGM_def_input_transformer_pk, 1000 * transformer.copper_loss_kw);
    set(PGM_def_input_transformer_p0, 1000 * transformer.iron_loss_kw);
    set(PGM_def_input_transformer_i0, transformer.iron_loss_kw / transformer.rated_kva);
    set(PGM_def_input_transformer_tap_size, 0.0);
    for (const auto* one : {PGM_def_input_transformer_from_status, PGM_def_input_transformer_to_status}) {
      set(one, std::int8_t{1});
    }
    // The shift between the sides, whole multiples of 30 degrees, is left out: wye to wye, clock 0.
    for (const auto* zero :
         {PGM_def_input_transformer_winding_from, PGM_def_input_transformer_winding_to, PGM_def_input_transformer_clock,
          PGM_def_input_transformer_tap_side, PGM_def_input_transformer_tap_pos, PGM_def_input_transformer_tap_min,
          PGM_def_input_transformer_tap_max}) {
      set(zero, std::int8_t{0});
    }
    return transformers;
  }

  const Network& network_;
  bool has_transformer_;
  const Handle& handle_;
  std::size_t next_id_;
};

}  // namespace

Result<void> check(const Handle& handle) {
  if (PGM_error_code(handle.get()) == PGM_no_error) return {};
  return Error{Cause::environment, std::string("power-grid-model: ") + PGM_error_message(handle.get())};
}

Result<Model> make_model(const Network& network, VoltageAt voltage_at, const Handle& handle) {
  return ModelMaker(network, voltage_at, handle).make();
}

Result<Options> make_options(const LoadFlowOptions& options, const Handle& handle) {
  Options settings(PGM_create_options(handle.get()));
  PGM_set_calculation_method(handle.get(), settings.get(), PGM_newton_raphson);
  PGM_set_err_tol(handle.get(), settings.get(), options.tolerance_pu);
  PGM_set_max_iter(handle.get(), settings.get(), kIterationsMax);
  // 0 means all of them there, too; 1 would start a thread.
  PGM_set_threading(handle.get(), settings.get(), options.threads == 1 ? -1 : static_cast<PGM_Idx>(options.threads));
  FUGU_TRY(check(handle));
  return settings;
}

}  // namespace fugu::grid::pgm

#endif

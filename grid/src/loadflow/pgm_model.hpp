// power-grid-model's objects as ours, and a network as its model. Private to loadflow and its benchmark.
#pragma once

#include <power_grid_model_c.h>

#include <cstddef>
#include <memory>

#include "fugu/loadflow/loadflow.hpp"

namespace fugu::grid::pgm {

template <auto destroy>
struct Destroy {
  void operator()(auto* pointer) const { destroy(pointer); }
};
using Handle = std::unique_ptr<PGM_Handle, Destroy<PGM_destroy_handle>>;
using Model = std::unique_ptr<PGM_PowerGridModel, Destroy<PGM_destroy_model>>;
using Options = std::unique_ptr<PGM_Options, Destroy<PGM_destroy_options>>;
using Input = std::unique_ptr<PGM_ConstDataset, Destroy<PGM_destroy_dataset_const>>;
using Output = std::unique_ptr<PGM_MutableDataset, Destroy<PGM_destroy_dataset_mutable>>;

inline PGM_Idx index(std::size_t value) { return static_cast<PGM_Idx>(value); }

/// What the last call said.
Result<void> check(const Handle& handle);

/// Nodes, lines and customers in the network's order; after the nodes the one above the transformer, if it is computed.
Result<Model> make_model(const Network& network, VoltageAt voltage_at, const Handle& handle);
Result<Options> make_options(const LoadFlowOptions& options, const Handle& handle);

}  // namespace fugu::grid::pgm

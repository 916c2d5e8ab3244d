// Accountants that refuse nothing: to see by how much a rule breaks its promise.
#pragma once

#include <memory>

#include "fugu/accounting/accountant.hpp"

namespace fugu {

/// Counts what answers cost under `definition` and grants all of them: worst() may exceed total(). What is left, the
/// window and the horizon are as the definition has them. Losses of 2^15 and more in one window are not told apart;
/// worst() is then the largest Budget there is. Under policies nothing is counted: their losses are audited afterwards.
/// For simulations only: no publisher takes it.
std::unique_ptr<Accountant> make_counting_accountant(const Definition& definition, const Exposure& exposure,
                                                     Reach reach);

}  // namespace fugu

// Which part of the domain of each attribute a query may read (thesis, Definitions 13 to 16).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fugu/distance/area.hpp"
#include "fugu/mining/distance_matrix.hpp"
#include "fugu/sql/query.hpp"
#include "fugu/sql/schema.hpp"

namespace fugu::querylog {

/// The values that each attribute may have: those of its type that meet the CHECKs of its relation, and NULL unless it
/// is NOT NULL.
class Domains {
 public:
  explicit Domains(const Schema& schema);

  const Area& of(Attribute attribute) const { return areas_[attribute.relation][attribute.column]; }

 private:
  std::vector<std::vector<Area>> areas_;
};

/// The characteristic of a query.
struct AccessAreas {
  std::vector<std::uint32_t> relations;  ///< that it names anywhere: ascending
  std::map<Attribute, Area> areas;       ///< of the attributes that it joins, filters, groups or sorts by

  friend bool operator==(const AccessAreas&, const AccessAreas&) = default;
};

AccessAreas access_areas(const Statement& statement, const Schema& schema, const Domains& domains);

/// What two areas that overlap and differ count, between 0 and 1: x in the thesis.
inline constexpr mining::Fraction kOverlap{1, 2};

/// The mean over the attributes of either query of 0 (equal areas), `overlap` (common values) or 1. An attribute that
/// only one query has: of the other, all of its domain where it names the relation, nothing where it does not. 0 when
/// neither has an attribute. Symmetric and between 0 and 1, but no metric: the triangle inequality fails.
mining::Fraction access_area_distance(const AccessAreas& a, const AccessAreas& b, const Domains& domains,
                                      mining::Fraction overlap = kOverlap);

/// The same for all pairs.
mining::DistanceMatrix access_area_distances(std::span<const AccessAreas> queries, const Domains& domains,
                                             mining::Fraction overlap = kOverlap);

}  // namespace fugu::querylog

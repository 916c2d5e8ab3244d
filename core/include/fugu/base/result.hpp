// What a call that can fail for reasons outside our code returns. Shaped like C++23 std::expected.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "fugu/base/check.hpp"

namespace fugu {

/// Why an operation failed. The command line maps each cause to one exit code (see `exit_code`).
enum class Cause {
  usage,        ///< the caller asked for something that makes no sense (exit code 2)
  bad_input,    ///< a file or stream does not say what it should (exit code 2)
  refused,      ///< doing it would break a privacy promise (exit code 3)
  environment,  ///< disk, pipe, memory, random source (exit code 4)
};

/// A failure. `message` names file, line and column where there is one, what was found and what would be right.
/// It never contains a reading's value.
struct Error {
  Cause cause;
  std::string message;
};

/// 2 for usage and bad input, 3 for refused, 4 for the environment.
int exit_code(Cause cause) noexcept;

namespace detail {

/// An Error out of the way: errors are rare, and a Result that holds none should cost no more than a pointer. It is
/// passed on as it is by FUGU_TRY.
class Failure {
 public:
  Failure() = default;
  explicit Failure(Error error) : error_(std::make_unique<Error>(std::move(error))) {}
  Failure(const Failure& other) : error_(other.error_ ? std::make_unique<Error>(*other.error_) : nullptr) {}
  Failure(Failure&&) noexcept = default;
  Failure& operator=(Failure other) noexcept {
    error_ = std::move(other.error_);
    return *this;
  }
  ~Failure() = default;

  bool has_error() const noexcept { return error_ != nullptr; }
  Error& error() const {
    FUGU_CHECK(has_error());
    return *error_;
  }

 private:
  std::unique_ptr<Error> error_;
};

}  // namespace detail

/// A value or an Error. Dropping one is a compiler warning.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  template <class U = T>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::remove_cvref_t<U>, Error> &&
             !std::is_same_v<std::remove_cvref_t<U>, Result>)
  Result(U&& value) : value_(std::in_place, std::forward<U>(value)) {}  // in place: an empty optional is a value
  Result(Error error) : failure_(std::move(error)) {}
  Result(detail::Failure&& failure) : failure_(std::move(failure)) {}

  bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return has_value(); }

  T& operator*() & { return checked(value_); }
  const T& operator*() const& { return checked(value_); }
  T&& operator*() && { return std::move(checked(value_)); }
  T* operator->() { return &checked(value_); }
  const T* operator->() const { return &checked(value_); }

  const Error& error() const& { return failure_.error(); }
  Error error() && { return std::move(failure_.error()); }
  detail::Failure&& failure() && { return std::move(failure_); }

 private:
  template <class Value>
  static auto& checked(Value& value) {
    FUGU_CHECK(value.has_value());
    return *value;
  }

  std::optional<T> value_;
  detail::Failure failure_;  // where there is no value
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : failure_(std::move(error)) {}
  Result(detail::Failure&& failure) : failure_(std::move(failure)) {}

  bool has_value() const noexcept { return !failure_.has_error(); }
  explicit operator bool() const noexcept { return has_value(); }

  const Error& error() const& { return failure_.error(); }
  Error error() && { return std::move(failure_.error()); }
  detail::Failure&& failure() && { return std::move(failure_); }

 private:
  detail::Failure failure_;
};

}  // namespace fugu

/// Returns the error of `expression` from the enclosing function, if it has one.
#define FUGU_TRY(expression)                                               \
  do {                                                                     \
    if (auto fugu_try_result = (expression); !fugu_try_result.has_value()) \
      return std::move(fugu_try_result).failure();                         \
  } while (false)

#define FUGU_CONCAT_INNER(a, b) a##b
#define FUGU_CONCAT(a, b) FUGU_CONCAT_INNER(a, b)
#define FUGU_ASSIGN_IMPL(temporary, declaration, expression)         \
  auto temporary = (expression);                                     \
  if (!temporary.has_value()) return std::move(temporary).failure(); \
  declaration = *std::move(temporary)

/// `FUGU_ASSIGN(auto x, f());` declares x from f()'s value or returns f()'s error.
#define FUGU_ASSIGN(declaration, expression) \
  FUGU_ASSIGN_IMPL(FUGU_CONCAT(fugu_result_, __LINE__), declaration, expression)

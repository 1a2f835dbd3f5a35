#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace sarrus {

namespace detail {

/// Zeroed memory, aligned to cache lines; large pieces ask the system for huge pages.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* memory, std::size_t bytes) noexcept;

}  // namespace detail

/// A fixed number of plain values for kernels to work on, zero at the start.
template <class T>
class AlignedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size)
      : data_(static_cast<T*>(detail::allocate_aligned(bytes_of(size))), Deleter{bytes_of(size)}),
        size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Deleter {
    std::size_t bytes = 0;
    void operator()(T* memory) const noexcept { detail::free_aligned(memory, bytes); }
  };
  // Room for one at least, so that the end of nothing has an address.
  static std::size_t bytes_of(std::size_t size) { return (size > 0 ? size : 1) * sizeof(T); }
  std::unique_ptr<T[], Deleter> data_;
  std::size_t size_ = 0;
};

}  // namespace sarrus

#include "sarrus/io/results/hdf5_file.h"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace sarrus {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));
static_assert(std::endian::native == std::endian::little, "chunks are written as they are");

// The innermost message; where it quotes the system, what that said.
herr_t take_reason(unsigned /*n*/, const H5E_error2_t* error, void* reason) {
  constexpr std::string_view kQuote = "error message = '";
  const std::string_view text = error->desc == nullptr ? "" : error->desc;
  auto& found = *static_cast<std::string*>(reason);
  if (const std::size_t at = text.find(kQuote); at != std::string_view::npos) {
    const std::string_view rest = text.substr(at + kQuote.size());
    found = rest.substr(0, rest.find('\''));
    return 1;
  }
  if (found.empty()) found = text;
  return 0;
}

[[noreturn]] void fail() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &reason);
  H5Eclear2(H5E_DEFAULT);
  throw Hdf5Error(reason.empty() ? "the HDF5 library does not say why" : reason);
}

template <class T>
T checked(T result) {
  if (result < 0) fail();
  return result;
}

/// Closes what it holds.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(checked(id)), close_(close) {}
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT: stands for the id

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

Handle text_type() {
  const hid_t type = checked(H5Tcopy(H5T_C_S1));
  checked(H5Tset_size(type, H5T_VARIABLE));
  checked(H5Tset_cset(type, H5T_CSET_UTF8));
  return {type, H5Tclose};
}

/// While it lives the library prints no errors of its own: they become exceptions. What the program
/// around us wants is put back.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

Handle dataset(hid_t file, const std::string& path) {
  return {H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose};
}

}  // namespace

void Hdf5File::leave_alone_at_exit() { H5dont_atexit(); }

Hdf5File Hdf5File::create(const std::filesystem::path& path) {
  const Quiet quiet;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  checked(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));
  return Hdf5File(checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)));
}

Hdf5File Hdf5File::open(const std::filesystem::path& path) {
  const Quiet quiet;
  return Hdf5File(checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
}

Hdf5File::Hdf5File(Hdf5File&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

Hdf5File::~Hdf5File() {
  const Quiet quiet;
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::close() {
  const Quiet quiet;
  checked(H5Fflush(file_, H5F_SCOPE_GLOBAL));
  checked(H5Fclose(std::exchange(file_, -1)));
}

void Hdf5File::make_group(const std::string& path) {
  const Quiet quiet;
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  // Readers get the elements in the model's order, not by the alphabet.
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  const Handle group(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
}

void Hdf5File::set_text(const std::string& object, const std::string& name,
                        const std::string& text) {
  const Quiet quiet;
  const Handle type = text_type();
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space,
                                           H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const char* characters = text.c_str();
  checked(H5Awrite(attribute, type, &characters));
}

void Hdf5File::set_number(const std::string& object, const std::string& name, int number) {
  const Quiet quiet;
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate_by_name(file_, object.c_str(), name.c_str(), H5T_STD_I32LE,
                                           space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  checked(H5Awrite(attribute, H5T_NATIVE_INT, &number));
}

void Hdf5File::make_column(const std::string& path, std::size_t width, std::size_t chunk_rows) {
  const Quiet quiet;
  const int rank = width == 0 ? 1 : 2;
  const std::array<hsize_t, 2> none = {0, width};
  const std::array<hsize_t, 2> any = {H5S_UNLIMITED, width};
  const std::array<hsize_t, 2> chunk = {chunk_rows, width};
  const Handle space(H5Screate_simple(rank, none.data(), any.data()), H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  checked(H5Pset_chunk(creation, rank, chunk.data()));
  const Handle made(
      H5Dcreate2(file_, path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose);
}

void Hdf5File::append(const std::string& path, std::size_t first_row, std::size_t rows,
                      std::span<const double> chunk) {
  const Quiet quiet;
  const Handle column = dataset(file_, path);
  const Handle space(H5Dget_space(column), H5Sclose);
  std::array<hsize_t, 2> size = {};
  checked(H5Sget_simple_extent_dims(space, size.data(), nullptr));
  size[0] = rows;
  checked(H5Dset_extent(column, size.data()));
  const std::array<hsize_t, 2> offset = {first_row, 0};
  checked(H5Dwrite_chunk(column, H5P_DEFAULT, 0, offset.data(), chunk.size_bytes(), chunk.data()));
}

void Hdf5File::write_texts(const std::string& path, const std::vector<std::string>& texts) {
  const Quiet quiet;
  const Handle type = text_type();
  const hsize_t size = texts.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle made(
      H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  std::vector<const char*> characters;
  for (const std::string& text : texts) characters.push_back(text.c_str());
  checked(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, characters.data()));
}

bool Hdf5File::has(const std::string& path) const {
  const Quiet quiet;
  return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0;
}

std::string Hdf5File::text(const std::string& object, const std::string& name) const {
  const Quiet quiet;
  const Handle attribute(
      H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Handle type = text_type();
  char* characters = nullptr;
  checked(H5Aread(attribute, type, &characters));
  std::string result = characters == nullptr ? "" : characters;
  H5free_memory(characters);
  return result;
}

int Hdf5File::number(const std::string& object, const std::string& name) const {
  const Quiet quiet;
  const Handle attribute(
      H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  int result = 0;
  checked(H5Aread(attribute, H5T_NATIVE_INT, &result));
  return result;
}

std::size_t Hdf5File::rows(const std::string& path) const {
  const Quiet quiet;
  const Handle column = dataset(file_, path);
  const Handle space(H5Dget_space(column), H5Sclose);
  std::array<hsize_t, 2> size = {};
  if (checked(H5Sget_simple_extent_ndims(space)) > 2) throw Hdf5Error("a dataset has three sides");
  checked(H5Sget_simple_extent_dims(space, size.data(), nullptr));
  return size[0];
}

void Hdf5File::read(const std::string& path, std::size_t width, std::size_t first,
                    std::size_t count, std::span<double> numbers) const {
  const Quiet quiet;
  const Handle column = dataset(file_, path);
  const Handle space(H5Dget_space(column), H5Sclose);
  const int rank = width == 0 ? 1 : 2;
  std::array<hsize_t, 2> size = {0, width};
  if (H5Sget_simple_extent_ndims(space) != rank ||
      H5Sget_simple_extent_dims(space, size.data(), nullptr) != rank || size[1] != width ||
      first + count > size[0] || numbers.size() < count * std::max<std::size_t>(1, width))
    throw Hdf5Error("'" + path + "' has another size than its fellows");
  if (count == 0) return;
  const std::array<hsize_t, 2> offset = {first, 0};
  const std::array<hsize_t, 2> block = {count, width};
  checked(
      H5Sselect_hyperslab(space, H5S_SELECT_SET, offset.data(), nullptr, block.data(), nullptr));
  const Handle memory(H5Screate_simple(rank, block.data(), nullptr), H5Sclose);
  checked(H5Dread(column, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers.data()));
}

}  // namespace sarrus

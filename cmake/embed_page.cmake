# cmake -D PAGE=report.html -D SOURCE=report_page.cpp -P embed_page.cmake
# Writes a C++ source that holds the page, as bytes: compilers limit the length of text.

file(READ ${PAGE} page HEX)
string(LENGTH "${page}" digits)
set(pieces "")
set(piece_digits 32000)
math(EXPR last "(${digits} - 1) / ${piece_digits}")
foreach(i RANGE ${last})
  math(EXPR start "${i} * ${piece_digits}")
  string(SUBSTRING "${page}" ${start} ${piece_digits} piece)
  string(REGEX REPLACE "(..)" "0x\\1," piece "${piece}")
  string(APPEND pieces "    ${piece}\n")
endforeach()
file(WRITE ${SOURCE} "// Made from ${PAGE} by cmake/embed_page.cmake.
#include \"sarrus/io/report/report.h\"

namespace sarrus {
namespace {

constexpr unsigned char kPage[] = {
${pieces}};

}  // namespace

std::string_view report_page() {
  return {reinterpret_cast<const char*>(kPage), sizeof(kPage)};
}

}  // namespace sarrus
")

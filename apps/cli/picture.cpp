#include "sarrus/io/picture/picture.h"

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "sarrus/analysis/assembly.h"
#include "sarrus/io/load_model.h"
#include "sarrus/io/output_file.h"

namespace sarrus::cli {
namespace {

struct PictureArguments {
  ModelArguments model;
  std::string out = "-";
  std::string view = "auto";
  std::string labels = "auto";
};

void picture(const PictureArguments& arguments) {
  PictureOptions options;
  set_view(options, arguments.view);
  options.labels = picture_labels(arguments.labels);
  const Model model = load_model(arguments.model.model, arguments.model.overrides());
  const std::string svg = draw_picture(model, assemble(model).configuration, options);
  if (arguments.out == "-")
    print(svg);
  else
    write_file(arguments.out, svg);
}

}  // namespace

void add_picture(CLI::App& app, int& status) {
  auto arguments = std::make_shared<PictureArguments>();
  CLI::App* command = app.add_subcommand("picture", "Draw a mechanism where it starts, as SVG");
  add_model_arguments(*command, arguments->model);
  command->add_option("OUT", arguments->out, "File to write; default: to stdout, as does -")
      ->option_text(" ");
  command
      ->add_option("--view", arguments->view,
                   "auto, iso, x, y, z, or from where it is seen, as 1,-2,0.5; default auto")
      ->option_text("V");
  command
      ->add_option("--labels", arguments->labels,
                   "Names: auto (bodies where they are few), none, bodies, all; default auto")
      ->option_text("WHAT");
  command->footer("Example: sarrus picture five-bar five-bar.svg --labels all");
  command->callback([arguments, &status] {
    picture(*arguments);
    status = kDone;
  });
}

}  // namespace sarrus::cli

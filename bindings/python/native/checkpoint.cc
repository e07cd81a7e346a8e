// Folders of checkpoints, and what is in their files.
#include "iterator.h"

namespace weirpy {

namespace {

using OwnedManager = Owned<weir_checkpoint_manager, weir_checkpoint_manager_destroy>;

struct CheckpointManager {
  OwnedManager handle;
};

void create(CheckpointManager* self, nb::object runtime, const std::string& folder, int32_t keep,
            uint32_t rank, uint32_t world_size, int64_t every_elements, int64_t every_ns) {
  weir_checkpoint_manager_options options = WEIR_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep = keep;
  options.rank = rank;
  options.world_size = world_size;
  options.every_elements = every_elements;
  options.every_ns = every_ns;
  const weir_runtime host = nb::cast<Runtime&>(runtime).handle.get();
  new (self) CheckpointManager();
  checked_without_gil([&](Error& error) {
    return weir_checkpoint_manager_create(host, folder.data(), folder.size(), &options, self->handle.out(),
                                          error);
  });
}

nb::object load(CheckpointManager& self, int64_t rank) {
  Bytes position, extra;
  int64_t generation = 0;
  checked_without_gil([&](Error& error) {
    return weir_checkpoint_manager_load(self.handle.get(), rank, &position.bytes, &extra.bytes, &generation,
                                        error);
  });
  return nb::make_tuple(position.to_bytes(), extra.to_bytes(), generation);
}

nb::object ranks(CheckpointManager& self) {
  uint32_t saved = 0;
  int32_t complete = 0;
  Error error;
  check(weir_checkpoint_manager_ranks(self.handle.get(), &saved, &complete, error), error);
  return nb::make_tuple(saved, complete == 1);
}

}  // namespace

void define_checkpoint(nb::module_& module) {
  nb::class_<CheckpointManager>(module, "CheckpointManager", nb::is_weak_referenceable())
      .def("__init__", create, nb::arg("runtime"), nb::arg("folder"), nb::arg("keep"), nb::arg("rank"),
           nb::arg("world_size"), nb::arg("every_elements"), nb::arg("every_ns"))
      .def(
          "_save",
          [](CheckpointManager& self, Iterator& iterator, nb::bytes extra) {
            check_outside();
            settle(iterator);
            checked_without_gil([&](Error& error) {
              return weir_checkpoint_manager_save(self.handle.get(), iterator.handle.get(), extra.data(),
                                                  extra.size(), error);
            });
          },
          nb::arg("iterator"), nb::arg("extra"))
      .def(
          "_step",
          [](CheckpointManager& self, int64_t elements) {
            int32_t due = 0;
            Error error;
            check(weir_checkpoint_manager_step(self.handle.get(), elements, &due, error), error);
            return due == 1;
          },
          nb::arg("elements"))
      .def("_load", load, nb::arg("rank"))
      .def("_ranks", ranks);
  module.def(
      "describe",
      [](nb::object runtime, const std::string& name, bool folder, bool text) {
        const uint32_t flags = (folder ? WEIR_DESCRIBE_FOLDER : 0) | (text ? WEIR_TEXT : 0);
        const weir_runtime host = nb::cast<Runtime&>(runtime).handle.get();
        return text_by([&](weir_bytes* out, Error& error) {
          return weir_checkpoint_describe(host, name.data(), name.size(), flags, out, error);
        });
      },
      nb::arg("runtime"), nb::arg("name"), nb::arg("folder"), nb::arg("text"));
}

}  // namespace weirpy

// lookalike._native: liblookalike for Python. tools/python/lookalike/__init__.py is what people
// import; this module only converts values, and releases the interpreter's lock while it works.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <lookalike.h>
#include <optional>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace {

using lookalike::Failure;
using Pixels = py::array_t<std::uint8_t, py::array::c_style>;
using Floats = py::array_t<float, py::array::c_style>;
using Strings = std::vector<std::string>;

// Converts a path, which is bytes, to text as os.fsdecode() does (PEP 383).
py::str text_of(const std::string& path) {
  PyObject* const text =
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

py::tuple texts_of(const Strings& paths) {
  py::tuple texts(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) texts[i] = text_of(paths[i]);
  return texts;
}

// Converts a str or os.PathLike to the bytes of a path.
std::string path_of(const py::handle& name) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(name.ptr(), &bytes) == 0) throw py::error_already_set();
  return py::reinterpret_steal<py::bytes>(bytes);
}

Strings paths_of(const py::iterable& names) {
  Strings paths;
  for (const py::handle& name : names) paths.push_back(path_of(name));
  return paths;
}

lookalike::Photo photo_of_array(const py::array& array) {
  const bool is_grey = array.ndim() == 2;
  const bool is_colour = array.ndim() == 3 && array.shape(2) == 3;
  if (!py::isinstance<py::array_t<std::uint8_t>>(array) || (!is_grey && !is_colour)) {
    throw Failure(Failure::Kind::kUsage,
                  "photo: an array must be uint8, height x width for grey or height x width x 3 "
                  "for red, green, blue, was " +
                      std::string(py::str(array.dtype())) + " of shape " +
                      std::string(py::str(array.attr("shape"))));
  }
  const Pixels pixels(array);  // copied unless its rows are contiguous
  const auto side = [&](int axis) {
    return static_cast<int>(std::min<py::ssize_t>(pixels.shape(axis), 1 << 30));
  };
  return lookalike::Photo::from_pixels({pixels.data(), static_cast<std::size_t>(pixels.size())},
                                       side(1), side(0), is_grey ? 1 : 3);
}

// Converts the path of a file, the bytes of an image file, or pixels.
lookalike::Photo photo_of(const py::handle& photo) {
  if (py::isinstance<py::array>(photo)) {
    return photo_of_array(py::reinterpret_borrow<py::array>(photo));
  }
  if (py::isinstance<py::bytes>(photo)) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(photo.ptr(), &data, &size) != 0) throw py::error_already_set();
    return lookalike::Photo::encoded({data, data + size});
  }
  return path_of(photo);
}

template <typename Work>
auto without_lock(const Work& work) {
  const py::gil_scoped_release release;
  return work();
}

// Returns a function that asks `stop`, if there is one, and first runs the handlers of signals:
// that of Ctrl-C raises an exception.
std::function<bool()> stop_by(const py::object& stop) {
  return [&stop] {
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return !stop.is_none() && py::bool_(stop());
  };
}

lookalike::ProgressReceiver receiver_of(const py::object& progress) {
  if (progress.is_none()) return {};
  return [&progress](const std::string& step, std::size_t done, std::size_t total) {
    const py::gil_scoped_acquire acquire;
    progress(step, done, total);
  };
}

template <typename Value, std::size_t size>
py::array_t<Value> matrix_of(const std::array<Value, size>& values, py::ssize_t columns) {
  py::array_t<Value> matrix({static_cast<py::ssize_t>(size) / columns, columns});
  std::ranges::copy(values, matrix.mutable_data());
  return matrix;
}

py::array_t<double> quad_of(const std::array<lookalike::Corner, 4>& corners) {
  std::array<double, 8> values{};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    values[2 * i] = corners[i].x;
    values[2 * i + 1] = corners[i].y;
  }
  return matrix_of(values, 2);
}

template <typename Value>
py::object or_none(const std::optional<Value>& value) {
  return value ? py::cast(*value) : py::none();
}

template <typename Value>
py::array_t<Value> array_of(const std::vector<Value>& values, py::ssize_t columns) {
  py::array_t<Value> array({static_cast<py::ssize_t>(values.size()) / columns, columns});
  std::ranges::copy(values, array.mutable_data());
  return array;
}

py::dict dict_of(const lookalike::Found& found) {
  using py::literals::operator""_a;
  return py::dict("id"_a = found.id, "path"_a = text_of(found.path),
                  "paths"_a = texts_of(found.paths), "decision"_a = found.decision,
                  "probability"_a = found.probability,
                  "quad"_a = found.outline ? py::object(quad_of(*found.outline)) : py::none(),
                  "place"_a = found.place, "correlation"_a = or_none(found.correlation),
                  "inliers"_a = found.inliers, "mirrored"_a = found.mirrored,
                  "rejected"_a = found.rejected, "taken"_a = text_of(found.taken),
                  "camera"_a = text_of(found.camera), "evidence"_a = found.evidence);
}

py::dict dict_of(const lookalike::Indexed& image) {
  using py::literals::operator""_a;
  return py::dict("id"_a = image.id, "paths"_a = texts_of(image.paths), "content"_a = image.content,
                  "width"_a = image.width, "height"_a = image.height, "features"_a = image.features,
                  "blank"_a = image.blank);
}

py::dict dict_of(const lookalike::PlaceOfObject& place) {
  using py::literals::operator""_a;
  return py::dict(
      "centre"_a = py::make_tuple(place.centre.x, place.centre.y),
      "quad"_a = quad_of(place.outline), "homography"_a = matrix_of(place.object_to_scene, 3),
      "angle_degrees"_a = place.angle_degrees, "scale"_a = place.scale,
      "correlation"_a = place.correlation, "inliers"_a = place.inliers,
      "colour"_a = or_none(place.colour), "position_error_px"_a = or_none(place.position_error_px));
}

template <typename Value>
py::list dicts_of(const std::vector<Value>& values) {
  py::list dicts;
  for (const Value& value : values) dicts.append(dict_of(value));
  return dicts;
}

// Returns a number that the library takes; nothing for one that it cannot hold.
std::optional<std::uint32_t> number_of(long long value) {
  const bool fits = value >= 0 && value <= std::numeric_limits<std::uint32_t>::max();
  return fits ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt;
}

// Returns the number of an image. Throws for one that no image can have.
std::uint32_t image_number(long long value) {
  if (const auto number = number_of(value)) return *number;
  throw Failure(Failure::Kind::kInput, "image " + std::to_string(value) + ": is not in the index");
}

py::list find(const lookalike::Finder& finder, const py::object& photo,
              std::optional<long long> top, std::optional<bool> mirror,
              const std::optional<std::array<int, 4>>& region, bool origin) {
  lookalike::FindOptions options{.mirror = mirror, .origin = origin};
  if (top) {
    options.top = number_of(*top);
    if (!options.top) {
      throw Failure(Failure::Kind::kUsage, "top: must be at least 1, was " + std::to_string(*top));
    }
  }
  if (region) options.region = {(*region)[0], (*region)[1], (*region)[2], (*region)[3]};
  const lookalike::Photo asked = photo_of(photo);
  return dicts_of(without_lock([&] { return finder.find(asked, options); }));
}

// Looks up an image by its number or the path of one of its files.
std::optional<lookalike::Indexed> indexed(const lookalike::Finder& finder, const py::object& name) {
  if (PyIndex_Check(name.ptr()) == 0) {
    const std::string path = path_of(name);
    return without_lock([&] { return finder.get(path); });
  }
  const Py_ssize_t number = PyNumber_AsSsize_t(name.ptr(), nullptr);  // clipped
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  const std::optional<std::uint32_t> id = number_of(number);
  if (!id) return std::nullopt;
  return without_lock([&] { return finder.get(*id); });
}

py::object get(const lookalike::Finder& finder, const py::object& name) {
  const std::optional<lookalike::Indexed> image = indexed(finder, name);
  return image ? py::object(dict_of(*image)) : py::none();
}

py::array_t<std::uint8_t> thumbnail(const lookalike::Finder& finder, long long image, int side) {
  const std::uint32_t id = image_number(image);
  const lookalike::Thumbnail made = without_lock([&] { return finder.thumbnail(id, side); });
  py::array_t<std::uint8_t> pixels(
      {py::ssize_t{made.height}, py::ssize_t{made.width}, py::ssize_t{3}});
  std::ranges::copy(made.pixels, pixels.mutable_data());
  return pixels;
}

void define_finder(py::module_& module) {
  py::class_<lookalike::Finder>(module, "Finder")
      .def(py::init([](const py::object& database, const Strings& settings) {
        const std::string file = path_of(database);
        return without_lock([&] { return lookalike::Finder(file, settings); });
      }))
      .def("find", find)
      .def("images",
           [](const lookalike::Finder& finder, std::uint32_t after, std::size_t count) {
             return dicts_of(without_lock([&] { return finder.images(after, count); }));
           })
      .def("get", get)
      .def("thumbnail", thumbnail)
      .def("explain",
           [](const lookalike::Finder& finder, const py::object& photo, long long image) {
             const std::uint32_t id = image_number(image);
             const lookalike::Photo asked = photo_of(photo);
             return without_lock([&] { return finder.explain(asked, id); });
           });
}

py::dict dict_of(const lookalike::Update& update) {
  using py::literals::operator""_a;
  py::list unused;
  for (const lookalike::Unused& one : update.unused) {
    unused.append(py::make_tuple(text_of(one.path), one.reason, text_of(one.detail)));
  }
  return py::dict("indexed"_a = update.indexed, "unchanged"_a = update.unchanged,
                  "removed"_a = update.removed, "moved"_a = update.moved,
                  "withheld"_a = update.withheld, "unused"_a = unused,
                  "unreachable"_a = texts_of(update.unreachable), "stopped"_a = update.stopped);
}

py::dict update_index(const py::object& database, const py::iterable& folders,
                      const Strings& settings, const py::object& stop, const py::object& progress) {
  const std::string file = path_of(database);
  const Strings named = paths_of(folders);
  return dict_of(without_lock([&] {
    return lookalike::update_index(file, named, settings, stop_by(stop), receiver_of(progress));
  }));
}

// Converts a str, the name of an image without a file.
std::string name_of(const py::handle& name) {
  if (py::isinstance<py::str>(name)) return path_of(name);
  throw Failure(Failure::Kind::kUsage,
                "name: must be a str, was " + std::string(py::str(py::type::handle_of(name))));
}

// Adds the values of a mapping under its keys. Values are taken when their turn comes.
py::dict add_many(const py::object& database, const py::object& images, const Strings& settings,
                  const py::object& stop, const py::object& progress) {
  const std::string file = path_of(database);
  Strings names;
  for (const py::handle& name : py::iter(images)) names.push_back(name_of(name));
  const auto load = [&](const std::string& name) {
    const py::gil_scoped_acquire acquire;
    return photo_of(images[text_of(name)]);
  };
  return dict_of(without_lock([&] {
    return lookalike::add_many(file, names, load, settings, stop_by(stop), receiver_of(progress));
  }));
}

void add(const py::object& database, const py::object& name, const py::object& image,
         const Strings& settings) {
  const std::string file = path_of(database);
  const std::string text = name_of(name);
  const lookalike::Photo photo = photo_of(image);
  without_lock([&] { lookalike::add(file, text, photo, settings); });
}

py::tuple extract(const py::object& photo, const Strings& settings) {
  const lookalike::Photo asked = photo_of(photo);
  const lookalike::Features found =
      without_lock([&] { return lookalike::extract(asked, settings); });
  return py::make_tuple(
      array_of(found.keypoints, 7),
      array_of(found.descriptors, static_cast<py::ssize_t>(found.descriptor_size)), found.width,
      found.height);
}

lookalike::Features features_of(const Floats& keypoints, const Floats& descriptors, int width,
                                int height) {
  if (keypoints.ndim() != 2 || keypoints.shape(1) != 7 || descriptors.ndim() != 2 ||
      descriptors.shape(0) != keypoints.shape(0) || descriptors.shape(1) == 0) {
    throw Failure(Failure::Kind::kUsage,
                  "features: must be n x 7 keypoints and n x d descriptors, were of shapes " +
                      std::string(py::str(keypoints.attr("shape"))) + " and " +
                      std::string(py::str(descriptors.attr("shape"))));
  }
  return {.width = width,
          .height = height,
          .descriptor_size = static_cast<std::size_t>(descriptors.shape(1)),
          .keypoints = {keypoints.data(), keypoints.data() + keypoints.size()},
          .descriptors = {descriptors.data(), descriptors.data() + descriptors.size()}};
}

using FeaturesOfPhoto = std::tuple<Floats, Floats, int, int>;

py::tuple match(const FeaturesOfPhoto& one, const FeaturesOfPhoto& other, const Strings& settings) {
  const lookalike::Features first = std::apply(features_of, one);
  const lookalike::Features second = std::apply(features_of, other);
  const lookalike::Matched matched =
      without_lock([&] { return lookalike::match(first, second, settings); });
  py::array_t<std::uint32_t> pairs(
      {static_cast<py::ssize_t>(matched.pairs.size()), py::ssize_t{2}});
  for (std::size_t i = 0; i < matched.pairs.size(); ++i) {
    std::ranges::copy(matched.pairs[i], pairs.mutable_data() + 2 * i);
  }
  py::array_t<bool> inliers(static_cast<py::ssize_t>(matched.pairs.size()));
  std::fill_n(inliers.mutable_data(), matched.pairs.size(), false);
  for (const std::uint32_t pair : matched.inliers) inliers.mutable_data()[pair] = true;
  return py::make_tuple(
      pairs, matched.homography ? py::object(matrix_of(*matched.homography, 3)) : py::none(),
      inliers);
}

void define_functions(py::module_& module) {
  module.def("update_index", update_index);
  module.def("add", add);
  module.def("add_many", add_many);
  module.def("extract", extract);
  module.def("match", match);
  module.def("locate", [](const py::object& object, const py::object& scene,
                          const Strings& settings) {
    const lookalike::Photo sought = photo_of(object);
    const lookalike::Photo searched = photo_of(scene);
    return dicts_of(without_lock([&] { return lookalike::locate(sought, searched, settings); }));
  });
  module.def("remove", [](const py::object& database, const py::iterable& names) {
    const std::string file = path_of(database);
    const Strings paths = paths_of(names);
    return without_lock([&] { return lookalike::remove(file, paths); });
  });
  module.def("duplicates",
             [](const py::object& database, const Strings& kinds, const py::iterable& prefer,
                const Strings& settings, const py::object& stop, const py::object& progress) {
               const std::string file = path_of(database);
               const Strings folders = paths_of(prefer);
               return without_lock([&] {
                 return lookalike::duplicates(file, kinds, folders, settings, stop_by(stop),
                                              receiver_of(progress));
               });
             });
  module.def(
      "evaluate", [](const py::object& database, const py::object& truth, const Strings& settings,
                     const py::object& stop, const py::object& progress) {
        const std::string file = path_of(database);
        const std::string csv = path_of(truth);
        return without_lock([&] {
          return lookalike::evaluate(file, csv, settings, stop_by(stop), receiver_of(progress));
        });
      });
  module.def("reject", [](const py::object& database, const py::object& one,
                          const py::object& other, bool undo) {
    const std::string file = path_of(database);
    const std::string first = path_of(one);
    const std::string second = path_of(other);
    return without_lock([&] { return lookalike::reject(file, first, second, undo); });
  });
}

// The exception of each kind of failure; they live as long as the process.
struct Exceptions {
  PyObject* usage = nullptr;
  PyObject* input = nullptr;
  PyObject* device = nullptr;
  PyObject* storage = nullptr;
  PyObject* internal = nullptr;

  PyObject* of(Failure::Kind kind) const {
    switch (kind) {
      case Failure::Kind::kUsage:
        return usage;
      case Failure::Kind::kInput:
        return input;
      case Failure::Kind::kDevice:
        return device;
      case Failure::Kind::kStorage:
        return storage;
      case Failure::Kind::kInternal:
        break;
    }
    return internal;
  }
};

void define_exceptions(py::module_& module) {
  const auto make = [&](const char* name, const char* meaning, const py::handle& bases) {
    const std::string full = std::string("lookalike.") + name;
    PyObject* const type = PyErr_NewExceptionWithDoc(full.c_str(), meaning, bases.ptr(), nullptr);
    if (type == nullptr) throw py::error_already_set();
    module.add_object(name, type);
    return type;
  };
  const py::handle error = make("Error", "The base of what lookalike raises.", PyExc_Exception);
  const py::tuple usage = py::make_tuple(error, py::handle(PyExc_ValueError));
  static const Exceptions exceptions = {
      make("UsageError", "An argument or a setting is wrong.", usage),
      make("InputError", "A photo, a folder or an index cannot be used.", error),
      make("DeviceError", "OpenCL failed, or there is no such device.", error),
      make("StorageError", "The database or the disk failed, or another run writes the index.",
           error),
      make("InternalError", "A bug in lookalike.", error)};
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      const std::string message = failure.what();
      PyErr_SetObject(exceptions.of(failure.kind()), text_of(message).ptr());
    }
  });
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  define_exceptions(module);
  define_finder(module);
  define_functions(module);
}

// Document: a text, parsed and bound: the dataset, its $params, and back to text and bytes.
//
//   Handed handed;  // callbacks, datasets and tensors that the text names with @
//   WEIR_ASSIGN(DocumentRef document, parse_document(runtime, "range(10) | batch(3)", handed));
//   document->root();      // the Dataset as written
//   document->format();    // "range(10) | batch(3)"
//
// A Document is immutable and shares the dataset and everything handed in. It may outlive the Runtime that
// built it, but opening it needs one. format, serialize and fingerprint walk the text again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/cache_store.h"
#include "core/digest.h"
#include "core/file_places.h"
#include "core/sync.h"
#include "core/value.h"
#include "dataset/dataset.h"
#include "graph/handed.h"
#include "graph/rewrites/rewrites.h"
#include "syntax/source.h"

namespace weir {

struct Canonical;

namespace syntax {
struct Tree;
}

struct DeclaredParam {
  std::string name;
  Spec spec;
  // What it names, if it is used for nothing else (graph/placeless.h).
  Naming names = Naming::nothing;
  // A position fits any value.
  bool any_position = false;
};

class Document;
using DocumentRef = RefPtr<const Document>;

class Document : public RefCounted {
 public:
  // A terminal at the end is a dataset of one element.
  const DatasetRef& root() const { return root_; }
  bool ends_in_terminal() const;
  // What is opened in place of root(). Made when first asked for, and kept.
  const Result<Rewrites>& rewrites() const;
  // The $params in declared order, followed by those of datasets handed in.
  const std::vector<DeclaredParam>& params() const { return params_; }
  const Spec& spec() const { return root_->spec(); }
  // A count, kInfinite or kUnknown.
  int64_t cardinality() const { return root_->cardinality(); }

  // The canonical text. Datasets handed in are written out. Callbacks keep their registered name, else they
  // print as `@1`, `@2` …, as do tensors of more than kMaxPrintedEntries entries; smaller ones print as
  // literals.
  std::string format() const;
  // Text, handed things and the seeds that were drawn as bytes, the same for equal graphs that drew the same.
  // failed_precondition if a callback is not registered under a name.
  Result<std::string> serialize() const;

  // The fingerprint of the graph as written: the same for equal texts, whatever they were built from.
  const Fingerprint& fingerprint() const { return fingerprint_; }
  // The fingerprint of what a position depends on: equal for graphs that differ only in how they make their
  // elements, such as in num_parallel_calls, or in where their files are.
  const Fingerprint& positional_fingerprint() const { return positional_fingerprint_; }
  // That of the graph as written, but for where its files are.
  const Fingerprint& placeless_fingerprint() const { return placeless_fingerprint_; }
  // The tree as written, and what its `@` words stand for.
  const syntax::Tree& tree() const { return *tree_; }
  const Handed& handed() const { return handed_; }

  // Digests of every operator and parameter that a position depends on, to say where two graphs differ
  // (core/digest.h).
  const GraphDigest& digest() const;

  // What the memory caches hold for the iterators that share it, as long as the document lives.
  const RefPtr<CacheStore>& caches() const { return caches_; }

  // A place for what reading elements by their position needs again (iterator/element_at.h): gives what was
  // kept, null if nothing was, or takes it to keep, in place of what is there. Both may be called on any
  // thread, and may do nothing.
  RefPtr<RefCounted> take_kept() const noexcept;
  void keep(RefPtr<RefCounted> kept) const noexcept;

 private:
  friend class DocumentBuilder;
  Document() = default;
  ~Document() override;
  // The fingerprints without places, and what the $params name.
  void set_placeless(const Canonical& as_written);

  DatasetRef root_;
  std::vector<DeclaredParam> params_;
  std::unique_ptr<const syntax::Tree> tree_;
  Handed handed_;
  Fingerprint fingerprint_;
  Fingerprint positional_fingerprint_;
  Fingerprint placeless_fingerprint_;
  // Made when first asked for, by a save.
  mutable Mutex digest_mutex_;
  mutable std::unique_ptr<const GraphDigest> digest_;
  mutable Mutex rewrites_mutex_;
  mutable std::unique_ptr<const Result<Rewrites>> rewrites_;
  const RefPtr<CacheStore> caches_ = make_ref<CacheStore>();
  // Owns it. No lock guards it, which a child after fork might wait for.
  mutable std::atomic<RefCounted*> kept_{nullptr};
  // How deeply operators and documents are nested.
  int depth_ = 0;
};

Result<DocumentRef> parse_document(Runtime& runtime, std::string_view text, const Handed& handed = {});
// The same where more is known of the cardinality than the text tells.
Result<DocumentRef> parse_document(Runtime& runtime, std::string_view text, const Handed& handed,
                                   int64_t cardinality);

// What an operator is given: the text of a value, something handed in, or what is made of other arguments.
// The text may name handed things.
struct Argument {
  enum class Kind : uint8_t { text, string, float32, float64, list, tuple, dict, call, joined, handed };
  // That of a parameter, "" for the next position, "@x" or "$x" (weir.h); of a dict's member its key.
  std::string name;
  // Also the bytes of a string, the label of what is joined, and the operator or function of a call, "" for
  // its input alone.
  std::string text;
  Kind kind = Kind::text;
  double number = 0;
  std::vector<Argument> members{};
  HandedThing thing{};
};

// Applies an operator to documents, which are piped into it or given as its first datasets. Errors show the
// call as a text that was written for it; it and the places of labels in it are returned if they are wanted.
// REQUIRES: calls no deeper than stack allows
Result<DocumentRef> apply_operator(Runtime& runtime, std::string_view name,
                                   const std::vector<DocumentRef>& inputs,
                                   const std::vector<Argument>& arguments, const Handed& handed = {},
                                   std::string* written = nullptr, syntax::Labels* labels = nullptr);

// The text of a value; nothing if it is a call, handed in, or made of such.
std::optional<std::string> text_of(const Argument& value);

// Builds a text that was parsed.
Result<DocumentRef> build_document(Runtime& runtime, syntax::Tree tree, Handed handed);

// Reads the bytes of serialize(): the same dataset, with the seeds that were drawn when it was built.
// `callbacks` resolves registered names. data_loss for damaged bytes, failed_precondition for another format
// version, invalid_argument for forged bytes, whose sizes and depth are bounded before anything is built,
// not_found for an unknown callback.
Result<DocumentRef> deserialize_document(Runtime& runtime, std::string_view bytes,
                                         const Handed& callbacks = {});

// True if the graphs are equal as written.
bool equal(const Document& a, const Document& b);

// A value for a $param: a nested value of the declared structure, or the text of such a literal (a bare
// word is a string).
struct ParamValue {
  std::string name;
  std::variant<std::string, HandedValue> value;
};

// The variables that an iterator's root opens with: the $params in declared order; null for a document that
// declares none. invalid_argument names a parameter that is missing, unknown, given twice or of another type.
Result<EnvRef> bind_params_env(const Document& document, const std::vector<ParamValue>& given);

}  // namespace weir

//! Documents written as chained calls.

use std::path::{Path, PathBuf};

use crate::argument::{Argument, Handed};
use crate::callback::Callback;
use crate::dataset::{parse_with, Dataset};
use crate::dtype::DType;
use crate::error::{expected_found, Result};
use crate::generator::Generator;
use crate::runtime::Runtime;
use crate::spec::Spec;
use crate::tensor::Tensor;

/// The word `auto` of the notation: the library chooses.
#[derive(Clone, Copy, Debug)]
pub struct Auto;

/// The word `none` of the notation.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// A text of the notation where a value is due: `Expression::new("$n * 2")`.
#[derive(Clone, Debug, Default)]
pub struct Expression(pub(crate) Fragment);

impl Expression {
    /// The text as it is.
    pub fn new(text: impl Into<String>) -> Self {
        Expression(Fragment::text(text))
    }
}

impl From<&str> for Expression {
    fn from(text: &str) -> Self {
        Expression::new(text)
    }
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Handed(Handed),
}

/// Part of a document: text, with things handed in between, which get their names when it is complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fragment {
    pieces: Vec<Piece>,
    params: Vec<(String, String)>,
    named: Vec<(String, Argument)>,
}

impl Fragment {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let mut out = Fragment::default();
        out.pieces.push(Piece::Text(text.into()));
        out
    }

    pub(crate) fn handed(value: Handed) -> Self {
        let mut out = Fragment::default();
        out.pieces.push(Piece::Handed(value));
        out
    }

    fn given(&self) -> bool {
        !self.pieces.is_empty()
    }

    fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    fn append(&mut self, other: Fragment) {
        for piece in other.pieces {
            match piece {
                Piece::Text(text) => self.push(&text),
                handed => self.pieces.push(handed),
            }
        }
        for param in other.params {
            // The same parameter may come from several parts.
            if !self.params.contains(&param) {
                self.params.push(param);
            }
        }
        self.named.extend(other.named);
    }

    /// `(`, the members with commas, `)`.
    fn list(open: &str, members: impl IntoIterator<Item = Fragment>, close: &str) -> Self {
        let mut out = Fragment::text(open);
        for (i, member) in members.into_iter().enumerate() {
            out.push(if i > 0 { ", " } else { "" });
            out.append(member);
        }
        out.push(close);
        out
    }

    /// Whether texts or arguments of the program use the names that generators get: another structure beside one of them
    /// would give it too little memory for its results.
    fn takes_names_of_generators(&self) -> bool {
        let generator = |piece: &Piece| matches!(piece, Piece::Handed(Handed::Generator(_)));
        let taken = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains("@generator"));
        self.pieces.iter().any(generator)
            && (self.pieces.iter().any(taken) || self.named.iter().any(|(name, _)| name.starts_with("generator")))
    }

    fn document(&self) -> (String, Vec<(String, Argument)>) {
        let mut text = String::new();
        let mut arguments = self.named.clone();
        for (name, spec) in &self.params {
            text += &format!("param {name}: {spec}\n");
        }
        let mut count = 0;
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text += piece,
                Piece::Handed(value) => {
                    count += 1;
                    let kind = if matches!(value, Handed::Generator(_)) {
                        "generator"
                    } else {
                        "argument"
                    };
                    let name = format!("{kind}{count}");
                    text += &format!("@{name}");
                    arguments.push((name, Argument(value.clone())));
                }
            }
        }
        (text, arguments)
    }
}

/// Bytes as a string of the notation.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend(['\\', byte as char]),
            0x20..=0x7e => out.push(byte as char),
            _ => out += &format!("\\x{byte:02x}"),
        }
    }
    out + "\""
}

fn key(key: &str) -> String {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let identifier = key.starts_with(letter) && key.chars().all(|c| letter(c) || c.is_ascii_digit());
    if identifier {
        key.to_owned()
    } else {
        quoted(key.as_bytes())
    }
}

macro_rules! written {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $name(pub(crate) Fragment);

        impl From<()> for $name {
            fn from((): ()) -> Self {
                Self::default()
            }
        }

        impl From<$name> for Fragment {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl From<Expression> for $name {
            fn from(value: Expression) -> Self {
                $name(value.0)
            }
        })*
    };
}

written! {
    /// A whole number, or [`Auto`] where the operator has that.
    Int,
    /// A bool, or [`Nothing`] where the operator has that.
    Bool,
    /// A string, byte for byte.
    Text,
    /// A seed, as in tf.data, or the pair that its kernels see, or [`Nothing`].
    Seed,
    /// A dtype.
    DTypeName,
    /// A structure, or its text.
    SpecText,
    /// A value: a number or bool, written as a literal, which adapts to the dtype that it meets; a string; a [`Tensor`].
    Value,
    /// A lambda of the notation, `"x -> x * 2"`, or a [`Callback`].
    Function,
    /// A [`Pipeline`] or a [`Dataset`].
    Operand,
    /// Several datasets, whose elements become tuples or dicts.
    Datasets,
    /// Several datasets that are told apart by their numbers.
    DatasetList,
    /// Several values.
    Values,
    /// A value, or a dataset that gives one for each element.
    ValueOrDataset,
    /// A file's name, several, or a dataset of names.
    Files,
}

impl From<Expression> for Fragment {
    fn from(value: Expression) -> Self {
        value.0
    }
}

macro_rules! from {
    ($($name:ident { $($type:ty => |$value:pat_param| $text:expr;)* })*) => {
        $($(impl From<$type> for $name {
            fn from($value: $type) -> Self {
                $name($text)
            }
        })*)*
    };
}

fn shown(value: impl std::fmt::Display) -> Fragment {
    Fragment::text(value.to_string())
}

/// A float as a literal that gives the same bits again.
fn float(value: impl std::fmt::Debug) -> Fragment {
    Fragment::text(format!("{value:?}").to_ascii_lowercase())
}

fn bytes(value: &[u8]) -> Fragment {
    Fragment::text(quoted(value))
}

fn path(value: &Path) -> Fragment {
    use std::os::unix::ffi::OsStrExt;
    bytes(value.as_os_str().as_bytes())
}

from! {
    Int {
    i64 => |v| shown(v); i32 => |v| shown(v); u32 => |v| shown(v); u64 => |v| shown(v); usize => |v| shown(v);
    Auto => |_| Fragment::text("auto"); Nothing => |_| Fragment::text("none");
    }
    Bool {
    bool => |v| shown(v); Nothing => |_| Fragment::text("none");
    }
    Text {
    &str => |v| bytes(v.as_bytes()); String => |v| bytes(v.as_bytes()); &String => |v| bytes(v.as_bytes());
    &[u8] => |v| bytes(v); &Path => |v| path(v); PathBuf => |v| path(&v); &PathBuf => |v| path(v);
    }
    Seed {
    i64 => |v| shown(v); i32 => |v| shown(v); u64 => |v| shown(v); Nothing => |_| Fragment::text("none");
    (i64, i64) => |(a, b)| Fragment::text(format!("({a}, {b})"));
    }
    DTypeName {
    DType => |v| Fragment::text(v.name());
    }
    SpecText {
    &str => |v| Fragment::text(v); String => |v| Fragment::text(v); Spec => |v| shown(v); &Spec => |v| shown(v);
    }
    Value {
    bool => |v| shown(v); i32 => |v| shown(v); i64 => |v| shown(v); u64 => |v| shown(v); f32 => |v| float(v);
    f64 => |v| float(v); &str => |v| bytes(v.as_bytes()); String => |v| bytes(v.as_bytes()); &[u8] => |v| bytes(v);
    Tensor => |v| Fragment::handed(Handed::Tensor(v)); &Tensor => |v| Fragment::handed(Handed::Tensor(v.clone()));
    Nothing => |_| Fragment::text("none");
    }
    Function {
    &str => |v| Fragment::text(v); String => |v| Fragment::text(v);
    Callback => |v| Fragment::handed(Handed::Callback(v));
    &Callback => |v| Fragment::handed(Handed::Callback(v.clone()));
    }
    Operand {
    Pipeline => |v| v.0; &Pipeline => |v| v.0.clone(); Dataset => |v| Fragment::handed(Handed::Dataset(v));
    &Dataset => |v| Fragment::handed(Handed::Dataset(v.clone()));
    }
    ValueOrDataset {
    Value => |v| v.0; Tensor => |v| Value::from(v).0; Pipeline => |v| v.0; &Pipeline => |v| v.0.clone();
    Dataset => |v| Fragment::handed(Handed::Dataset(v));
    &Dataset => |v| Fragment::handed(Handed::Dataset(v.clone()));
    }
    Files {
    &str => |v| bytes(v.as_bytes()); String => |v| bytes(v.as_bytes()); &Path => |v| path(v); PathBuf => |v| path(&v);
    Pipeline => |v| v.0; &Pipeline => |v| v.0.clone(); Dataset => |v| Fragment::handed(Handed::Dataset(v));
    &Dataset => |v| Fragment::handed(Handed::Dataset(v.clone()));
    }
}

impl Value {
    /// A dict of values.
    pub fn dict<'k, V: Into<Value>>(members: impl IntoIterator<Item = (&'k str, V)>) -> Self {
        let members = members.into_iter().map(|(name, value)| {
            let mut out = Fragment::text(format!("{}: ", key(name)));
            out.append(value.into().0);
            out
        });
        Value(Fragment::list("{", members, "}"))
    }

    /// A tuple of values.
    pub fn tuple<V: Into<Value>>(members: impl IntoIterator<Item = V>) -> Self {
        let mut out = Fragment::list("(", members.into_iter().map(|value| value.into().0), "");
        out.push(",)");
        Value(out)
    }

    /// What it is as the value of a parameter: a tensor, or else its text.
    pub(crate) fn tensor(self) -> std::result::Result<Tensor, String> {
        match &self.0.pieces[..] {
            [Piece::Handed(Handed::Tensor(tensor))] => Ok(tensor.clone()),
            _ => Err(self.0.document().0),
        }
    }
}

impl Datasets {
    /// Datasets whose elements become dicts.
    pub fn dict<'k, D: Into<Operand>>(members: impl IntoIterator<Item = (&'k str, D)>) -> Self {
        let members = members.into_iter().map(|(name, dataset)| {
            let mut out = Fragment::text(format!("{}: ", key(name)));
            out.append(dataset.into().0);
            out
        });
        Datasets(Fragment::list("{", members, "}"))
    }
}

impl<D: Into<Operand>, const N: usize> From<[D; N]> for Datasets {
    fn from(members: [D; N]) -> Self {
        Datasets(Fragment::list(
            "",
            members.into_iter().map(|dataset| dataset.into().0),
            "",
        ))
    }
}

impl<D: Into<Operand>, const N: usize> From<[D; N]> for DatasetList {
    fn from(members: [D; N]) -> Self {
        members.into_iter().collect::<Vec<_>>().into()
    }
}

impl<D: Into<Operand>> From<Vec<D>> for DatasetList {
    fn from(members: Vec<D>) -> Self {
        DatasetList(Fragment::list(
            "[",
            members.into_iter().map(|dataset| dataset.into().0),
            "]",
        ))
    }
}

impl<V: Into<Value>, const N: usize> From<[V; N]> for Values {
    fn from(members: [V; N]) -> Self {
        members.into_iter().collect::<Vec<_>>().into()
    }
}

impl<V: Into<Value>> From<Vec<V>> for Values {
    fn from(members: Vec<V>) -> Self {
        Values(Fragment::list(
            "[",
            members.into_iter().map(|value| value.into().0),
            "]",
        ))
    }
}

impl<P: AsRef<Path>, const N: usize> From<[P; N]> for Files {
    fn from(names: [P; N]) -> Self {
        names.into_iter().collect::<Vec<_>>().into()
    }
}

impl<P: AsRef<Path>> From<Vec<P>> for Files {
    fn from(names: Vec<P>) -> Self {
        Files(Fragment::list("[", names.iter().map(|name| path(name.as_ref())), "]"))
    }
}

/// A call of an operator: `batch(4, drop_remainder: true)`.
pub(crate) struct CallText {
    text: Fragment,
    separator: &'static str,
}

impl CallText {
    pub(crate) fn new(name: &str) -> Self {
        CallText {
            text: Fragment::text(format!("{name}(")),
            separator: "",
        }
    }

    pub(crate) fn positional(mut self, value: impl Into<Fragment>) -> Self {
        self.text.push(self.separator);
        self.text.append(value.into());
        self.separator = ", ";
        self
    }

    /// Nothing if it was not given.
    pub(crate) fn named(self, name: &str, value: impl Into<Fragment>) -> Self {
        let value = value.into();
        if !value.given() {
            return self;
        }
        let mut text = Fragment::text(format!("{name}: "));
        text.append(value);
        self.positional(text)
    }

    pub(crate) fn end(mut self) -> Fragment {
        self.text.push(")");
        self.text
    }
}

/// A document under construction: a source, then transformations. Nothing is checked before [`Pipeline::build`]. Each call
/// gives a new pipeline and leaves the old one as it was. One that is used twice is written twice; to share one, with its
/// epochs, build it and use the dataset.
#[derive(Clone, Debug)]
pub struct Pipeline(pub(crate) Fragment);

impl Pipeline {
    /// Begins with a dataset that was built before.
    pub fn from_dataset(dataset: &Dataset) -> Self {
        Pipeline(Fragment::handed(Handed::Dataset(dataset.clone())))
    }

    /// Declares a parameter that gets its value when an iterator begins. Expressions and lambdas call it `$NAME`.
    #[must_use]
    pub fn param(&self, name: &str, spec: &str) -> Self {
        let mut out = self.clone();
        let param = (name.to_owned(), spec.to_owned());
        if !out.0.params.contains(&param) {
            out.0.params.push(param);
        }
        out
    }

    /// Hands in what expressions and lambdas call `@NAME`.
    #[must_use]
    pub fn with(&self, name: &str, value: impl Into<Argument>) -> Self {
        let mut out = self.clone();
        out.0.named.push((name.to_owned(), value.into()));
        out
    }

    /// The document.
    pub fn text(&self) -> String {
        self.0.document().0
    }

    /// Parses it. An error says the line and column, with a caret below the place in [`Pipeline::text`].
    pub fn build(&self, runtime: &Runtime) -> Result<Dataset> {
        if self.0.takes_names_of_generators() {
            return Err(expected_found(
                "other names than @generator… beside a Generator",
                "@generator",
            ));
        }
        let (text, arguments) = self.0.document();
        parse_with(runtime, &text, &arguments)
    }

    pub(crate) fn begin(call: Fragment) -> Self {
        Pipeline(call)
    }

    pub(crate) fn then(&self, call: Fragment) -> Self {
        let mut out = self.clone();
        out.0.push(" | ");
        out.0.append(call);
        out
    }
}

/// The elements that a generator of the program gives.
pub fn generate(generator: &Generator) -> Pipeline {
    let mut out = Fragment::text("from_generator(");
    out.append(Fragment::handed(Handed::Generator(generator.clone())));
    out.push(&format!(", {})", generator.spec));
    Pipeline(out)
}

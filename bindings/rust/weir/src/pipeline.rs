//! Documents written as chained calls.

use std::path::{Path, PathBuf};

use weir_sys as sys;

use crate::argument::{unnamed, Argument, Handed};
use crate::callback::Callback;
use crate::dataset::{apply, Dataset};
use crate::dtype::DType;
use crate::error::Result;
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
pub struct Expression(pub(crate) Option<Handed>);

impl Expression {
    /// The text as it is.
    pub fn new(text: impl Into<String>) -> Self {
        Expression(Some(Handed::Text(text.into().into_bytes())))
    }
}

impl From<&str> for Expression {
    fn from(text: &str) -> Self {
        Expression::new(text)
    }
}

macro_rules! written {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $name(pub(crate) Option<Handed>);

        impl From<()> for $name {
            fn from((): ()) -> Self {
                Self::default()
            }
        }

        impl From<$name> for Option<Handed> {
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

impl From<Expression> for Option<Handed> {
    fn from(value: Expression) -> Self {
        value.0
    }
}

macro_rules! from {
    ($($name:ident { $($type:ty => |$value:pat_param| $text:expr;)* })*) => {
        $($(impl From<$type> for $name {
            fn from($value: $type) -> Self {
                $name(Some($text))
            }
        })*)*
    };
}

fn string(value: impl AsRef<[u8]>) -> Handed {
    Handed::String(value.as_ref().to_vec())
}

fn path(value: &Path) -> Handed {
    use std::os::unix::ffi::OsStrExt;
    string(value.as_os_str().as_bytes())
}

from! {
    Int {
    i64 => |v| Handed::text(v); i32 => |v| Handed::text(v); u32 => |v| Handed::text(v); u64 => |v| Handed::text(v); usize => |v| Handed::text(v);
    Auto => |_| Handed::text("auto"); Nothing => |_| Handed::text("none");
    }
    Bool {
    bool => |v| Handed::text(v); Nothing => |_| Handed::text("none");
    }
    Text {
    &str => |v| string(v); String => |v| string(v); &String => |v| string(v);
    &[u8] => |v| string(v); &Path => |v| path(v); PathBuf => |v| path(&v); &PathBuf => |v| path(v);
    }
    Seed {
    i64 => |v| Handed::text(v); i32 => |v| Handed::text(v); u64 => |v| Handed::text(v); Nothing => |_| Handed::text("none");
    (i64, i64) => |(a, b)| Handed::group(sys::WEIR_VALUE_TUPLE, [a, b].map(Handed::text));
    }
    DTypeName {
    DType => |v| Handed::text(v.name());
    }
    SpecText {
    &str => |v| Handed::text(v); String => |v| Handed::text(v); Spec => |v| Handed::text(v); &Spec => |v| Handed::text(v);
    }
    Value {
    bool => |v| Handed::text(v); i32 => |v| Handed::text(v); i64 => |v| Handed::text(v); u64 => |v| Handed::text(v); f32 => |v| Handed::Float32(v);
    f64 => |v| Handed::Float64(v); &str => |v| string(v); String => |v| string(v); &[u8] => |v| string(v);
    Tensor => |v| Handed::Tensor(v); &Tensor => |v| Handed::Tensor(v.clone());
    Nothing => |_| Handed::text("none");
    }
    Function {
    &str => |v| Handed::text(v); String => |v| Handed::text(v);
    Callback => |v| Handed::Callback(v);
    &Callback => |v| Handed::Callback(v.clone());
    }
    Operand {
    Pipeline => |v| v.0; &Pipeline => |v| v.0.clone(); Dataset => |v| Handed::Dataset(v);
    &Dataset => |v| Handed::Dataset(v.clone());
    }
    ValueOrDataset {
    Tensor => |v| Handed::Tensor(v); Pipeline => |v| v.0; &Pipeline => |v| v.0.clone();
    Dataset => |v| Handed::Dataset(v);
    &Dataset => |v| Handed::Dataset(v.clone());
    }
    Files {
    &str => |v| string(v); String => |v| string(v); &Path => |v| path(v); PathBuf => |v| path(&v);
    Pipeline => |v| v.0; &Pipeline => |v| v.0.clone(); Dataset => |v| Handed::Dataset(v);
    &Dataset => |v| Handed::Dataset(v.clone());
    }
}

impl From<Value> for ValueOrDataset {
    fn from(value: Value) -> Self {
        ValueOrDataset(value.0)
    }
}

/// A list, tuple or dict of what can be given alone; what was left out is not in it.
fn group<'k, T: Into<Option<Handed>>>(kind: u32, members: impl IntoIterator<Item = (&'k str, T)>) -> Option<Handed> {
    let named = |(name, value): (&str, T)| Some((name.to_owned(), Argument(value.into()?)));
    Some(Handed::Group(kind, "", members.into_iter().filter_map(named).collect()))
}

impl Value {
    /// A dict of values.
    pub fn dict<'k, V: Into<Value>>(members: impl IntoIterator<Item = (&'k str, V)>) -> Self {
        Value(group(
            sys::WEIR_VALUE_DICT,
            members.into_iter().map(|(name, value)| (name, value.into())),
        ))
    }

    /// A tuple of values.
    pub fn tuple<V: Into<Value>>(members: impl IntoIterator<Item = V>) -> Self {
        Value(group(
            sys::WEIR_VALUE_TUPLE,
            members.into_iter().map(|value| ("", value.into())),
        ))
    }
}

impl Datasets {
    /// Datasets whose elements become dicts.
    pub fn dict<'k, D: Into<Operand>>(members: impl IntoIterator<Item = (&'k str, D)>) -> Self {
        Datasets(group(
            sys::WEIR_VALUE_DICT,
            members.into_iter().map(|(name, dataset)| (name, dataset.into())),
        ))
    }
}

impl<D: Into<Operand>, const N: usize> From<[D; N]> for Datasets {
    fn from(members: [D; N]) -> Self {
        Datasets(Some(Handed::Spread(unnamed(
            members.into_iter().filter_map(|dataset| dataset.into().0),
        ))))
    }
}

macro_rules! lists {
    ($($name:ident of $member:ident,)*) => {
        $(impl<T: Into<$member>, const N: usize> From<[T; N]> for $name {
            fn from(members: [T; N]) -> Self {
                $name(group(sys::WEIR_VALUE_LIST, members.map(|member| ("", member.into()))))
            }
        }

        impl<T: Into<$member>> From<Vec<T>> for $name {
            fn from(members: Vec<T>) -> Self {
                $name(group(sys::WEIR_VALUE_LIST, members.into_iter().map(|member| ("", member.into()))))
            }
        })*
    };
}

lists! { DatasetList of Operand, Values of Value, }

impl<P: AsRef<Path>, const N: usize> From<[P; N]> for Files {
    fn from(names: [P; N]) -> Self {
        Files(Some(Handed::group(
            sys::WEIR_VALUE_LIST,
            names.iter().map(|name| path(name.as_ref())),
        )))
    }
}

impl<P: AsRef<Path>> From<Vec<P>> for Files {
    fn from(names: Vec<P>) -> Self {
        Files(Some(Handed::group(
            sys::WEIR_VALUE_LIST,
            names.iter().map(|name| path(name.as_ref())),
        )))
    }
}

/// A call of an operator: `batch(4, drop_remainder: true)`.
pub(crate) struct OperatorCall {
    operator: &'static str,
    arguments: Vec<(String, Argument)>,
}

impl OperatorCall {
    pub(crate) fn new(operator: &'static str) -> Self {
        let arguments = Vec::new();
        OperatorCall { operator, arguments }
    }

    pub(crate) fn positional(self, value: impl Into<Option<Handed>>) -> Self {
        self.named("", value)
    }

    /// Nothing if it was not given.
    pub(crate) fn named(mut self, name: &str, value: impl Into<Option<Handed>>) -> Self {
        match value.into() {
            Some(Handed::Spread(members)) => self.arguments.extend(members),
            Some(value) => self.arguments.push((name.to_owned(), Argument(value))),
            None => {}
        }
        self
    }
}

/// A document under construction: a source, then transformations. Nothing is checked before [`Pipeline::build`]. Each call
/// gives a new pipeline and leaves the old one as it was. One that is used twice is written twice; to share one, with its
/// epochs, build it and use the dataset.
#[derive(Clone, Debug)]
pub struct Pipeline(pub(crate) Handed);

impl Pipeline {
    /// Begins with a dataset that was built before.
    pub fn from_dataset(dataset: &Dataset) -> Self {
        Pipeline(Handed::Dataset(dataset.clone()))
    }

    /// Declares a parameter that gets its value when an iterator begins. Expressions and lambdas call it `$NAME`.
    #[must_use]
    pub fn param(&self, name: &str, spec: &str) -> Self {
        let declared = (format!("${name}"), Argument::from(spec));
        self.then(OperatorCall {
            operator: "",
            arguments: vec![declared],
        })
    }

    /// Passes what expressions and lambdas call `@NAME`.
    #[must_use]
    pub fn with(&self, name: &str, value: impl Into<Argument>) -> Self {
        let named = (format!("@{name}"), value.into());
        self.then(OperatorCall {
            operator: "",
            arguments: vec![named],
        })
    }

    /// Makes the dataset. An error shows the document that the calls are, with a caret below the place.
    pub fn build(&self, runtime: &Runtime) -> Result<Dataset> {
        apply(runtime, "", &[], &unnamed([self.0.clone()]))
    }

    pub(crate) fn begin(call: OperatorCall) -> Self {
        Pipeline(Handed::Group(sys::WEIR_VALUE_CALL, call.operator, call.arguments))
    }

    pub(crate) fn then(&self, mut call: OperatorCall) -> Self {
        call.arguments.insert(0, (String::new(), Argument(self.0.clone())));
        Pipeline::begin(call)
    }
}

/// The elements that a generator of the program gives.
pub fn generate(generator: &Generator) -> Pipeline {
    let call = OperatorCall::new("from_generator").positional(Handed::Generator(generator.clone()));
    Pipeline::begin(match &generator.spec {
        Some(spec) => call.positional(Handed::text(spec)),
        None => call,
    })
}

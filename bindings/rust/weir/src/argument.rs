//! What a text refers to by name.

use weir_sys as sys;

use crate::callback::Callback;
use crate::dataset::Dataset;
use crate::generator::Generator;
use crate::tensor::{string_of, Tensor};

/// Something that a text refers to as `@NAME`.
#[derive(Clone, Debug)]
pub struct Argument(pub(crate) Handed);

/// What the library is handed by name, or an operator is given: the library writes the document of a pipeline.
#[derive(Clone, Debug)]
pub(crate) enum Handed {
    Text(Vec<u8>),
    String(Vec<u8>),
    Float32(f32),
    Float64(f64),
    /// A list, tuple, dict or call; of a call, the operator.
    Group(u32, &'static str, Vec<(String, Argument)>),
    /// Members that stand in its place.
    Spread(Vec<(String, Argument)>),
    Tensor(Tensor),
    Dataset(Dataset),
    Callback(Callback),
    // Only with the structure that it was made for, which `generate` writes beside it: its memory for results is as large
    // as the text says.
    Generator(Generator),
}

impl Handed {
    pub(crate) fn text(text: impl ToString) -> Self {
        Handed::Text(text.to_string().into_bytes())
    }

    /// A group of members without names.
    pub(crate) fn group(kind: u32, members: impl IntoIterator<Item = Handed>) -> Self {
        Handed::Group(kind, "", unnamed(members))
    }
}

pub(crate) fn unnamed(members: impl IntoIterator<Item = Handed>) -> Vec<(String, Argument)> {
    let pair = |member| (String::new(), Argument(member));
    members.into_iter().map(pair).collect()
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Argument(Handed::Text(text.as_bytes().to_vec()))
    }
}

impl From<&[u8]> for Argument {
    fn from(text: &[u8]) -> Self {
        Argument(Handed::Text(text.to_vec()))
    }
}

impl From<String> for Argument {
    fn from(text: String) -> Self {
        Argument(Handed::Text(text.into_bytes()))
    }
}

macro_rules! handed {
    ($($type:ident,)*) => {
        $(impl From<$type> for Argument {
            fn from(value: $type) -> Self {
                Argument(Handed::$type(value))
            }
        }
        impl From<&$type> for Argument {
            fn from(value: &$type) -> Self {
                Argument(Handed::$type(value.clone()))
            }
        })*
    };
}

handed! { Tensor, Dataset, Callback, }

/// Arguments as the library takes them, for one call that takes their callbacks over.
#[derive(Default)]
#[allow(clippy::vec_box)] // the library is given their addresses
struct RawArguments {
    lists: Vec<Vec<sys::weir_argument>>,
    callbacks: Vec<Box<sys::weir_callback>>,
    generators: Vec<Box<sys::weir_generator>>,
}

impl RawArguments {
    fn add(&mut self, given: &[(String, Argument)]) -> (*const sys::weir_argument, u64) {
        let list: Vec<_> = given
            .iter()
            .map(|(name, argument)| self.raw(name, &argument.0))
            .collect();
        let out = (list.as_ptr(), list.len() as u64);
        self.lists.push(list);
        out
    }

    fn raw(&mut self, name: &str, given: &Handed) -> sys::weir_argument {
        let mut raw = sys::weir_argument::INIT;
        let name = string_of(name.as_bytes());
        (raw.name, raw.name_size) = (name.data, name.size);
        let text = string_of(match given {
            Handed::Text(text) | Handed::String(text) => text,
            Handed::Group(_, operator, _) => operator.as_bytes(),
            _ => b"",
        });
        match given {
            Handed::Text(_) => {}
            Handed::String(_) => raw.kind = sys::WEIR_VALUE_STRING,
            Handed::Float32(value) => (raw.kind, raw.number) = (sys::WEIR_VALUE_FLOAT32, f64::from(*value)),
            Handed::Float64(value) => (raw.kind, raw.number) = (sys::WEIR_VALUE_FLOAT64, *value),
            Handed::Group(kind, _, members) => {
                raw.kind = *kind;
                (raw.members, raw.member_count) = self.add(members);
            }
            Handed::Spread(_) => unreachable!("its members stand in its place"),
            Handed::Tensor(tensor) => raw.tensor = tensor.raw(),
            Handed::Dataset(dataset) => raw.dataset = dataset.raw(),
            Handed::Callback(callback) => {
                self.callbacks.push(Box::new(callback.raw()));
                raw.callback = &**self.callbacks.last().expect("just pushed");
            }
            Handed::Generator(generator) => {
                self.generators.push(Box::new(generator.raw()));
                raw.generator = &**self.generators.last().expect("just pushed");
            }
        }
        if matches!(given, Handed::Text(_)) || text.size > 0 {
            (raw.text, raw.text_size) = (text.data, text.size);
        }
        raw
    }
}

/// Runs a call. The library takes ownership of callbacks here, once.
pub(crate) fn with_raw<T>(given: &[(String, Argument)], body: impl FnOnce(*const sys::weir_argument, u64) -> T) -> T {
    let mut raw = RawArguments::default();
    let (list, count) = raw.add(given);
    body(list, count)
}

//! What a text refers to by name.

use weir_sys as sys;

use crate::callback::Callback;
use crate::dataset::Dataset;
use crate::generator::Generator;
use crate::tensor::{string_of, Tensor};

/// Something that a text refers to as `@NAME`.
#[derive(Clone, Debug)]
pub struct Argument(pub(crate) Handed);

#[derive(Clone, Debug)]
pub(crate) enum Handed {
    Text(Vec<u8>),
    Tensor(Tensor),
    Dataset(Dataset),
    Callback(Callback),
    // Only with the structure that it was made for, which Pipeline::generate writes beside it: its memory for results is
    // as large as the text says.
    Generator(Generator),
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

/// Named arguments as the library takes them, for one call that takes its callbacks over.
pub(crate) struct RawArguments<'a> {
    list: Vec<sys::weir_argument>,
    given: &'a [(String, Argument)],
}

impl<'a> RawArguments<'a> {
    pub(crate) fn new(given: &'a [(String, Argument)]) -> Self {
        RawArguments {
            list: Vec::new(),
            given,
        }
    }

    /// Runs the call. Callbacks are handed over once, so this is where the library gets them.
    pub(crate) fn with<T>(mut self, body: impl FnOnce(*const sys::weir_argument, u64) -> T) -> T {
        let mut callbacks = Vec::with_capacity(self.given.len());
        let mut generators = Vec::with_capacity(self.given.len());
        for (name, argument) in self.given {
            let mut raw = sys::weir_argument::INIT;
            let name = string_of(name.as_bytes());
            (raw.name, raw.name_size) = (name.data, name.size);
            match &argument.0 {
                Handed::Text(text) => {
                    let text = string_of(text);
                    (raw.text, raw.text_size) = (text.data, text.size);
                }
                Handed::Tensor(tensor) => raw.tensor = tensor.raw(),
                Handed::Dataset(dataset) => raw.dataset = dataset.raw(),
                Handed::Callback(callback) => {
                    callbacks.push(Box::new(callback.raw()));
                    raw.callback = &**callbacks.last().expect("just pushed");
                }
                Handed::Generator(generator) => {
                    generators.push(Box::new(generator.raw()));
                    raw.generator = &**generators.last().expect("just pushed");
                }
            }
            self.list.push(raw);
        }
        body(self.list.as_ptr(), self.list.len() as u64)
    }
}

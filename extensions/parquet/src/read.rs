//! Batches of rows as weir takes them.

use std::ffi::{c_char, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{TimestampNanosecondType, TimestampSecondType};
use arrow_array::Array;
use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::errors::ParquetError;

use crate::abi;
use crate::memory::{self, NoMemory};

/// Why, without what kind of error it is.
pub fn said(error: &ParquetError) -> String {
    match error {
        ParquetError::General(why)
        | ParquetError::NYI(why)
        | ParquetError::EOF(why)
        | ParquetError::ArrowError(why) => why.clone(),
        other => other.to_string(),
    }
}

/// The error of a batch, with the place where it was found.
pub fn found_at(place: &str, error: ParquetError) -> ArrowError {
    let named = |why: &str| format!("{place}: {why}");
    match &error {
        ParquetError::NYI(why) => ArrowError::NotYetImplemented(named(why)),
        ParquetError::External(why) => ArrowError::MemoryError(why.to_string()),
        other => ArrowError::IpcError(named(&said(other))),
    }
}

static ARROWS_LAST_ERROR: OnceLock<abi::LastError> = OnceLock::new();

/// The last error without the kind that Arrow says first.
unsafe extern "C" fn last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    let Some(said) = ARROWS_LAST_ERROR
        .get()
        .map(|get| get(stream))
        .filter(|said| !said.is_null())
    else {
        return std::ptr::null();
    };
    let kinds = ["Parquet argument error: ", "Ipc error: "];
    let known = kinds
        .iter()
        .find(|kind| CStr::from_ptr(said).to_bytes().starts_with(kind.as_bytes()));
    said.add(known.map_or(0, |kind| kind.len()))
}

/// The batches as a stream of Arrow's C interface.
pub fn exported(batches: Box<dyn RecordBatchReader + Send>) -> FFI_ArrowArrayStream {
    let mut stream = FFI_ArrowArrayStream::new(batches);
    // SAFETY: the layout is fixed by Arrow.
    let raw = unsafe { &mut *std::ptr::from_mut(&mut stream).cast::<abi::ArrayStream>() };
    if let Some(get) = raw.get_last_error.replace(last_error) {
        ARROWS_LAST_ERROR.get_or_init(|| get);
    }
    stream
}

/// What makes batches, until there are none or one fails.
pub trait Source {
    fn schema(&self) -> SchemaRef;
    fn make(&mut self) -> Option<Result<RecordBatch, ArrowError>>;
}

/// What the body makes, or its panic as an error.
pub fn caught(
    body: impl FnOnce() -> Option<Result<RecordBatch, ArrowError>>,
) -> Option<Result<RecordBatch, ArrowError>> {
    let none = |none: NoMemory| Some(Err(ArrowError::MemoryError(none.to_string())));
    if let Err(error) = memory::check() {
        return none(error);
    }
    let made = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| match memory::of_panic(panic.as_ref()) {
        Ok(damaged) => Some(Err(ArrowError::ParquetError(damaged))),
        Err(error) => none(error),
    });
    match made {
        Some(Err(_)) if memory::ran_out() => none(NoMemory),
        made => made,
    }
}

/// Of `count` rows that cannot be read together, as many from the first one on as can, or the error of that one.
pub fn sound_part<T, E>(count: i64, read: impl Fn(i64) -> Result<T, E>) -> Result<T, E> {
    // One first: by position, it is often the damaged one.
    let mut sound = read(1)?;
    // So many can be read, and so many can't.
    let (mut can, mut cannot) = (1, count);
    while cannot - can > 1 {
        let count = can + (cannot - can) / 2;
        match read(count) {
            Ok(more) => {
                can = count;
                sound = more;
            }
            Err(_) => cannot = count,
        }
    }
    Ok(sound)
}

/// The batches of a source, which may panic.
pub struct Stream<S> {
    source: S,
    failed: bool,
}

impl<S> Stream<S> {
    pub fn new(source: S) -> Self {
        Stream { source, failed: false }
    }
}

impl<S: Source> Iterator for Stream<S> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let made = caught(|| self.source.make());
        self.failed = !matches!(made, Some(Ok(_)));
        made
    }
}

impl<S: Source> RecordBatchReader for Stream<S> {
    fn schema(&self) -> SchemaRef {
        self.source.schema()
    }
}

/// The batches of a reader with another schema. `seconds` has the times of INT96 a second time, which reach farther, for
/// the columns of these numbers.
pub struct Batches {
    pub schema: SchemaRef,
    pub reader: ParquetRecordBatchReader,
    pub seconds: Option<(ParquetRecordBatchReader, Vec<usize>)>,
}

/// Nanoseconds that wrapped around, with the seconds that they are.
fn wide(nanos: &dyn Array, seconds: &dyn Array) -> Result<ArrayRef, ArrowError> {
    let (nanos, seconds) = (
        nanos.as_primitive_opt::<TimestampNanosecondType>(),
        seconds.as_primitive_opt::<TimestampSecondType>(),
    );
    let (Some(nanos), Some(seconds)) = (nanos, seconds) else {
        return Err(ArrowError::ParquetError("a time of another type".into()));
    };
    let mut bytes = Vec::with_capacity(nanos.len() * 16);
    for (nanos, seconds) in nanos.values().iter().zip(seconds.values()) {
        let whole = i128::from(*seconds) * 1_000_000_000;
        let rest = nanos.wrapping_sub(whole as i64);
        bytes.extend_from_slice(&(whole + i128::from(rest)).to_le_bytes());
    }
    let made = FixedSizeBinaryArray::try_new(16, bytes.into(), nanos.nulls().cloned())?;
    Ok(Arc::new(made))
}

impl Source for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn make(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let batch = match self.reader.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error)),
        };
        let mut columns = batch.columns().to_vec();
        if let Some((reader, places)) = &mut self.seconds {
            let seconds = match reader.next() {
                Some(Ok(batch)) if batch.num_rows() == columns[places[0]].len() => batch,
                Some(Err(error)) => return Some(Err(error)),
                _ => return Some(Err(ArrowError::ParquetError("times end too early".into()))),
            };
            for (i, place) in places.iter().enumerate() {
                match wide(&columns[*place], seconds.column(i)) {
                    Ok(made) => columns[*place] = made,
                    Err(error) => return Some(Err(error)),
                }
            }
        }
        let options = RecordBatchOptions::new()
            .with_row_count(Some(batch.num_rows()))
            .with_match_field_names(false);
        // Names of map entries differ.
        Some(RecordBatch::try_new_with_options(
            self.schema.clone(),
            columns,
            &options,
        ))
    }
}

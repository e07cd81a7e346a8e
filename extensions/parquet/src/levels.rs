//! The levels of a page: which values begin a row, and which are null.

use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::errors::Result;
use parquet::schema::types::ColumnDescriptor;

use crate::file::damaged;

/// How many bits a level has; none where a column has no such levels.
pub struct LevelBits {
    repetition: usize,
    definition: usize,
}

/// The number at the front of some bytes, which it is taken from.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    let last = bytes.iter().take(10).position(|byte| byte & 0x80 == 0)?;
    let (taken, rest) = bytes.split_at(last + 1);
    *bytes = rest;
    let more = |number: usize, byte: &u8| number << 7 | usize::from(byte & 0x7f);
    Some(taken.iter().rev().fold(0, more))
}

/// How many of `count` packed levels aren't zero.
fn not_zero(bytes: &[u8], bits: usize, count: usize) -> usize {
    let each = 16 / bits * 8;
    let lowest = (0..each).fold(0u128, |mask, level| mask | 1 << (level * bits));
    let mut found = 0;
    for (part, first) in bytes.chunks(each / 8 * bits).zip((0..count).step_by(each)) {
        let mut word = [0; 16];
        word[..part.len()].copy_from_slice(part);
        let word = u128::from_le_bytes(word);
        let any = (0..bits).fold(0, |any, bit| any | word >> bit) & lowest;
        let beyond = each - each.min(count - first);
        found += (any & lowest.unbounded_shr((beyond * bits) as u32)).count_ones() as usize;
    }
    found
}

/// What is in the runs of a page's levels.
struct Held {
    /// How many levels there are, up to as many as there should be, and how many of them are zero.
    count: usize,
    zeros: usize,
    /// Whether there are more that are not the zeros that fill a byte.
    has_more: bool,
    /// Whether the bytes end where the levels do.
    is_exact: bool,
}

fn held(mut runs: &[u8], bits: usize, most: usize) -> Held {
    let mut held = Held {
        count: 0,
        zeros: 0,
        has_more: false,
        is_exact: true,
    };
    while held.count < most {
        let Some(header) = number(&mut runs).filter(|header| *header != 0) else {
            break;
        };
        let left = most - held.count;
        let (count, size) = match header & 1 {
            0 => (header >> 1, bits.div_ceil(8)),
            _ => {
                // Writers may cut the last run.
                let whole = (header >> 1).saturating_mul(bits);
                let size = whole.min(runs.len());
                held.is_exact = whole == size;
                (size * 8 / bits, size)
            }
        };
        let Some((run, rest)) = runs.split_at_checked(size) else {
            break;
        };
        let used = count.min(left);
        let end = used * bits;
        match header & 1 {
            0 => {
                held.zeros += if run.iter().all(|byte| *byte == 0) { used } else { 0 };
                held.has_more = count > left;
            }
            _ => {
                held.zeros += used - not_zero(run, bits, used);
                let partial = run.get(end / 8).is_some_and(|byte| byte >> (end % 8) != 0);
                held.has_more = partial || run.iter().skip(end / 8 + 1).any(|byte| *byte != 0);
            }
        }
        held.count += used;
        runs = rest;
    }
    held.is_exact &= runs.is_empty();
    held
}

impl LevelBits {
    pub fn new(column: &ColumnDescriptor) -> Self {
        let bits = |most: i16| (i16::BITS - most.leading_zeros()) as usize;
        LevelBits {
            repetition: bits(column.max_rep_level()),
            definition: bits(column.max_def_level()),
        }
    }

    /// Whether a data page has as many levels as values, and as many rows. The crate would skip rows for ever where
    /// repetition levels are missing.
    pub fn check(&self, page: &Page, rows: Option<i64>) -> Result<()> {
        match page {
            Page::DataPage {
                buf,
                num_values,
                rep_level_encoding: Encoding::RLE,
                ..
            } if self.repetition > 0 => {
                let (size, rest) = buf.split_first_chunk().unwrap_or((&[0; 4], &[]));
                let runs = rest.get(..u32::from_le_bytes(*size) as usize).unwrap_or_default();
                self.check_repetition(runs, *num_values as usize, rows)?;
            }
            Page::DataPageV2 {
                buf,
                num_values,
                num_rows,
                rep_levels_byte_len,
                def_levels_byte_len,
                ..
            } => {
                let (count, size) = (*num_values as usize, *rep_levels_byte_len as usize);
                let repetition = buf.get(..size).unwrap_or_default();
                let rest = buf.get(size..).unwrap_or_default();
                let definition = rest.get(..*def_levels_byte_len as usize).unwrap_or_default();
                let mut is_exact = true;
                if self.repetition > 0 {
                    is_exact &= self.check_repetition(repetition, count, Some((*num_rows).into()))?;
                }
                if self.definition > 0 {
                    is_exact &= held(definition, self.definition, count).is_exact;
                }
                if !is_exact {
                    return Err(damaged("a page has another number of levels than values"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the bytes end where the levels do.
    fn check_repetition(&self, runs: &[u8], count: usize, rows: Option<i64>) -> Result<bool> {
        let held = held(runs, self.repetition, count);
        if held.count < count {
            return Err(damaged("a page has fewer repetition levels than values"));
        }
        match rows.filter(|rows| held.has_more || held.zeros as i64 != *rows) {
            Some(rows) => Err(damaged(&format!(
                "a page of {rows} rows has {count} values, in which {} begin",
                held.zeros
            ))),
            None => Ok(held.is_exact),
        }
    }
}

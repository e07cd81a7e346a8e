//! The numbers in a structure of Thrift's compact protocol.

pub const FIELDS: usize = 9;
const MOST_NESTING: usize = 8;
/// Where the numbers of a structure are not kept.
const NOWHERE: usize = FIELDS;

/// The numbers by their fields: first those of the structure, then those of the structure in each of its fields.
pub type Numbers = [[Option<i64>; FIELDS]; FIELDS];

#[derive(Debug, PartialEq)]
pub enum Unread {
    /// More bytes are needed.
    Short,
    Damaged,
}

type Read<T> = Result<T, Unread>;

struct Compact<'a> {
    bytes: &'a [u8],
    numbers: Numbers,
}

impl Compact<'_> {
    fn skip(&mut self, count: u64) -> Read<()> {
        let rest = usize::try_from(count).ok().and_then(|count| self.bytes.get(count..));
        self.bytes = rest.ok_or(Unread::Short)?;
        Ok(())
    }

    fn byte(&mut self) -> Read<u8> {
        let (byte, rest) = self.bytes.split_first().ok_or(Unread::Short)?;
        self.bytes = rest;
        Ok(*byte)
    }

    fn unsigned(&mut self) -> Read<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Unread::Damaged)
    }

    fn signed(&mut self) -> Read<i64> {
        let number = self.unsigned()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn list(&mut self, depth: usize) -> Read<()> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.unsigned()?,
            count => u64::from(count),
        };
        for _ in 0..count {
            match head & 15 {
                1 | 2 => self.skip(1)?,
                kind => drop(self.value(kind, depth, NOWHERE)?),
            }
        }
        Ok(())
    }

    /// A value that may be a number. If it is a structure, its numbers are kept at `place`.
    fn value(&mut self, kind: u8, depth: usize, place: usize) -> Read<Option<i64>> {
        match kind {
            1 | 2 => return Ok(Some(i64::from(kind == 1))),
            3 => return Ok(Some(i64::from(self.byte()? as i8))),
            4..=6 => return self.signed().map(Some),
            7 => self.skip(8)?,
            8 => {
                let size = self.unsigned()?;
                self.skip(size)?;
            }
            9 | 10 => self.list(depth + 1)?,
            12 => self.structure(depth + 1, place)?,
            _ => return Err(Unread::Damaged),
        }
        Ok(None)
    }

    fn structure(&mut self, depth: usize, place: usize) -> Read<()> {
        if depth > MOST_NESTING {
            return Err(Unread::Damaged);
        }
        let mut id = 0i64;
        loop {
            let head = self.byte()?;
            if head & 15 == 0 {
                return Ok(());
            }
            let before = id;
            id = match head >> 4 {
                0 => self.signed()?,
                more => id.saturating_add(i64::from(more)),
            };
            // Writers go by the numbers of fields. Damage may continue a structure in the next one.
            if id <= before {
                return Err(Unread::Damaged);
            }
            let field = usize::try_from(id).unwrap_or(NOWHERE).min(NOWHERE);
            let number = self.value(head & 15, depth, if place == 0 { field } else { NOWHERE })?;
            if place < FIELDS && field < FIELDS {
                self.numbers[place][field] = number;
            }
        }
    }
}

/// The numbers of the structure that the bytes begin with, and how many bytes it takes.
pub fn parse(bytes: &[u8]) -> Read<(Numbers, usize)> {
    let mut compact = Compact {
        bytes,
        numbers: [[None; FIELDS]; FIELDS],
    };
    compact.structure(0, 0)?;
    Ok((compact.numbers, bytes.len() - compact.bytes.len()))
}

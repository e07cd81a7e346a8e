//! What the crate reads of an HDF5 file, and where its datasets are.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use hdf5_reader::btree_v1::collect_btree_v1_leaves_storage;
use hdf5_reader::btree_v2::{collect_btree_v2_records_storage, BTreeV2Header, BTreeV2Record};
use hdf5_reader::error::{Error, Result};
use hdf5_reader::fractal_heap::{FractalHeap, FractalHeapDirectBlockCache};
use hdf5_reader::io::Cursor;
use hdf5_reader::local_heap::LocalHeap;
use hdf5_reader::messages::link::{self, LinkTarget};
use hdf5_reader::messages::link_info::LinkInfoMessage;
use hdf5_reader::messages::symbol_table_msg::SymbolTableMessage;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::object_header::ObjectHeader;
use hdf5_reader::symbol_table::SymbolTableNode;
use hdf5_reader::{BlockCacheStorage, Dataset, Hdf5File, OpenOptions, Storage, StorageBuffer};
use parquet::errors::ParquetError;
use parquet::file::reader::Length;

use crate::file::WeirFile;
use crate::read::said;

/// Headers and indices are small and lie side by side; each read of a remote file costs more than its bytes.
const BLOCK_BYTES: usize = 16 << 10;
const MOST_BLOCKS: usize = 128;
const SMALL_READ: usize = 4 << 10;
const CHUNK_CACHE_BYTES: usize = 8 << 20;
const MOST_DEPTH: usize = 64;
const MOST_DATASETS: usize = 1 << 14;
const SYMBOLIC_LINK: u32 = 2;

struct Direct(WeirFile);

impl Storage for Direct {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_range(&self, offset: u64, len: usize) -> Result<StorageBuffer> {
        match self.0.read_exact(offset, len) {
            Ok(bytes) => StorageBuffer::from_shared_owner(Arc::new(bytes), 0, len),
            Err(ParquetError::External(why)) => Err(Error::Io(std::io::Error::other(why))),
            Err(other) => Err(Error::InvalidData(said(&other))),
        }
    }
}

/// A file whose small reads are of blocks that are kept.
struct Reads {
    direct: Direct,
    blocks: BlockCacheStorage,
}

impl Storage for Reads {
    fn len(&self) -> u64 {
        self.direct.len()
    }

    fn read_range(&self, offset: u64, len: usize) -> Result<StorageBuffer> {
        match len <= SMALL_READ {
            true => self.blocks.read_range(offset, len),
            false => self.direct.read_range(offset, len),
        }
    }
}

pub fn open(file: &WeirFile) -> Result<Hdf5File> {
    let reads = Reads {
        direct: Direct(file.clone()),
        blocks: BlockCacheStorage::new(Arc::new(Direct(file.clone())), BLOCK_BYTES, MOST_BLOCKS),
    };
    let options = OpenOptions::default().with_chunk_cache_bytes(CHUNK_CACHE_BYTES);
    Hdf5File::from_storage_with_options(Arc::new(reads), options)
}

/// Why something is not read, if it may be as it should.
pub fn unsupported(error: &Error) -> Option<String> {
    match error {
        Error::Context { source, .. } => unsupported(source),
        Error::UnsupportedLayoutClass(3) => Some("virtual datasets are not supported".into()),
        Error::UnsupportedObjectHeaderVersion(_)
        | Error::UnsupportedDataspaceVersion(_)
        | Error::UnsupportedDatatypeClass(_)
        | Error::UnsupportedLayoutClass(_)
        | Error::UnsupportedLayoutVersion(_)
        | Error::UnsupportedFilterPipelineVersion(_)
        | Error::UnsupportedFillValueVersion(_)
        | Error::UnsupportedAttributeVersion(_)
        | Error::UnsupportedChunkIndexType(_)
        | Error::UnsupportedFilter(_)
        | Error::UnsupportedEncoding(_)
        | Error::ResourceLimit(_) => Some(error.to_string()),
        _ => None,
    }
}

/// A dataset, or why it is none that can be read.
pub enum Found {
    Dataset(Box<Dataset>),
    Refused(String),
}

enum Link {
    /// The address of its header.
    Object(u64),
    Symbolic,
    External,
}

struct Walk<'a> {
    file: &'a Hdf5File,
    seen: HashSet<u64>,
    out: Vec<(String, Found)>,
}

/// The datasets of a file by their paths, each group's in the order of their names. A group that has several names is
/// entered by the first one; symbolic links are followed to datasets.
pub fn datasets(file: &Hdf5File) -> Result<Vec<(String, Found)>> {
    let root = file.root_group()?.address();
    let mut walk = Walk {
        file,
        seen: HashSet::from([root]),
        out: Vec::new(),
    };
    let header = file.get_or_parse_header(root)?;
    walk.group("", &header, 0)?;
    Ok(walk.out)
}

impl Walk<'_> {
    fn group(&mut self, parent: &str, header: &ObjectHeader, depth: usize) -> Result<()> {
        for (name, link) in links(self.file, header)? {
            let path = match parent {
                "" => name,
                _ => format!("{parent}/{name}"),
            };
            match link {
                Link::External => self.add(path, Found::Refused("is in another file, which is not read".into()))?,
                // Where it leads may be gone.
                Link::Symbolic => {
                    if let Ok(dataset) = self.file.dataset(&path) {
                        self.add(path, Found::Dataset(Box::new(dataset)))?;
                    }
                }
                Link::Object(address) => self.object(path, address, depth)?,
            }
        }
        Ok(())
    }

    fn object(&mut self, path: String, address: u64, depth: usize) -> Result<()> {
        let header = match self.file.get_or_parse_header(address) {
            Ok(header) => header,
            Err(error) => return self.refuse(path, error),
        };
        if header.messages.iter().any(|message| {
            matches!(
                message,
                HdfMessage::SymbolTable(_) | HdfMessage::Link(_) | HdfMessage::LinkInfo(_) | HdfMessage::GroupInfo(_)
            )
        }) {
            if !self.seen.insert(address) {
                return Ok(());
            }
            if depth == MOST_DEPTH {
                let why = format!("groups that are nested deeper than {MOST_DEPTH}");
                return Err(Error::UnsupportedEncoding(why));
            }
            return self.group(&path, &header, depth + 1);
        }
        let has = |wanted: fn(&HdfMessage) -> bool| header.messages.iter().any(wanted);
        if !has(|message| matches!(message, HdfMessage::Dataspace(_) | HdfMessage::DataLayout(_))) {
            // A named type.
            return Ok(());
        }
        if has(|message| matches!(message, HdfMessage::ExternalFiles(_))) {
            return self.add(path, Found::Refused("lies in other files, which are not read".into()));
        }
        match self.file.dataset(&path) {
            Ok(dataset) => self.add(path, Found::Dataset(Box::new(dataset))),
            Err(error) => self.refuse(path, error),
        }
    }

    fn refuse(&mut self, path: String, error: Error) -> Result<()> {
        match unsupported(&error) {
            Some(why) => self.add(path, Found::Refused(format!("cannot be read: {why}"))),
            None => Err(error.with_context(path)),
        }
    }

    fn add(&mut self, path: String, found: Found) -> Result<()> {
        if self.out.len() == MOST_DATASETS {
            return Err(Error::UnsupportedEncoding(format!(
                "more than {MOST_DATASETS} datasets"
            )));
        }
        self.out.push((path, found));
        Ok(())
    }
}

/// What a group has, by name. The crate lists none of it if one object cannot be read.
fn links(file: &Hdf5File, header: &ObjectHeader) -> Result<BTreeMap<String, Link>> {
    let mut out = BTreeMap::new();
    for message in &header.messages {
        match message {
            HdfMessage::SymbolTable(table) => add_symbols(file, table, &mut out)?,
            HdfMessage::Link(found) => {
                out.insert(found.name.clone(), target(&found.target));
            }
            HdfMessage::LinkInfo(info) => add_dense(file, info, &mut out)?,
            _ => {}
        }
    }
    Ok(out)
}

fn target(target: &LinkTarget) -> Link {
    match target {
        LinkTarget::Hard { address } => Link::Object(*address),
        LinkTarget::Soft { .. } => Link::Symbolic,
        LinkTarget::External { .. } => Link::External,
    }
}

fn add_symbols(file: &Hdf5File, table: &SymbolTableMessage, out: &mut BTreeMap<String, Link>) -> Result<()> {
    let (storage, block) = (file.storage(), file.superblock());
    let (offset_size, length_size) = (block.offset_size, block.length_size);
    let heap = LocalHeap::parse_at_storage(storage, table.heap_address, offset_size, length_size)?;
    let nodes =
        collect_btree_v1_leaves_storage(storage, table.btree_address, offset_size, length_size, None, &[], None)?;
    if nodes.is_empty() {
        return Ok(());
    }
    let size = usize::try_from(heap.data_segment_size).map_err(|_| Error::OffsetOutOfBounds(u64::MAX))?;
    let names = storage.read_range(heap.data_segment_address, size)?;
    for (_, at) in nodes {
        let entry_size = 2 * usize::from(offset_size) + 24;
        let begin = storage.read_range(at, 8)?;
        let count = usize::from(u16::from_le_bytes([begin[6], begin[7]]));
        let bytes = storage.read_range(at, 8 + count * entry_size)?;
        let node = SymbolTableNode::parse(&mut Cursor::new(&bytes), offset_size, length_size)?;
        for entry in node.entries {
            let name = usize::try_from(entry.link_name_offset)
                .ok()
                .and_then(|at| names.get(at..)?.split(|byte| *byte == 0).next())
                .and_then(|name| std::str::from_utf8(name).ok())
                .ok_or_else(|| Error::InvalidData("the name of a link is broken".into()))?;
            let link = match entry.cache_type {
                SYMBOLIC_LINK => Link::Symbolic,
                _ => Link::Object(entry.object_header_address),
            };
            out.insert(name.into(), link);
        }
    }
    Ok(())
}

fn add_dense(file: &Hdf5File, info: &LinkInfoMessage, out: &mut BTreeMap<String, Link>) -> Result<()> {
    let (storage, block) = (file.storage(), file.superblock());
    let (offset_size, length_size) = (block.offset_size, block.length_size);
    if Cursor::is_undefined_offset(info.fractal_heap_address, offset_size) {
        return Ok(());
    }
    let heap = FractalHeap::parse_at_storage(storage, info.fractal_heap_address, offset_size, length_size)?;
    let index = BTreeV2Header::parse_at_storage(storage, info.btree_name_index_address, offset_size, length_size)?;
    let records = collect_btree_v2_records_storage(storage, &index, offset_size, length_size, None, &[], None)?;
    let mut blocks = FractalHeapDirectBlockCache::default();
    for record in &records {
        let BTreeV2Record::LinkNameHash { heap_id, .. } = record else {
            continue;
        };
        let bytes = heap.get_object_storage_cached(heap_id, storage, offset_size, length_size, &mut blocks)?;
        let found = link::parse(&mut Cursor::new(&bytes), offset_size, length_size, bytes.len())?;
        out.insert(found.name, target(&found.target));
    }
    Ok(())
}

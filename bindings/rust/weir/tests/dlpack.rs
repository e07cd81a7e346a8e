//! Tensors that go to other libraries and come from them.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use weir::sys::dlpack::*;
use weir::{from_tensor_slices, range, Code, Dlpack, Result, Runtime, Tensor};

/// The tensor of another library: the numbers 0 to 5 as float32[2, 3], or column-major as float32[3, 2].
struct Foreign {
    managed: DLManagedTensorVersioned,
    values: [f32; 6],
    shape: [i64; 2],
    strides: [i64; 2],
    deleted: Arc<AtomicUsize>,
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensorVersioned) {
    let foreign = Box::from_raw((*managed).manager_ctx.cast::<Foreign>());
    foreign.deleted.fetch_add(1, Ordering::SeqCst);
}

fn foreign(major: u32, turned: bool, flags: u64) -> (*mut DLManagedTensorVersioned, Arc<AtomicUsize>) {
    let deleted = Arc::new(AtomicUsize::new(0));
    let null = std::ptr::null_mut::<c_void>();
    let tensor = DLTensor {
        data: null,
        device: DLDevice {
            device_type: K_DL_CPU,
            device_id: 0,
        },
        ndim: 2,
        dtype: DLDataType {
            code: K_DL_FLOAT,
            bits: 32,
            lanes: 1,
        },
        shape: null.cast(),
        strides: null.cast(),
        byte_offset: 0,
    };
    let out = Box::into_raw(Box::new(Foreign {
        managed: DLManagedTensorVersioned {
            version: DLPackVersion { major, minor: 0 },
            manager_ctx: null,
            deleter: Some(delete),
            flags,
            dl_tensor: tensor,
        },
        values: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        shape: if turned { [3, 2] } else { [2, 3] },
        strides: if turned { [1, 3] } else { [3, 1] },
        deleted: Arc::clone(&deleted),
    }));
    // Safe: it was just made.
    unsafe {
        (*out).managed.manager_ctx = out.cast();
        (*out).managed.dl_tensor.data = std::ptr::addr_of_mut!((*out).values).cast();
        (*out).managed.dl_tensor.shape = std::ptr::addr_of_mut!((*out).shape).cast();
        (*out).managed.dl_tensor.strides = std::ptr::addr_of_mut!((*out).strides).cast();
        (std::ptr::addr_of_mut!((*out).managed), deleted)
    }
}

fn taken(managed: *mut DLManagedTensorVersioned) -> Result<Dlpack> {
    // Safe: these tests own what they make.
    unsafe { Dlpack::from_raw(managed) }
}

#[test]
fn tensors_of_other_libraries_go_in_without_a_copy() -> Result<()> {
    let runtime = Runtime::new()?;
    for flags in [0, DLPACK_FLAG_BITMASK_READ_ONLY] {
        let (managed, deleted) = foreign(1, false, flags);
        let address = unsafe { (*managed).dl_tensor.data }.cast::<f32>();
        let given = taken(managed)?;
        assert_eq!(given.is_read_only(), flags != 0);
        assert_eq!(given.dims(), [2, 3]);
        let tensor = Tensor::from_dlpack(given)?;
        assert_eq!(tensor.view().slice::<f32>()?.as_ptr(), address as *const f32);
        assert_eq!(tensor.view().dims(), [2, 3]);
        let dataset = from_tensor_slices(&tensor).map("x -> x * 2.0").build(&runtime)?;
        drop(tensor);
        let element = dataset.iter()?.last().expect("two")?;
        assert_eq!(element.slice::<f32>(0)?, [6.0, 8.0, 10.0]);
        assert_eq!(deleted.load(Ordering::SeqCst), 0);
        drop((element, dataset));
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
    }
    Ok(())
}

#[test]
fn what_is_refused_or_dropped_is_deleted_once() -> Result<()> {
    assert_eq!(
        taken(std::ptr::null_mut()).expect_err("null").code(),
        Code::InvalidArgument
    );
    let (managed, deleted) = foreign(2, false, 0);
    let refused = taken(managed).expect_err("another version");
    assert_eq!(refused.message(), "expected DLPack version 1, found 2");
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    let (managed, deleted) = foreign(1, false, 0);
    unsafe { (*managed).dl_tensor.device.device_type = 2 };
    let refused = Tensor::from_dlpack(taken(managed)?).expect_err("memory of a GPU");
    assert!(refused.message().contains("CPU"), "{refused}");
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    // What is not row-major is copied.
    let (managed, deleted) = foreign(1, true, 0);
    let tensor = Tensor::from_dlpack(taken(managed)?)?;
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    assert_eq!(tensor.view().slice::<f32>()?, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let (managed, deleted) = foreign(1, false, 0);
    let given = taken(managed)?;
    std::thread::spawn(move || drop(given)).join().expect("no panic");
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    let (managed, deleted) = foreign(1, false, 0);
    assert_eq!(taken(managed)?.into_raw(), managed);
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
    drop(taken(managed)?);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    Ok(())
}

#[test]
fn components_go_out_without_a_copy() -> Result<()> {
    let runtime = Runtime::new()?;
    let values = Tensor::from_vec(&[2, 2], vec![1.0f32, 2.0, 3.0, 4.0])?;
    let parts = [("x", weir::from_tensors(&values)), ("n", range(1).batch(1))];
    let dataset = weir::zip(weir::Datasets::dict(parts))
        .map("e -> (e.x, e.n, \"s\")")
        .build(&runtime)?;
    let element = dataset.iter()?.next().expect("one")?;
    let shared = element.dlpack(0)?;
    assert!(shared.is_read_only());
    assert_eq!(shared.dims(), [2, 2]);
    let address = element.slice::<f32>(0)?.as_ptr();
    assert_eq!(unsafe { (*shared.as_ptr()).dl_tensor.data } as *const f32, address);
    let copied = element.dlpack_writable(0)?;
    assert!(!copied.is_read_only());
    assert_ne!(unsafe { (*copied.as_ptr()).dl_tensor.data } as *const f32, address);
    assert_eq!(element.dlpack(2).expect_err("strings").code(), Code::InvalidArgument);
    assert_eq!(element.dlpack(3).expect_err("none").code(), Code::OutOfRange);
    // Also what only the element has is read-only: its slices still show it.
    let alone = element.dlpack(1)?;
    assert!(alone.is_read_only());
    let own = Tensor::from_dlpack(alone)?;
    drop((element, dataset, values, runtime));

    // The receiver has them after everything else is gone.
    let managed = shared.into_raw();
    // Safe: it is row-major, and this is its receiver.
    unsafe {
        let entries = std::slice::from_raw_parts((*managed).dl_tensor.data.cast::<f32>(), 4);
        assert_eq!(entries, [1.0, 2.0, 3.0, 4.0]);
        ((*managed).deleter.expect("a deleter"))(managed);
    }
    assert_eq!(own.view().slice::<i64>()?, [0]);
    Ok(())
}

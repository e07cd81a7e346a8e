//! Memory of the program that goes into a pipeline.

use weir::{from_tensor_slices, range, Result, Runtime, Tensor};

#[test]
fn a_vector_goes_in_without_a_copy() -> Result<()> {
    let runtime = Runtime::new()?;
    let values: Vec<f32> = (0..1_000_000).map(|i| i as f32).collect();
    let address = values.as_ptr();
    let tensor = Tensor::from_vec(&[1000, 1000], values)?;
    assert_eq!(tensor.view().slice::<f32>()?.as_ptr(), address);
    let dataset = weir::from_tensors(&tensor).build(&runtime)?;
    drop(tensor);
    let element = dataset.iter()?.next().expect("one")?;
    assert_eq!(element.slice::<f32>(0)?.as_ptr(), address);
    let kept = element.tensor(0)?;
    drop((element, dataset, runtime));
    assert_eq!(kept.view().slice::<f32>()?[999_999], 999_999.0);
    Ok(())
}

#[test]
fn what_is_borrowed_is_copied() -> Result<()> {
    let runtime = Runtime::new()?;
    let mut values = vec![1u8, 2, 3];
    let tensor = Tensor::from_slice(&[3], &values)?;
    values.fill(0);
    assert_eq!(tensor.view().slice::<u8>()?, [1, 2, 3]);
    static TABLE: [i16; 2] = [7, 8];
    assert_eq!(
        Tensor::from_static(&[2], &TABLE)?.view().slice::<i16>()?.as_ptr(),
        TABLE.as_ptr()
    );
    let complex = vec![weir::Complex { re: 1.0f32, im: 2.0 }];
    assert_eq!(
        Tensor::from_vec(&[1], complex)?.view().slice::<weir::Complex<f32>>()?[0].im,
        2.0
    );
    let strings = Tensor::from_strings(&[2], &["a", ""])?;
    let dataset = from_tensor_slices(&strings).build(&runtime)?;
    let lengths: Result<Vec<_>> = dataset.iter()?.map(|element| Ok(element?.string(0)?.len())).collect();
    assert_eq!(lengths?, [1, 0]);
    assert!(Tensor::from_vec(&[4], vec![1u8, 2, 3]).is_err());
    let mapped = range(2)
        .map("x -> x + @more[x]")
        .with("more", Tensor::from_vec(&[2], vec![5i64, 6])?);
    let sums: Result<Vec<i64>> = mapped
        .build(&runtime)?
        .iter()?
        .map(|element| element?.scalar(0))
        .collect();
    assert_eq!(sums?, [5, 7]);
    Ok(())
}

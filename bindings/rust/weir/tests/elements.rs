//! Elements, what they show, and the errors in their place.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use weir::{range, Buffer, Cardinality, Code, DType, Element, Error, IterOptions, Kind, Next, Result, Runtime, Spec};

fn int64s(dataset: &weir::Dataset) -> Result<Vec<Vec<i64>>> {
    dataset
        .iter()?
        .map(|element| Ok(element?.slice::<i64>(0)?.to_vec()))
        .collect()
}

#[test]
fn iterates() -> Result<()> {
    let runtime = Runtime::new()?;
    let dataset = range(10).map("x -> x * 2").batch(4).build(&runtime)?;
    assert_eq!(int64s(&dataset)?, [vec![0, 2, 4, 6], vec![8, 10, 12, 14], vec![16, 18]]);
    assert_eq!(dataset.cardinality()?, Cardinality::Known(3));
    assert_eq!(dataset.spec()?.to_string(), "int64[?]");
    assert_eq!(dataset.text()?, "range(10) | map(x -> x * 2) | batch(4)");
    assert_eq!(
        weir::parse(&runtime, &dataset.text()?)?.fingerprint()?,
        dataset.fingerprint()?
    );
    let again = weir::Dataset::deserialize(&runtime, &dataset.serialize()?, &[])?;
    assert_eq!(int64s(&again)?, int64s(&dataset)?);
    let taken = dataset.apply("take", &[], &[("n".into(), "1".into())])?;
    assert_eq!(int64s(&taken)?, [[0, 2, 4, 6]]);
    assert_eq!(weir::version(), "0.1.0");
    Ok(())
}

#[test]
fn options_stand_for_what_is_left_out() -> Result<()> {
    let runtime = Runtime::new()?;
    let options = weir::BatchOptions::new().drop_remainder(true);
    let dataset = weir::range_from(1, 10)
        .batch_with(4, options)
        .repeat(())
        .take(5)
        .build(&runtime)?;
    assert_eq!(
        dataset.text()?,
        "range(1, 10) | batch(4, drop_remainder: true) | repeat() | take(5)"
    );
    assert_eq!(int64s(&dataset)?.len(), 5);
    let zipped = weir::zip(weir::Datasets::dict([("x", range(3)), ("y z", range(3).skip(1))])).build(&runtime)?;
    assert_eq!(zipped.spec()?.to_string(), "{x: int64, \"y z\": int64}");
    assert_eq!(zipped.cardinality()?, Cardinality::Known(2));
    let shuffled = range(4)
        .shuffle_with(4, weir::ShuffleOptions::new().seed((1, 2)))
        .build(&runtime)?;
    assert_eq!(shuffled.text()?, "range(4) | shuffle(4, seed: (1, 2))");
    let values = weir::Value::dict([
        ("f", weir::Value::tuple([0.1f32.into(), weir::Value::from(1e30)])),
        ("a b", weir::Value::from(&b"q\"\xff"[..])),
    ]);
    assert_eq!(
        weir::from_tensors(values).build(&runtime)?.text()?,
        "from_tensors({f: (0.1, 1e+30), \"a b\": \"q\\\"\\xff\"})"
    );
    let files = weir::text_line(["a", "b"]).with("n", "unused").param("n", "int64");
    assert_eq!(
        files.build(&runtime)?.text()?,
        "param n: int64\ntext_line([\"a\", \"b\"])"
    );
    let auto = range(4).prefetch(weir::Auto).build(&runtime)?;
    assert_eq!(auto.text()?, "range(4) | prefetch(auto)");
    Ok(())
}

#[test]
fn dtypes_are_checked() -> Result<()> {
    let runtime = Runtime::new()?;
    let text = "from_tensors((1.5, [true, false], \"a\\xff\", uint8([[1, 2], [3, 4]])))";
    let element = weir::parse(&runtime, text)?.iter()?.next().expect("an element")?;
    assert_eq!(element.scalar::<f32>(0)?, 1.5);
    assert_eq!(element.slice::<bool>(1)?, [true, false]);
    assert_eq!(element.string(2)?, b"a\xff");
    assert_eq!(element.view(3)?.dims(), [2, 2]);
    assert_eq!(element.view(3)?.dtype(), DType::Uint8);
    assert_eq!(element.slice::<u8>(3)?, [1, 2, 3, 4]);
    let wrong = element.slice::<f64>(0).expect_err("another dtype");
    assert_eq!(wrong.to_string(), "invalid_argument: expected float64, found float32");
    assert!(element.scalar::<bool>(1).is_err());
    assert_eq!(element.view(4).expect_err("no such component").code(), Code::OutOfRange);
    assert_eq!(element.text()?, "(1.5, [true, false], \"a\\xff\", [[1, 2], [3, 4]])");
    assert_eq!(
        element.json()?,
        "[1.5, [true, false], {\"base64\": \"Yf8=\"}, [[1, 2], [3, 4]]]"
    );
    Ok(())
}

#[test]
fn strings_are_bytes() -> Result<()> {
    let runtime = Runtime::new()?;
    let element = weir::parse(&runtime, "from_tensors([\"\", \"b\", \"\\x00c\"])")?
        .iter()?
        .next()
        .expect("one")?;
    let strings: Vec<&[u8]> = element.strings(0)?.iter().map(|entry| &entry[..]).collect();
    assert_eq!(strings, [b"" as &[u8], b"b", b"\0c"]);
    Ok(())
}

#[test]
fn a_failed_element_is_passed() -> Result<()> {
    let runtime = Runtime::new()?;
    let dataset = weir::parse(&runtime, "range(4) | map(x -> 6 // (x - 1))")?;
    let results: Vec<_> = dataset.iter()?.map(|element| element?.scalar::<i64>(0)).collect();
    assert_eq!(results.len(), 4);
    let error = results[1].as_ref().expect_err("a division by zero");
    assert!(error.is_element());
    assert_eq!(
        (error.code(), &error.details().path[..]),
        (Code::InvalidArgument, "map")
    );
    assert_eq!(
        (results[0].as_ref().ok(), results[3].as_ref().ok()),
        (Some(&-6), Some(&3))
    );
    Ok(())
}

#[test]
fn errors_name_the_file() -> Result<()> {
    let runtime = Runtime::new()?;
    let dataset = weir::tfrecord("/nowhere/a").build(&runtime)?;
    match dataset.iter()?.next().expect("the error in its place") {
        Err(Error::Element(details)) => {
            assert_eq!(details.code, Code::NotFound);
            assert_eq!(details.file, Some(PathBuf::from("/nowhere/a")));
            assert_eq!(details.path, "tfrecord");
        }
        other => panic!("{other:?}"),
    }
    let mistake = weir::parse(&runtime, "range(10) | batsh(4)").expect_err("no such operator");
    assert!(matches!(&mistake, Error::Call(_)));
    assert!(mistake.message().contains("batch"), "{mistake}");
    Ok(())
}

#[test]
fn errors_carry_their_parts() -> Result<()> {
    let runtime = Runtime::new()?;
    let file = std::env::temp_dir().join(format!("weir-damaged-{}", std::process::id()));
    let mut writer = weir::RecordWriter::create(&runtime, &file, weir::Compression::None)?;
    for record in ["first", "second"] {
        writer.write(record.as_bytes())?;
    }
    writer.close()?;
    let mut bytes = std::fs::read(&file).expect("it was written");
    // A byte of the second record.
    bytes[16 + 5 + 12] ^= 1;
    std::fs::write(&file, bytes).expect("it can be written");
    let dataset = weir::tfrecord(&file as &std::path::Path).batch(2).build(&runtime)?;
    let error = dataset
        .iter()?
        .find_map(|element| element.err())
        .expect("a damaged record");
    std::fs::remove_file(&file).expect("it is there");
    assert!(error.is_element());
    assert_eq!(error.code(), Code::DataLoss);
    assert_eq!(error.path(), "batch/tfrecord");
    assert_eq!(error.file(), Some(&file as &std::path::Path));
    assert_eq!(error.record(), Some(1));
    assert!(error.offset() >= Some(16 + 5), "{error}");
    assert!(error.message().contains("on_corrupt: \"resync\""), "{error}");
    for part in ["data_loss: ", "record 1", "in batch/tfrecord", &*file.to_string_lossy()] {
        assert!(format!("{error:?}").contains(part), "{error:?}");
    }
    Ok(())
}

#[test]
fn errors_are_readable() -> Result<()> {
    let runtime = Runtime::new()?;
    let error = weir::tfrecord("/nowhere/a")
        .build(&runtime)?
        .iter()?
        .next()
        .expect("one")
        .expect_err("no such file");
    let text = format!("{error:?}");
    assert_eq!(text, error.to_string());
    assert!(text.starts_with("not_found: "), "{text}");
    assert!(text.ends_with("(/nowhere/a, in tfrecord)"), "{text}");
    assert!(!text.contains("Details"), "{text}");
    assert_eq!(error.path(), "tfrecord");
    assert_eq!(error.file(), Some(std::path::Path::new("/nowhere/a")));
    assert_eq!((error.offset(), error.record()), (None, None));
    assert!(text.ends_with(error.line()), "{text}");
    let fields = format!("{error:#?}");
    assert!(fields.starts_with("Element Details {\n    code: NotFound,"), "{fields}");

    let mistake = weir::parse(&runtime, "range(10)\n  | batsh(4)").expect_err("no such operator");
    let text = format!("{mistake:?}");
    assert!(text.contains("  | batsh(4)\n    ^") && !text.contains("\\n"), "{text}");
    let fails = weir::Callback::new("int64", |_| Err(Error::new(Code::Aborted, "one\ntwo")))?;
    let failed = range(1)
        .map(fails)
        .build(&runtime)?
        .iter()?
        .next()
        .expect("one")
        .expect_err("aborted");
    assert_eq!(failed.to_string(), "aborted: one\ntwo\n(in map)");
    assert_eq!(format!("{:?}", Error::new(Code::Aborted, "a\nb")), "aborted: a\nb");
    Ok(())
}

#[test]
fn a_failed_call_ends_the_iteration() -> Result<()> {
    let runtime = Runtime::new()?;
    let mut iterator = range(10).build(&runtime)?.iter()?;
    iterator.cancel();
    assert_eq!(
        iterator.next().expect("an error").expect_err("cancelled").code(),
        Code::Cancelled
    );
    assert!(iterator.next().is_none());
    iterator.initialize(IterOptions::new())?;
    assert_eq!(iterator.count(), 10);
    Ok(())
}

#[test]
fn nested_datasets_are_datasets() -> Result<()> {
    let runtime = Runtime::new()?;
    let dataset = range(5).window_with(2, weir::WindowOptions::new()).build(&runtime)?;
    assert_eq!(dataset.spec()?.kind(), Kind::Dataset);
    let mut sizes = Vec::new();
    for element in dataset.iter()? {
        sizes.push(int64s(&element?.dataset(&runtime, 0)?)?.len());
    }
    assert_eq!(sizes, [2, 2, 1]);
    Ok(())
}

#[test]
fn specs_show_their_parts() -> Result<()> {
    let spec = Spec::parse("{image: uint8[28, ?], pair: (int64, string), maybe: optional<sparse<float32>[?, 10]>}")?;
    let children = spec.children()?;
    assert_eq!(children[0].1.dims(), Some(vec![Some(28), None]));
    assert_eq!(children[1].0, "pair");
    assert_eq!(spec.component("pair.1")?, 2);
    assert_eq!(spec.component_count(), 7);
    use DType::*;
    assert_eq!(
        spec.component_dtypes()?,
        [Uint8, Int64, String, Bool, Int64, Float32, Int64]
    );
    assert_eq!(Spec::parse("uint8[...]")?.dims(), None);
    assert!(Spec::parse("uint9").is_err());
    Ok(())
}

#[test]
fn every_way_to_take_elements() -> Result<()> {
    let runtime = Runtime::new()?;
    let dataset = range(6).build(&runtime)?;
    let iterator = dataset.iter()?;
    let mut element = Element::new()?;
    assert!(iterator.next_into(&mut element)?);
    assert_eq!(iterator.try_next_into(&mut element)?, Next::Filled);
    assert_eq!(
        iterator.next_within(Duration::from_secs(60), &mut element)?,
        Next::Filled
    );
    assert_eq!(element.scalar::<i64>(0)?, 2);
    let mut memory = [0i64; 1];
    let mut buffers = [Buffer::new(&mut memory)];
    assert!(iterator.next_copied(&mut buffers)?);
    assert_eq!(buffers[0].used(), 8);
    assert_eq!(memory, [3]);
    assert_eq!(iterator.next_block(100, &mut element)?, 2);
    assert_eq!(element.slice::<i64>(0)?, [4, 5]);
    assert_eq!(iterator.next_block(100, &mut element)?, 0);
    for wrong in [0, 1025, (1 << 30) + 1] {
        let refused = iterator.next_block(wrong, &mut element).expect_err("too many");
        assert_eq!(
            refused.message(),
            format!("expected max_rows from 1 to 1024, found {wrong}")
        );
    }
    assert_eq!(iterator.try_next_into(&mut element)?, Next::End);
    dataset.at(4, &mut element)?;
    assert_eq!(element.scalar::<i64>(0)?, 4);
    for outside in [6, -1, 3 - (1 << 62), i64::MIN] {
        assert_eq!(
            dataset.at(outside, &mut element).expect_err("no element").code(),
            Code::OutOfRange
        );
    }
    assert!(iterator.ready_fd()? >= 0);
    Ok(())
}

#[test]
fn origins_name_the_record() -> Result<()> {
    let runtime = Runtime::new()?;
    let file = std::env::temp_dir().join(format!("weir-origin-{}", std::process::id()));
    let mut writer = weir::RecordWriter::create(&runtime, &file, weir::Compression::Zstd)?;
    for i in 0..3 {
        let mut example = weir::Example::new()?;
        example
            .set_int64("n", &[i])?
            .set_float("f", &[0.5])?
            .set_bytes("b", &["x"])?;
        writer.write(&example.serialize()?)?;
    }
    writer.close()?;
    let dataset = weir::tfrecord_with(
        &file as &std::path::Path,
        weir::TfrecordOptions::new().compression("zstd"),
    )
    .map("r -> parse_example(r, {n: int64, f: float32, b: string})")
    .build(&runtime)?;
    let last = dataset.iter()?.last().expect("three")?;
    std::fs::remove_file(&file).expect("it was written");
    let origin = last.origin(0)?.expect("a file has records");
    assert_eq!((origin.file, origin.record), (file, 2));
    assert_eq!(last.text()?, "{n: 2, f: 0.5, b: \"x\"}");
    assert_eq!(range(1).build(&runtime)?.iter()?.next().expect("one")?.origin(0)?, None);
    Ok(())
}

#[test]
fn threads_share_an_iterator() -> Result<()> {
    let runtime = Runtime::new()?;
    let iterator = Arc::new(range(1000).build(&runtime)?.iter()?);
    let takers: Vec<_> = (0..4)
        .map(|_| {
            let iterator = Arc::clone(&iterator);
            std::thread::spawn(move || -> Result<i64> {
                let mut sum = 0;
                for element in &*iterator {
                    sum += element?.scalar::<i64>(0)?;
                }
                Ok(sum)
            })
        })
        .collect();
    let sums: Result<Vec<i64>> = takers
        .into_iter()
        .map(|taker| taker.join().expect("no panic"))
        .collect();
    assert_eq!(sums?.iter().sum::<i64>(), 499_500);
    Ok(())
}

#[test]
fn what_can_be_called_is_described() -> Result<()> {
    assert!(weir::schema(Some("batch"), true)?.starts_with("batch"));
    assert!(weir::schema(None, false)?.contains("\"name\": \"zip\""));
    assert_eq!(
        weir::schema(Some("batsh"), false).expect_err("no such operator").code(),
        Code::NotFound
    );
    let runtime = Runtime::new()?;
    assert_eq!(weir::check(&runtime, "range(2)", &[])?, "[]");
    assert!(weir::check(&runtime, "range(", &[])?.contains("\"line\""));
    Ok(())
}

#[cfg(feature = "ndarray")]
#[test]
fn views_are_arrays() -> Result<()> {
    use weir::ndarray;
    let runtime = Runtime::new()?;
    let array = ndarray::Array::from_shape_fn((3, 2), |(i, j)| (10 * i + j) as f32);
    let turned = weir::Tensor::from_array(array.t().to_owned().reversed_axes())?;
    assert_eq!(turned.view().array::<f32>().expect("floats"), array.view().into_dyn());
    let part = weir::Tensor::from_array(array.clone().slice_move(ndarray::s![1.., ..]))?;
    assert_eq!(part.view().slice::<f32>()?, [10.0, 11.0, 20.0, 21.0]);
    let dataset = weir::from_tensor_slices(weir::Tensor::from_array(array)?)
        .batch(2)
        .build(&runtime)?;
    let element = dataset.iter()?.next().expect("a batch")?;
    let batch = element.view(0)?.array::<f32>()?;
    assert_eq!(batch.shape(), [2, 2]);
    assert_eq!(batch[[1, 1]], 11.0);
    Ok(())
}

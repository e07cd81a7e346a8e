//! Checkpoints, parameters, epochs, and the kinds of iterators.

use std::path::PathBuf;

use weir::{
    range, CheckpointManager, CheckpointPolicy, Code, Element, Iter, IterOptions, ManagerOptions, Result, Runtime,
    Tensor,
};

fn values(iterator: impl Iterator<Item = Result<Element>>) -> Result<Vec<i64>> {
    iterator.map(|element| element?.scalar::<i64>(0)).collect()
}

struct Folder(PathBuf);
impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("weir-rust-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_position_is_saved_and_taken_up() -> Result<()> {
    let runtime = Runtime::new()?;
    let folder = Folder::new("save");
    let options = weir::ShuffleOptions::new().seed(42);
    let dataset = range(100).shuffle_with(10, options).prefetch(4).build(&runtime)?;
    let mut iterator = dataset.iter()?;
    values(iterator.by_ref().take(37))?;
    let (position, file) = (iterator.save()?, folder.0.join("position"));
    iterator.save_file(&file)?;
    let rest = values(iterator)?;
    assert_eq!(rest.len(), 63);
    assert_eq!(
        values(dataset.iter_with(IterOptions::new().checkpoint(&position[..]))?)?,
        rest
    );
    assert_eq!(
        values(dataset.iter_with(IterOptions::new().checkpoint_file(&file))?)?,
        rest
    );
    assert!(weir::describe_checkpoint(&runtime, &file, false)?.contains("\"kind\": \"checkpoint\""));
    let other = range(99)
        .build(&runtime)?
        .iter_with(IterOptions::new().checkpoint(position));
    assert_eq!(other.expect_err("another graph").code(), Code::FailedPrecondition);
    assert!(dataset.explain(false)?.contains("\"read_again_rows\""));
    Ok(())
}

#[test]
fn ranks_go_on() -> Result<()> {
    let runtime = Runtime::new()?;
    let dataset = weir::parse(&runtime, "range(20) | shard(auto, auto)")?;
    let mut positions = Vec::new();
    let mut seen = Vec::new();
    for rank in 0..2 {
        let mut iterator = dataset.iter_with(IterOptions::new().rank(rank, 2))?;
        seen.extend(values(iterator.by_ref().take(3))?);
        positions.push(iterator.save()?);
    }
    for rank in 0..2 {
        let options = IterOptions::new().rank(rank, 2).rank_checkpoints(positions.clone());
        seen.extend(values(dataset.iter_with(options)?)?);
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..20).collect::<Vec<i64>>());
    Ok(())
}

#[test]
fn a_manager_keeps_the_newest() -> Result<()> {
    let runtime = Runtime::new()?;
    let folder = Folder::new("manager");
    let dataset = range(10).build(&runtime)?;
    let options = || ManagerOptions::new().keep(2).every_elements(4);
    let manager = CheckpointManager::new(&runtime, &folder.0, options())?;
    assert_eq!(manager.load()?, None);
    let mut saves = 0;
    let iterator = dataset.iter()?;
    for element in &iterator {
        element?;
        if manager.step(1)? {
            saves += 1;
            manager.save(&iterator, format!("save {saves}").as_bytes())?;
        }
    }
    drop(manager);
    let manager = CheckpointManager::new(&runtime, &folder.0, options())?;
    let newest = manager.load()?.expect("two were saved");
    assert_eq!((saves, &newest.extra[..]), (2, &b"save 2"[..]));
    assert_eq!(
        values(dataset.iter_with(IterOptions::new().checkpoint(newest.position))?)?,
        [8, 9]
    );
    assert_eq!(
        manager.ranks().expect_err("no world size").code(),
        Code::FailedPrecondition
    );
    assert!(weir::describe_checkpoint(&runtime, &folder.0, true)?.contains("generation"));
    Ok(())
}

#[test]
fn policies_are_asked_for() -> Result<()> {
    let runtime = Runtime::new()?;
    let callback = weir::Callback::new("int64", |call| {
        let x = call.input(0)?.scalar::<i64>()?;
        call.write(0, &[], &[x])
    })?;
    let dataset = range(10).map(callback).prefetch(2).build(&runtime)?;
    let refused = dataset.iter()?.save().expect_err("it is not pure");
    assert_eq!(refused.code(), Code::FailedPrecondition);
    let mut iterator = dataset.iter_with(IterOptions::new().checkpoint_policy(CheckpointPolicy::ByValue))?;
    values(iterator.by_ref().take(5))?;
    let rest = dataset.iter_with(IterOptions::new().checkpoint(iterator.save()?))?;
    assert_eq!(values(rest)?, [5, 6, 7, 8, 9]);
    Ok(())
}

#[test]
fn parameters_come_with_the_iterator() -> Result<()> {
    let runtime = Runtime::new()?;
    let text = "param n: int64\nparam more: int64[?]\nrange($n) | map(x -> x + sum($more))";
    let dataset = weir::parse(&runtime, text)?;
    let more = Tensor::from_vec(&[2], vec![10i64, 20])?;
    let options = IterOptions::new().param("n", 3).param("more", more);
    assert_eq!(values(dataset.iter_with(options)?)?, [30, 31, 32]);
    let iterator = dataset.iter_uninitialized()?;
    assert_eq!(
        values(&iterator).expect_err("no values").code(),
        Code::FailedPrecondition
    );
    let chained = range(weir::Expression::new("$n")).param("n", "int64").build(&runtime)?;
    assert_eq!(values(chained.iter_with(IterOptions::new().param("n", 2))?)?, [0, 1]);
    let named = weir::from_tensors(weir::Expression::new("$s"))
        .param("s", "string")
        .build(&runtime)?;
    let element = named
        .iter_with(IterOptions::new().param("s", "a \"b\""))?
        .next()
        .expect("one")?;
    assert_eq!(element.string(0)?, b"a \"b\"");
    Ok(())
}

#[test]
fn epochs_have_orders_of_their_own() -> Result<()> {
    let runtime = Runtime::new()?;
    let options = weir::ShuffleOptions::new().seed(7);
    let dataset = range(20).shuffle_with(20, options).build(&runtime)?;
    let iterator = dataset.iter()?;
    let first = values(&iterator)?;
    iterator.initialize(IterOptions::new())?;
    let second = values(&iterator)?;
    assert_ne!(first, second);
    assert_eq!(values(dataset.iter_with(IterOptions::new().epoch(1))?)?, second);
    Ok(())
}

#[test]
fn one_iterator_for_several_datasets() -> Result<()> {
    let runtime = Runtime::new()?;
    let (train, test) = (range(3).build(&runtime)?, weir::range_from(10, 12).build(&runtime)?);
    let iterator = Iter::from_spec(&runtime, &train.spec()?)?;
    iterator.initialize_with(&train, IterOptions::new())?;
    assert_eq!(values(&iterator)?, [0, 1, 2]);
    iterator.initialize_with(&test, IterOptions::new())?;
    assert_eq!(values(&iterator)?, [10, 11]);
    let floats = range(3).map("x -> float32(x)").build(&runtime)?;
    assert!(iterator.initialize_with(&floats, IterOptions::new()).is_err());
    Ok(())
}

#[test]
fn feedable_ones_are_told_whom_to_ask() -> Result<()> {
    let runtime = Runtime::new()?;
    let train = range(3).build(&runtime)?.iter()?;
    let test = weir::range_from(10, 12).build(&runtime)?.iter()?;
    let feedable = Iter::feedable(&runtime, &train.spec()?, &train.string_handle()?)?;
    let mut element = Element::new()?;
    let mut got = Vec::new();
    for handle in [train.string_handle()?, test.string_handle()?, train.string_handle()?] {
        feedable.initialize(IterOptions::new().string_handle(handle))?;
        assert!(feedable.next_into(&mut element)?);
        got.push(element.scalar::<i64>(0)?);
    }
    assert_eq!(got, [0, 10, 1]);
    let handle = train.string_handle()?;
    drop(train);
    let error = feedable.next_into(&mut element).expect_err("it is gone");
    assert_eq!(error.code(), Code::NotFound);
    let error = feedable.initialize(IterOptions::new().string_handle(handle));
    assert_eq!(error.expect_err("it is gone").code(), Code::NotFound);
    Ok(())
}

#[test]
fn shared_ones_are_one() -> Result<()> {
    let runtime = Runtime::new()?;
    let dataset = range(4).build(&runtime)?;
    let (first, second) = (dataset.iter()?.share("data")?, dataset.iter()?.share("data")?);
    assert_eq!(values((&first).take(2))?, [0, 1]);
    drop(first);
    assert_eq!(values(second)?, [2, 3]);
    Ok(())
}

#[test]
fn loops_begin_the_next_epoch() -> Result<()> {
    let runtime = Runtime::new()?;
    let dataset = range(20)
        .shuffle_with(20, weir::ShuffleOptions::new().seed(3))
        .build(&runtime)?;
    let order = |iterator: weir::Iter| -> Result<Vec<i64>> { iterator.map(|element| element?.scalar(0)).collect() };
    let copy = dataset.clone();
    let seen = [
        order(dataset.next_epoch()?)?,
        order(copy.next_epoch()?)?,
        order(dataset.next_epoch()?)?,
    ];
    assert_ne!(seen[0], seen[1]);
    assert_ne!(seen[1], seen[2]);
    assert_eq!(order(dataset.iter()?)?, seen[0]);
    assert_eq!(order(dataset.iter_with(weir::IterOptions::new().epoch(2))?)?, seen[2]);
    let mut iterator = dataset.iter()?;
    for expected in seen {
        let found: Result<Vec<i64>> = iterator.by_ref().map(|element| element?.scalar(0)).collect();
        assert_eq!(found?, expected);
        iterator.initialize(weir::IterOptions::new())?;
    }
    Ok(())
}

//! Trains a classifier of handwritten digits: `digits [FOLDER [EPOCHS]]`. It trains on train-*.tfrecord.gz and tests on
//! test-*.tfrecord.gz there. In the middle of the run it saves, throws everything away and goes on from the saved position.

mod network;

use std::process::ExitCode;

use network::Network;
use weir::{Auto, Dataset, Element, Iter, IterOptions, MapOptions, Result, Runtime, Spec, TfrecordOptions};

/// Images of 64 floats from 0 to 1, and labels, in batches.
fn datasets(runtime: &Runtime) -> Result<(Dataset, Dataset)> {
    let names = || weir::Expression::new("$files");
    let parse = "r -> parse_example(r, {image: string, label: int64})";
    let scale = "{image, label} -> {image: reshape(cast(decode_raw(image, uint8), float32) / 255.0, [64]), label}";
    let parallel = || MapOptions::new().num_parallel_calls(Auto);
    let train = weir::list_files_with(names(), weir::ListFilesOptions::new().seed(7))
        .param("files", "string")
        .interleave_with(
            "f -> tfrecord(f, compression: \"gzip\")",
            weir::InterleaveOptions::new().cycle_length(4),
        )
        .shuffle_with(1440, weir::ShuffleOptions::new().seed(42))
        .map_with(parse, parallel())
        .map_with(scale, parallel())
        .batch(32)
        .prefetch(Auto);
    let files = weir::list_files_with(names(), weir::ListFilesOptions::new().shuffle(false)).param("files", "string");
    let test = weir::tfrecord_with(files, TfrecordOptions::new().compression("gzip"))
        .map(parse)
        .map(scale)
        .batch(128)
        .prefetch(Auto);
    Ok((train.build(runtime)?, test.build(runtime)?))
}

/// An iterator for both, and where images and labels are in its elements.
struct Batches {
    iterator: Iter,
    element: Element,
    image: usize,
    label: usize,
}

impl Batches {
    fn new(runtime: &Runtime, spec: &Spec) -> Result<Self> {
        Ok(Batches {
            iterator: Iter::from_spec(runtime, spec)?,
            element: Element::new()?,
            image: spec.component("image")?,
            label: spec.component("label")?,
        })
    }

    fn next(&mut self) -> Result<Option<(&[f32], &[i64])>> {
        if !self.iterator.next_into(&mut self.element)? {
            return Ok(None);
        }
        let images = self.element.slice::<f32>(self.image)?;
        Ok(Some((images, self.element.slice::<i64>(self.label)?)))
    }
}

fn accuracy(network: &Network, batches: &mut Batches, test: &Dataset, options: IterOptions) -> Result<f64> {
    batches.iterator.initialize_with(test, options)?;
    let (mut correct, mut count) = (0, 0);
    while let Some((images, labels)) = batches.next()? {
        correct += network.count_correct(images, labels);
        count += labels.len();
    }
    Ok(correct as f64 / count as f64)
}

fn run(folder: &str, epochs: usize) -> Result<f64> {
    let runtime = Runtime::new()?;
    let (train, test) = datasets(&runtime)?;
    let spec = train.spec()?;
    let files = |pattern| IterOptions::new().param("files", format!("{folder}/{pattern}"));
    let mut batches = Batches::new(&runtime, &spec)?;
    let mut network = Network::new(1);
    let mut rate = 0.1;
    let mut reached = 0.0;
    for epoch in 0..epochs {
        batches.iterator.initialize_with(&train, files("train-*.tfrecord.gz"))?;
        let (mut loss, mut count, mut step) = (0.0, 0, 0);
        loop {
            if epoch == epochs / 2 && step == 20 {
                // What comes after is what would have come: in another iterator, which begins at the position of this one.
                let position = batches.iterator.save()?;
                batches = Batches::new(&runtime, &spec)?;
                let options = files("train-*.tfrecord.gz").checkpoint(position);
                batches.iterator.initialize_with(&train, options)?;
            }
            let (images, labels) = match batches.next()? {
                Some(batch) => batch,
                None => break,
            };
            loss += network.train(images, labels, rate);
            count += labels.len();
            step += 1;
        }
        reached = accuracy(&network, &mut batches, &test, files("test-*.tfrecord.gz"))?;
        println!(
            "epoch {:3}  loss {:.4}  accuracy {reached:.4}",
            epoch + 1,
            loss / count as f32
        );
        rate *= 0.95;
    }
    Ok(reached)
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "examples/digits/data".to_owned());
    let epochs = arguments
        .next()
        .map_or(30, |count| count.parse().expect("a number of epochs"));
    match run(&folder, epochs) {
        Ok(accuracy) => {
            println!("accuracy on the test set: {accuracy:.4}");
            ExitCode::from(u8::from(epochs >= 30 && accuracy < 0.97))
        }
        Err(error) => {
            eprintln!("digits: {error}");
            ExitCode::FAILURE
        }
    }
}

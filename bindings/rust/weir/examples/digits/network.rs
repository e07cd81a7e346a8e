//! A classifier of 8 x 8 images with one hidden layer. Plain arithmetic in a fixed order, that of the example in C.

const PIXELS: usize = 64;
const HIDDEN: usize = 64;
const CLASSES: usize = 10;
const COUNT: usize = HIDDEN * PIXELS + HIDDEN + CLASSES * HIDDEN + CLASSES;
// Where the parts begin: weights and biases of the hidden layer, then those of the classes.
const BIAS1: usize = HIDDEN * PIXELS;
const WEIGHT2: usize = BIAS1 + HIDDEN;
const BIAS2: usize = WEIGHT2 + CLASSES * HIDDEN;

pub struct Network {
    weights: Vec<f32>,
    // Of gradient descent with momentum.
    velocity: Vec<f32>,
}

/// xorshift64* (Vigna 2016), as floats from -1 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(2_685_821_657_736_338_717);
        ((bits >> 32) as i32) as f32 / 2_147_483_648.0
    }
}

fn dot(bias: f32, a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(bias, |sum, (x, y)| sum + x * y)
}

fn forward(weights: &[f32], image: &[f32]) -> ([f32; HIDDEN], [f32; CLASSES]) {
    let (mut hidden, mut scores) = ([0.0; HIDDEN], [0.0; CLASSES]);
    for (h, out) in hidden.iter_mut().enumerate() {
        *out = dot(weights[BIAS1 + h], &weights[h * PIXELS..][..PIXELS], image).max(0.0);
    }
    for (c, out) in scores.iter_mut().enumerate() {
        *out = dot(weights[BIAS2 + c], &weights[WEIGHT2 + c * HIDDEN..][..HIDDEN], &hidden);
    }
    (hidden, scores)
}

/// Turns scores into probabilities and gives the loss of the right class.
fn softmax(scores: &mut [f32; CLASSES], label: usize) -> f32 {
    let highest = scores.iter().copied().fold(scores[0], f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - highest).exp());
    let sum = scores.iter().fold(0.0, |sum, score| sum + score);
    scores.iter_mut().for_each(|score| *score /= sum);
    -(scores[label] + 1e-12).ln()
}

/// Adds the gradient of one image's loss to `gradient`.
fn backward(weights: &[f32], image: &[f32], label: usize, gradient: &mut [f32]) -> f32 {
    let (hidden, mut scores) = forward(weights, image);
    let loss = softmax(&mut scores, label);
    scores[label] -= 1.0;
    let mut slope = [0.0; HIDDEN];
    for (c, score) in scores.iter().enumerate() {
        gradient[BIAS2 + c] += score;
        for h in 0..HIDDEN {
            gradient[WEIGHT2 + c * HIDDEN + h] += score * hidden[h];
            slope[h] += score * weights[WEIGHT2 + c * HIDDEN + h];
        }
    }
    for h in (0..HIDDEN).filter(|&h| hidden[h] > 0.0) {
        gradient[BIAS1 + h] += slope[h];
        let row = &mut gradient[h * PIXELS..][..PIXELS];
        row.iter_mut()
            .zip(image)
            .for_each(|(out, pixel)| *out += slope[h] * pixel);
    }
    loss
}

impl Network {
    /// Small random weights; equal seeds give equal ones.
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1));
        let mut weights = vec![0.0; COUNT];
        let scale1 = (6.0 / (PIXELS + HIDDEN) as f32).sqrt();
        let scale2 = (6.0 / (HIDDEN + CLASSES) as f32).sqrt();
        weights[..BIAS1]
            .iter_mut()
            .for_each(|weight| *weight = scale1 * random.next());
        weights[WEIGHT2..BIAS2]
            .iter_mut()
            .for_each(|weight| *weight = scale2 * random.next());
        Network {
            weights,
            velocity: vec![0.0; COUNT],
        }
    }

    /// One step of gradient descent; gives the sum of the losses.
    pub fn train(&mut self, images: &[f32], labels: &[i64], rate: f32) -> f32 {
        let mut gradient = vec![0.0; COUNT];
        let examples = images.chunks_exact(PIXELS).zip(labels);
        let loss = examples.fold(0.0, |loss, (image, &label)| {
            loss + backward(&self.weights, image, label as usize, &mut gradient)
        });
        let count = labels.len() as f32;
        for ((weight, velocity), slope) in self.weights.iter_mut().zip(&mut self.velocity).zip(gradient) {
            *velocity = 0.9 * *velocity - rate * (slope / count);
            *weight += *velocity;
        }
        loss
    }

    /// How many of the images are classified as labelled.
    pub fn count_correct(&self, images: &[f32], labels: &[i64]) -> usize {
        let best = |image| {
            let (_, scores) = forward(&self.weights, image);
            (1..CLASSES).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
        };
        images
            .chunks_exact(PIXELS)
            .zip(labels)
            .filter(|(image, &label)| best(image) == label as usize)
            .count()
    }
}

package main

import "math"

const (
	pixels  = 64
	hidden  = 64
	classes = 10
)

type layers struct {
	w1 [hidden][pixels]float32
	b1 [hidden]float32
	w2 [classes][hidden]float32
	b2 [classes]float32
}

// each goes through the numbers of several layers in one order.
func each(change func(n []*float32), of ...*layers) {
	row := make([]*float32, len(of))
	for h := 0; h < hidden; h++ {
		for p := 0; p < pixels; p++ {
			for i := range of {
				row[i] = &of[i].w1[h][p]
			}
			change(row)
		}
		for i := range of {
			row[i] = &of[i].b1[h]
		}
		change(row)
	}
	for c := 0; c < classes; c++ {
		for h := 0; h < hidden; h++ {
			for i := range of {
				row[i] = &of[i].w2[c][h]
			}
			change(row)
		}
		for i := range of {
			row[i] = &of[i].b2[c]
		}
		change(row)
	}
}

// network is a classifier of 8 x 8 images with one hidden layer, trained by gradient descent with momentum.
type network struct{ weights, velocity, gradient layers }

// random is xorshift64* (Vigna 2016), as floats from -1 to 1.
type random uint64

func (r *random) next() float32 {
	*r ^= *r >> 12
	*r ^= *r << 25
	*r ^= *r >> 27
	bits := uint64(*r) * 2685821657736338717
	return float32(int32(bits>>32)) / 2147483648
}

func newNetwork(seed uint64) *network {
	r := random(seed*0x9e3779b97f4a7c15 + 1)
	scale1 := float32(math.Sqrt(6.0 / (pixels + hidden)))
	scale2 := float32(math.Sqrt(6.0 / (hidden + classes)))
	n := &network{}
	for h := range n.weights.w1 {
		for p := range n.weights.w1[h] {
			n.weights.w1[h][p] = scale1 * r.next()
		}
	}
	for c := range n.weights.w2 {
		for h := range n.weights.w2[c] {
			n.weights.w2[c][h] = scale2 * r.next()
		}
	}
	return n
}

func (w *layers) forward(image []float32) (active [hidden]float32, scores [classes]float32) {
	for h := range active {
		sum := w.b1[h]
		for p, pixel := range image {
			sum += float32(w.w1[h][p] * pixel)
		}
		if sum > 0 {
			active[h] = sum
		}
	}
	for c := range scores {
		sum := w.b2[c]
		for h, value := range active {
			sum += float32(w.w2[c][h] * value)
		}
		scores[c] = sum
	}
	return active, scores
}

// softmax turns scores into probabilities and gives the loss of the right class.
func softmax(scores *[classes]float32, label int64) float32 {
	highest, sum := scores[0], float32(0)
	for _, score := range scores {
		if score > highest {
			highest = score
		}
	}
	for c := range scores {
		scores[c] = float32(math.Exp(float64(scores[c] - highest)))
		sum += scores[c]
	}
	for c := range scores {
		scores[c] /= sum
	}
	return float32(-math.Log(float64(scores[label] + 1e-12)))
}

// backward adds the gradient of one image's loss.
func (w *layers) backward(image []float32, label int64, gradient *layers) float32 {
	active, scores := w.forward(image)
	loss := softmax(&scores, label)
	scores[label]--
	var slope [hidden]float32
	for c, score := range scores {
		gradient.b2[c] += score
		for h := range slope {
			gradient.w2[c][h] += float32(score * active[h])
			slope[h] += float32(score * w.w2[c][h])
		}
	}
	for h, value := range active {
		if value <= 0 {
			continue
		}
		gradient.b1[h] += slope[h]
		for p, pixel := range image {
			gradient.w1[h][p] += float32(slope[h] * pixel)
		}
	}
	return loss
}

// train is one step; it gives the sum of the losses.
func (n *network) train(images []float32, labels []int64, rate float32) (loss float32) {
	n.gradient = layers{}
	for i, label := range labels {
		loss += n.weights.backward(images[i*pixels:(i+1)*pixels], label, &n.gradient)
	}
	count := float32(len(labels))
	each(func(x []*float32) {
		weight, velocity, slope := x[0], x[1], *x[2]
		*velocity = float32(0.9**velocity) - float32(rate*(slope/count))
		*weight += *velocity
	}, &n.weights, &n.velocity, &n.gradient)
	return loss
}

// countCorrect is how many of the images are classified as labelled.
func (n *network) countCorrect(images []float32, labels []int64) (correct int) {
	for i, label := range labels {
		_, scores := n.weights.forward(images[i*pixels : (i+1)*pixels])
		best := 0
		for c, score := range scores {
			if score > scores[best] {
				best = c
			}
		}
		if int64(best) == label {
			correct++
		}
	}
	return correct
}

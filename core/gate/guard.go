package gate

import (
	"fmt"
	"math"
	"slices"
)

const homeTopics = 2 // topics of the bank that the collection may be about

// withoutHomeTopics drops the topics whose questions reached the highest mean
// evidence, since the collection is probably about them, and sorts the rest.
func withoutHomeTopics(values []float64) ([]float64, error) {
	step := 0
	switch len(values) {
	case BankSize:
		step = len(bank()) / BankSize
	case len(bank()):
		step = 1
	default:
		return nil, fmt.Errorf("%w: %d evidence values for the bank", ErrSample, len(values))
	}
	byTopic := make(map[string][]float64)
	var topics []string
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%w: evidence value %d is %v", ErrSample, i, v)
		}
		topic := bank()[i*step].Topic
		if byTopic[topic] == nil {
			topics = append(topics, topic)
		}
		byTopic[topic] = append(byTopic[topic], v)
	}
	slices.SortStableFunc(topics, func(a, b string) int {
		switch x, y := mean(byTopic[a]), mean(byTopic[b]); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var kept []float64
	for _, topic := range topics[homeTopics:] {
		kept = append(kept, byTopic[topic]...)
	}
	slices.Sort(kept)
	return kept, nil
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// guardBar returns the evidence that the bank's questions exceed with probability
// alpha, if it is known.
func (m *Model) guardBar(alpha float64) (float64, bool) {
	values := m.guard.Load()
	if values == nil {
		return 0, false
	}
	q := ConformalQuantile(*values, alpha)
	return q, !math.IsInf(q, 1)
}

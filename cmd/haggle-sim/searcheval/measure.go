package searcheval

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// NDCG compares the order of results with the best possible one, which has an NDCG of 1. Each of the first k results
// contributes its gain times 1/log2(rank+1). judged are the gains of all judgements; if none is above 0, nothing is relevant
// and there is no NDCG.
func NDCG(results, judged []float64, k int) (float64, bool) {
	best := slices.Clone(judged)
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	ideal := dcg(best, k)
	if ideal == 0 {
		return 0, false
	}
	return dcg(results, k) / ideal, true
}

func dcg(gains []float64, k int) (sum float64) {
	for i, gain := range gains[:min(k, len(gains))] {
		sum += gain / math.Log2(float64(i+2))
	}
	return sum
}

// Recall returns the share of the judgements with a gain above 0 that is among the results.
func Recall(results, judged []float64) float64 {
	return float64(positive(results)) / float64(positive(judged))
}

func positive(gains []float64) (n int) {
	for _, gain := range gains {
		if gain > 0 {
			n++
		}
	}
	return n
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

const resamples = 10_000

// Interval returns the 95 % confidence interval of the mean by the bootstrap: from the means of many samples of the values,
// drawn with replacement. The same values have the same interval.
func Interval(values []float64) (low, high float64) {
	chance := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[chance.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	return percentile(means, 2.5), percentile(means, 97.5)
}

// percentile returns the smallest of the sorted values that p % of them do not exceed.
func percentile[T float64 | Time](sorted []T, p float64) T {
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

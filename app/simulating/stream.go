package simulating

import (
	"hash/fnv"
	"math/rand/v2"
)

// stream is the random numbers of one buyer after the other. Each buyer's are its own: they follow from the seed, the
// population's name and the buyer's number.
type stream struct {
	*rand.Rand
	source     *rand.PCG
	population uint64
}

func newStream(seed uint64, population string) stream {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(population))
	source := rand.NewPCG(0, 0)
	return stream{rand.New(source), source, scramble(seed ^ hash.Sum64())}
}

func (s stream) start(buyer int) { s.source.Seed(s.population, scramble(uint64(buyer))) }

// scramble is the output function of SplitMix64: neighbouring numbers get unlike seeds.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

package simulating

import (
	"hash/fnv"
	"math/rand/v2"
)

// stream is a source of random numbers for buyers, one buyer at a time. A buyer's numbers depend only on the seed, the
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

// scramble is the output function of SplitMix64. It gives neighbouring numbers unrelated seeds.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

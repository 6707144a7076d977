package journey

import (
	"os"
	"testing"
	"time"
)

// usage is the resources used so far.
type usage struct {
	server, database, client int64 // µs
	memory                   memory
	wal                      int64 // bytes
}

func (s *server) usage(b *testing.B) (u usage) {
	b.Helper()
	for _, r := range s.replicas {
		used, err := cpu(r.process.PID())
		must(b, err)
		u.server += used
		m, err := allocated(r.process.Ops)
		must(b, err)
		u.memory.objects += m.objects
		u.memory.bytes += m.bytes
	}
	var err error
	u.client, err = cpu(os.Getpid())
	must(b, err)
	if s.cluster == nil {
		return u
	}
	u.database, err = cpuOfTree(s.ask(b, "postgres", "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)"))
	must(b, err)
	u.wal = int64(s.ask(b, "postgres", "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"))
	return u
}

// add adds the difference of two measurements.
func (u *usage) add(before, after usage) {
	u.server += after.server - before.server
	u.database += after.database - before.database
	u.client += after.client - before.client
	u.memory.objects += after.memory.objects - before.memory.objects
	u.memory.bytes += after.memory.bytes - before.memory.bytes
	u.wal += after.wal - before.wal
}

func (s *server) measure(b *testing.B) {
	b.Helper()
	must(b, s.buyer.run(warmUp*len(s.replicas), clients))
	var used usage
	profiler := s.replicas[0].profiler
	profiler.start(b)
	if hot {
		used = s.compare(b)
	} else {
		s.buyer.forget()
		before := s.usage(b)
		b.ResetTimer()
		must(b, s.buyer.run(b.N, clients))
		b.StopTimer()
		used.add(before, s.usage(b))
		s.buyer.report(b)
	}
	profiler.stop(b)
	each := func(unit string, used float64) { b.ReportMetric(used/float64(b.N), unit) }
	each("µs-haggle", float64(used.server))
	if s.cluster != nil {
		each("µs-postgres", float64(used.database))
		each("wal-B", float64(used.wal))
	}
	each("µs-server", float64(used.server+used.database))
	each("µs-client", float64(used.client))
	each("allocs", used.memory.objects)
	each("alloc-B", used.memory.bytes)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "journeys/s")
	b.ReportMetric(0, "ns/op")
	s.witness(b)
}

// alternations is how often a comparison alternates.
const alternations = 5

// compare makes b.N journeys that all buy one product, alternating with as many that buy many products. The returned usage is
// that of the one product. hot-% is how many of its journeys took the time of 100 journeys for many products.
func (s *server) compare(b *testing.B) (used usage) {
	b.Helper()
	product, err := s.buyer.first()
	must(b, err)
	spread := newBuyer(s.slug, s.urls()...)
	spread.number = s.buyer.number
	s.buyer.hot = product
	s.buyer.forget()
	b.ResetTimer()
	b.StopTimer()
	var others time.Duration
	for turn := range alternations {
		n := b.N*(turn+1)/alternations - b.N*turn/alternations
		began := time.Now()
		must(b, spread.run(n, clients))
		others += time.Since(began)
		before := s.usage(b)
		b.StartTimer()
		must(b, s.buyer.run(n, clients))
		b.StopTimer()
		used.add(before, s.usage(b))
	}
	s.buyer.report(b)
	b.ReportMetric(100*others.Seconds()/b.Elapsed().Seconds(), "hot-%")
	return used
}

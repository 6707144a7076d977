package boot_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

const (
	soakShelves  = 10 // categories of so few products that a search can show a whole one
	soakPerShelf = 60
	soakWriters  = 2
	soakBuyers   = 6
	soakBatch    = 25  // products in a write
	soakLimit    = 100 // results of most searches, and the most there can be

	// soakPatience is when a search may stop waiting for what was just written (app/discovery).
	soakPatience = 2900 * time.Millisecond
)

// TestSearchDuringUpdates: while a shop's stock, prices and texts change at random, its products come and
// go, and buyers search, every answer is right, and neither memory nor goroutines grow. It measures the
// whole process, and so does not run beside other tests.
func TestSearchDuringUpdates(t *testing.T) {
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			app := boottest.Start(t, engine.URL(t))
			openSoak(t, app, app).run()
		})
	}
	t.Run("another replica", func(t *testing.T) {
		database := boottest.Engines[1].URL(t)
		s := openSoak(t, boottest.Start(t, database), boottest.Start(t, database))
		s.lag = 300 * time.Millisecond
		s.run()
	})
}

// soak is a shop that writers write through one replica, and buyers search through another or the same.
type soak struct {
	keeper
	shop, ops string // of the replica that is searched
	goods     []*good
	byID      map[string]*good
	words     atomic.Int64 // so many were made

	// lag is longer than a write takes to reach the replica that is searched.
	lag time.Duration

	searches, judged, demanded atomic.Int64
}

// good is a product. Only one writer writes it, and so knows what buyers have to see.
type good struct {
	sku, id, shelf string
	colors         []string     // by variant
	writes         atomic.Int64 // that began and that ended: odd while one is under way
	written        atomic.Int64 // when the last write ended, in unix nanoseconds
	truth          atomic.Pointer[truth]
}

// truth is what the last write made of a good.
type truth struct {
	noun, word string // its name; no other name ever has the same word
	cents      int
	archived   bool
	pieces     [][len(soakPlaces)]int // by variant
}

var (
	soakPlaces = [...]string{"main", "annex"}
	soakColors = []string{"red", "green", "blue"}
	soakNouns  = []string{"tent", "stove", "lantern", "kettle", "backpack", "jacket", "sofa", "mirror", "drill", "hammer",
		"camera", "printer", "pillow", "blanket", "bucket", "ladder", "candle", "bottle", "necklace", "scarf"}
)

func openSoak(t *testing.T, writes, searches *boot.App) *soak {
	s := &soak{
		keeper: merchant{t, writes.URL(), boottest.Key}.keep("shop"),
		shop:   searches.URL() + "/p/shop",
		ops:    searches.OpsURL(),
		byID:   map[string]*good{},
	}
	random := rand.New(rand.NewPCG(1, 2))
	var lines []map[string]any
	for i := range soakShelves * soakPerShelf {
		g, line := s.good(random, i)
		s.goods, lines = append(s.goods, g), append(lines, line)
	}
	for i, made := range s.send("POST", "/v1/catalog/products/batch", "products", lines) {
		s.goods[i].id = made.(map[string]any)["id"].(string)
		s.byID[s.goods[i].id] = s.goods[i]
	}
	for began := time.Now(); send(t, request(t, "POST", s.shop+"/acp/search", "{}")).StatusCode != 200; {
		if time.Since(began) > time.Minute {
			t.Fatal("the index is not built") // a slow machine may take longer than a request waits
		}
	}
	return s
}

// good makes one up, and the line that creates it.
func (s *soak) good(random *rand.Rand, i int) (g *good, line map[string]any) {
	g = &good{
		sku:    fmt.Sprint("G", i),
		shelf:  fmt.Sprint("shelf", i%soakShelves),
		colors: soakColors[i%3 : i%3+1+random.IntN(3-i%3)],
	}
	now := &truth{
		noun:  soakNouns[random.IntN(len(soakNouns))],
		word:  s.word(),
		cents: 5_00 + random.IntN(95_00),
	}
	now.pieces = make([][len(soakPlaces)]int, len(g.colors))
	variants := make([]map[string]any, len(g.colors))
	for v, color := range g.colors {
		now.pieces[v][0] = random.IntN(3)
		variants[v] = map[string]any{"sku": g.variant(v), "color": color, "quantity": now.pieces[v][0]}
	}
	g.truth.Store(now)
	return g, map[string]any{"sku": g.sku, "name": now.name(), "price": dollars(now.cents), "category": g.shelf, "variants": variants}
}

func (g *good) variant(v int) string { return g.sku + "-" + g.colors[v] }

func (t *truth) name() string { return "Large " + t.noun + " " + t.word }

func (t *truth) total() (n int) {
	for _, at := range t.pieces {
		n += sum(at)
	}
	return n
}

func sum(at [len(soakPlaces)]int) (n int) {
	for _, pieces := range at {
		n += pieces
	}
	return n
}

func dollars(cents int) json.Number { return json.Number(fmt.Sprintf("%d.%02d", cents/100, cents%100)) }

// word is a new one, as long as the others.
func (s *soak) word() string {
	var b strings.Builder
	for n, syllable := s.words.Add(1), 0; syllable < 5; n, syllable = n/36, syllable+1 {
		b.WriteByte("bdfgkmnprtvz"[n%36/3])
		b.WriteByte("aou"[n%3])
	}
	return b.String()
}

// run updates for a while, looks at what the process holds, updates for four times as long, and looks again.
func (s *soak) run() {
	updates := 10_000
	if testing.Short() {
		updates = 1000
	}
	s.update(updates / 5)
	early := hold()
	s.update(updates - updates/5)
	s.compare()
	s.Logf("%d searches, %d results judged, %d demanded", s.searches.Load(), s.judged.Load(), s.demanded.Load())
	if n := int64(updates / 10); s.judged.Load() < n || s.demanded.Load() < n {
		s.Error("too little was judged")
	}
	early.staysWithin(s.T)
}

// update makes updates at random while buyers search.
func (s *soak) update(n int) {
	var writers, buyers sync.WaitGroup
	done := make(chan struct{})
	for w := range soakWriters {
		random := rand.New(rand.NewPCG(uint64(n), uint64(w)))
		var own []*good
		for i := w; i < len(s.goods); i += soakWriters {
			own = append(own, s.goods[i])
		}
		writers.Go(func() {
			for left := n / soakWriters; left > 0 && !s.Failed(); left -= soakBatch {
				s.write(random, own)
			}
		})
	}
	for b := range soakBuyers {
		random := rand.New(rand.NewPCG(uint64(n), uint64(soakWriters+b)))
		buyers.Go(func() { s.buy(random, done) })
	}
	writers.Wait()
	close(done)
	buyers.Wait()
	if s.Failed() {
		s.FailNow()
	}
}

// write changes some of a writer's own goods in one request.
func (s *soak) write(random *rand.Rand, own []*good) {
	random.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	some, next := own[:soakBatch], make([]truth, soakBatch)
	kind := random.IntN(4)
	var lines []map[string]any
	for i, g := range some {
		next[i] = *g.truth.Load()
		switch kind {
		case 0:
			lines = append(lines, next[i].set(random, g)...)
		case 1:
			lines = append(lines, next[i].adjust(random, g)...)
		default:
			lines = append(lines, s.edit(random, g, &next[i]))
		}
		g.writes.Add(1)
	}
	switch kind {
	case 0:
		s.send("PUT", "/v1/catalog/inventory", "levels", lines)
	case 1:
		s.send("POST", "/v1/catalog/inventory/adjust", "adjustments", lines)
	default:
		s.send("POST", "/v1/catalog/products/batch", "products", lines)
	}
	for i, g := range some {
		g.truth.Store(&next[i])
		g.written.Store(time.Now().UnixNano())
		g.writes.Add(1)
	}
}

// set sets the stock of all variants, half of the time to nothing.
func (t *truth) set(random *rand.Rand, g *good) (levels []map[string]any) {
	t.pieces = slices.Clone(t.pieces)
	some := random.IntN(2)
	for v := range t.pieces {
		for at, place := range soakPlaces {
			t.pieces[v][at] = some * random.IntN(5)
			levels = append(levels, map[string]any{"sku": g.variant(v), "location": place, "quantity": t.pieces[v][at]})
		}
	}
	return levels
}

// adjust takes the last piece away from where there are any, and brings some to where there are none.
func (t *truth) adjust(random *rand.Rand, g *good) (moves []map[string]any) {
	t.pieces = slices.Clone(t.pieces)
	for v := range t.pieces {
		at := random.IntN(len(soakPlaces))
		delta := -t.pieces[v][at]
		if delta == 0 {
			delta = 1 + random.IntN(3)
		}
		t.pieces[v][at] += delta
		moves = append(moves, map[string]any{"sku": g.variant(v), "location": soakPlaces[at], "delta": delta})
	}
	return moves
}

// edit changes a price, a name, or whether a good is on sale, which a third are not in the long run.
func (s *soak) edit(random *rand.Rand, g *good, t *truth) map[string]any {
	line := map[string]any{"sku": g.sku}
	switch kind := random.IntN(6); {
	case kind < 2:
		t.cents = 5_00 + random.IntN(95_00)
		line["price"] = dollars(t.cents)
	case kind < 4:
		t.noun, t.word = soakNouns[random.IntN(len(soakNouns))], s.word()
		line["name"] = t.name()
	case t.archived || kind == 4:
		t.archived = !t.archived
		line["status"] = map[bool]string{false: "active", true: "archived"}[t.archived]
	default:
		line["description"] = "Now with a " + s.word() + "."
	}
	return line
}

func (s *soak) send(method, path, list string, lines []map[string]any) []any {
	body, err := json.Marshal(map[string]any{list: lines})
	if err != nil {
		s.Fatal(err)
	}
	done := s.ask(200, method, path, string(body))["data"].([]any)
	for _, line := range done {
		if line.(map[string]any)["status"] == "failed" {
			s.Error(line)
		}
	}
	return done
}

// compare holds the whole index against the catalogue when all is quiet. What can be bought comes first, even
// where the index has only heard of it: a shelf is asked for once, for an answer tells the index of the stock shown.
func (s *soak) compare() {
	waitForNews(s.T, s.ops)
	for shelf := range soakShelves {
		w := wish{Limit: soakLimit}
		w.Filters.Category = fmt.Sprint("shelf", shelf)
		soldOut := ""
		for _, r := range s.search(w).Results {
			if !r.Availability.InStock {
				soldOut = r.Name
			} else if soldOut != "" {
				s.Errorf("%s: %s comes after %s, which is sold out", w.Filters.Category, r.Name, soldOut)
			}
		}
	}
}

// held is what a process holds.
type held struct {
	bytes      int64
	goroutines int
}

func (h held) String() string {
	return fmt.Sprintf("%d KB in %d goroutines", h.bytes/1000, h.goroutines)
}

// hold measures what is left when requests are done.
func hold() held {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	runtime.GC()
	runtime.GC() // pools lose what they keep with the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return held{int64(m.HeapAlloc), runtime.NumGoroutine()}
}

// What a process may hold more after four fifths of the updates than after the first fifth. The catalogue is as
// large as it was, and so may be what is made of it, give or take a tenth that is dead and caches that fill. It
// comes to 250 bytes for each update at full length: less than a product, of which none may stay behind.
// A pool of connections may have grown.
const (
	soakBytes      = 2_000_000
	soakGoroutines = 8
)

// staysWithin waits until no more is held than that, for connections take a moment to end.
func (h held) staysWithin(t *testing.T) {
	began, later := time.Now(), hold()
	for later.bytes > h.bytes+soakBytes || later.goroutines > h.goroutines+soakGoroutines {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("the process held %s, and now %s", h, later)
		}
		time.Sleep(50 * time.Millisecond)
		later = hold()
	}
	t.Logf("the process held %s, and now %s", h, later)
}

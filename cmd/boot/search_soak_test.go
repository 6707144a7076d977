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
	soakShelves  = 10 // categories with so few products that a search can return a whole one
	soakPerShelf = 60
	soakWriters  = 2
	soakBuyers   = 6
	soakBatch    = 25  // products in a write
	soakLimit    = 100 // results of most searches, and the most there can be

	// soakPatience is how long a search waits for recent writes (app/discovery). Slower responses are not checked.
	soakPatience = 2900 * time.Millisecond
)

// While stock, prices, texts and the set of products change at random, every search returns the right products, and neither memory
// nor goroutines grow. The test measures the whole process, so it must not run in parallel with other tests.
func TestSearch_duringUpdates(t *testing.T) {
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

// soak is a shop that is written through one replica and searched through the same or another one.
type soak struct {
	projectClient
	shop, ops string // of the replica that is searched
	goods     []*soakProduct
	byID      map[string]*soakProduct
	words     atomic.Int64 // number of words made by word

	// lag is longer than a write takes to reach the replica that is searched.
	lag time.Duration

	searches, judged, demanded atomic.Int64
}

// soakProduct is a product with its expected state. Only one writer changes it.
type soakProduct struct {
	sku, id, shelf string
	colors         []string     // by variant
	writes         atomic.Int64 // starts and ends of writes: odd while a write is under way
	written        atomic.Int64 // when the last write ended, in unix nanoseconds
	truth          atomic.Pointer[productState]
}

// productState is a product's state after the last write.
type productState struct {
	noun, word string // parts of the name; no two names have the same word
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
		projectClient: apiClient{t, writes.URL(), boottest.Key}.openProject("shop"),
		shop:          searches.URL() + "/p/shop",
		ops:           searches.OpsURL(),
		byID:          map[string]*soakProduct{},
	}
	random := rand.New(rand.NewPCG(1, 2))
	var lines []map[string]any
	for i := range soakShelves * soakPerShelf {
		g, line := s.newProduct(random, i)
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

// newProduct returns a random product and the line that creates it.
func (s *soak) newProduct(random *rand.Rand, i int) (g *soakProduct, line map[string]any) {
	g = &soakProduct{
		sku:    fmt.Sprint("G", i),
		shelf:  fmt.Sprint("shelf", i%soakShelves),
		colors: soakColors[i%3 : i%3+1+random.IntN(3-i%3)],
	}
	now := &productState{
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

func (g *soakProduct) variant(v int) string { return g.sku + "-" + g.colors[v] }

func (t *productState) name() string { return "Large " + t.noun + " " + t.word }

func (t *productState) total() (n int) {
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

// word returns a new word, as long as all others.
func (s *soak) word() string {
	var b strings.Builder
	for n, syllable := s.words.Add(1), 0; syllable < 5; n, syllable = n/36, syllable+1 {
		b.WriteByte("bdfgkmnprtvz"[n%36/3])
		b.WriteByte("aou"[n%3])
	}
	return b.String()
}

// run updates for a while, measures memory, updates for four times as long, and compares.
func (s *soak) run() {
	updates := 10_000
	if testing.Short() {
		updates = 1000
	}
	s.update(updates / 5)
	early := measureMemory()
	s.update(updates - updates/5)
	s.checkWhenQuiet()
	s.Logf("%d searches, %d results judged, %d demanded", s.searches.Load(), s.judged.Load(), s.demanded.Load())
	if n := int64(updates / 10); s.judged.Load() < n || s.demanded.Load() < n {
		s.Error("too little was judged")
	}
	early.staysWithin(s.T)
}

// update makes n random updates while buyers search.
func (s *soak) update(n int) {
	var writers, buyers sync.WaitGroup
	done := make(chan struct{})
	for w := range soakWriters {
		random := rand.New(rand.NewPCG(uint64(n), uint64(w)))
		var own []*soakProduct
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
		buyers.Go(func() { s.searchUntil(random, done) })
	}
	writers.Wait()
	close(done)
	buyers.Wait()
	if s.Failed() {
		s.FailNow()
	}
}

// write changes some of a writer's products in one request.
func (s *soak) write(random *rand.Rand, own []*soakProduct) {
	random.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	some, next := own[:soakBatch], make([]productState, soakBatch)
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

// set sets the stock of all variants, half of the time to zero.
func (t *productState) set(random *rand.Rand, g *soakProduct) (levels []map[string]any) {
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

// adjust empties locations that have stock and restocks those that have none.
func (t *productState) adjust(random *rand.Rand, g *soakProduct) (moves []map[string]any) {
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

// edit changes a price, a name, a description, or whether a product is archived, as a third are in the long run.
func (s *soak) edit(random *rand.Rand, g *soakProduct, t *productState) map[string]any {
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

// checkWhenQuiet compares the whole index with the catalogue after all writes. Products in stock must come first, even if the index
// learned of their stock from another replica. Each category is searched once, because a response updates the index.
func (s *soak) checkWhenQuiet() {
	waitForStockPoll(s.T, s.ops)
	for shelf := range soakShelves {
		w := soakQuery{Limit: soakLimit}
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

// memoryUse is the memory and goroutines of the process.
type memoryUse struct {
	bytes      int64
	goroutines int
}

func (h memoryUse) String() string {
	return fmt.Sprintf("%d KB in %d goroutines", h.bytes/1000, h.goroutines)
}

// measureMemory measures memory and goroutines without idle connections and garbage.
func measureMemory() memoryUse {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	runtime.GC()
	runtime.GC() // the second one empties sync.Pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return memoryUse{int64(m.HeapAlloc), runtime.NumGoroutine()}
}

// Limits on the growth of the process between the first fifth of the updates and the end. The catalogue keeps its size, and so must
// the index, except for a tenth of dead entries and for caches. soakBytes is 250 bytes for each update at full length, which is
// less than a product: no product may leak. The connection pool may grow by a few goroutines.
const (
	soakBytes      = 2_000_000
	soakGoroutines = 8
)

// staysWithin waits until the growth is within the limits, because connections take a moment to close.
func (h memoryUse) staysWithin(t *testing.T) {
	began, later := time.Now(), measureMemory()
	for later.bytes > h.bytes+soakBytes || later.goroutines > h.goroutines+soakGoroutines {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("the process held %s, and now %s", h, later)
		}
		time.Sleep(50 * time.Millisecond)
		later = measureMemory()
	}
	t.Logf("the process held %s, and now %s", h, later)
}

package exposure

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// A server's limits (features/MANAGEMENT.md#limits), and the tolerance for a busy machine.
const (
	headerLimit = 5 * time.Second
	readLimit   = 15 * time.Second
	slack       = 8 * time.Second // less than the difference of the two limits
)

// crawler is a client that sends a byte every 300 ms, and measures when the server closes the connection.
type crawler struct {
	at   string // host and port
	head string // sent at once
	slow string // sent byte by byte, repeatedly
}

// crawl returns what the server sent before it closed the connection, and when that was.
func (c crawler) crawl() (said string, took time.Duration, err error) {
	start := time.Now()
	conn, err := net.Dial("tcp", c.at)
	if err != nil {
		return "", 0, err
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(start.Add(readLimit + 2*slack))
	stop := make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() {
		_, err := io.WriteString(conn, c.head)
		for i := 0; err == nil && c.slow != ""; i++ {
			select {
			case <-stop:
				return
			case <-time.After(300 * time.Millisecond):
				_, err = io.WriteString(conn, c.slow[i%len(c.slow):i%len(c.slow)+1])
			}
		}
	})
	answer, err := io.ReadAll(conn)
	took = time.Since(start)
	close(stop)
	sender.Wait()
	if failure, ok := err.(net.Error); ok && failure.Timeout() {
		return string(answer), took, fmt.Errorf("not cut off within %v", took)
	}
	return string(answer), took, nil // closed or reset
}

// slowBodies are requests whose bodies never end. Those with a key get as far as the server reading the body.
func slowBodies(shop string) map[string]crawler {
	post := func(path, key, more, begins, slow string) crawler {
		head := "POST " + path + " HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\n" +
			"X-Project-ID: " + shop + "\r\n" + more + "\r\n"
		if key != "" {
			head += "Authorization: Bearer " + key + "\r\n"
		}
		return crawler{head: head + "\r\n" + begins, slow: slow}
	}
	const chunked, one = "Transfer-Encoding: chunked", "1\r\n \r\n"
	return map[string]crawler{
		"a length and a key":    post("/v1/projects", boottest.Key, "Content-Length: 500", `{"name":`, " "),
		"a length, no key":      post("/v1/projects", "", "Content-Length: 500", `{"name":`, " "),
		"chunks and a key":      post("/v1/projects", boottest.Key, chunked, "", one),
		"chunks and a bad key":  post("/v1/projects", boottest.Key+"x", chunked, "", one),
		"a batch never sent":    post("/v1/catalog/products/batch", boottest.Key, "Content-Length: 16777216", "", ""),
		"a batch, no key":       post("/v1/catalog/products/batch", "", "Content-Length: 16777216", "", " "),
		"a search":              post("/p/shop/acp/search", "", "Content-Length: 500", `{"query":`, " "),
		"a payment":             post("/p/shop/acp/checkout/finalize", "", "Content-Length: 500", `{"checkout_id":`, " "),
		"a payment with chunks": post("/p/shop/acp/checkout/finalize", "", chunked+"\r\n"+keyHeader+": slow", "", one),
	}
}

// Seven hundred clients that hold their connections do not keep others from being served, and slow senders are disconnected
// when their time is up.
func TestSlowClientsKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	admin := call(t, app.URL())
	shop := openShop(admin, "shop")
	inShop := admin.with("X-Project-ID", shop)
	for i := range 20 { // responses too large for a socket's buffer
		inShop.send("POST", "/v1/catalog/products", fmt.Sprintf(
			`{"name":"Mug","sku":"mug-%d","price":10,"category":"Kitchen","description":%q}`, i, strings.Repeat("long ", 990))).is(t, 201, "")
	}
	at := strings.TrimPrefix(app.URL(), "http://")
	var slow sync.WaitGroup
	var late tally
	judge := func(name string, c crawler, limit time.Duration) {
		slow.Go(func() {
			c.at = at
			if said, took, err := c.crawl(); err != nil || took > limit+slack {
				late.add(name, fmt.Sprintf("cut off after %v, %v: %.20q", took, err, said))
			}
		})
	}
	for range 300 {
		judge("a header", crawler{head: "GET /v1/projects HTTP/1.1\r\nHost: shop.example\r\nX-Slow: ", slow: "slow"}, headerLimit)
	}
	kinds := slowBodies(shop)
	for range 300 / len(kinds) {
		for name, c := range kinds {
			judge(name, c, readLimit)
		}
	}
	stop := make(chan struct{})
	for range 20 { // more than the database has connections
		slow.Go(func() { neverRead(t, at, "/v1/catalog/products?limit=100", shop, stop) })
	}
	for range 80 { // these are cheaper
		slow.Go(func() { neverRead(t, at, "/openapi.json", shop, stop) })
	}
	served := serveOthers(t, inShop, caller{t, admin.url + "/p/shop", nil}, readLimit)
	close(stop)
	slow.Wait()
	late.report(t)
	if served < 10 { // a busy machine with the race detector serves 30, an idle one 1,500
		t.Errorf("only %d requests of others were served", served)
	}
	t.Logf("%d requests of others were served", served)
}

// tally counts occurrences by kind and keeps one example of each.
type tally struct {
	mu       sync.Mutex
	times    map[string]int
	examples map[string]string
}

func (l *tally) add(what, example string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.times == nil {
		l.times, l.examples = map[string]int{}, map[string]string{}
	}
	l.times[what]++
	l.examples[what] = example
}

// report reports everything as errors.
func (l *tally) report(t *testing.T) {
	t.Helper()
	for what, n := range l.times {
		t.Errorf("%d times %s, as in: %s", n, what, l.examples[what])
	}
}

// neverRead requests many pages and reads none of the responses.
func neverRead(t *testing.T, at, path, shop string, stop chan struct{}) {
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	ask := "GET " + path + " HTTP/1.1\r\nHost: shop.example\r\nAuthorization: Bearer " + boottest.Key +
		"\r\nX-Project-ID: " + shop + "\r\n\r\n"
	if _, err := io.WriteString(conn, strings.Repeat(ask, 50)); err != nil {
		t.Error(err)
	}
	<-stop
}

// serveOthers sends ordinary requests, on new and kept-alive connections, and expects each response fast. On a busy machine a
// few are refused immediately, because the server is overloaded.
func serveOthers(t *testing.T, merchant, buyer caller, howLong time.Duration) (served int) {
	t.Helper()
	refused := 0
	start := time.Now()
	for i := 0; time.Since(start) < howLong; i++ {
		for name, send := range map[string]func() timed{
			"a read":  func() timed { return merchant.timed("GET", "/v1/account", "") },
			"a write": func() timed { return merchant.timed("PATCH", "/v1/account", fmt.Sprintf(`{"name":"Name %d"}`, i)) },
			"a search": func() timed {
				return buyer.with("Connection", "close").timed("POST", "/acp/search", `{"query":"mug","limit":1}`)
			},
		} {
			r := send()
			switch {
			case r.err == nil && r.code() == "overloaded" && r.took <= headerLimit:
				refused++
			case r.err != nil || r.status != 200 || r.took > headerLimit:
				t.Errorf("%s after %v: %v, %d %.200s in %v", name, time.Since(start), r.err, r.status, r.body, r.took)
			default:
				served++
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	if refused > served/10 {
		t.Errorf("%d of the others were refused, and %d served", refused, served)
	}
	return served
}

// While more operations than a lane has places wait for their bodies, another operation still gets a place.
func TestSlowBodiesHoldNoPlace(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	admin := call(t, app.URL())
	shop := openShop(admin, "shop")
	at := strings.TrimPrefix(app.URL(), "http://")
	kinds := slowBodies(shop)
	for _, name := range []string{"a length and a key", "a payment"} { // one for each lane
		for range 300 {
			conn, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, kinds[name].head); err != nil {
				t.Fatal(err)
			}
		}
	}
	for start := time.Now(); metric(t, app.OpsURL(), "haggle_http_requests_in_flight") < 600; time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > atMost {
			t.Fatal("the slow requests do not arrive")
		}
	}
	goesOn(t, "beside slow bodies", map[string]func() timed{
		"a write":  func() timed { return admin.timed("PATCH", "/v1/projects/"+shop, `{"name":"Soon"}`) },
		"a search": func() timed { return admin.timed("POST", "/p/shop/acp/search", `{"query":"mug"}`) },
	})
	finalize := admin.timed("POST", "/p/shop/acp/checkout/finalize", `{"checkout_id":"chk_0","payment":{"method":"psp_spt","token":"x"}}`)
	if finalize.status != 404 || finalize.took > atMost {
		t.Errorf("finalize: %d %s after %v", finalize.status, finalize.body, finalize.took)
	}
}

// A body that arrives too slowly gets an error in the format of its API, if the client still reads.
func TestSlowBodies_errorFormat(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	shop := openShop(call(t, app.URL()), "shop")
	at := strings.TrimPrefix(app.URL(), "http://")
	kinds := slowBodies(shop)
	var all sync.WaitGroup
	for name, want := range map[string]string{
		"a length and a key": "400 invalid_request", "a search": "400 invalid_request",
		"a payment with chunks": "400 invalid_request", "a batch, no key": "401 unauthenticated",
	} {
		all.Go(func() {
			c := kinds[name]
			c.at = at
			said, took, err := c.crawl()
			response, parseErr := http.ReadResponse(bufio.NewReader(strings.NewReader(said)), nil)
			if err != nil || parseErr != nil {
				t.Errorf("%s: %v, %v after %v: %q", name, err, parseErr, took, said)
				return
			}
			defer response.Body.Close()
			body, _ := io.ReadAll(response.Body)
			r := reply{response.StatusCode, response.Header, string(body)}
			if got := fmt.Sprintf("%d %s", r.status, r.code()); got != want {
				t.Errorf("%s: %s after %v, want %s: %s", name, got, took, want, body)
			}
		})
	}
	all.Wait()
}

func TestHeadersOverSixteenKiBAreRefused(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	for size, want := range map[int]int{15 << 10: 200, 17 << 10: 431, 1 << 20: 431} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(app.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		request := "GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + boottest.Key + "\r\nX-Large: "
		go func() { // the server stops reading before the end
			_, _ = io.WriteString(conn, request+strings.Repeat("x", size-len(request)-4)+"\r\n\r\n")
		}()
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%d bytes of header: %d, want %d", size, response.StatusCode, want)
		}
	}
}

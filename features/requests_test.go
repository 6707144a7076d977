package features

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

var headerPattern = regexp.MustCompile(`(from|under the key|as request) "([^"]*)" `)

// headersOf returns the headers that a step's prefix names.
func (s *scenario) headersOf(prefix string) http.Header {
	names := map[string]string{"from": "X-Forwarded-For", "under the key": idempotencyHeader, "as request": requestIDHeader}
	header := http.Header{}
	for _, parts := range headerPattern.FindAllStringSubmatch(prefix, -1) {
		header.Set(names[parts[1]], textOfLength(s.expand(parts[2])))
	}
	return header
}

// textOfLength returns a random text for "256 characters long", and any other text unchanged.
func textOfLength(text string) string {
	if parts := lengthPattern.FindStringSubmatch(text); parts != nil {
		n, _ := strconv.Atoi(parts[1]) // digits
		return randomLetters(n)
	}
	return text
}

// sends sends a request as the merchant, the buyer or the holder of a key. The holder of a key sends no project id.
func (s *scenario) sends(prefix, who, method, path, body string) error {
	return s.sendsWith(s.headersOf(prefix), who, method, path, body)
}

func (s *scenario) sendsWith(header http.Header, who, method, path, body string) error {
	switch holder, held := strings.CutPrefix(who, "holder of "); {
	case held:
		key, err := s.keys.keyNamed(strings.Trim(holder, `"`))
		if err != nil {
			return err
		}
		return s.attempt(func() error {
			return s.sendBy(s.merchant.As(key.Secret).In(""), method, s.expand(path), s.expand(body), header)
		})
	case who == "buyer":
		return s.attempt(func() error {
			b, err := s.currentBuyer()
			if err != nil {
				return err
			}
			return b.send(s, method, s.expand(path), s.expand(body), header)
		})
	}
	return s.attempt(func() error { return s.send(method, s.expand(path), s.expand(body), header) })
}

// previousAnswer returns the answer before the latest one.
func (s *scenario) previousAnswer() (answer, error) {
	all := s.recorder.all()
	if len(all) < 2 {
		return answer{}, fmt.Errorf("there were %d answers", len(all))
	}
	return all[len(all)-2], nil
}

// send sends a request to the Management API. It returns a *merchant.Error for a status outside 2xx.
func (s *scenario) send(method, path, body string, header http.Header) error {
	return s.sendBy(s.merchant, method, path, body, header)
}

func (s *scenario) sendBy(client *merchant.Client, method, path, body string, header http.Header) error {
	var content []byte
	if body != "" {
		content = []byte(body)
	}
	response, err := client.Do(s.ctx, method, path, header, content)
	if err == nil && !response.OK() {
		return merchant.ErrorOf(response)
	}
	return err
}

func (s *scenario) merchantSends(method, path, body string) error {
	return s.attempt(func() error { return s.send(method, s.expand(path), s.expand(body), nil) })
}

// runConcurrently runs n actions at the same time and records the error of each in concurrentErrs. It retries an action that
// the server refused as overloaded or storage_unavailable.
func (s *scenario) runConcurrently(n int, action func(i int) error) {
	const tries = 10
	s.concurrentErrs, s.concurrentFrom = make([]error, n), len(s.recorder.all())
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			for try := range tries {
				s.concurrentErrs[i] = action(i)
				if r := refusalOf(s.concurrentErrs[i]); r == nil || r.code != "storage_unavailable" && r.code != "overloaded" {
					return
				}
				time.Sleep(time.Duration(try+1) * 100 * time.Millisecond)
			}
		})
	}
	running.Wait()
}

func (s *scenario) succeedAndRefused(well, badly, status int, code string) error {
	good := 0
	for _, err := range s.concurrentErrs {
		switch {
		case err == nil:
			good++
		case wantRefusal(err, status, code) != nil:
			return wantRefusal(err, status, code)
		}
	}
	if good != well || len(s.concurrentErrs)-good != badly {
		return fmt.Errorf("%d of %d succeeded", good, len(s.concurrentErrs))
	}
	return nil
}

// sendsToOtherShop sends a Management API request for the other shop.
func (s *scenario) sendsToOtherShop(method, path, body string) error {
	header := http.Header{"X-Project-Id": {s.otherShops[0].ID}}
	return s.attempt(func() error { return s.send(method, path, body, header) })
}

func (s *scenario) lastBodyContains(text string, want bool) error {
	if page := string(s.recorder.last().body); strings.Contains(page, text) != want {
		return fmt.Errorf("the receipt is %s", page)
	}
	return nil
}

// act runs an action as the current buyer and keeps its refusal for a Then step.
func (s *scenario) act(action func(b *shopper)) error {
	return s.attempt(func() error {
		b, err := s.currentBuyer()
		if err != nil {
			return err
		}
		action(b)
		return b.TakeErr()
	})
}

// mustAct runs an action as the current buyer. It returns an error if the action is refused.
func (s *scenario) mustAct(action func(b *shopper)) error {
	if err := s.act(action); err != nil {
		return err
	}
	return s.unexpectedRefusal()
}

// currentBuyer returns the current buyer. It starts one if there is none.
func (s *scenario) currentBuyer() (*shopper, error) {
	if s.shopper == nil {
		if err := s.startBuyer(); err != nil {
			return nil, err
		}
	}
	return s.shopper, nil
}

// buyerSends sends an ACP request to the shop. A status outside 2xx becomes an *acp.Error, kept for a Then step.
func (s *scenario) buyerSends(method, path, body string) error {
	return s.attempt(func() error {
		b, err := s.currentBuyer()
		if err != nil {
			return err
		}
		return b.send(s, method, s.expand(path), s.expand(body), nil)
	})
}

// buyerSendsToOtherShop sends a request with this shop's ids to another shop.
func (s *scenario) buyerSendsToOtherShop(method, path, body string) error {
	return s.attempt(func() error {
		response, err := s.buyerClient(s.otherShops[0].Slug).Do(s.ctx, method, s.expand(path), nil, []byte(s.expand(body)))
		if err == nil && !response.OK() {
			return acp.ErrorOf(response)
		}
		return err
	})
}

// startBuyer makes a new buyer, which reads the manifest, the current one.
func (s *scenario) startBuyer() error {
	client, witness := s.watchedClient(s.shop.Slug)
	s.previousShopper = s.shopper
	s.shopper = &shopper{
		Buyer:   buyer.New(s.ctx, client),
		client:  client,
		witness: witness,
		address: defaultAddress,
	}
	s.shopper.Discover()
	return s.shopper.TakeErr()
}

// buyerClient returns a new ACP client for a shop, checked by its own witness.
func (s *scenario) buyerClient(slug string) *acp.Client {
	client, _ := s.watchedClient(slug)
	return client
}

func (s *scenario) watchedClient(slug string) (*acp.Client, *simulator.Witness) {
	witness := simulator.NewWitness(acp.Manifest{})
	s.witnesses = append(s.witnesses, witness)
	return acp.New(s.connection, slug, witness.Saw), witness
}

func (s *scenario) remember(name string) error {
	value := s.expand("$" + name)
	if value == "" || strings.HasPrefix(value, "$") {
		return fmt.Errorf("there is no %s to remember", name)
	}
	if s.remembered == nil {
		s.remembered = map[string]string{}
	}
	s.remembered[name] = value
	return nil
}

// rememberAnswer stores a field of the latest answer as $remembered_NAME.
func (s *scenario) rememberAnswer(name string) error {
	value, found := valueAt(s.recorder.last().value(), name)
	text, ok := value.(string)
	if !found || !ok {
		return fmt.Errorf("the answer has no %s", name)
	}
	if s.remembered == nil {
		s.remembered = map[string]string{}
	}
	s.remembered[strings.ReplaceAll(name, ".", "_")] = text
	return nil
}

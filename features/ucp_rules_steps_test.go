package features

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// ucpRules is what scenarios of UCP's rules remember.
type ucpRules struct {
	noted    map[string]any // what an agent read, by path
	premises *lease         // of a server of the scenario's own
}

// ucpRuleSteps are what the rules of UCP's texts need beside requests and tables of what is answered.
func ucpRuleSteps(sc book, w *world) {
	ucpServerSteps(sc, w)
	ucpCatalogRuleSteps(sc, w)
	ucpToolSteps(sc, w)
	sc.Given(`^an agent's checkout at "([^"]*)" of (\d+) of the "([^"]*)"$`, func(door string, quantity int, name string) error {
		return w.agentOpensCheckout(door, quantity, name, "")
	})
	sc.Given(`^an agent's checkout at "([^"]*)" that is ready, of (\d+) of the "([^"]*)"$`, func(door string, quantity int, name string) error {
		return w.agentOpensCheckout(door, quantity, name, w.expand(`, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery`))
	})
	sc.Given(`^an agent opens (\d+) checkouts of (\d+) of the "([^"]*)" with the code "([^"]*)"$`, w.agentOpensMany)
	sc.Given(`^the agent keeps the answer's id as "([^"]*)"$`, w.agentKeeps)
	sc.Step(`^the agent notes what it reads at (\S+)$`, w.agentNotes)
	sc.Then(`^the agent reads the same at (\S+)$`, w.agentReadsAsNoted)
	sc.Then(`^the two latest answers are alike, but for (times|times and ids)$`, w.answersAreAlike)
	sc.Then(`^the page at the answer's continue_url shows "([^"]*)"$`, w.pageShows)
	sc.Step(`^the body is JSON$`, w.bodyIsJSON)
	sc.Then(`^the answer's payment handlers are under (.+)$`, w.handlersAreUnder)
	sc.Then(`^no answer to an agent or a merchant holds "([^"]*)"$`, w.noAnswerHolds)
}

// nameUCPBodies adds parts of requests that many scenarios send, $home_delivery and $payment_ok, and all variants of the
// shop's products: ${Rain Coat: M/Blue}.
func (w *world) nameUCPBodies(known map[string]string) {
	for name, p := range w.products {
		for _, v := range p.Variants {
			known[name+": "+v.Size+"/"+v.Color] = v.ID
		}
	}
	known["long_text"] = strings.Repeat("x", 1_001)
	known["home_delivery"] = `{"methods": [{"type": "shipping", "destinations": [{"first_name": "Ada", "last_name": "Byron", ` +
		`"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}`
	known["payment_ok"] = `{"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", ` +
		`"credential": {"type": "token", "token": "spt_sandbox_ok"}}]}`
}

// agentOpensCheckout has an agent open a checkout, which is $remembered_id from then on.
func (w *world) agentOpensCheckout(door string, quantity int, name, more string) error {
	item := w.products[name].Variants[0].ID
	body := fmt.Sprintf(`{"line_items": [{"item": {"id": %q}, "quantity": %d}]%s}`, item, quantity, more)
	if err := w.agentSends("", "POST", door+"/ucp/checkout-sessions", body); err != nil {
		return err
	}
	if err := w.answers(http.StatusCreated); err != nil {
		return err
	}
	return w.rememberAnswer("id")
}

// agentOpensMany has an agent open checkouts with the same deal. The last one is $remembered_id.
func (w *world) agentOpensMany(many, quantity int, name, code string) error {
	for range many {
		if err := w.agentOpensCheckout("", quantity, name, fmt.Sprintf(`, "discounts": {"codes": [%q]}`, w.expand(code))); err != nil {
			return err
		}
	}
	return nil
}

// agentKeeps gives the id of the latest answer a name, which is $remembered_NAME.
func (w *world) agentKeeps(name string) error {
	if err := w.rememberAnswer("id"); err != nil {
		return err
	}
	w.remembered[name] = w.remembered["id"]
	return nil
}

func (w *world) agentReads(path string) (any, error) {
	if err := w.agentSends("", "GET", path, ""); err != nil {
		return nil, err
	}
	return withoutTimes(w.tape.last().value()), w.answers(http.StatusOK)
}

func (w *world) agentNotes(path string) error {
	read, err := w.agentReads(path)
	if w.noted == nil {
		w.noted = map[string]any{}
	}
	w.noted[w.expand(path)] = read
	return err
}

func (w *world) agentReadsAsNoted(path string) error {
	read, err := w.agentReads(path)
	if before := w.noted[w.expand(path)]; err == nil && !same(read, before) {
		err = fmt.Errorf("it reads %s, it was %s", encode(read), encode(before))
	}
	return err
}

// withoutTimes leaves out of an answer what is about when: a later answer says something else there.
func withoutTimes(value any) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value))
		for i, element := range value {
			all[i] = withoutTimes(element)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, child := range value {
			if !strings.HasSuffix(name, "_at") && !strings.HasSuffix(name, "_time") {
				all[name] = withoutTimes(child)
			}
		}
		return all
	}
	return value
}

func (w *world) answersAreAlike(butFor string) error {
	before, err := w.before()
	if err != nil {
		return err
	}
	now := w.tape.last()
	one, other := withoutTimes(before.value()), withoutTimes(now.value())
	if fields, isObject := one.(map[string]any); isObject && butFor == "times and ids" {
		if again, isObject := other.(map[string]any); isObject {
			if reflect.DeepEqual(fields["id"], again["id"]) {
				return fmt.Errorf("both have the id %v", fields["id"])
			}
			for _, field := range []string{"id", "continue_url"} {
				delete(fields, field)
				delete(again, field)
			}
		}
	}
	if !same(one, other) {
		return fmt.Errorf("before: %d %s\nnow: %d %s", before.status, encode(one), now.status, encode(other))
	}
	return nil
}

// pageShows opens the page as the buyer's browser does.
func (w *world) pageShows(text string) error {
	address, _ := at(w.tape.last().value(), "continue_url")
	link, err := url.Parse(fmt.Sprint(address))
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: w.tape.next}).Get(link.String())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	kind := response.Header.Get("Content-Type")
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/html") || !strings.Contains(string(page), text) {
		return fmt.Errorf("%s: %d %s %.2000s", link, response.StatusCode, kind, page)
	}
	return nil
}

// bodyIsJSON reads the body as RFC 8259 has it: one value in UTF-8, and a header that says so.
func (w *world) bodyIsJSON() error {
	last := w.tape.last()
	if kind := last.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return fmt.Errorf("Content-Type is %q", kind)
	}
	if !json.Valid(last.body) {
		return fmt.Errorf("it is no JSON: %.500s", last.body)
	}
	return nil
}

// handlersAreUnder judges under which names there are handlers, a JSON list in the order of the alphabet.
func (w *world) handlersAreUnder(names string) error {
	registry, _ := at(w.tape.last().value(), "ucp.payment_handlers")
	handlers, _ := registry.(map[string]any)
	if found := encode(slices.Sorted(maps.Keys(handlers))); found != names {
		return fmt.Errorf("they are under %s", found)
	}
	return nil
}

// noAnswerHolds looks through all that was answered in the scenario, and through what the merchant reads of its orders.
func (w *world) noAnswerHolds(secret string) error {
	secret = w.expand(secret)
	for _, path := range []string{"/v1/orders", "/v1/finance/payments", "/v1/audit-events"} {
		if err := w.send("GET", path, "", nil); err != nil {
			return err
		}
	}
	for _, a := range w.tape.all() {
		if strings.Contains(string(a.body), secret) || strings.Contains(fmt.Sprint(a.header), secret) {
			return fmt.Errorf("%s tells %q: %.500s", a.path, secret, a.body)
		}
	}
	return nil
}

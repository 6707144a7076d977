package haggling_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Two buyers who make the same offers for the same product get the same answers. The agent's and the product's name, the
// protocol, the calling agent, the client's address, the buyer's location, the language and the message do not affect them
// (features/PROTOCOL.md#inputs-of-a-price). make fairness runs it with 50,000 pairs, and features/fairness over HTTP.
func TestPrepareQuote_ignoresBuyerIdentity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		offers := rapid.SliceOfN(rapid.Int64Range(1, 110_000), 1, 6).Draw(r, "offers")
		tier := rapid.SampledFrom([]string{"", "gold", "platinum"}).Draw(r, "tier") // loyalty may count
		plain, other := newFixture(t), newFixture(t)
		text := func(name string) string { return rapid.StringN(0, 40, 160).Draw(r, name) }
		other.tent.Name, other.tent.Description, other.tent.Brand = text("product's name"), text("description"), text("brand")
		other.mandate.agent = &agent.Agent{ID: id.New[id.Agent]([16]byte{9}), Name: text("agent's name")}
		other.project.Settings.Locale = rapid.SampledFrom([]string{"de-DE", "ja-JP", "ar"}).Draw(r, "locale")
		said := session.Claims{
			LoyaltyTier: tier,
			Location:    text("location"),
			Urgency:     rapid.SampledFrom([]string{"urgent", "flexible", text("urgency")}).Draw(r, "haste"),
		}
		caller := agentid.Agent{
			Protocol: rapid.SampledFrom([]agentid.Protocol{agentid.Haggle, agentid.UCP, agentid.MCP}).Draw(r, "protocol"),
			Profile:  "https://agent.example/" + text("profile"),
			Verified: rapid.Bool().Draw(r, "verified"),
		}
		client := rapid.StringMatching(`[0-9a-f]{8}`).Draw(r, "client")

		var one, two haggling.Answer
		for i, minor := range offers {
			first, second := ports.HaggleAsk{Product: plain.tent.ID, Quantity: 1}, ports.HaggleAsk{
				Product:  other.tent.ID,
				Quantity: 1,
				Client:   client,
			}
			if i > 0 {
				first, second = again(one), again(two)
				second.Client = client
			}
			one = plain.mustQuote(haggling.Request{
				Ask:    first,
				Offer:  offer(minor),
				Claims: &session.Claims{LoyaltyTier: tier},
			})
			two = other.mustQuote(haggling.Request{
				Ask:     second,
				Offer:   offer(minor),
				Claims:  &said,
				Message: text("message"),
				Agent:   caller,
			})
			if one.Decision != two.Decision || one.Quote.Bounds != two.Quote.Bounds {
				r.Fatalf("offer %d: %+v over %+v, and %+v over %+v", minor, one.Decision, one.Quote.Bounds, two.Decision, two.Quote.Bounds)
			}
			if _, agreed := one.Decision.(negotiation.Accepted); agreed {
				return
			}
		}
	})
}

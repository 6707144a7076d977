package remoteagent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/remoteagent"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

type stopped time.Time

func (s stopped) Now() time.Time { return time.Time(s) }

// A handler gets an offer of 85.00 for each of two tents, and counters with 91.00. The output is the request and the
// resulting decision.
func ExampleAgents_Quote() {
	handler := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.Header.Get("Content-Type"))
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			fmt.Printf("%s: %s\n", name, r.Header.Get(name))
		}
		body, _ := io.ReadAll(r.Body)
		var pretty bytes.Buffer
		_ = json.Indent(&pretty, body, "", "  ")
		fmt.Println(pretty.String())
		_, _ = io.WriteString(w, `{"status": "counter_offer", "price": 91.00, "reasoning": "For two I can do 91.00."}`)
	}))
	defer handler.Close()

	in := question(offer("85"))
	in.History = func(context.Context) ([]negotiation.Entry, error) {
		return []negotiation.Entry{{
			At: noon, Item: negotiation.Item{
				Product:  tent,
				Variant:  green,
				Quantity: 2,
			},
			Offer: offer("81"), Outcome: negotiation.OutcomeCountered, Price: offer("95"),
		}}, nil
	}
	agents := remoteagent.New(handler.Client(), stopped(noon.Add(time.Minute)), &counting{}, "Haggle/1")
	answer, err := agents.Quote(ports.NewOutbound(context.Background()), ports.RemoteHandler{
		Agent:  id.New[id.Agent](bits(4)),
		URL:    handler.URL,
		Secret: secret,
	}, in)
	fmt.Println(answer.Decision.Outcome(), answer.Decision.(negotiation.Countered).Price, answer.Reasoning, err)
	// Output:
	// POST application/json
	// webhook-id: evt_00000000000000000000000004
	// webhook-timestamp: 1795262460
	// webhook-signature: v1,iddpqjrb/uOwQV8eFOYKIvdGAsgLgKbW0pVRQ9oud4Y=
	// {
	//   "id": "evt_00000000000000000000000004",
	//   "type": "acp.quote",
	//   "created_at": "2026-11-21T12:01:00Z",
	//   "project_id": "proj_04000000000000000000000000",
	//   "agent_id": "agent_0g000000000000000000000000",
	//   "session": {
	//     "session_id": "sess_0m000000000000000000000000",
	//     "created_at": "2026-11-21T12:00:00Z",
	//     "buyer_context": {
	//       "loyalty_tier": "gold",
	//       "location": "DE",
	//       "purchase_history": 3,
	//       "urgency": "flexible"
	//     },
	//     "member": null
	//   },
	//   "policy": {
	//     "version": 3,
	//     "negotiable": true,
	//     "max_discount_percent": 20,
	//     "min_margin_percent": 12.5,
	//     "unverified_share_percent": 25,
	//     "round_cap": 6
	//   },
	//   "data": {
	//     "product": {
	//       "id": "prod_08000000000000000000000000",
	//       "variant_id": "var_0c000000000000000000000000",
	//       "name": "Tent",
	//       "category": "outdoor/tents",
	//       "quantity": 2
	//     },
	//     "offer": 85.00,
	//     "currency": "USD",
	//     "list_price": 100.00,
	//     "bounds": {
	//       "floor": 80.00,
	//       "target": 92.50,
	//       "opening": 98.00
	//     },
	//     "standing_price": 95.00,
	//     "progress": {
	//       "rounds": 1,
	//       "moves": 1,
	//       "best_offer": 81.00
	//     },
	//     "suggestion": {
	//       "status": "counter_offer",
	//       "price": 90.00
	//     },
	//     "message": "I take two, if the price is right.",
	//     "buyer_context": {
	//       "loyalty_tier": "gold",
	//       "location": "DE",
	//       "purchase_history": 3,
	//       "urgency": "flexible"
	//     },
	//     "history": [
	//       {
	//         "at": "2026-11-21T12:00:00Z",
	//         "product_id": "prod_08000000000000000000000000",
	//         "variant_id": "var_0c000000000000000000000000",
	//         "quantity": 2,
	//         "offer": 81.00,
	//         "response": "counter_offer",
	//         "price": 95.00
	//       }
	//     ]
	//   }
	// }
	// countered 91.00 For two I can do 91.00. <nil>
}

package console

import (
	"cmp"
	"net/http"
	"net/url"
	"time"
)

// orderNote is what the merchant's people wrote down about an order.
type orderNote struct {
	Text   string `json:"text"`
	Member *struct {
		Name string `json:"name"`
	} `json:"member"`
	CreatedAt time.Time `json:"created_at"`
}

// by is who wrote it.
func (n orderNote) by() string {
	if n.Member == nil {
		return "a program"
	}
	return n.Member.Name
}

// notes are those of an order as entries of its timeline.
func (v *memberRequest) notes(of string) ([]moment, error) {
	found, err := fetch[list[orderNote]](v.api, "/v1/orders/"+url.PathEscape(of)+"/notes", nil)
	if err != nil {
		return nil, err
	}
	moments := make([]moment, len(found.Data))
	for i, n := range found.Data {
		moments[i] = moment{
			What:  cmp.Or(n.Text, "This note was erased with the buyer's data."),
			When:  v.shop.words.clock(n.CreatedAt) + " · " + n.by(),
			Class: "note",
			at:    n.CreatedAt,
		}
	}
	return moments, nil
}

// askNote is the form for a note.
func (v *memberRequest) askNote(o *orderDetail, failed *problem) *form {
	return v.orderForm(o, "note", failed, field{
		Name:     "text",
		Label:    "Note",
		Kind:     "area",
		Required: true,
		Most:     2000,
		Help:     "For your people. The buyer does not see it.",
	})
}

func (v *memberRequest) note() error {
	return v.act("note", "noted", func(order string, c change) error {
		c.body = map[string]string{"text": plainLines(v.r.PostForm.Get("text"))}
		return v.api.post(http.MethodPost, "/v1/orders/"+order+"/notes", c, nil)
	})
}

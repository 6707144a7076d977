package console

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// platformOrder is an order's counterpart at the platform that its goods come from, or its deal in a CRM.
type platformOrder struct {
	noun    string
	Status  string  `json:"status"`
	Remote  *string `json:"remote_id"`
	Name    *string `json:"name"`
	URL     *string `json:"url"`
	Problem *string `json:"problem"`
}

// platformsOf tell where an order is at the shop's platform and in the CRM: nothing where orders are written to none.
func (v *memberRequest) platformsOf(order string) (list []fact, err error) {
	for _, one := range []struct{ path, label, noun string }{{"platform-order", "At the platform", "Order "}, {"crm-deal", "In the CRM", "Deal "}} {
		w, err := fetch[platformOrder](v.api, "/v1/orders/"+url.PathEscape(order)+"/"+one.path, nil)
		var p *problem
		if errors.As(err, &p) && p.Status == http.StatusNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		w.noun = one.noun
		list = append(list, fact{
			Label:   one.label,
			Value:   w.words(),
			Address: w.address(),
		})
	}
	return list, nil
}

// address is where the merchant's staff look at it.
func (w platformOrder) address() string {
	if at := value(w.URL); strings.HasPrefix(at, "https://") {
		return at
	}
	return ""
}

func (w platformOrder) words() string {
	said := map[string]string{
		"pending": "Being written",
		"written": w.noun + cmp.Or(value(w.Name), value(w.Remote)),
		"refused": "Refused",
		"skipped": "Not written",
	}[w.Status]
	if problem := value(w.Problem); problem != "" {
		said += ": " + problem
	}
	return said
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

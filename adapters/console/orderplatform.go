package console

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
)

// platformOrder is an order's counterpart at the platform that its goods come from.
type platformOrder struct {
	Status  string  `json:"status"`
	Remote  *string `json:"remote_id"`
	Name    *string `json:"name"`
	Problem *string `json:"problem"`
}

// platformOf tells where an order is at the shop's platform: nothing where orders are written to none.
func (v *visit) platformOf(order string) ([]fact, error) {
	w, err := fetch[platformOrder](v.api, "/v1/orders/"+url.PathEscape(order)+"/platform-order", nil)
	var p *problem
	if errors.As(err, &p) && p.Status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []fact{{Label: "At the platform", Value: w.words()}}, nil
}

func (w platformOrder) words() string {
	said := map[string]string{
		"pending": "Being written",
		"written": "Order " + cmp.Or(value(w.Name), value(w.Remote)),
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

package ucp

import (
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/personalization"
)

// personalized is the message about a price that personal signals moved: a disclosure, if the shop's rules have a text for the
// buyer's region.
func personalized(n *personalization.Notice, path string) message {
	m := message{
		Type:    "info",
		Code:    "personalized_price",
		Path:    path,
		Content: "Personal signals moved this price: " + strings.Join(n.Signals.Names(), ", ") + ".",
	}
	if n.Disclosure != "" {
		m.Type, m.Content, m.Presentation = "warning", n.Disclosure, "disclosure"
	}
	return m
}

// personalizedLines are the messages about the lines of a cart or checkout; a nil notice has none.
func personalizedLines(notices []*personalization.Notice) (list []message) {
	for i, n := range notices {
		if n != nil {
			list = append(list, personalized(n, "$.line_items["+strconv.Itoa(i)+"]"))
		}
	}
	return list
}

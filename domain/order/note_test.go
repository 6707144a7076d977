package order_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
)

func TestNote_Check(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"Wrap as a gift.":                        true,
		strings.Repeat("ä", order.MaxNote):       true,
		strings.Repeat("a", order.MaxNote) + "b": false,
		"":                                       false,
		" \n\t":                                  false,
	} {
		err := order.Note{Text: text}.Check()
		if (err == nil) != ok || err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("a note of %d bytes: %v", len(text), err)
		}
	}
}

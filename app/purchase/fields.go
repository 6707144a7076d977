package purchase

import (
	"errors"
	"strconv"

	"github.com/haggle-commerce/haggle/domain/fault"
)

func itemField(index int, name string) string {
	return "items." + strconv.Itoa(index) + "." + name
}

// renamed says which field a token's problem is about.
func renamed(err error, field string) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Details = []fault.Detail{{Field: field, Message: e.Message}}
	if len(e.Details) > 0 {
		named.Details[0].Message = e.Details[0].Message
	}
	return &named
}

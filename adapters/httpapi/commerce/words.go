package commerce

import (
	"fmt"
	"net/mail"
)

// Span formats a range of working days: "3-5", or "2".
func Span(from, to int) string {
	if from == to {
		return fmt.Sprint(to)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

// Days formats a range of working days: "3-5 business days".
func Days(from, to int) string {
	if from == to && to == 1 {
		return "1 business day"
	}
	return Span(from, to) + " business days"
}

// PlainAddress reports whether text is an e-mail address and nothing else: no name, no comment.
func PlainAddress(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Name == "" && address.Address == text
}

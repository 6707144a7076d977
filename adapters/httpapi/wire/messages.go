package wire

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// requiredMark is the prefix of the message about a missing field. Huma reports it at the object that lacks the field, so the
// error mapping moves the name into the path.
const requiredMark = "required:"

// phraseMessages sets Huma's messages to the form of the domain's: "must …".
func phraseMessages() {
	huma.ErrorFormatter = format
	validation.MsgUnexpectedProperty = unknownField
	validation.MsgExpectedRequiredProperty = requiredMark + "%s"
	validation.MsgExpectedRFC3339DateTime = "must be an RFC 3339 time"
	validation.MsgExpectedRFC3339Date = "must be a date such as 2026-01-31"
	validation.MsgExpectedRFC5322Email = "must be an e-mail address"
	validation.MsgExpectedRFC3986URI = "must be a URI"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedInteger = "must be a whole number"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedArray = "must be a list"
	validation.MsgExpectedObject = "must be an object"
	validation.MsgExpectedArrayItemsUnique = "must not repeat an element"
	validation.MsgExpectedOneOf = "must be one of: %s"
	validation.MsgExpectedMinimumNumber = "must be at least %v"
	validation.MsgExpectedExclusiveMinimumNumber = "must be more than %v"
	validation.MsgExpectedMaximumNumber = "must be at most %v"
	validation.MsgExpectedExclusiveMaximumNumber = "must be less than %v"
	validation.MsgExpectedMinLength = "must have at least %d characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedBePattern = "must be %s"
	validation.MsgExpectedMatchPattern = "must match %s"
	validation.MsgExpectedMinItems = "must have at least %d elements"
	validation.MsgExpectedMaxItems = "must have at most %d elements"
	validation.MsgExpectedMinProperties = "must have at least %d fields"
	validation.MsgExpectedMaxProperties = "must have at most %d fields"
	validation.MsgExpectedMatchAtLeastOneSchema = "does not match any accepted form"
	validation.MsgExpectedMatchExactlyOneSchema = "does not match any accepted form"
}

// format is Sprintf, but writes 1000000 instead of 1e+06, and drops the errors of parsers.
func format(text string, args ...any) string {
	var kept []any
	for _, arg := range args {
		switch arg := arg.(type) {
		case float64:
			kept = append(kept, strconv.FormatFloat(arg, 'f', -1, 64))
		case error:
		default:
			kept = append(kept, arg)
		}
	}
	return fmt.Sprintf(text, kept...)
}

// unknownParameter is Huma's message about an unknown query parameter.
const unknownParameter = "unknown query parameter"

// nameParameters adds the known query parameters to the problems of unknown ones.
func nameParameters(e *fault.Error, op *huma.Operation) {
	for i, d := range e.Details {
		if d.Message == unknownParameter {
			e.Details[i].Message = "is not a known parameter: " + knownParameters(op)
		}
	}
}

func knownParameters(op *huma.Operation) string {
	var names []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return "there are no parameters here"
	}
	return "known parameters are " + strings.Join(names, ", ")
}

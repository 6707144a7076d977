package syncrun

import (
	"slices"
	"unicode/utf8"
)

// Notice is a message to the merchant about a run that continued nevertheless.
type Notice struct {
	Code     NoticeCode
	Resource Resource
	Message  string // what is missing, and how to correct it
}

// NoticeCode is a kind of notice.
type NoticeCode struct{ name string }

var (
	// FieldDenied means that the platform hides a field because a scope or an approval is missing.
	FieldDenied = NoticeCode{"field_denied"}
	// BulkDenied means that data was read page by page because the platform does not allow a bulk operation.
	BulkDenied = NoticeCode{"bulk_denied"}
)

// NoticeCodes are all codes by name.
var NoticeCodes = map[string]NoticeCode{"field_denied": FieldDenied, "bulk_denied": BulkDenied}

func (c NoticeCode) String() string { return c.name }

const (
	// MaxNotices is the largest number of notices of a run.
	MaxNotices = 20
	// longestNotice is the largest length of a notice, in bytes.
	longestNotice = 500
)

// Notice adds notices that the run does not have yet, up to MaxNotices.
func (r *Run) Notice(list ...Notice) {
	for _, n := range list {
		for cut := longestNotice; len(n.Message) > longestNotice; cut-- {
			if utf8.RuneStart(n.Message[cut]) {
				n.Message = n.Message[:cut]
			}
		}
		if len(r.Notices) < MaxNotices && !slices.Contains(r.Notices, n) {
			r.Notices = append(r.Notices, n)
		}
	}
}

package syncrun

import (
	"slices"
	"unicode/utf8"
)

// Notice is what a merchant should know of a run that went on all the same.
type Notice struct {
	Code     NoticeCode
	Resource Resource
	Message  string // what is missing, and what to do about it
}

// NoticeCode is a kind of notice.
type NoticeCode struct{ name string }

var (
	// FieldDenied is of a field that the platform does not show for the lack of a scope or an approval.
	FieldDenied = NoticeCode{"field_denied"}
	// BulkDenied is of data that was read page by page, for the platform lets no bulk operation run.
	BulkDenied = NoticeCode{"bulk_denied"}
)

// NoticeCodes are all of them by name.
var NoticeCodes = map[string]NoticeCode{"field_denied": FieldDenied, "bulk_denied": BulkDenied}

func (c NoticeCode) String() string { return c.name }

const (
	// MaxNotices are kept of a run.
	MaxNotices = 20
	// longestNotice is in bytes.
	longestNotice = 500
)

// Notice adds notices that the run does not have yet, as long as there is room.
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

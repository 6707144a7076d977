package syncrun_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/syncrun"
)

func TestNotice_boundedAndOnce(t *testing.T) {
	t.Parallel()
	notice := func(text string) syncrun.Notice {
		return syncrun.Notice{
			Code:     syncrun.FieldDenied,
			Resource: syncrun.Orders,
			Message:  text,
		}
	}
	var r syncrun.Run
	r.Notice(notice("a"), notice("a"))
	r.Notice(notice("a"))
	if len(r.Notices) != 1 {
		t.Errorf("%v", r.Notices)
	}
	r.Notice(notice(strings.Repeat("ü", 400)))
	if text := r.Notices[1].Message; len(text) > 500 || !utf8.ValidString(text) {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	for n := range 100 {
		r.Notice(notice(fmt.Sprint(n)))
	}
	if len(r.Notices) != syncrun.MaxNotices {
		t.Errorf("%d notices", len(r.Notices))
	}
}

package event_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

var sub = id.New[id.Subscription]([16]byte{1})

func delivery(status event.DeliveryStatus) *event.Delivery {
	d := event.NewDelivery(id.Stored[id.Delivery]("dlv_1"), id.Stored[id.Project]("proj_1"), id.Stored[id.Event]("evt_1"),
		event.OrderCompletedType, event.To(sub), noon)
	if d.Status = status; status != event.Pending {
		d.DueAt = nil
	}
	return d
}

// Every state and every verb. An empty cell means that the verb is refused and changes nothing.
func TestDelivery_everyStateAndVerb(t *testing.T) {
	t.Parallel()
	none := event.DeliveryStatus{}
	verbs := []struct {
		name string
		do   func(*event.Delivery) error
	}{
		{"succeeds", func(d *event.Delivery) error { _, err := d.Attempted(event.Result{Code: 204}, noon, 0); return err }},
		{"fails", func(d *event.Delivery) error {
			_, err := d.Attempted(event.Result{Code: 500, Error: "x"}, noon, 0)
			return err
		}},
		{"is gone", func(d *event.Delivery) error {
			_, err := d.Attempted(event.Result{Code: 410, Error: "x"}, noon, 0)
			return err
		}},
		{"cancel", (*event.Delivery).Cancel},
		{"redeliver", func(d *event.Delivery) error { d.Redeliver(noon); return nil }},
	}
	for _, row := range []struct {
		from event.DeliveryStatus
		to   []event.DeliveryStatus // by verb
	}{
		{event.Pending, []event.DeliveryStatus{event.Delivered, event.Pending, event.Failed, event.Canceled, event.Pending}},
		{event.Delivered, []event.DeliveryStatus{none, none, none, none, event.Pending}},
		{event.Failed, []event.DeliveryStatus{none, none, none, none, event.Pending}},
		{event.Canceled, []event.DeliveryStatus{none, none, none, none, event.Pending}},
	} {
		for i, verb := range verbs {
			d := delivery(row.from)
			before := *d
			err := verb.do(d)
			switch want := row.to[i]; {
			case want == none && (!errors.Is(err, event.ErrNotPending) || *d != before):
				t.Errorf("%s %s: %v, %+v", row.from, verb.name, err, d)
			case want != none && (err != nil || d.Status != want || (d.DueAt != nil) != (want == event.Pending)):
				t.Errorf("%s %s: %v, %+v, want %s", row.from, verb.name, err, d, want)
			}
		}
	}
}

func TestDelivery_Attempted_givesUp(t *testing.T) {
	t.Parallel()
	for _, jitter := range []int{-event.MaxJitter, 0, event.MaxJitter} {
		d := delivery(event.Pending)
		why, last := event.Reason{}, noon
		for n := 0; d.Status == event.Pending && n < 50; n++ {
			last = *d.DueAt
			why, _ = d.Attempted(event.Result{Error: "x"}, last, jitter)
			if d.DueAt != nil && !d.DueAt.After(last) {
				t.Fatalf("try %d: due at %s, which is not after %s", n, d.DueAt, last)
			}
		}
		took := last.Sub(noon)
		if d.Status != event.Failed || why != event.Unreachable || d.Tries < 11 || took > event.GiveUp || took < 18*time.Hour {
			t.Errorf("jitter %d: %s because %s after %d tries in %s", jitter, d.Status, why, d.Tries, took)
		}
	}
	d := delivery(event.Pending)
	for i, want := range []time.Duration{4 * time.Second, 24 * time.Second, 96 * time.Second, 8 * time.Minute, 24 * time.Minute} {
		now := *d.DueAt
		if _, err := d.Attempted(event.Result{Error: "x"}, now, -200); err != nil || d.DueAt.Sub(now) != want {
			t.Errorf("pause %d is %s, want %s (%v)", i+1, d.DueAt.Sub(now), want, err)
		}
	}
	d.Redeliver(noon.Add(30 * time.Hour))
	if _, err := d.Attempted(event.Result{Error: "x"}, noon.Add(30*time.Hour), 0); err != nil || d.Status != event.Pending || d.Tries != 1 || d.Attempts != 6 {
		t.Errorf("a day of its own: %+v, %v", d, err)
	}
}

// The stream's deliveries are retried forever.
func TestDelivery_Attempted_stream(t *testing.T) {
	t.Parallel()
	d := delivery(event.Pending)
	d.Target = event.Stream
	for range 5000 {
		now := *d.DueAt
		if why, err := d.Attempted(event.Result{Error: "x"}, now, 0); err != nil || why != (event.Reason{}) || d.DueAt.Sub(now) > time.Minute {
			t.Fatalf("%+v, %v", d, err)
		}
	}
}

func TestDelivery_Attempted_shortensError(t *testing.T) {
	t.Parallel()
	d := delivery(event.Pending)
	_, _ = d.Attempted(event.Result{Error: "a\nb\x00" + strings.Repeat("ö", 1000)}, noon, 0)
	if len([]rune(d.LastError)) > 500 || strings.ContainsAny(d.LastError, "\n\x00") {
		t.Errorf("%q", d.LastError)
	}
}

func subscribed(t *testing.T, types ...string) *event.Subscription {
	t.Helper()
	s, err := event.Subscribe(sub, id.Stored[id.Project]("proj_1"), event.Draft{URL: "https://example.com", Types: types}, []byte("one"), event.Rules{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSubscribe_urls(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]bool{ // accepted; accepted with loopback
		"https://example.com":                        {true, true},
		"https://example.com:8443/a?b=c":             {true, true},
		"https://93.184.216.34/":                     {true, true},
		"https://[2606:2800:220:1::1]/":              {true, true},
		"http://127.0.0.1:8080/hook":                 {false, true},
		"http://localhost/hook":                      {false, true},
		"http://[::1]/hook":                          {false, true},
		"http://example.com":                         {false, false},
		"https://ada@example.com":                    {false, false},
		"https://":                                   {false, false},
		"":                                           {false, false},
		"https://0x7f.1/":                            {false, false},
		"https://127.1/":                             {false, false},
		"https://example.com:0/":                     {false, false},
		"https://example.com:70000/":                 {false, false},
		"file:///etc/passwd":                         {false, false},
		"https://e.com/" + strings.Repeat("a", 2034): {true, true},
		"https://e.com/" + strings.Repeat("a", 2035): {false, false},
	} {
		for i, rules := range []event.Rules{{}, {AllowLoopback: true}} {
			_, err := event.Subscribe(sub, id.Project{}, event.Draft{URL: address, Types: []string{"*"}}, nil, rules, noon)
			if (err == nil) != want[i] || err != nil && fault.KindOf(err) != fault.Invalid {
				t.Errorf("%.40s with %+v: %v", address, rules, err)
			}
		}
	}
}

func TestSubscription_Wants(t *testing.T) {
	t.Parallel()
	some, all := subscribed(t, "order.completed", "sync.failed"), subscribed(t, "*")
	for _, kind := range append([]event.Type{event.PingType}, event.Types...) {
		named := kind == event.OrderCompletedType || kind == event.SyncFailedType
		if some.Wants(kind, noon) != named || all.Wants(kind, noon) != (kind != event.PingType) {
			t.Errorf("%s: %v and %v", kind, some.Wants(kind, noon), all.Wants(kind, noon))
		}
	}
	all.Disable(event.ByMerchant, noon)
	if all.Wants(event.OrderCompletedType, noon) {
		t.Error("a disabled subscription wants events")
	}
	all.Enable(noon.Add(time.Hour))
	if all.Wants(event.OrderCompletedType, noon.Add(time.Minute)) || !all.Wants(event.OrderCompletedType, noon.Add(time.Hour)) {
		t.Error("it wants those of its pause, or none of now")
	}
}

func TestSubscription_Secrets_overlap(t *testing.T) {
	t.Parallel()
	s := subscribed(t, "*")
	texts := func(now time.Time) (all string) {
		for _, sealed := range s.Secrets(now) {
			all += string(sealed) + " "
		}
		return all
	}
	before := texts(noon)
	s.Rotate([]byte("two"), noon)
	s.Rotate([]byte("three"), noon.Add(time.Hour))
	end := noon.Add(time.Hour + event.SecretOverlap)
	if during, after := texts(end.Add(-time.Millisecond)), texts(end); before != "one " || during != "three two " || after != "three " {
		t.Errorf("%q, %q, %q", before, during, after)
	}
}

func TestSubscription_states(t *testing.T) {
	t.Parallel()
	s := subscribed(t, "*")
	if !s.Disable(event.Gone, noon) || s.Disable(event.ByMerchant, noon) || s.Reason != event.Gone {
		t.Errorf("disabled twice: %+v", s)
	}
	if s.Enable(noon); s.Status != event.Active || s.Reason != (event.Reason{}) {
		t.Errorf("enabled: %+v", s)
	}
	before := *s
	err := s.Change(event.Change{
		URL:    patch.To("nowhere"),
		Status: patch.To("asleep"),
		Types:  patch.To([]string{}),
	}, event.Rules{}, noon.Add(time.Hour))
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Details) != 3 || s.URL != before.URL || s.Status != before.Status || s.UpdatedAt != before.UpdatedAt {
		t.Errorf("%v, %+v", err, s)
	}
	for _, null := range []event.Change{{URL: patch.Null[string]()}, {Types: patch.Null[[]string]()}, {Status: patch.Null[string]()}} {
		if err := s.Change(null, event.Rules{}, noon); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", null, err)
		}
	}
}

// The error for an unknown type lists the valid types and the one that was probably meant.
func TestSubscribe_unknownType(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"order.complete": `, or only "*"; did you mean order.completed?`,
		"weather":        `, or only "*"`,
	} {
		_, err := event.Subscribe(id.Subscription{}, id.Project{}, event.Draft{URL: "https://example.com", Types: []string{name}}, nil, event.Rules{}, noon)
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || len(f.Details) != 1 || f.Details[0].Field != "event_types.0" || !strings.HasPrefix(f.Details[0].Message, "must be one of order.") ||
			!strings.HasSuffix(f.Details[0].Message, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

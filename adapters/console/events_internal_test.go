package console

import (
	"testing"
	"time"
)

func TestDeliveryWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	next := now.Add(time.Minute)
	v := &memberRequest{shop: &shop{words: newWords("en-US", "USD", time.UTC, now)}}
	for want, d := range map[string]delivery{
		"Not tried yet.": {NextAt: &now},
		"Answered 204.":  {Attempts: 1, Answer: 204},
		"Answered 500. 2 attempts. Next attempt 12:01.": {Attempts: 2, Answer: 500, NextAt: &next},
		"Connection refused.":                           {Attempts: 1, Error: "connection refused"},
	} {
		if got := v.deliveryWords(d); got != want {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
	}
}

func TestShopNames(t *testing.T) {
	t.Parallel()
	v := &memberRequest{known: []shop{{ID: "proj_1", Name: "North"}, {ID: "proj_2", Name: "South"}}}
	for want, ids := range map[string][]string{
		"All shops":                nil,
		"North and South":          {"proj_1", "proj_2"},
		"South and proj_abcd…wxyz": {"proj_2", "proj_abcdefghijklmnopqrstuvwxyz"},
	} {
		if got := v.shopNames(ids); got != want {
			t.Errorf("%v: %q, want %q", ids, got, want)
		}
	}
}

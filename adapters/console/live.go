package console

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// liveRows is how many negotiations the feed shows.
const liveRows = 6

// A stream polls for changes at this interval, and ends before the time limit of requests. The browser then opens the next one.
const (
	liveEvery = 2 * time.Second
	liveFor   = 20 * time.Second
)

// feed answers with the part of a page that has the newest negotiations.
func (v *memberRequest) feed() ([]byte, error) {
	rows, _, err := v.newestThreads(url.Values{"limit": {strconv.Itoa(liveRows)}})
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = pages()["today"].ExecuteTemplate(&text, "thread-rows", rows)
	return text.Bytes(), err
}

// live streams the feed as server-sent events. Each event replaces the feed.
func (v *memberRequest) live() error {
	controller := http.NewResponseController(v.w)
	shown, err := v.feed()
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/event-stream")
	if err := v.event(controller, shown); err != nil {
		return nil // the reader has gone
	}
	ticks, end := time.NewTicker(liveEvery), time.After(liveFor)
	defer ticks.Stop()
	for {
		select {
		case <-v.r.Context().Done():
			return nil
		case <-end:
			return nil
		case <-ticks.C:
		}
		next, err := v.feed()
		if err != nil {
			return nil // the next stream says why
		}
		if bytes.Equal(next, shown) {
			next = nil
		} else {
			shown = next
		}
		if err := v.event(controller, next); err != nil {
			return nil
		}
	}
}

// event sends a part of a page, or a comment if nothing has changed.
func (v *memberRequest) event(controller *http.ResponseController, part []byte) error {
	text := ": nothing new\n\n"
	if part != nil {
		text = "data: " + string(bytes.ReplaceAll(bytes.TrimSpace(part), []byte("\n"), []byte("\ndata: "))) + "\n\n"
	}
	if _, err := fmt.Fprint(v.w, text); err != nil {
		return err
	}
	return controller.Flush()
}

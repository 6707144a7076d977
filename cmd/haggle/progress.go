package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

const (
	// quiet is how long a command runs before its progress is shown.
	quiet = time.Second
	// frame is the minimum time between two updates of a bar, and plainFrame between two lines without a terminal.
	frame, plainFrame = 100 * time.Millisecond, 10 * time.Second
)

// progress shows a command's progress on standard error: a bar on a terminal, otherwise a line every ten seconds, and nothing
// during the first second. It is safe for concurrent use.
type progress struct {
	doing, unit string
	steps       bool // units are few and each takes long
	out         io.Writer
	terminal    bool
	now         func() time.Time

	mu     sync.Mutex
	bar    *progressbar.ProgressBar
	began  time.Time
	last   time.Time // the last update
	number *message.Printer
}

// newProgress returns a progress that shows "importing 1,200 products" and the like.
func newProgress(doing, unit string) *progress {
	return progressOn(os.Stderr, terminal(os.Stderr), time.Now, doing, unit)
}

func progressOn(out io.Writer, terminal bool, now func() time.Time, doing, unit string) *progress {
	return &progress{
		doing:    doing,
		unit:     unit,
		out:      out,
		terminal: terminal,
		now:      now,
		began:    now(),
		number:   message.NewPrinter(language.English),
	}
}

// showSteps shows how many steps of a command are done and how long it has run, until end is called. step sets the number. The
// display also moves during a long step.
func showSteps(doing, unit string) (step func(done, of int), end func()) {
	p := newProgress(doing, unit)
	p.steps = true
	var done, of atomic.Int64
	ended, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(frame)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				p.end()
				return
			case <-tick.C:
				p.show(done.Load(), done.Load(), of.Load())
			}
		}
	}()
	step = func(nowDone, nowOf int) {
		of.Store(int64(nowOf))
		done.Store(int64(nowDone))
	}
	return step, func() {
		close(ended)
		<-over
	}
}

// show updates the number of units done. part and whole measure the work in any unit, such as bytes; a whole of 0 is unknown.
func (p *progress) show(done, part, whole int64) { p.showAt("", done, part, whole) }

// showAt is show with the name of the current object, such as a table.
func (p *progress) showAt(what string, done, part, whole int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	took, since := now.Sub(p.began), now.Sub(p.last)
	switch {
	case took < quiet:
	case !p.terminal && since >= plainFrame:
		p.last = now
		fmt.Fprintln(p.out, p.text(what, done, part, whole, took))
	case p.terminal && since >= frame:
		p.last = now
		p.draw(p.text(what, done, part, whole, took), part, whole)
	}
}

// text returns the progress in words: "importing: 12,300 products, 6,150/s, 43%, 3s left".
func (p *progress) text(what string, done, part, whole int64, took time.Duration) string {
	doing := p.doing
	if what != "" {
		doing += " " + what
	}
	if p.steps {
		said := fmt.Sprintf("%s: %s", doing, took.Truncate(time.Second))
		if whole <= 0 {
			return said
		}
		return said + fmt.Sprintf(", %d of %d %s", done, whole, p.unit) + remaining(part, whole, took)
	}
	said := p.number.Sprintf("%s: %d %s, %d/s", doing, done, p.unit, int64(float64(done)/took.Seconds()))
	return said + remaining(part, whole, took)
}

// remaining returns the finished share and the remaining time at the average speed.
func remaining(part, whole int64, took time.Duration) string {
	if part <= 0 || whole <= 0 || part > whole {
		return ""
	}
	remaining := time.Duration(float64(took) * float64(whole-part) / float64(part))
	return fmt.Sprintf(", %d%%, %s left", 100*part/whole, remaining.Round(time.Second))
}

// draw draws a bar behind the words. The library's own numbers would count part and whole.
func (p *progress) draw(words string, part, whole int64) {
	if whole <= 0 {
		whole = -1 // the library animates it
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(whole, progressbar.OptionSetWriter(p.out), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish())
	}
	p.bar.Describe(words)
	_ = p.bar.Set64(part)
}

// end removes the bar.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}

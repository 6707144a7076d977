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
	// quiet is how long a command may take before its progress is shown.
	quiet = time.Second
	// frame is the shortest time between two pictures of a bar, and between two lines where there is no terminal.
	frame, plainFrame = 100 * time.Millisecond, 10 * time.Second
)

// progress shows how far a command is on standard error: a bar where a person looks, and else a line every ten seconds. What
// is done within a second shows nothing. It may be used from several goroutines.
type progress struct {
	doing, unit string
	steps       bool // units are few, and take long
	out         io.Writer
	terminal    bool
	now         func() time.Time

	mu     sync.Mutex
	bar    *progressbar.ProgressBar
	began  time.Time
	last   time.Time // when something was shown
	number *message.Printer
}

// newProgress shows "importing 1,200 products" and so on.
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

// showSteps shows how many steps of a command are done and how long it has run, until end is called. step sets the number.
// A step may take long: the picture also moves meanwhile.
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

// show says that so many units are done. part of whole, in any measure, is how far that is; a whole of 0 is not known.
func (p *progress) show(done, part, whole int64) { p.showAt("", done, part, whole) }

// showAt is show with what is worked on, such as the name of a table.
func (p *progress) showAt(what string, done, part, whole int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	took, since := now.Sub(p.began), now.Sub(p.last)
	switch {
	case took < quiet:
	case !p.terminal && since >= plainFrame:
		p.last = now
		fmt.Fprintln(p.out, p.says(what, done, part, whole, took))
	case p.terminal && since >= frame:
		p.last = now
		p.draw(p.says(what, done, part, whole, took), part, whole)
	}
}

// says is the progress in words: "importing: 12,300 products, 6,150/s, 43%, 3s left".
func (p *progress) says(what string, done, part, whole int64, took time.Duration) string {
	doing := p.doing
	if what != "" {
		doing += " " + what
	}
	if p.steps {
		said := fmt.Sprintf("%s: %s", doing, took.Truncate(time.Second))
		if whole <= 0 {
			return said
		}
		return said + fmt.Sprintf(", %d of %d %s", done, whole, p.unit) + left(part, whole, took)
	}
	said := p.number.Sprintf("%s: %d %s, %d/s", doing, done, p.unit, int64(float64(done)/took.Seconds()))
	return said + left(part, whole, took)
}

// left is the share that is done, and the time that is left at the pace so far.
func left(part, whole int64, took time.Duration) string {
	if part <= 0 || whole <= 0 || part > whole {
		return ""
	}
	left := time.Duration(float64(took) * float64(whole-part) / float64(part))
	return fmt.Sprintf(", %d%%, %s left", 100*part/whole, left.Round(time.Second))
}

// draw draws a bar behind the words; the numbers of the library itself would count the measure of part and whole.
func (p *progress) draw(words string, part, whole int64) {
	if whole <= 0 {
		whole = -1 // it turns by itself
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(whole, progressbar.OptionSetWriter(p.out), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish())
	}
	p.bar.Describe(words)
	_ = p.bar.Set64(part)
}

// end takes the bar away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}

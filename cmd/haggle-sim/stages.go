package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// stages shows progress bars one after the other.
type stages struct {
	name string
	bar  *progressbar.ProgressBar
}

// show returns nil if standard error is no terminal.
func (s *stages) show() func(name string, done, total int64) {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return func(name string, done, total int64) {
		if name != s.name {
			s.finish()
			if total == 0 {
				total = -1 // the library animates it
			}
			s.name, s.bar = name, progressbar.NewOptions64(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(name),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		}
		_ = s.bar.Set64(done)
	}
}

func (s *stages) finish() {
	if s.bar != nil {
		_ = s.bar.Finish()
	}
	s.name, s.bar = "", nil
}

package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// journal is the ledger's file. Lines are appended by one writer at a time and synced in groups: whoever syncs first
// does it for all that was written until then.
type journal struct {
	file    *os.File
	written atomic.Int64
	broken  error // the first failure; after it nothing more is appended

	syncing sync.Mutex
	synced  int64
}

// openJournal replays the file's lines and is ready to append. A torn last line is cut off: nothing rested on it.
func openJournal(path string, replay func(entry)) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	whole, err := replayLines(file, replay)
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ledger %s: %w", path, err), file.Close())
	}
	j := &journal{file: file, synced: whole}
	j.written.Store(whole)
	return j, nil
}

// replayLines answers how many bytes are whole lines.
func replayLines(file io.Reader, replay func(entry)) (whole int64, err error) {
	content, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	for number := 1; len(content) > 0; number++ {
		line, rest, ended := bytes.Cut(content, []byte{'\n'})
		var e entry
		if err := json.Unmarshal(line, &e); err != nil || !ended {
			if len(rest) == 0 {
				return whole, nil
			}
			return 0, fmt.Errorf("line %d is damaged: %w", number, err)
		}
		replay(e)
		whole += int64(len(line)) + 1
		content = rest
	}
	return whole, nil
}

// append writes one line. It is not safe on disk before sync.
func (j *journal) append(e entry) error {
	if j.broken != nil {
		return j.broken
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		j.broken = fmt.Errorf("ledger: %w", err)
		return j.broken
	}
	j.written.Add(int64(len(line)) + 1)
	return nil
}

// position is the end of what was appended.
func (j *journal) position() int64 { return j.written.Load() }

// sync returns once everything up to position is on disk.
func (j *journal) sync(position int64) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.synced >= position {
		return nil
	}
	end := j.written.Load()
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	j.synced = end
	return nil
}

func (j *journal) close() error { return j.file.Close() }

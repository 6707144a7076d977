package feed

import (
	"bufio"
	"bytes"
	"io"
	"slices"
)

// maxLine bounds a line, and a CSV record of several lines.
const maxLine = 1 << 20

// line is a line of text without its end.
type line struct {
	number  int
	text    []byte
	tooLong bool
}

// lines reads and numbers the lines of a text. Lines can be pushed back, to be returned again.
type lines struct {
	from   *bufio.Reader
	number int
	again  []line // the next one last
	err    error  // of from; once set, every later call of next returns it
}

// next returns the next line, io.EOF after the last one, or the read error.
func (l *lines) next() (line, error) {
	if last := len(l.again) - 1; last >= 0 {
		next := l.again[last]
		l.again = l.again[:last]
		return next, nil
	}
	if l.err != nil {
		return line{}, l.err
	}
	return l.read()
}

// back pushes lines back: next returns them first, in their order.
func (l *lines) back(some []line) {
	for _, one := range slices.Backward(some) {
		l.again = append(l.again, one)
	}
}

func (l *lines) read() (line, error) {
	l.number++
	var text []byte
	length := 0
	for {
		part, err := l.from.ReadSlice('\n')
		if length += len(part); length <= maxLine+len("\r\n") {
			text = append(text, part...)
		}
		if err != bufio.ErrBufferFull {
			l.err = err
			break
		}
	}
	switch {
	case l.err != nil && l.err != io.EOF, length == 0:
		return line{}, l.err
	case length > maxLine+len("\r\n"):
		return line{number: l.number, tooLong: true}, nil
	}
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	return line{l.number, text, len(text) > maxLine}, nil
}

func (l line) blank() bool { return !l.tooLong && len(bytes.TrimSpace(l.text)) == 0 }

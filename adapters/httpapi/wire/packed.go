package wire

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
)

// packedMark begins a kept body that is compressed. No answer begins with it: they are text.
const packedMark = 1

// leastPacked is below what compressing gains nothing.
const leastPacked = 200

var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is not a level
	}
	return w
}}

// pack makes a body smaller, for many are kept: anybody may have an answer kept for a day.
func pack(body []byte) []byte {
	if len(body) < leastPacked {
		return body
	}
	packed := bytes.NewBuffer([]byte{packedMark})
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(packed)
	if _, err := w.Write(body); err != nil {
		return body
	}
	if err := w.Close(); err != nil || packed.Len() >= len(body) {
		return body
	}
	return packed.Bytes()
}

// inflate is the body that pack was given. Earlier releases packed none.
func inflate(kept []byte) ([]byte, error) {
	if len(kept) == 0 || kept[0] != packedMark {
		return kept, nil
	}
	return io.ReadAll(flate.NewReader(bytes.NewReader(kept[1:])))
}

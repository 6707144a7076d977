package embeddings

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// toVectorRows are vectors' rows and the bytes that each vector has; -1: not all have the same number.
func toVectorRows(task *ports.EmbeddingTask, vectors map[ports.TextHash][]float32, now time.Time) (rows [][]any, size int) {
	for _, hash := range slices.Sorted(maps.Keys(vectors)) {
		vector := toVector(vectors[hash])
		switch {
		case len(rows) == 0:
			size = len(vector)
		case size != len(vector):
			size = -1
		}
		rows = append(rows, []any{task.Project, task.Model, string(hash), now, vector})
	}
	return rows, size
}

func vectorLength(size, stored int) *fault.Error {
	message := "The model's vectors have different lengths."
	if size >= 0 {
		message = fmt.Sprintf("The model made vectors of %d numbers, and earlier ones of %d. Another model needs another name.", size/4, stored/4)
	}
	return fault.New(fault.Conflict, "vector_length", message)
}

// A vector is stored as 32-bit floats, little-endian.

func toVector(vector []float32) []byte {
	stored := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		stored = binary.LittleEndian.AppendUint32(stored, math.Float32bits(x))
	}
	return stored
}

func fromVector(stored []byte) []float32 {
	vector := make([]float32, len(stored)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(stored[4*i:]))
	}
	return vector
}

package porttest

import (
	"time"
)

const (
	EmbeddingLease = 30 * time.Second
	Day            = 24 * time.Hour
)

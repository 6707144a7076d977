package journey

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ticks is how many clock ticks /proc counts in a second: USER_HZ is 100 on every Linux.
const ticks = 100

// cpu returns the CPU time of a process in µs, user and kernel, including its children that have exited.
func cpu(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var total int64
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total * 1_000_000 / ticks, nil
}

// cpuOfTree returns the CPU time of a process and all its descendants.
func cpuOfTree(root int) (int64, error) {
	total, err := cpu(root)
	if err != nil {
		return 0, err
	}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", root))
	if err != nil {
		return 0, err
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has exited
		}
		for _, child := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(child)
			if err != nil {
				return 0, err
			}
			if below, err := cpuOfTree(pid); err == nil { // otherwise it has exited
				total += below
			}
		}
	}
	return total, nil
}

// memory is what a server has allocated since its start.
type memory struct{ objects, bytes float64 }

var metric = regexp.MustCompile(`(?m)^(go_memstats_mallocs_total|go_memstats_alloc_bytes_total) (\S+)$`)

func allocated(ops string) (m memory, err error) {
	answer, err := http.Get(ops + "/metrics")
	if err != nil {
		return m, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	for _, found := range metric.FindAllStringSubmatch(string(text), -1) {
		value, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			return m, err
		}
		if found[1] == "go_memstats_mallocs_total" {
			m.objects = value
		} else {
			m.bytes = value
		}
	}
	if err == nil && m == (memory{}) {
		err = fmt.Errorf("%s/metrics has no allocations", ops)
	}
	return m, err
}

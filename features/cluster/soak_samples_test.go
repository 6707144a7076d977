package cluster

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// readMetrics parses Prometheus' text format. It sums a metric over its labels.
func readMetrics(from io.Reader) (map[string]float64, error) {
	values := map[string]float64{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		end := strings.LastIndexByte(line, ' ')
		if end < 0 {
			return nil, fmt.Errorf("metrics: no value in %q", line)
		}
		value, err := strconv.ParseFloat(line[end+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("metrics: %q: %w", line, err)
		}
		name, _, _ := strings.Cut(line[:end], "{")
		values[name] += value
	}
	return values, lines.Err()
}

// fetch returns a page of a server's operations address.
func fetch(url string) (io.ReadCloser, error) {
	response, err := client.Get(url)
	if err == nil && response.StatusCode != http.StatusOK {
		_ = response.Body.Close() // the error has the status
		err = fmt.Errorf("%s: %s", url, response.Status)
	}
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// ofStatus returns sizes in bytes and counts from /proc/PID/status.
func ofStatus(pid int, names ...string) ([]float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(names))
	for i, name := range names {
		_, rest, found := strings.Cut(string(text), "\n"+name+":")
		fields := strings.Fields(rest)
		if !found || len(fields) < 2 {
			return nil, fmt.Errorf("/proc/%d/status has no %s", pid, name)
		}
		if values[i], err = strconv.ParseFloat(fields[0], 64); err != nil {
			return nil, err
		}
		if fields[1] == "kB" {
			values[i] *= 1024
		}
	}
	return values, nil
}

// size returns the size of all files below a path, without those that disappear meanwhile.
func size(path string) (bytes float64) {
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			bytes += float64(info.Size())
		}
		return nil
	})
	return bytes
}

// sample measures everything. It runs a garbage collection first, so that the heap is what is in use. The heap profile is
// stored beside the logs: go tool pprof -base EARLY LATE shows what grows.
func (k *soak) sample(n int) (s sample, err error) {
	s.at = time.Since(k.began)
	s.of[orderCount] = float64(k.paid())
	heap, err := fetch(k.a.process.Ops + "/debug/pprof/heap?gc=1")
	if err != nil {
		return s, err
	}
	defer heap.Close()
	profile, err := io.ReadAll(heap)
	if err != nil {
		return s, err
	}
	if err := os.WriteFile(filepath.Join(k.db.logs, fmt.Sprintf("heap-%02d.pprof", n)), profile, 0o600); err != nil {
		return s, err
	}
	page, err := fetch(k.a.process.Ops + "/metrics")
	if err != nil {
		return s, err
	}
	defer page.Close()
	values, err := readMetrics(page)
	if err != nil {
		return s, err
	}
	for q, name := range map[quantity]string{
		heapBytes:       "go_memstats_heap_alloc_bytes",
		residentBytes:   "process_resident_memory_bytes",
		goroutineCount:  "go_goroutines",
		fileCount:       "process_open_fds",
		connectionCount: "go_sql_open_connections",
		cpuSeconds:      "process_cpu_seconds_total",
	} {
		if s.of[q] = values[name]; s.of[q] == 0 && q != connectionCount {
			return s, fmt.Errorf("/metrics has no %s", name)
		}
	}
	s.of[fileCount] -= s.of[connectionCount]
	status, err := ofStatus(k.a.process.PID(), "RssAnon", "Threads")
	if err != nil {
		return s, err
	}
	s.of[anonymousBytes], s.of[threadCount] = status[0], status[1]
	return s, k.disks(&s)
}

// disks measures disk usage.
func (k *soak) disks(s *sample) error {
	for i, q := range []quantity{firstWALBytes, secondWALBytes, thirdWALBytes} {
		data := filepath.Join(k.db.Nodes[i].Dir, "postgresql")
		s.of[q] = size(filepath.Join(data, "pg_wal"))
		s.of[temporaryBytes] += size(filepath.Join(data, "base", "pgsql_tmp"))
	}
	for _, r := range []struct {
		replica     *replica
		folder, log quantity
	}{{k.a, folderBytesA, logBytesA}, {k.b, folderBytesB, logBytesB}} {
		s.of[r.folder] = size(r.replica.dir)
		s.of[r.log] = size(r.replica.log)
		s.of[temporaryBytes] += size(r.replica.temporary())
	}
	// Any node can return it, unless it was killed.
	var err error
	for _, n := range k.db.Nodes {
		var text string
		if text, err = n.query("haggle", "SELECT pg_database_size('haggle')"); err == nil {
			s.of[databaseBytes], err = strconv.ParseFloat(text, 64)
			return err
		}
	}
	return err
}

// text formats samples as a table.
func text(samples []sample) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "at\t")
	for q := range quantities {
		fmt.Fprint(w, columns[q].name, "\t")
	}
	fmt.Fprintln(w)
	for _, s := range samples {
		fmt.Fprint(w, s.at.Round(time.Second), "\t")
		for q, v := range s.of {
			fmt.Fprint(w, strconv.FormatFloat(v/columns[q].unit, 'f', decimals(columns[q].unit), 64), "\t")
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // writes to memory
	return b.String()
}

func decimals(unit float64) int {
	if unit == 1e6 {
		return 1
	}
	return 0
}

// writeSamples writes all samples as CSV, in seconds, bytes and counts.
func writeSamples(path string, samples []sample) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := csv.NewWriter(file)
	row := []string{"seconds"}
	for q := range quantities {
		name, _, _ := strings.Cut(columns[q].name, " MB")
		name, _, _ = strings.Cut(name, " kB")
		row = append(row, name)
	}
	_ = w.Write(row) // w.Error returns the error
	for _, s := range samples {
		row = append(row[:0], strconv.FormatFloat(s.at.Seconds(), 'f', 1, 64))
		for _, v := range s.of {
			row = append(row, strconv.FormatFloat(v, 'f', -1, 64))
		}
		_ = w.Write(row)
	}
	w.Flush()
	return w.Error()
}

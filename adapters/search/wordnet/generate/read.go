package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The parts of speech in the packed file, by their number there.
const (
	noun = iota
	verb
	adjective
	partsOfSpeech
)

var fileEndings = [partsOfSpeech]string{"noun", "verb", "adj"}

// dictionary is the parsed content of the files.
type dictionary struct {
	synsets    map[address]*synset
	entries    []entry
	counts     map[tagged]int // how often a sense occurs in the tagged texts
	exceptions []exception
}

// address is the location of a synset: the offset in the data file of its part of speech.
type address struct {
	pos    int
	offset string
}

type synset struct {
	pos      int
	file     int // number of the lexicographer's file, 6 being noun.artifact
	words    []string
	parents  []address // direct hypernyms
	instance bool      // of a class, as Paris is of city
}

// entry is a line of an index: a lemma with its senses, the most common first.
type entry struct {
	lemma  string
	pos    int
	senses []string // offsets
}

type tagged struct {
	lemma     string
	pos, rank int // rank from 1
}

// exception is an irregular form with its base.
type exception struct {
	form, base string
	pos        int
}

func readDictionary(dir string) (dictionary, error) {
	d := dictionary{synsets: make(map[address]*synset), counts: make(map[tagged]int)}
	for pos, ending := range fileEndings {
		steps := []struct {
			file string
			line func(pos int, line string) error
		}{
			{"data." + ending, d.dataLine},
			{"index." + ending, d.indexLine},
			{ending + ".exc", d.exceptionLine},
		}
		for _, step := range steps {
			if err := eachLine(filepath.Join(dir, step.file), func(line string) error { return step.line(pos, line) }); err != nil {
				return d, err
			}
		}
	}
	return d, eachLine(filepath.Join(dir, "cntlist.rev"), d.countLine)
}

// licence returns the text at the beginning of every data file, without its line numbers.
func licence(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "data.noun"))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, " ") {
			break
		}
		_, line, _ = strings.Cut(strings.TrimSpace(line), " ")
		text.WriteString(line + "\n")
	}
	return text.String(), nil
}

// eachLine calls use with a file's lines, except those of the licence, which begin with a space.
func eachLine(name string, use func(line string) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		if strings.HasPrefix(lines.Text(), " ") {
			continue
		}
		if err := use(lines.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	return lines.Err()
}

// dataLine reads "offset file type words(hex) word id … pointers symbol offset pos ends … | gloss".
func (d *dictionary) dataLine(pos int, line string) error {
	line, _, _ = strings.Cut(line, " | ")
	fields := strings.Fields(line)
	if len(fields) < 6 {
		return fmt.Errorf("only %d fields", len(fields))
	}
	file, err := strconv.Atoi(fields[1])
	if err != nil {
		return err
	}
	words, err := strconv.ParseInt(fields[3], 16, 32)
	if err != nil {
		return err
	}
	s := &synset{pos: pos, file: file}
	rest := fields[4:]
	for range words {
		word, _, _ := strings.Cut(rest[0], "(") // the marker of "galore(ip)" means that it only follows its noun
		s.words = append(s.words, word)
		rest = rest[2:]
	}
	pointers, err := strconv.Atoi(rest[0])
	if err != nil {
		return err
	}
	for i := range pointers {
		s.point(rest[1+4*i], rest[2+4*i])
	}
	d.synsets[address{pos, fields[0]}] = s
	return nil
}

func (s *synset) point(symbol, offset string) {
	switch symbol {
	case "@":
		s.parents = append(s.parents, address{s.pos, offset})
	case "@i":
		s.instance = true
	}
}

// indexLine reads "lemma pos senses pointers symbol … senses tagged offset …".
func (d *dictionary) indexLine(pos int, line string) error {
	fields := strings.Fields(line)
	if len(fields) < 6 {
		return fmt.Errorf("only %d fields", len(fields))
	}
	senses, err := strconv.Atoi(fields[2])
	if err != nil {
		return err
	}
	d.entries = append(d.entries, entry{fields[0], pos, fields[len(fields)-senses:]})
	return nil
}

// exceptionLine reads "form base base …".
func (d *dictionary) exceptionLine(pos int, line string) error {
	fields := strings.Fields(line)
	for _, base := range fields[min(1, len(fields)):] {
		d.exceptions = append(d.exceptions, exception{fields[0], base, pos})
	}
	return nil
}

// countLine reads "lemma%type:… rank count", where type is 1 noun, 2 verb, 3 adjective, 5 satellite adjective.
func (d *dictionary) countLine(line string) error {
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return fmt.Errorf("%d fields instead of 3", len(fields))
	}
	lemma, key, _ := strings.Cut(fields[0], "%")
	pos, kept := map[byte]int{'1': noun, '2': verb, '3': adjective, '5': adjective}[(key + " ")[0]]
	if !kept {
		return nil
	}
	rank, err := strconv.Atoi(fields[1])
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(fields[2])
	d.counts[tagged{lemma, pos, rank}] = count
	return err
}

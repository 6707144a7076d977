// Command generate packs the files of Princeton WordNet 3.0 into the file that package wordnet embeds. It uses no randomness, and
// no floating point except square roots, so the same input gives the same bytes. As in WordNet's own files, the licence comes
// first, then a zero byte and the data.
//
//	generate [-dict /usr/share/wordnet] FILE
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	dict := flag.String("dict", "/usr/share/wordnet", "the folder that holds data.noun, index.noun and so on")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: generate [-dict FOLDER] FILE")
		os.Exit(2)
	}
	if err := generate(*dict, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(dict, file string) error {
	raw, err := compact(dict)
	if err != nil {
		return err
	}
	packed, err := deflate(raw)
	if err != nil {
		return err
	}
	licence, err := licence(dict)
	if err != nil {
		return err
	}
	return os.WriteFile(file, slices.Concat([]byte(licence), []byte{0}, packed), 0o644)
}

// compact returns the data of the file before compression.
func compact(dict string) ([]byte, error) {
	if _, err := os.Stat(filepath.Join(dict, "data.noun")); err != nil {
		return nil, fmt.Errorf("%s holds no WordNet: apt-get install wordnet-base, or name another folder with -dict", dict)
	}
	d, err := readDictionary(dict)
	if err != nil {
		return nil, err
	}
	return pack(choose(d)), nil
}

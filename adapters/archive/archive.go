// Package archive writes and reads files that are compressed with zstd and, where one wants it, encrypted with age
// (age-encryption.org/v1). The tools zstd and age read them too.
package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// Keys encrypt a file, or open one. Without any the file is not encrypted.
type Keys struct {
	Recipients []age.Recipient
	Identities []age.Identity
}

// Passphrase has a file encrypted with a passphrase, or opened by it.
func Passphrase(text string) (Keys, error) {
	r, err := age.NewScryptRecipient(text)
	if err != nil {
		return Keys{}, err
	}
	i, err := age.NewScryptIdentity(text)
	if err != nil {
		return Keys{}, err
	}
	return Keys{[]age.Recipient{r}, []age.Identity{i}}, nil
}

// Recipients have a file encrypted for the holders of keys, which are public: age1…, separated by commas.
func Recipients(text string) (Keys, error) {
	all, err := age.ParseRecipients(strings.NewReader(strings.ReplaceAll(text, ",", "\n")))
	return Keys{Recipients: all}, err
}

// Identities open files by the secret keys in a file, as age-keygen writes it.
func Identities(path string) (Keys, error) {
	file, err := os.Open(path)
	if err != nil {
		return Keys{}, err
	}
	defer file.Close()
	all, err := age.ParseIdentities(file)
	if err != nil {
		return Keys{}, fmt.Errorf("%s: %w", path, err)
	}
	return Keys{Identities: all}, nil
}

var (
	// ErrExists refuses to write over a file.
	ErrExists = errors.New("the file exists already")
	// ErrEncrypted says that a file needs a key.
	ErrEncrypted = errors.New("the file is encrypted: name the passphrase or the identity that opens it")
	// ErrWrongKey says that a file is encrypted with another key.
	ErrWrongKey = errors.New("the file is encrypted with another key")
)

// Create has write fill a new file at path, readable for nobody else. It gets its name when all is written and kept by
// the disk: whatever has the name is whole.
func Create(path string, keys Keys, write func(io.Writer) error) (size int64, err error) {
	if _, err := os.Lstat(path); err == nil {
		return 0, fmt.Errorf("%s: %w", path, ErrExists)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // 0600
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
	}()
	if err := Write(file, keys, write); err != nil {
		return 0, err
	}
	if size, err = file.Seek(0, io.SeekCurrent); err != nil {
		return 0, err
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	if err := os.Link(file.Name(), path); err != nil { // which, unlike a renaming, does not replace a file
		return 0, err
	}
	return size, errors.Join(os.Remove(file.Name()), file.Close(), syncFolder(filepath.Dir(path)))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Write has write fill a stream.
func Write(to io.Writer, keys Keys, write func(io.Writer) error) error {
	sealed := nopCloser{to}
	var encrypted io.WriteCloser = sealed
	if len(keys.Recipients) > 0 {
		var err error
		if encrypted, err = age.Encrypt(to, keys.Recipients...); err != nil {
			return err
		}
	}
	compressed, err := zstd.NewWriter(encrypted)
	if err != nil {
		return err
	}
	if err := write(compressed); err != nil {
		return errors.Join(err, compressed.Close())
	}
	return errors.Join(compressed.Close(), encrypted.Close())
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// ageMagic begins an encrypted file.
const ageMagic = "age-encryption.org/v1\n"

// Read has read take what is in a file.
func Read(path string, keys Keys, read func(io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<16)
	var plain io.Reader = in
	if begin, _ := in.Peek(len(ageMagic)); string(begin) == ageMagic {
		if len(keys.Identities) == 0 {
			return fmt.Errorf("%s: %w", path, ErrEncrypted)
		}
		if plain, err = age.Decrypt(in, keys.Identities...); err != nil {
			var wrong *age.NoIdentityMatchError
			if errors.As(err, &wrong) {
				return fmt.Errorf("%s: %w", path, ErrWrongKey)
			}
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	decompressed, err := zstd.NewReader(plain, zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return err
	}
	defer decompressed.Close()
	return read(decompressed)
}

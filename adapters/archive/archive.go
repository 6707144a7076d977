// Package archive writes and reads files that are compressed with zstd and optionally encrypted with age
// (age-encryption.org/v1). The tools zstd and age can read them too. It does not know what the files contain.
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

// Keys encrypt or decrypt a file. Without keys the file is not encrypted.
type Keys struct {
	Recipients []age.Recipient
	Identities []age.Identity
}

// Passphrase returns keys that encrypt and decrypt with a passphrase.
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

// Recipients parses public age keys (age1…), separated by commas. The holders of their secret keys can decrypt the file.
func Recipients(text string) (Keys, error) {
	all, err := age.ParseRecipients(strings.NewReader(strings.ReplaceAll(text, ",", "\n")))
	return Keys{Recipients: all}, err
}

// Identities reads secret age keys from a file that age-keygen wrote.
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
	// ErrExists means that the file exists and was not overwritten.
	ErrExists = errors.New("the file exists already")
	// ErrEncrypted means that reading the file needs a key.
	ErrEncrypted = errors.New("the file is encrypted: name the passphrase or the identity that opens it")
	// ErrWrongKey means that the file is encrypted with another key.
	ErrWrongKey = errors.New("the file is encrypted with another key")
)

// Create writes a new file atomically: it calls write with a temporary file in the same folder, syncs it to disk and then
// links it to path. Only the owner may read the file, and an existing file is never replaced.
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
	if err := os.Link(file.Name(), path); err != nil { // unlike os.Rename, it does not replace a file
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

// Write compresses and encrypts what write writes.
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

// ageMagic is the first line of an encrypted file.
const ageMagic = "age-encryption.org/v1\n"

// Read decrypts and decompresses a file, and passes its content to read.
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

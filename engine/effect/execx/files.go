package execx

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// writeFiles writes what the request brings, inside the folder.
func writeFiles(dir string, files map[string]string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for path, text := range files {
		if !filepath.IsLocal(path) {
			return fmt.Errorf("the path %q leads out of the folder", path)
		}
		if err := root.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// collect reads output files and hashes them. A link that leads out of the folder is not followed.
func (p *Provider) collect(dir string, outputs []string) (canon.Value, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return canon.Value{}, p.failed(ClassFile, err)
	}
	defer root.Close()
	members := make([]canon.Member, 0, len(outputs))
	for _, path := range outputs {
		v, class, err := p.file(root, path)
		if err != nil {
			return canon.Value{}, p.failed(class, fmt.Errorf("output file %q: %w", path, err))
		}
		members = append(members, canon.Member{Key: path, Value: v})
	}
	return canon.Object(members...), nil
}

func (p *Provider) file(root *os.Root, path string) (v canon.Value, class string, err error) {
	info, err := root.Stat(path)
	switch {
	case err != nil:
		return v, ClassFile, err
	case !info.Mode().IsRegular():
		return v, ClassFile, errors.New("it is no file")
	case info.Size() > p.maxFile:
		return v, ClassFile, fmt.Errorf("it has %d bytes, more than %d", info.Size(), p.maxFile)
	}
	f, err := root.Open(path)
	if err != nil {
		return v, ClassFile, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, p.maxFile+1))
	if err != nil {
		return v, ClassFile, err
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	if err := p.store(hash, data); err != nil {
		return v, ClassKeep, err
	}
	members := []canon.Member{{Key: "bytes", Value: canon.Int(int64(len(data)))}, {Key: "sha256", Value: canon.String(hash)}}
	if int64(len(data)) <= p.maxText && utf8.Valid(data) {
		members = append(members, canon.Member{Key: "text", Value: canon.String(string(data))})
	}
	return canon.Object(members...), "", nil
}

// store keeps a file under its hash, unless the settings keep nothing or one that holds a secret would be kept.
func (p *Provider) store(hash string, data []byte) error {
	if p.keep == "" {
		return nil
	}
	if names := p.set.Vault.Scanner().Find(string(data)); len(names) > 0 {
		return fmt.Errorf("it holds the secret %s and is not kept", strings.Join(names, ", "))
	}
	if err := os.MkdirAll(p.keep, 0o755); err != nil {
		return err
	}
	path := filepath.Join(p.keep, hash)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return trace.ReplaceFile(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

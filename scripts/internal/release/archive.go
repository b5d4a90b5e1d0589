package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A file goes into an archive under a name.
type file struct {
	name, path string
	mode       fs.FileMode
}

// pack writes the archive of one system, named after its top folder, and
// returns its name: a zip for Windows, a compressed tar for the others.
func pack(dir, name, bin, share string, windows bool, date time.Time) (string, error) {
	files, err := contents(bin, share, windows)
	if err != nil {
		return "", err
	}
	write, archive := writeTar, name+".tar.gz"
	if windows {
		write, archive = writeZip, name+".zip"
	}
	out, err := os.Create(filepath.Join(dir, archive))
	if err != nil {
		return "", err
	}
	defer out.Close()
	if err := write(out, name, files, date); err != nil {
		return "", err
	}
	return archive, out.Close()
}

// contents lists what an archive holds, by name.
func contents(bin, share string, windows bool) ([]file, error) {
	files := []file{{"LICENSE", "LICENSE", 0o644}, {"README.md", "README.md", 0o644}}
	below := func(root, as string, mode fs.FileMode) error {
		return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, path)
			files = append(files, file{as + "/" + filepath.ToSlash(rel), path, mode})
			return err
		})
	}
	if err := below(bin, "bin", 0o755); err != nil {
		return nil, err
	}
	if err := below("docs", "docs", 0o644); err != nil {
		return nil, err
	}
	if !windows {
		if err := below(share, "share", 0o644); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return files, nil
}

func writeTar(w io.Writer, top string, files []file, date time.Time) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		data, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: top + "/" + f.name, Mode: int64(f.mode), Size: int64(len(data)), ModTime: date, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func writeZip(w io.Writer, top string, files []file, date time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		data, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: top + "/" + f.name, Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		entry, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

//go:build unix

package recording

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder waits until the entries of a folder are on the disk. Some file
// systems cannot say so, and keep them without being asked.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

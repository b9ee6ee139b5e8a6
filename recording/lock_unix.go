//go:build unix

package recording

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock keeps others from writing the file, in this process and in any other,
// until it is closed.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return inUse(f.Name())
	case err != nil:
		return fmt.Errorf("%s cannot be locked: %w", f.Name(), err)
	}
	return nil
}

//go:build unix

package recording

import (
	"fmt"
	"os"
	"syscall"
)

// lock keeps other processes from writing the file, until it is closed.
func lock(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("%s is being written by another process; wait until it ends (%w)", f.Name(), err)
	}
	return nil
}

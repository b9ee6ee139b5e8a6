package main

import (
	"fmt"
	"io"
	"sync"
)

// A console is where the command prints. It lets no control character through
// that could steer a terminal, whatever a model, a tool or a file says, and
// remembers the first write that failed. It is safe for concurrent use.
type console struct {
	mu   sync.Mutex
	w    io.Writer
	half bool // the last byte began a character that may be a control
	err  error
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	clean := make([]byte, 0, len(p)+1)
	for _, b := range p {
		switch {
		case c.half && 0x80 <= b && b < 0xa0: // a control in two bytes
			c.half = false
		case c.half:
			c.half = false
			clean = append(clean, 0xc2, b)
		case b == 0xc2:
			c.half = true
		case b < ' ' && b != '\n' && b != '\t', b == 0x7f:
		default:
			clean = append(clean, b)
		}
	}
	if c.err == nil {
		_, c.err = c.w.Write(clean)
	}
	return len(p), c.err
}

// failure is the error of a command whose results could not be printed.
func (c *console) failure() error {
	if c.err == nil {
		return nil
	}
	return fmt.Errorf("the results could not be printed: %w", c.err)
}
